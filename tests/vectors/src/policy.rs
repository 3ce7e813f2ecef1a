//! A policy as it stands in a case, and why it may not be one.

use core::fmt;

use serde::{Deserialize, Serialize};
use tollgate_oracle::policy::LONGEST_NS;
use tollgate_oracle::{self as oracle, Kind};

use crate::number::{nanos, timestamp};

/// What may pass: the members of a `policy` object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Policy {
    /// At most `quota` in one window.
    FixedWindow {
        /// Units in a window.
        quota: u32,
        /// Length of a window.
        #[serde(deserialize_with = "nanos")]
        window_ns: u64,
        /// Whether windows lie on a grid.
        #[serde(default, skip_serializing_if = "is_default")]
        aligned: bool,
        /// A point of the grid.
        #[serde(default, skip_serializing_if = "is_default", deserialize_with = "timestamp")]
        origin_ns: u64,
    },
    /// At most `quota` in every interval one window long.
    SlidingLog {
        /// Units in any interval.
        quota: u32,
        /// Length of the intervals.
        #[serde(deserialize_with = "nanos")]
        window_ns: u64,
    },
    /// `quota` tokens come back in each window, at most `burst` are there at once.
    TokenBucket {
        /// Tokens for each window.
        quota: u32,
        /// Time in which they come back.
        #[serde(deserialize_with = "nanos")]
        window_ns: u64,
        /// Tokens in a full bucket; the quota, where it is not said.
        #[serde(default, skip_serializing_if = "is_default")]
        burst: Option<u32>,
        /// When they come back.
        #[serde(default, skip_serializing_if = "is_default")]
        refill: Refill,
        /// A point of the grid, of a refill by interval.
        #[serde(default, skip_serializing_if = "is_default", deserialize_with = "timestamp")]
        origin_ns: u64,
    },
}

/// When the tokens of a bucket come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refill {
    /// Steadily, in fractions of a token.
    #[default]
    Continuous,
    /// The whole quota at each point of a grid.
    Interval,
}

/// Why a policy cannot be built: the `policy_error` of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyError {
    /// The quota is zero.
    ZeroQuota,
    /// The burst is zero.
    ZeroBurst,
    /// The window is zero or too long.
    Window,
    /// An empty bucket takes too long to fill.
    Fill,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroQuota => f.write_str("the quota must be 1 to 4294967295, not 0"),
            Self::ZeroBurst => f.write_str("the burst must be 1 to 4294967295, not 0"),
            Self::Window => write!(f, "the window must be 1 to {LONGEST_NS} ns"),
            Self::Fill => write!(f, "an empty bucket must fill within {LONGEST_NS} ns"),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Policy {
    /// The kind of policy, with the room of a log.
    pub fn kind(&self, capacity: Option<u32>) -> Kind {
        match self {
            Self::FixedWindow { .. } => Kind::FixedWindow,
            Self::SlidingLog { .. } => Kind::SlidingLog { capacity },
            Self::TokenBucket { .. } => Kind::TokenBucket,
        }
    }

    /// The oracle's policy with these numbers.
    pub fn build(&self) -> Result<oracle::Policy, PolicyError> {
        let policy = match *self {
            Self::FixedWindow { quota, window_ns, aligned, origin_ns } => {
                oracle::Policy::FixedWindow { quota, window_ns, grid: aligned.then_some(origin_ns) }
            }
            Self::SlidingLog { quota, window_ns } => oracle::Policy::SlidingLog { quota, window_ns },
            Self::TokenBucket { quota, window_ns, burst, refill, origin_ns } => {
                let burst = burst.unwrap_or(quota);
                let refill = match refill {
                    Refill::Continuous => oracle::Refill::Continuous,
                    Refill::Interval => oracle::Refill::Interval { origin_ns },
                };
                oracle::Policy::TokenBucket { quota, window_ns, burst, refill }
            }
        };
        match () {
            () if policy.is_valid() => Ok(policy),
            () if policy.quota() == 0 => Err(PolicyError::ZeroQuota),
            () if policy.limit() == 0 => Err(PolicyError::ZeroBurst),
            () if !(1..=LONGEST_NS).contains(&policy.window_ns()) => Err(PolicyError::Window),
            () => Err(PolicyError::Fill),
        }
    }
}

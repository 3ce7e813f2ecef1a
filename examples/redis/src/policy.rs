//! [`Policy`]: one of the three, chosen when the program runs.

use tollgate::wire::DecodeError;
use tollgate::{Decision, FixedWindow, SlidingLog, Timestamp, TokenBucket, Wait};

use crate::step::{Step, step};

/// A policy of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// At most a quota in each window.
    FixedWindow(FixedWindow),
    /// At most a quota in every interval.
    SlidingLog(SlidingLog),
    /// A rate and a burst.
    TokenBucket(TokenBucket),
}

impl Policy {
    /// Judges what is stored: may one unit pass?
    ///
    /// # Errors
    ///
    /// [`DecodeError`], where that is no state of this policy's.
    pub fn step(&self, stored: Option<&[u8]>, now: Timestamp, skew: Wait) -> Result<Step<Decision>, DecodeError> {
        match self {
            Self::FixedWindow(policy) => step(stored, now, skew, |state, now| policy.judge(state, now)),
            Self::SlidingLog(policy) => {
                step(stored, now, skew, |state: &mut tollgate::SlidingLogState, now| policy.judge(state, now))
            }
            Self::TokenBucket(policy) => step(stored, now, skew, |state, now| policy.judge(state, now)),
        }
    }
}

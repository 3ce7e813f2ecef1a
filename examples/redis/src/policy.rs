//! [`Policy`]: one of the three, chosen when the program runs.

use tollgate::{Decision, FixedWindow, SlidingLog, SlidingLogState, Timestamp, TokenBucket};

use crate::shared::{Checked, Shared};

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
    /// Checks one unit of a key: see [`Shared::check`].
    pub async fn check(&self, shared: &Shared, key: &[u8], now: Option<Timestamp>) -> Checked<Decision> {
        match self {
            Self::FixedWindow(policy) => shared.check(key, now, |state, now| policy.judge(state, now)).await,
            Self::SlidingLog(policy) => {
                shared.check(key, now, |state: &mut SlidingLogState, now| policy.judge(state, now)).await
            }
            Self::TokenBucket(policy) => shared.check(key, now, |state, now| policy.judge(state, now)).await,
        }
    }
}

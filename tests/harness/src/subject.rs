//! What is tested: each policy with each state that it can judge, under one name, and how it is called in the oracle.

use core::fmt::Debug;
use core::time::Duration;

use tollgate::wire::Wire;
use tollgate::{
    Decision, FixedWindow, FixedWindowState, Policy, SlidingLog, SlidingLogArray, SlidingLogState, Timestamp,
    TokenBucket, TokenBucketState,
};
use tollgate_oracle::{self as oracle, Answer, Kind};

/// A kind of policy, and a state for it.
pub trait Subject {
    /// The policy.
    type Policy: Policy<Self::State> + Copy + Debug;
    /// What it remembers.
    type State: Wire + Debug + Send + Sync;
    /// The same in the oracle.
    const KIND: Kind;

    /// The crate's policy for one of the oracle's, of this kind.
    fn policy(policy: &oracle::Policy) -> Self::Policy;
}

fn quota_and_window(policy: &oracle::Policy) -> (u32, Duration) {
    (policy.quota(), Duration::from_nanos(policy.window_ns()))
}

/// A [`FixedWindow`].
#[derive(Debug)]
pub struct Windows;

impl Subject for Windows {
    type Policy = FixedWindow;
    type State = FixedWindowState;
    const KIND: Kind = Kind::FixedWindow;

    fn policy(policy: &oracle::Policy) -> FixedWindow {
        let (quota, window) = quota_and_window(policy);
        let built = FixedWindow::new(quota, window).unwrap();
        match policy {
            oracle::Policy::FixedWindow { grid: Some(origin), .. } => built.aligned(Timestamp::from_nanos(*origin)),
            oracle::Policy::FixedWindow { grid: None, .. } => built,
            other => panic!("not a fixed window: {other:?}"),
        }
    }
}

/// A [`SlidingLog`] that grows.
#[derive(Debug)]
pub struct GrowingLog;

impl Subject for GrowingLog {
    type Policy = SlidingLog;
    type State = SlidingLogState;
    const KIND: Kind = Kind::SlidingLog { capacity: None };

    fn policy(policy: &oracle::Policy) -> SlidingLog {
        sliding_log(policy)
    }
}

/// A [`SlidingLog`] in place.
#[derive(Debug)]
pub struct ArrayLog<const N: usize>;

impl<const N: usize> Subject for ArrayLog<N> {
    type Policy = SlidingLog;
    type State = SlidingLogArray<N>;
    const KIND: Kind = Kind::SlidingLog { capacity: Some(N as u32) };

    fn policy(policy: &oracle::Policy) -> SlidingLog {
        sliding_log(policy)
    }
}

fn sliding_log(policy: &oracle::Policy) -> SlidingLog {
    let (quota, window) = quota_and_window(policy);
    match policy {
        oracle::Policy::SlidingLog { .. } => SlidingLog::new(quota, window).unwrap(),
        other => panic!("not a sliding log: {other:?}"),
    }
}

/// A [`TokenBucket`], of either refill.
#[derive(Debug)]
pub struct Buckets;

impl Subject for Buckets {
    type Policy = TokenBucket;
    type State = TokenBucketState;
    const KIND: Kind = Kind::TokenBucket;

    fn policy(policy: &oracle::Policy) -> TokenBucket {
        let (quota, window) = quota_and_window(policy);
        match *policy {
            oracle::Policy::TokenBucket { burst, refill, .. } => {
                TokenBucket::new_with(quota, window, burst, mine(refill)).unwrap()
            }
            other => panic!("not a token bucket: {other:?}"),
        }
    }
}

/// Whether the crate takes these settings for a policy.
pub fn can_be_built(policy: &oracle::Policy) -> bool {
    let (quota, window) = quota_and_window(policy);
    match *policy {
        oracle::Policy::FixedWindow { .. } => FixedWindow::new(quota, window).is_ok(),
        oracle::Policy::SlidingLog { .. } => SlidingLog::new(quota, window).is_ok(),
        oracle::Policy::TokenBucket { burst, refill, .. } => {
            TokenBucket::new_with(quota, window, burst, mine(refill)).is_ok()
        }
    }
}

fn mine(refill: oracle::Refill) -> tollgate::Refill {
    match refill {
        oracle::Refill::Continuous => tollgate::Refill::Continuous,
        oracle::Refill::Interval { origin_ns } => {
            tollgate::Refill::Interval { origin: Timestamp::from_nanos(origin_ns) }
        }
    }
}

/// The crate's answer, as the oracle words it.
pub fn answer<E>(judged: Result<Decision, E>) -> Answer {
    match judged {
        Ok(Decision::Allow) => Answer::Allow,
        Ok(Decision::Deny { retry_after }) => Answer::Deny { retry_after_ns: retry_after.as_nanos() },
        Err(_) => Answer::Never,
    }
}

/// The crate's status, as the oracle words it.
pub fn status(status: tollgate::Status) -> oracle::Status {
    oracle::Status {
        limit: status.limit,
        remaining: status.remaining,
        more_after_ns: status.grows_in.as_nanos(),
        full_after_ns: status.full_in.as_nanos(),
    }
}

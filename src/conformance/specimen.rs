//! [`Specimen`]: states that the suite for stores can make by itself, since a store knows no policy.

use core::time::Duration;

use crate::policy::{
    FixedWindow, FixedWindowState, LogMemory, LogState, Policy, SlidingLog, TokenBucket, TokenBucketState,
};
use crate::state::State;
use crate::time::{Timestamp, Wait};

/// A state that can be made to order: what a store under test is given to keep.
///
/// The crate's own states are specimens, so a store that is generic over its state is tested with one of them, say
/// [`FixedWindowState`]. For a store of a state of your own, say how one comes about:
///
/// ```
/// use tollgate::conformance::Specimen;
/// use tollgate::{State, Timestamp, Wait};
///
/// #[derive(Clone, Default, PartialEq)]
/// struct Leased {
///     until: u64,
///     by: u32,
/// }
///
/// impl State for Leased {
///     fn is_expired(&self, now: Timestamp) -> bool { now.as_nanos() >= self.until }
///     fn expires_at(&self) -> Timestamp { Timestamp::from_nanos(self.until) }
/// }
///
/// impl Specimen for Leased {
///     fn lasting(from: Timestamp, life: Wait, mark: u32) -> Self {
///         Leased { until: from.as_nanos() + life.as_nanos(), by: mark }
///     }
/// }
///
/// assert!(!Leased::lasting(Timestamp::MAX, Wait::from_nanos(1), 7).is_expired(Timestamp::MAX));
/// ```
pub trait Specimen: State {
    /// What is remembered of something that was counted at `from` and counts for `life`, which may end beyond the last timestamp.
    ///
    /// Expired from the end of its life on, and not before; not equal to one with another `mark`, nor to a default. A life and a mark are
    /// above zero and small.
    fn lasting(from: Timestamp, life: Wait, mark: u32) -> Self;
}

impl Specimen for FixedWindowState {
    fn lasting(from: Timestamp, life: Wait, mark: u32) -> Self {
        FixedWindow::new(1, Duration::from(life)).map(|policy| charged(policy, from, mark)).unwrap_or_default()
    }
}

impl<M: LogMemory> Specimen for LogState<M> {
    fn lasting(from: Timestamp, life: Wait, mark: u32) -> Self {
        SlidingLog::new(1, Duration::from(life)).map(|policy| charged(policy, from, mark)).unwrap_or_default()
    }
}

impl Specimen for TokenBucketState {
    fn lasting(from: Timestamp, life: Wait, mark: u32) -> Self {
        // As many tokens as come back in a life: the state says of which quota its fraction is, and so tells marks apart.
        TokenBucket::new(mark, Duration::from(life)).map(|policy| charged(policy, from, mark)).unwrap_or_default()
    }
}

impl<A: Specimen, B: Specimen> Specimen for (A, B) {
    fn lasting(from: Timestamp, life: Wait, mark: u32) -> Self {
        (A::lasting(from, life, mark), B::lasting(from, life, mark))
    }
}

fn charged<S: State>(policy: impl Policy<S>, from: Timestamp, units: u32) -> S {
    let mut state = S::default();
    policy.charge_to(&mut state, units, from);
    state
}

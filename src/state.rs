//! What a state is: [`State`]. Each policy's own stands beside the policy; where they are kept is in [`store`](crate::store).

use crate::time::Timestamp;

/// What is remembered of one key: plain data, of which the default is a key that was never seen.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{SlidingLog, SlidingLogArray, State, Timestamp};
///
/// const POLICY: SlidingLog = SlidingLog::constant(2, Duration::from_secs(60));
/// let mut state: SlidingLogArray<2> = Default::default();
/// assert!(state.is_expired(Timestamp::ZERO));
/// let _ = POLICY.judge(&mut state, Timestamp::ZERO);
/// assert_eq!(state.expires_at(), Timestamp::from_secs(60));
/// ```
pub trait State: Clone + Default + PartialEq {
    /// Whether this state is, for every time at or after `now`, indistinguishable from the default: so that a store may drop it.
    ///
    /// Known without the policy, so states of several tiers can share a store.
    fn is_expired(&self, now: Timestamp) -> bool;

    /// When the state expires, at most [`Timestamp::MAX`]: for a database's expiry. One that takes it in milliseconds or seconds is given
    /// [`as_millis_ceil`](Timestamp::as_millis_ceil) or [`as_secs_ceil`](Timestamp::as_secs_ceil), since a key that goes early is a quota given anew.
    ///
    /// A store asks [`is_expired`](State::is_expired), since a deadline may lie beyond the last timestamp.
    fn expires_at(&self) -> Timestamp;
}

/// A pair of states of one key, for [`Both`](crate::Both).
impl<A: State, B: State> State for (A, B) {
    #[inline]
    fn is_expired(&self, now: Timestamp) -> bool {
        self.0.is_expired(now) && self.1.is_expired(now)
    }

    fn expires_at(&self) -> Timestamp {
        self.0.expires_at().max(self.1.expires_at())
    }
}

//! The one path from a key to a decision, and what a policy is.
//!
//! [`Policy`] says what every policy can do with a state in hand, and provides what follows from that: the same over a store. The
//! built-in policies have all of it as inherent methods too, so their users import no trait; it is there for generic code, and for [a
//! policy of your own](Policy#a-policy-of-your-own).
//!
//! | with a state in hand | in a store | |
//! | --- | --- | --- |
//! | [`judge`](Policy::judge) | [`check`](Policy::check) | may one unit pass? |
//! | [`judge_n`](Policy::judge_n) | [`check_n`](Policy::check_n), [`check_with_status`](Policy::check_with_status) | may a cost pass? |
//! | [`preview`](Policy::preview) | [`peek`](Policy::peek) | would it? |
//! | [`status_of`](Policy::status_of) | [`status`](Policy::status) | how does the key stand? |
//! | [`refund_to`](Policy::refund_to) | [`refund`](Policy::refund) | give units back |
//! | [`charge_to`](Policy::charge_to) | [`charge`](Policy::charge) | count usage known only afterwards |
//!
//! Each policy is a file here, with its state beside it; [`text`] is the form in which they stand in a configuration. Where states are
//! kept is in [`store`](crate::store); several policies for one request, each with a key and a store of its own, in
//! [`layers`](crate::layers).

mod both;
mod fixed_window;
mod inherent;
pub(crate) mod settings;
mod sliding_log;
pub mod text;
mod token_bucket;

pub use both::Both;
pub use fixed_window::{FixedWindow, FixedWindowState};
#[cfg(feature = "alloc")]
pub use sliding_log::{Growing, SlidingLogState};
pub use sliding_log::{InPlace, LogMemory, LogState, SlidingLog, SlidingLogArray};
pub use token_bucket::{Refill, TokenBucket, TokenBucketState};

use crate::decision::{Decision, Status};
use crate::error::{CheckError, CostExceedsLimit};
use crate::state::State;
use crate::store::Store;
use crate::time::{Timestamp, Wait};

/// A limit, and how it judges a state.
///
/// # A policy of your own
///
/// Implement the required methods; the rest follows. All of them are to be pure in the sense of the crate's laws: a denial, an error, a
/// preview and a cost of zero change nothing; a `now` before the state's last admission is read as that.
///
/// The methods that take a store follow from those with a state in hand, and are not to be written anew: [`layers::all`](crate::layers::all),
/// [`Both`], and a policy behind a reference do not ask them. [`conformance`](crate::conformance) holds them to be the same.
///
/// ```
/// use tollgate::{CostExceedsLimit, Decision, Policy, State, Timestamp, Wait};
///
/// /// Passes one request in a lifetime.
/// struct Once;
///
/// #[derive(Clone, Default, PartialEq)]
/// struct Used(bool);
///
/// impl State for Used {
///     fn is_expired(&self, _: Timestamp) -> bool { !self.0 }
///     fn expires_at(&self) -> Timestamp { if self.0 { Timestamp::MAX } else { Timestamp::ZERO } }
/// }
///
/// impl Policy<Used> for Once {
///     fn limit(&self) -> u32 { 1 }
///     fn preview(&self, state: &Used, cost: u32, _: Timestamp) -> Result<Decision, CostExceedsLimit> {
///         match cost {
///             0 => Ok(Decision::Allow),
///             1 if !state.0 => Ok(Decision::Allow),
///             1 => Ok(Decision::Deny { retry_after: Wait::MAX }),
///             _ => Err(CostExceedsLimit::new(cost, 1)),
///         }
///     }
///     fn remaining_of(&self, state: &Used, _: Timestamp) -> u32 { u32::from(!state.0) }
///     fn charge_to(&self, state: &mut Used, cost: u32, _: Timestamp) { state.0 |= cost > 0 }
///     fn refund_to(&self, state: &mut Used, cost: u32, _: Timestamp) { state.0 &= cost == 0 }
/// }
///
/// let mut clients = std::collections::HashMap::<u64, Used>::new();
/// assert!(Once.check(&mut clients, &7, Timestamp::ZERO).unwrap().is_allow());
/// assert!(!Once.check(&mut clients, &7, Timestamp::ZERO).unwrap().is_allow());
/// ```
///
#[cfg_attr(
    feature = "conformance",
    doc = "Whether it keeps the laws is what [`conformance::policy`](crate::conformance::policy) tests."
)]
#[cfg_attr(
    not(feature = "conformance"),
    doc = "Whether it keeps the laws is what `conformance::policy` tests, with the feature `conformance`."
)]
pub trait Policy<S: State> {
    /// The largest cost that can ever be admitted, at least 1.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, Policy};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// assert_eq!(Policy::limit(&TEN), 10);
    /// ```
    fn limit(&self) -> u32;

    /// What [`judge_n`](Policy::judge_n) would answer, changing nothing.
    ///
    /// # Errors
    ///
    /// [`CostExceedsLimit`] where `cost` is above the limit.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut state = FixedWindowState::default();
    /// # let now = Timestamp::ZERO;
    /// assert!(Policy::preview(&TEN, &state, 10, now)?.is_allow());
    /// assert_eq!(state, FixedWindowState::default());
    /// # Ok::<(), tollgate::CostExceedsLimit>(())
    /// ```
    fn preview(&self, state: &S, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit>;

    /// The largest cost that would be allowed now.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut state = FixedWindowState::default();
    /// # let now = Timestamp::ZERO;
    /// assert_eq!(Policy::remaining_of(&TEN, &state, now), 10);
    /// ```
    fn remaining_of(&self, state: &S, now: Timestamp) -> u32;

    /// Counts units that were used already, without asking: usage known only afterwards. It moves the key's time like an admission.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut state = FixedWindowState::default();
    /// # let now = Timestamp::ZERO;
    /// Policy::charge_to(&TEN, &mut state, 25, now);
    /// assert_eq!(Policy::remaining_of(&TEN, &state, now), 0);
    /// ```
    fn charge_to(&self, state: &mut S, cost: u32, now: Timestamp);

    /// Gives units back, never time, and never beyond full.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut state = FixedWindowState::default();
    /// # let now = Timestamp::ZERO;
    /// Policy::charge_to(&TEN, &mut state, 3, now);
    /// Policy::refund_to(&TEN, &mut state, 2, now);
    /// assert_eq!(Policy::remaining_of(&TEN, &state, now), 9);
    /// ```
    fn refund_to(&self, state: &mut S, cost: u32, now: Timestamp);

    /// Whether one unit may pass, counting it if so.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut state = FixedWindowState::default();
    /// # let now = Timestamp::ZERO;
    /// assert!(Policy::judge(&TEN, &mut state, now).is_allow());
    /// ```
    #[inline]
    fn judge(&self, state: &mut S, now: Timestamp) -> Decision {
        match self.judge_n(state, 1, now) {
            Ok(decision) => decision,
            // A limit is at least 1.
            Err(CostExceedsLimit { .. }) => Decision::Deny { retry_after: Wait::MAX },
        }
    }

    /// Whether `cost` units may pass, counting them if so. A cost of zero only looks.
    ///
    /// # Errors
    ///
    /// [`CostExceedsLimit`] where `cost` is above the limit.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut state = FixedWindowState::default();
    /// # let now = Timestamp::ZERO;
    /// assert!(Policy::judge_n(&TEN, &mut state, 10, now)?.is_allow());
    /// assert!(Policy::judge_n(&TEN, &mut state, 11, now).is_err());
    /// # Ok::<(), tollgate::CostExceedsLimit>(())
    /// ```
    #[inline]
    fn judge_n(&self, state: &mut S, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        let decision = self.preview(state, cost, now)?;
        if decision.is_allow() {
            self.charge_to(state, cost, now);
        }
        Ok(decision)
    }

    /// How the state stands.
    ///
    /// # Cost
    ///
    /// That of [`remaining_of`](Policy::remaining_of) and two previews.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut state = FixedWindowState::default();
    /// # let now = Timestamp::ZERO;
    /// assert_eq!(Policy::status_of(&TEN, &state, now).remaining, 10);
    /// ```
    fn status_of(&self, state: &S, now: Timestamp) -> Status {
        status(self.limit(), self.remaining_of(state, now), |cost| self.preview(state, cost, now))
    }

    /// Whether one unit may pass for `key`, counting it if so.
    ///
    /// # Errors
    ///
    /// The store's own: [`Full`](crate::Full) for a fixed capacity, none for maps that grow.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{Decision, FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// # let now = Timestamp::ZERO;
    /// assert_eq!(Policy::check(&TEN, &mut clients, &7, now), Ok(Decision::Allow));
    /// ```
    #[inline]
    fn check<K: ?Sized, T: Store<K, State = S>>(
        &self,
        store: T,
        key: &K,
        now: Timestamp,
    ) -> Result<Decision, T::Error> {
        store.update(key, now, |state, read| self.judge(state, read).counted_from(now, read))
    }

    /// Whether `cost` units may pass for `key`, counting them if so. A cost of zero only looks.
    ///
    /// # Errors
    ///
    /// [`CheckError::CostExceedsLimit`], or else the store's own.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{Decision, FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// # let now = Timestamp::ZERO;
    /// assert_eq!(Policy::check_n(&TEN, &mut clients, &7, 10, now), Ok(Decision::Allow));
    /// ```
    #[inline]
    fn check_n<K: ?Sized, T: Store<K, State = S>>(
        &self,
        store: T,
        key: &K,
        cost: u32,
        now: Timestamp,
    ) -> Result<Decision, CheckError<T::Error>> {
        if cost == 0 {
            return Ok(Decision::Allow);
        }
        CostExceedsLimit::test(cost, self.limit())?;
        let judged = store.update(key, now, |state, read| {
            self.judge_n(state, cost, read).map(|decision| decision.counted_from(now, read))
        });
        Ok(judged.map_err(CheckError::Store)??)
    }

    /// As [`check_n`](Policy::check_n), with how the key stands afterwards, in the same look-up.
    ///
    /// # Errors
    ///
    /// As [`check_n`](Policy::check_n).
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{Decision, FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// # let now = Timestamp::ZERO;
    /// let (decision, status) = Policy::check_with_status(&TEN, &mut clients, &7, 3, now)?;
    /// assert_eq!((decision, status.remaining), (Decision::Allow, 7));
    /// # Ok::<(), tollgate::CheckError<core::convert::Infallible>>(())
    /// ```
    #[inline]
    fn check_with_status<K: ?Sized, T: Store<K, State = S>>(
        &self,
        store: T,
        key: &K,
        cost: u32,
        now: Timestamp,
    ) -> Result<(Decision, Status), CheckError<T::Error>> {
        if cost == 0 {
            return Ok((Decision::Allow, self.status(store, key, now)));
        }
        CostExceedsLimit::test(cost, self.limit())?;
        let judged = store.update(key, now, |state, read| {
            let decision = self.judge_n(state, cost, read)?.counted_from(now, read);
            Ok::<_, CostExceedsLimit>((decision, self.status_of(state, read).counted_from(now, read)))
        });
        Ok(judged.map_err(CheckError::Store)??)
    }

    /// What [`check_n`](Policy::check_n) would answer, changing nothing and needing no room.
    ///
    /// # Errors
    ///
    /// [`CostExceedsLimit`] where `cost` is above the limit.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{Decision, FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// # let now = Timestamp::ZERO;
    /// assert_eq!(Policy::peek(&TEN, &mut clients, &7, 10, now), Ok(Decision::Allow));
    /// assert!(clients.is_empty());
    /// ```
    #[inline]
    fn peek<K: ?Sized, T: Store<K, State = S>>(
        &self,
        store: T,
        key: &K,
        cost: u32,
        now: Timestamp,
    ) -> Result<Decision, CostExceedsLimit> {
        store.view(key, now, |state, read| {
            self.preview(state, cost, read).map(|decision| decision.counted_from(now, read))
        })
    }

    /// How `key` stands, changing nothing.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// # let now = Timestamp::ZERO;
    /// assert_eq!(Policy::status(&TEN, &mut clients, &7, now).remaining, 10);
    /// ```
    #[inline]
    fn status<K: ?Sized, T: Store<K, State = S>>(&self, store: T, key: &K, now: Timestamp) -> Status {
        store.view(key, now, |state, read| self.status_of(state, read).counted_from(now, read))
    }

    /// Gives units back to `key`. A key that the store does not hold has nothing to get back.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// # let now = Timestamp::ZERO;
    /// Policy::refund(&TEN, &mut clients, &7, 1, now);
    /// assert!(clients.is_empty());
    /// ```
    #[inline]
    fn refund<K: ?Sized, T: Store<K, State = S>>(&self, store: T, key: &K, cost: u32, now: Timestamp) {
        store.modify(key, |state| self.refund_to(state, cost, now));
    }

    /// Counts units that `key` has used already, without asking.
    ///
    /// # Errors
    ///
    /// The store's own: [`Full`](crate::Full) for a fixed capacity, none for maps that grow.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{FixedWindow, FixedWindowState, Policy, Timestamp};
    /// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// # let now = Timestamp::ZERO;
    /// let Ok(()) = Policy::charge(&TEN, &mut clients, &7, 25, now);
    /// assert_eq!(Policy::status(&TEN, &mut clients, &7, now).remaining, 0);
    /// ```
    #[inline]
    fn charge<K: ?Sized, T: Store<K, State = S>>(
        &self,
        store: T,
        key: &K,
        cost: u32,
        now: Timestamp,
    ) -> Result<(), T::Error> {
        if cost == 0 {
            return Ok(());
        }
        store.update(key, now, |state, read| self.charge_to(state, cost, read))
    }
}

/// A policy that is not `Copy` can stand in several [`Layer`](crate::layers::Layer)s, or in [`Both`], by reference.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{Both, FixedWindow, FixedWindowState, Policy, State, Timestamp};
///
/// /// A limit of one's own and one that is shared, whatever the policy.
/// fn both<S: State, P: Policy<S>>(mine: &P, shared: &P, state: &mut (S, S)) -> bool {
///     Both(mine, shared).judge(state, Timestamp::ZERO).is_allow()
/// }
///
/// let (mine, shared) = (FixedWindow::constant(2, Duration::from_secs(1)), FixedWindow::constant(1, Duration::from_secs(1)));
/// let mut state: (FixedWindowState, FixedWindowState) = Default::default();
/// assert!(both(&mine, &shared, &mut state));
/// assert!(!both(&mine, &shared, &mut state));
/// ```
impl<S: State, P: Policy<S>> Policy<S> for &P {
    #[inline]
    fn limit(&self) -> u32 {
        P::limit(self)
    }

    #[inline]
    fn preview(&self, state: &S, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        P::preview(self, state, cost, now)
    }

    #[inline]
    fn remaining_of(&self, state: &S, now: Timestamp) -> u32 {
        P::remaining_of(self, state, now)
    }

    #[inline]
    fn charge_to(&self, state: &mut S, cost: u32, now: Timestamp) {
        P::charge_to(self, state, cost, now);
    }

    #[inline]
    fn refund_to(&self, state: &mut S, cost: u32, now: Timestamp) {
        P::refund_to(self, state, cost, now);
    }

    #[inline]
    fn judge(&self, state: &mut S, now: Timestamp) -> Decision {
        P::judge(self, state, now)
    }

    #[inline]
    fn judge_n(&self, state: &mut S, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        P::judge_n(self, state, cost, now)
    }

    fn status_of(&self, state: &S, now: Timestamp) -> Status {
        P::status_of(self, state, now)
    }
}

/// A status from what a preview answers: the waits are those of the next larger cost, and of the largest.
fn status(limit: u32, remaining: u32, preview: impl Fn(u32) -> Result<Decision, CostExceedsLimit>) -> Status {
    let wait_for = |cost| preview(cost).ok().and_then(Decision::retry_after).unwrap_or_default();
    let next = if remaining < limit { remaining + 1 } else { limit };
    Status::new(limit, remaining, wait_for(next), wait_for(limit))
}

//! Where states are kept, by key: [`Store`], and one adapter a file.
//!
//! | store | memory | when it is out of room | needs |
//! | --- | --- | --- | --- |
//! | [`Slots`] | the caller's slots, scanned | reclaims an expired state, else [`Full`](crate::Full) | `core` |
//! | [`Table`] | a fixed number of slots, hashed: the caller's, or on the heap | reclaims an expired state within reach, else [`Full`](crate::Full) | `core`; `alloc` for the heap |
//! | `HashMap` | grows | never; the caller [`prune`]s | `std` |
//! | `BTreeMap` | grows | never; the caller [`prune`]s | `alloc` |
//! | [`Bounded`] | a map of a fixed capacity: heapless's, or another [`BoundedMap`], with its horizon | reclaims an expired state, else [`Full`](crate::Full) | `core`; `heapless` for those maps |
//! | [`Pruned`] | one of those two, or another [`Map`], with its horizon | never | `core` |
//! | [`Sharded`] | some of any of these, each behind a lock: for many threads | as those do | `std` |
//!
//! What a policy makes of a state is in [`policy`](crate::policy); a store knows no policy, so tiers can share one.
//!
//! # Forgetting
//!
//! A state that has expired says no more than none at all, for every later time. A timestamp that comes late, from before a forgotten state
//! expired, would find a fresh quota where a used one was just dropped. So a store that drops states keeps its **horizon**, the latest expiry it
//! has dropped, and reads an earlier `now` as the horizon, for a key that is missing; and for one whose state has expired, so that it makes no
//! difference whether it has been dropped yet. One far-future timestamp can so move a store
//! forward: put a [`Monotonic`](crate::Monotonic) in front. A bare map keeps none: when its clock may go back, wrap it in [`Pruned`].
//!
//! # Snapshots
//!
//! What a store knows is its keys **and its horizon**. Made anew of the keys alone, it knows nothing of what was forgotten before, and a late
//! timestamp finds a fresh quota there. So keep both, and hand both back: each store that has a horizon has a `with_horizon`.
//! Keys that were written down go back one by one, `update(key, horizon, |state, _| *state = saved)`; every shard of a [`Sharded`] is given the
//! latest horizon of those that there were.
//!
//! ```
//! use core::time::Duration;
//! use std::collections::HashMap;
//! use tollgate::store::Pruned;
//! use tollgate::{FixedWindow, FixedWindowState, Timestamp};
//!
//! const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
//! let mut clients: Pruned<HashMap<u64, FixedWindowState>> = Pruned::default();
//! let _ = ONE_A_SECOND.check(&mut clients, &7, Timestamp::ZERO);
//! clients.prune(Timestamp::from_secs(1));
//!
//! let (horizon, map) = (clients.horizon(), clients.into_inner());
//! let mut restored = Pruned::new(map).with_horizon(horizon);
//! let _ = ONE_A_SECOND.check(&mut restored, &7, Timestamp::from_millis(500)); // late: read as the horizon
//! assert_eq!(ONE_A_SECOND.status(&mut restored, &7, Timestamp::from_secs(1)).remaining, 0);
//! ```

mod bounded;
#[cfg(feature = "alloc")]
mod btree_map;
#[cfg(feature = "std")]
mod hash_map;
#[cfg(feature = "heapless")]
mod heapless;
mod map;
#[cfg(feature = "std")]
mod sharded;
mod slots;
mod table;

pub use bounded::{Bounded, BoundedMap};
pub use map::{Map, Prune, Pruned, prune};
#[cfg(feature = "std")]
pub use sharded::{Shard, Sharded};
pub use slots::{Slot, SlotMemory, Slots};
#[cfg(feature = "alloc")]
pub use table::HeapBuckets;
pub use table::{ArrayBuckets, Buckets, FoundAs, Table};

use crate::state::State;
use crate::time::Timestamp;

/// Where states are kept, by key.
///
/// Taken by value and implemented for references, so that `check(&mut map, ..)` and `check(&shared, ..)` both read well. The closures let one
/// trait serve a map, a slice and a lock: no reference to a state escapes.
///
/// # A store of your own
///
/// A key that is not there is a default state, and is stored only if the closure changed it. The closure is given the time to read, which is
/// `now`, or for a key that is not there or has expired the store's horizon, where that is later: see [the module](self#forgetting). A
/// store never drops a live state. Make what is found quick; making room may be slow. The feature `conformance` holds a store to all of this:
/// `tollgate::conformance::store` tries every small trace.
///
/// ```
/// use core::convert::Infallible;
/// use core::time::Duration;
/// use tollgate::{FixedWindow, FixedWindowState, State, Store, Timestamp};
///
/// /// A state for each of the 256 nodes of a bus: all of them are there from the start, so `modify` finds any (a store that is `preallocated`,
/// /// to the conformance suite).
/// struct Bus([FixedWindowState; 256]);
///
/// impl Store<u8> for &mut Bus {
///     type State = FixedWindowState;
///     type Error = Infallible;
///
///     fn update<R>(self, key: &u8, now: Timestamp, f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R) -> Result<R, Infallible> {
///         Ok(f(&mut self.0[usize::from(*key)], now))
///     }
///
///     fn modify<R>(self, key: &u8, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
///         Some(f(&mut self.0[usize::from(*key)]))
///     }
///
///     fn view<R>(self, key: &u8, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
///         f(&self.0[usize::from(*key)], now)
///     }
/// }
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut bus = Bus(std::array::from_fn(|_| Default::default()));
/// let Ok(decision) = TEN_A_SECOND.check(&mut bus, &0x7F, Timestamp::ZERO);
/// assert!(decision.is_allow());
/// ```
pub trait Store<K: ?Sized>: Sized {
    /// What is remembered of a key.
    type State: State;

    /// Why a key could not be stored: [`Full`](crate::Full), or [`Infallible`](core::convert::Infallible) for stores that grow.
    type Error;

    /// Finds the state of `key`, or room for one, and lets `f` judge it at the time it is given.
    ///
    /// Waits that are judged there count from that time; [`Decision::counted_from`](crate::Decision::counted_from) makes them count from `now`.
    ///
    /// # Errors
    ///
    /// Where there is no room for the key; `f` has not run.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use tollgate::{FixedWindowState, Store, Timestamp};
    /// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// let Ok(read) = clients.update(&7, Timestamp::from_secs(9), |_, read| read);
    /// assert_eq!(read, Timestamp::from_secs(9));
    /// assert!(clients.is_empty()); // nothing was changed, so nothing is kept
    /// ```
    fn update<R>(
        self,
        key: &K,
        now: Timestamp,
        f: impl FnOnce(&mut Self::State, Timestamp) -> R,
    ) -> Result<R, Self::Error>;

    /// Lets `f` change the state of `key`, where there is one.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use tollgate::{FixedWindowState, Store, Timestamp};
    /// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// assert_eq!(Store::modify(&mut clients, &7, |_| "found"), None);
    /// ```
    fn modify<R>(self, key: &K, f: impl FnOnce(&mut Self::State) -> R) -> Option<R>;

    /// Lets `f` look at the state of `key`, or at a default one.
    ///
    /// Waits count from the time that it is given, as in [`update`](Store::update).
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use tollgate::{FixedWindowState, Store, Timestamp};
    /// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// let fresh = clients.view(&7, Timestamp::ZERO, |state, _| *state == FixedWindowState::default());
    /// assert!(fresh);
    /// ```
    fn view<R>(self, key: &K, now: Timestamp, f: impl FnOnce(&Self::State, Timestamp) -> R) -> R;
}

/// A store that is the caller's alone while it is used, as any `&mut` to one is, and not one that locks.
///
/// Policies over such stores can be judged all or none ([`layers::all`](crate::layers::all)), where each store is held while the next is asked. With locks,
/// two threads that take two stores in opposite orders, or two keys behind one lock, would wait for ever; so for a store that locks this does not compile:
///
/// ```compile_fail,E0277
/// # use core::convert::Infallible;
/// # use core::time::Duration;
/// # use std::{collections::HashMap, sync::Mutex};
/// # use tollgate::{layers::{Layer, all}, FixedWindow, FixedWindowState, Store, Timestamp};
/// struct Shared(Mutex<HashMap<u64, FixedWindowState>>);
///
/// impl Store<u64> for &Shared {
///     # type State = FixedWindowState;
///     # type Error = Infallible;
///     // ...
///     # fn update<R>(self, key: &u64, now: Timestamp, f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R) -> Result<R, Infallible> {
///     #     self.0.lock().unwrap().update(key, now, f)
///     # }
///     # fn modify<R>(self, key: &u64, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
///     #     self.0.lock().unwrap().modify(key, f)
///     # }
///     # fn view<R>(self, key: &u64, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
///     #     self.0.lock().unwrap().view(key, now, f)
///     # }
/// }
/// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// # let shared = Shared(Mutex::default());
/// let _ = all((Layer::new(TEN, &shared, &1), Layer::new(TEN, &shared, &2)), Timestamp::ZERO);
/// ```
pub trait Exclusive {}

impl<T: ?Sized> Exclusive for &mut T {}

/// The time to read for a state that is there, under a store's horizon.
#[inline]
fn read<S: State>(state: &S, now: Timestamp, horizon: Timestamp) -> Timestamp {
    if now < horizon && state.is_expired(now) { horizon } else { now }
}

/// Lets `f` look at the state that was found, or at a default one, at the time to read under a store's horizon.
#[inline]
fn look<S: State, R>(found: Option<&S>, now: Timestamp, horizon: Timestamp, f: impl FnOnce(&S, Timestamp) -> R) -> R {
    match found {
        Some(state) => f(state, read(state, now, horizon)),
        None => f(&S::default(), now.max(horizon)),
    }
}

/// The later of two horizons; as `max`, which is not `const`.
const fn later(one: Timestamp, other: Timestamp) -> Timestamp {
    if one.as_nanos() < other.as_nanos() { other } else { one }
}

/// Judges a key that is not there. The state, where it is worth keeping.
#[cold]
fn vacant<S: State, R>(read: Timestamp, f: impl FnOnce(&mut S, Timestamp) -> R) -> (R, Option<S>) {
    let mut state = S::default();
    let answer = f(&mut state, read);
    let kept = if state == S::default() { None } else { Some(state) };
    (answer, kept)
}

//! Maps that grow: what the crate asks of one ([`Map`], [`Prune`]), and [`Pruned`], the store that such a map and its horizon make.
//!
//! The adapters of the standard maps are in files of their own.

use core::convert::Infallible;

use super::{Store, later, look, read, vacant};
use crate::state::State;
use crate::time::Timestamp;

/// A map that grows, from keys that are found as `Q` to states. With [`Pruned`] around it, it is a [`Store`].
///
/// ```
/// use core::time::Duration;
/// use tollgate::store::{Map, Pruned};
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// /// For a handful of keys.
/// #[derive(Default)]
/// struct Pairs(Vec<(String, FixedWindowState)>);
///
/// impl Map<str> for Pairs {
///     type State = FixedWindowState;
///
///     fn get(&self, key: &str) -> Option<&FixedWindowState> {
///         self.0.iter().find(|(mine, _)| mine == key).map(|(_, state)| state)
///     }
///
///     fn get_mut(&mut self, key: &str) -> Option<&mut FixedWindowState> {
///         self.0.iter_mut().find(|(mine, _)| mine == key).map(|(_, state)| state)
///     }
///
///     fn insert(&mut self, key: &str, state: FixedWindowState) {
///         self.0.push((key.into(), state));
///     }
/// }
///
/// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
/// let mut pairs: Pruned<Pairs> = Pruned::default();
/// let Ok(decision) = ONE_A_SECOND.check(&mut pairs, "203.0.113.9", Timestamp::ZERO);
/// assert!(decision.is_allow());
/// ```
pub trait Map<Q: ?Sized> {
    /// What is remembered of a key.
    type State: State;

    /// The state of a key, to look at.
    fn get(&self, key: &Q) -> Option<&Self::State>;

    /// The state of a key, to change.
    fn get_mut(&mut self, key: &Q) -> Option<&mut Self::State>;

    /// Adds a key that is not there.
    fn insert(&mut self, key: &Q, state: Self::State);
}

#[inline]
pub(super) fn update<Q: ?Sized, M: Map<Q>, R>(
    map: &mut M,
    key: &Q,
    now: Timestamp,
    horizon: Timestamp,
    f: impl FnOnce(&mut M::State, Timestamp) -> R,
) -> Result<R, Infallible> {
    if let Some(state) = map.get_mut(key) {
        let read = read(state, now, horizon);
        return Ok(f(state, read));
    }
    let (answer, kept) = vacant(now.max(horizon), f);
    if let Some(state) = kept {
        map.insert(key, state);
    }
    Ok(answer)
}

/// A map that can lose its expired states.
///
/// ```
/// use std::collections::HashMap;
/// use tollgate::store::Prune;
/// use tollgate::{FixedWindowState, Timestamp};
///
/// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
/// clients.drop_expired(Timestamp::ZERO, |expiry| println!("forgot what expired at {expiry:?}"));
/// ```
pub trait Prune {
    /// Drops every state that has expired, and no other, and tells each one's expiry.
    fn drop_expired(&mut self, now: Timestamp, forgotten: impl FnMut(Timestamp));
}

/// What a map retains that drops what has expired, and tells each one's expiry.
#[cfg(any(feature = "alloc", feature = "heapless"))]
pub(super) fn unexpired<K, S: State>(
    now: Timestamp,
    mut forgotten: impl FnMut(Timestamp),
) -> impl FnMut(&K, &mut S) -> bool {
    move |_, state| {
        let expired = state.is_expired(now);
        if expired {
            forgotten(state.expires_at());
        }
        !expired
    }
}

/// Drops every state of a map that has expired at `now`, and says how many.
///
/// Answers stay as they are for every later time. For an earlier one they do not, since a bare map keeps no
/// [horizon](crate::store#forgetting): where timestamps may come late, use [`Pruned`].
///
/// # Cost
///
/// O(n) in the keys. A map that grows by new clients alone is pruned often enough when its size has doubled since the last time.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
/// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
/// let _ = ONE_A_SECOND.check(&mut clients, &7, Timestamp::ZERO);
/// assert_eq!(tollgate::store::prune(&mut clients, Timestamp::from_secs(1)), 1);
/// ```
pub fn prune(map: &mut impl Prune, now: Timestamp) -> usize {
    let mut unkept = Timestamp::ZERO;
    forget(map, &mut unkept, now)
}

/// Drops what has expired, moves the horizon to the latest expiry of it, and says how many there were.
pub(super) fn forget(map: &mut impl Prune, horizon: &mut Timestamp, now: Timestamp) -> usize {
    let mut count = 0;
    map.drop_expired(now, |expiry| {
        *horizon = (*horizon).max(expiry);
        count += 1;
    });
    count
}

/// A map together with its [horizon](crate::store#forgetting), so that forgetting stays invisible for late timestamps too.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::store::Pruned;
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
/// let mut clients: Pruned<HashMap<u64, FixedWindowState>> = Pruned::default();
/// let _ = ONE_A_SECOND.check(&mut clients, &7, Timestamp::ZERO);
/// assert_eq!(clients.prune(Timestamp::from_secs(1)), 1);
/// // Half a second late: counted as if it had come when the forgotten window ended.
/// let _ = ONE_A_SECOND.check(&mut clients, &7, Timestamp::from_millis(500));
/// assert_eq!(ONE_A_SECOND.status(&mut clients, &7, Timestamp::from_secs(1)).remaining, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned<M> {
    map: M,
    horizon: Timestamp,
}

impl<M> Pruned<M> {
    /// With a map that has forgotten nothing yet; with one that has, [its horizon](Self::with_horizon) too.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{store::Pruned, FixedWindowState};
    /// let clients: Pruned<BTreeMap<String, FixedWindowState>> = Pruned::new(BTreeMap::new());
    /// ```
    #[inline]
    pub const fn new(map: M) -> Self {
        Self { map, horizon: Timestamp::ZERO }
    }

    /// With a horizon that is at least this one: that of the store whose keys the map has, for a [snapshot](crate::store#snapshots).
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{store::Pruned, FixedWindowState, Timestamp};
    /// # let clients: Pruned<BTreeMap<String, FixedWindowState>> = Pruned::default();
    /// let (horizon, map) = (clients.horizon(), clients.into_inner());
    /// let restored = Pruned::new(map).with_horizon(horizon);
    /// # assert_eq!(restored.with_horizon(Timestamp::from_secs(1)).with_horizon(horizon).horizon(), Timestamp::from_secs(1));
    /// ```
    pub const fn with_horizon(mut self, horizon: Timestamp) -> Self {
        self.horizon = later(self.horizon, horizon);
        self
    }

    /// Forgets every state that has expired, and says how many.
    ///
    /// # Cost
    ///
    /// O(n) in the keys.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{store::Pruned, FixedWindowState, Timestamp};
    /// let mut clients: Pruned<BTreeMap<String, FixedWindowState>> = Pruned::default();
    /// assert_eq!(clients.prune(Timestamp::ZERO), 0);
    /// ```
    pub fn prune(&mut self, now: Timestamp) -> usize
    where
        M: Prune,
    {
        forget(&mut self.map, &mut self.horizon, now)
    }

    /// The latest expiry that was forgotten.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{store::Pruned, FixedWindowState, Timestamp};
    /// let clients: Pruned<BTreeMap<String, FixedWindowState>> = Pruned::default();
    /// assert_eq!(clients.horizon(), Timestamp::ZERO);
    /// ```
    pub const fn horizon(&self) -> Timestamp {
        self.horizon
    }

    /// The map, to count its keys and the like.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{store::Pruned, FixedWindowState, Timestamp};
    /// let clients: Pruned<BTreeMap<String, FixedWindowState>> = Pruned::default();
    /// assert_eq!(clients.map().len(), 0);
    /// ```
    pub const fn map(&self) -> &M {
        &self.map
    }

    /// The map, to remove a key on request. What is removed so does not move the horizon.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{store::Pruned, FixedWindowState, Timestamp};
    /// let mut clients: Pruned<BTreeMap<String, FixedWindowState>> = Pruned::default();
    /// assert_eq!(clients.map_mut().remove("203.0.113.9"), None);
    /// ```
    pub const fn map_mut(&mut self) -> &mut M {
        &mut self.map
    }

    /// The map, with the keys that are in it. The horizon goes: for a [snapshot](crate::store#snapshots), keep [it](Self::horizon) too.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{store::Pruned, FixedWindowState};
    /// # let clients: Pruned<BTreeMap<String, FixedWindowState>> = Pruned::default();
    /// let map: BTreeMap<String, FixedWindowState> = clients.into_inner();
    /// ```
    pub fn into_inner(self) -> M {
        self.map
    }
}

impl<Q: ?Sized, M: Map<Q>> Store<Q> for &mut Pruned<M> {
    type State = M::State;
    type Error = Infallible;

    #[inline]
    fn update<R>(
        self,
        key: &Q,
        now: Timestamp,
        f: impl FnOnce(&mut M::State, Timestamp) -> R,
    ) -> Result<R, Infallible> {
        update(&mut self.map, key, now, self.horizon, f)
    }

    #[inline]
    fn modify<R>(self, key: &Q, f: impl FnOnce(&mut M::State) -> R) -> Option<R> {
        self.map.get_mut(key).map(f)
    }

    #[inline]
    fn view<R>(self, key: &Q, now: Timestamp, f: impl FnOnce(&M::State, Timestamp) -> R) -> R {
        look(self.map.get(key), now, self.horizon, f)
    }
}

/// The adapter of a map with the methods of the standard library's.
#[cfg(feature = "alloc")]
macro_rules! std_map {
    ([$($generics:tt)*] $map:ty, $($bound:tt)+) => {
        /// A key is found as anything it borrows as (`&str` finds `String`), and made of what that is owned as only when it is added.
        impl<Q, S, $($generics)*> Map<Q> for $map
        where
            Q: ?Sized + ToOwned + $($bound)+,
            K: Borrow<Q> + From<Q::Owned> + $($bound)+,
            S: State,
        {
            type State = S;

            #[inline]
            fn get(&self, key: &Q) -> Option<&S> {
                self.get(key)
            }

            #[inline]
            fn get_mut(&mut self, key: &Q) -> Option<&mut S> {
                self.get_mut(key)
            }

            fn insert(&mut self, key: &Q, state: S) {
                self.insert(K::from(key.to_owned()), state);
            }
        }

        impl<Q, S, $($generics)*> Store<Q> for &mut $map
        where
            Q: ?Sized + ToOwned + $($bound)+,
            K: Borrow<Q> + From<Q::Owned> + $($bound)+,
            S: State,
        {
            type State = S;
            type Error = Infallible;

            #[inline]
            fn update<R>(self, key: &Q, now: Timestamp, f: impl FnOnce(&mut S, Timestamp) -> R) -> Result<R, Infallible> {
                update(self, key, now, Timestamp::ZERO, f)
            }

            #[inline]
            fn modify<R>(self, key: &Q, f: impl FnOnce(&mut S) -> R) -> Option<R> {
                self.get_mut(key).map(f)
            }

            #[inline]
            fn view<R>(self, key: &Q, now: Timestamp, f: impl FnOnce(&S, Timestamp) -> R) -> R {
                look(self.get(key), now, Timestamp::ZERO, f)
            }
        }

        impl<S: State, $($generics)*> Prune for $map
        where
            K: $($bound)+,
        {
            fn drop_expired(&mut self, now: Timestamp, forgotten: impl FnMut(Timestamp)) {
                self.retain(unexpired(now, forgotten));
            }
        }
    };
}
#[cfg(feature = "alloc")]
pub(super) use std_map;

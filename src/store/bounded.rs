//! Maps of a fixed capacity: what the crate asks of one ([`BoundedMap`]), and [`Bounded`], the store that such a map and its horizon make.
//!
//! The adapters of heapless's maps are in a file of their own; a map that grows is in `map`.

use super::map::{Prune, forget};
use super::{Store, later, look, read, vacant};
use crate::error::Full;
use crate::state::State;
use crate::time::Timestamp;

/// A map of a fixed capacity, from keys to states. With [`Bounded`] around it, it is a [`Store`].
///
/// ```
/// use core::time::Duration;
/// use tollgate::store::{Bounded, BoundedMap, Prune};
/// use tollgate::{FixedWindow, FixedWindowState, State, Timestamp};
///
/// /// For a handful of keys.
/// #[derive(Default)]
/// struct AtMostFour(Vec<(u8, FixedWindowState)>);
///
/// impl BoundedMap for AtMostFour {
///     type Key = u8;
///     type State = FixedWindowState;
///
///     fn capacity(&self) -> usize { 4 }
///     fn len(&self) -> usize { self.0.len() }
///     fn iter(&self) -> impl Iterator<Item = (&u8, &FixedWindowState)> { self.0.iter().map(|(key, state)| (key, state)) }
///     fn get(&self, key: &u8) -> Option<&FixedWindowState> { self.0.iter().find(|(mine, _)| mine == key).map(|(_, state)| state) }
///     fn get_mut(&mut self, key: &u8) -> Option<&mut FixedWindowState> { self.0.iter_mut().find(|(mine, _)| mine == key).map(|(_, state)| state) }
///     fn insert(&mut self, key: u8, state: FixedWindowState) { self.0.push((key, state)) }
///     fn remove(&mut self, key: &u8) { self.0.retain(|(mine, _)| mine != key) }
/// }
///
/// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
/// let mut nodes: Bounded<AtMostFour> = Bounded::default();
/// for node in 0..4 {
///     assert!(ONE_A_SECOND.check(&mut nodes, &node, Timestamp::ZERO).is_ok());
/// }
/// assert!(ONE_A_SECOND.check(&mut nodes, &4, Timestamp::ZERO).is_err());
/// ```
pub trait BoundedMap {
    /// What the keys are.
    type Key: Clone;

    /// What is remembered of a key.
    type State: State;

    /// How many keys there is room for.
    fn capacity(&self) -> usize;

    /// How many keys there are.
    fn len(&self) -> usize;

    /// Whether there is no key.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keys and their states.
    fn iter(&self) -> impl Iterator<Item = (&Self::Key, &Self::State)>;

    /// The state of a key, to look at.
    fn get(&self, key: &Self::Key) -> Option<&Self::State>;

    /// The state of a key, to change.
    fn get_mut(&mut self, key: &Self::Key) -> Option<&mut Self::State>;

    /// Adds a key that is not there, for which there is room.
    fn insert(&mut self, key: Self::Key, state: Self::State);

    /// Removes a key, where it is there.
    fn remove(&mut self, key: &Self::Key);
}

/// A map of a fixed capacity together with its [horizon](crate::store#forgetting).
///
/// A new key takes an empty place, or that of an expired state; where there is neither, the answer is [`Full`], and never is a live state
/// evicted. A key is cloned when it is added, and where an expired one makes room.
///
/// # Cost
///
/// What is there costs one look-up in the map. A new key in a map that is full scans it for an expired state.
///
/// ```
/// # #[cfg(feature = "heapless")] {
/// use core::time::Duration;
/// use heapless::index_map::FnvIndexMap;
/// use tollgate::store::Bounded;
/// use tollgate::{FixedWindow, FixedWindowState, Full, Timestamp};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut topics: Bounded<FnvIndexMap<&str, FixedWindowState, 2>> = Bounded::default();
/// assert!(TEN_A_SECOND.check(&mut topics, &"temperature", Timestamp::ZERO).is_ok());
/// assert!(TEN_A_SECOND.check(&mut topics, &"humidity", Timestamp::ZERO).is_ok());
/// assert_eq!(TEN_A_SECOND.check(&mut topics, &"pressure", Timestamp::ZERO), Err(Full { capacity: 2 }));
/// assert!(TEN_A_SECOND.check(&mut topics, &"pressure", Timestamp::from_secs(1)).is_ok());
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounded<M> {
    map: M,
    horizon: Timestamp,
}

impl<M> Bounded<M> {
    /// With a map that has forgotten nothing yet; with one that has, [its horizon](Self::with_horizon) too.
    ///
    /// ```
    /// # #[cfg(feature = "heapless")] {
    /// # use tollgate::{store::Bounded, TokenBucketState};
    /// use heapless::LinearMap;
    ///
    /// const EMPTY: Bounded<LinearMap<u8, TokenBucketState, 8>> = Bounded::new(LinearMap::new());
    /// # }
    /// ```
    #[inline]
    pub const fn new(map: M) -> Self {
        Self { map, horizon: Timestamp::ZERO }
    }

    /// With a horizon that is at least this one: that of the store whose keys the map has, for a [snapshot](crate::store#snapshots).
    ///
    /// ```
    /// # #[cfg(feature = "heapless")] {
    /// # use tollgate::{store::Bounded, TokenBucketState, Timestamp};
    /// # let nodes: Bounded<heapless::LinearMap<u8, TokenBucketState, 8>> = Bounded::default();
    /// let (horizon, map) = (nodes.horizon(), nodes.into_inner());
    /// let restored = Bounded::new(map).with_horizon(horizon);
    /// # assert_eq!(restored.with_horizon(Timestamp::from_secs(1)).with_horizon(horizon).horizon(), Timestamp::from_secs(1));
    /// # }
    /// ```
    pub const fn with_horizon(mut self, horizon: Timestamp) -> Self {
        self.horizon = later(self.horizon, horizon);
        self
    }

    /// The latest expiry that was forgotten: an earlier `now`, for a key that is missing or has expired, is read as this.
    ///
    /// ```
    /// # #[cfg(feature = "heapless")] {
    /// # use tollgate::{store::Bounded, TokenBucketState, Timestamp};
    /// # let nodes: Bounded<heapless::LinearMap<u8, TokenBucketState, 8>> = Bounded::default();
    /// assert_eq!(nodes.horizon(), Timestamp::ZERO);
    /// # }
    /// ```
    pub const fn horizon(&self) -> Timestamp {
        self.horizon
    }

    /// The map, to count its keys and the like.
    ///
    /// ```
    /// # #[cfg(feature = "heapless")] {
    /// # use tollgate::{store::Bounded, TokenBucketState};
    /// # let nodes: Bounded<heapless::LinearMap<u8, TokenBucketState, 8>> = Bounded::default();
    /// assert_eq!(nodes.map().len(), 0);
    /// # }
    /// ```
    pub const fn map(&self) -> &M {
        &self.map
    }

    /// The map, to remove a key on request. What is removed so does not move the horizon.
    ///
    /// ```
    /// # #[cfg(feature = "heapless")] {
    /// # use tollgate::{store::Bounded, TokenBucketState};
    /// # let mut nodes: Bounded<heapless::LinearMap<u8, TokenBucketState, 8>> = Bounded::default();
    /// assert_eq!(nodes.map_mut().remove(&7), None);
    /// # }
    /// ```
    pub const fn map_mut(&mut self) -> &mut M {
        &mut self.map
    }

    /// Forgets every state that has expired, and says how many.
    ///
    /// Not needed for room: a new key reclaims what it needs.
    ///
    /// ```
    /// # #[cfg(feature = "heapless")] {
    /// # use core::time::Duration;
    /// # use tollgate::{store::Bounded, FixedWindow, FixedWindowState, Timestamp};
    /// # let mut nodes: Bounded<heapless::LinearMap<u8, FixedWindowState, 8>> = Bounded::default();
    /// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
    /// let _ = ONE_A_SECOND.check(&mut nodes, &7, Timestamp::ZERO);
    /// assert_eq!(nodes.prune(Timestamp::from_millis(999)), 0);
    /// assert_eq!(nodes.prune(Timestamp::from_secs(9)), 1);
    /// assert_eq!(nodes.horizon(), Timestamp::from_secs(1));
    /// # }
    /// ```
    pub fn prune(&mut self, now: Timestamp) -> usize
    where
        M: Prune,
    {
        forget(&mut self.map, &mut self.horizon, now)
    }

    /// The map, with the keys that are in it. The horizon goes: for a [snapshot](crate::store#snapshots), keep [it](Self::horizon) too.
    ///
    /// ```
    /// # #[cfg(feature = "heapless")] {
    /// # use tollgate::{store::Bounded, TokenBucketState};
    /// # let nodes: Bounded<heapless::LinearMap<u8, TokenBucketState, 8>> = Bounded::default();
    /// let map: heapless::LinearMap<u8, TokenBucketState, 8> = nodes.into_inner();
    /// # }
    /// ```
    pub fn into_inner(self) -> M {
        self.map
    }
}

impl<M: BoundedMap> Bounded<M> {
    /// A key that is only there until room is needed.
    fn expired(&self, now: Timestamp) -> Option<(M::Key, Timestamp)> {
        let (key, state) = self.map.iter().find(|(_, state)| state.is_expired(now))?;
        Some((key.clone(), state.expires_at()))
    }
}

impl<M: BoundedMap> Store<M::Key> for &mut Bounded<M> {
    type State = M::State;
    type Error = Full;

    #[inline]
    fn update<R>(self, key: &M::Key, now: Timestamp, f: impl FnOnce(&mut M::State, Timestamp) -> R) -> Result<R, Full> {
        if let Some(state) = self.map.get_mut(key) {
            let read = read(state, now, self.horizon);
            return Ok(f(state, read));
        }
        let read = now.max(self.horizon);
        let capacity = self.map.capacity();
        let reclaimed =
            if self.map.len() < capacity { None } else { Some(self.expired(read).ok_or(Full { capacity })?) };
        let (answer, kept) = vacant(read, f);
        if let Some(state) = kept {
            if let Some((expired, expiry)) = reclaimed {
                self.map.remove(&expired);
                self.horizon = self.horizon.max(expiry);
            }
            self.map.insert(key.clone(), state);
        }
        Ok(answer)
    }

    #[inline]
    fn modify<R>(self, key: &M::Key, f: impl FnOnce(&mut M::State) -> R) -> Option<R> {
        self.map.get_mut(key).map(f)
    }

    #[inline]
    fn view<R>(self, key: &M::Key, now: Timestamp, f: impl FnOnce(&M::State, Timestamp) -> R) -> R {
        look(self.map.get(key), now, self.horizon, f)
    }
}

//! [`Slots`]: a fixed number of keys in the caller's memory, found by scanning it. For a few dozen keys, and where there is no `alloc`.

use super::{Store, later, look, read, vacant};
use crate::error::Full;
use crate::state::State;
use crate::time::Timestamp;

/// Room for one key and its state.
///
/// ```
/// use tollgate::{FixedWindowState, Slot};
///
/// let slots: [Slot<u8, FixedWindowState>; 8] = [const { Slot::EMPTY }; 8];
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot<K, S>(Option<(K, S)>);

impl<K, S> Slot<K, S> {
    /// A slot with nothing in it.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot};
    /// let slot: Slot<u8, FixedWindowState> = Slot::EMPTY;
    /// ```
    pub const EMPTY: Self = Self(None);

    fn state_of(&self, key: &K) -> Option<&S>
    where
        K: PartialEq,
    {
        self.0.as_ref().filter(|(mine, _)| mine == key).map(|(_, state)| state)
    }

    fn state_of_mut(&mut self, key: &K) -> Option<&mut S>
    where
        K: PartialEq,
    {
        self.0.as_mut().filter(|(mine, _)| mine == key).map(|(_, state)| state)
    }
}

/// Memory for [`Slots`]: an array, a boxed slice, or a `&mut` to one or to a slice.
///
/// ```
/// use tollgate::{FixedWindowState, Slot, Slots};
///
/// let mut memory: [Slot<u8, FixedWindowState>; 8] = [const { Slot::EMPTY }; 8];
/// assert_eq!(Slots::new(&mut memory).capacity(), 8);
/// assert_eq!(Slots::new(&mut memory[..4]).capacity(), 4);
/// ```
pub trait SlotMemory {
    /// What the keys are.
    type Key;
    /// What is remembered of a key.
    type State;
    /// The slots, to look at.
    fn slots(&self) -> &[Slot<Self::Key, Self::State>];
    /// The slots, to change.
    fn slots_mut(&mut self) -> &mut [Slot<Self::Key, Self::State>];
}

macro_rules! slot_memory {
    ($([$($generics:tt)*] $memory:ty),* $(,)?) => { $(
        impl<K, S, $($generics)*> SlotMemory for $memory {
            type Key = K;
            type State = S;

            #[inline]
            fn slots(&self) -> &[Slot<K, S>] {
                self
            }

            #[inline]
            fn slots_mut(&mut self) -> &mut [Slot<K, S>] {
                self
            }
        }
    )* };
}

slot_memory!([const N: usize] [Slot<K, S>; N], [] [Slot<K, S>]);
#[cfg(feature = "alloc")]
slot_memory!([] alloc::boxed::Box<[Slot<K, S>]>);

impl<M: SlotMemory + ?Sized> SlotMemory for &mut M {
    type Key = M::Key;
    type State = M::State;

    #[inline]
    fn slots(&self) -> &[Slot<M::Key, M::State>] {
        (**self).slots()
    }

    #[inline]
    fn slots_mut(&mut self) -> &mut [Slot<M::Key, M::State>] {
        (**self).slots_mut()
    }
}

/// A store of fixed capacity in the caller's memory, without `alloc` and without hashing.
///
/// A new key takes an empty slot, or that of an expired state; where there is neither, the answer is [`Full`], and never is a live state
/// evicted. It keeps its [horizon](crate::store#forgetting).
///
/// # Cost
///
/// O(n) in the slots: for a few dozen keys.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{FixedWindow, FixedWindowState, Slot, Slots, Timestamp};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut topics: Slots<[Slot<&str, FixedWindowState>; 2]> = Slots::new([const { Slot::EMPTY }; 2]);
/// assert!(TEN_A_SECOND.check(&mut topics, &"temperature", Timestamp::ZERO).is_ok());
/// assert!(TEN_A_SECOND.check(&mut topics, &"humidity", Timestamp::ZERO).is_ok());
/// assert!(TEN_A_SECOND.check(&mut topics, &"pressure", Timestamp::ZERO).is_err());
/// assert!(TEN_A_SECOND.check(&mut topics, &"pressure", Timestamp::from_secs(1)).is_ok());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slots<M> {
    memory: M,
    horizon: Timestamp,
}

impl<M: SlotMemory> Slots<M> {
    /// With memory for the keys, which may have some already: then with [its horizon](Self::with_horizon) too.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots};
    /// let slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// ```
    #[inline]
    pub const fn new(memory: M) -> Self {
        Self { memory, horizon: Timestamp::ZERO }
    }

    /// With a horizon that is at least this one: that of the store whose keys the memory has, for a [snapshot](crate::store#snapshots).
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots, Timestamp};
    /// # let slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// let (horizon, memory) = (slots.horizon(), slots.into_inner());
    /// let restored = Slots::new(memory).with_horizon(horizon);
    /// # assert_eq!(restored.with_horizon(Timestamp::from_secs(1)).with_horizon(horizon).horizon(), Timestamp::from_secs(1));
    /// ```
    #[inline]
    pub const fn with_horizon(mut self, horizon: Timestamp) -> Self {
        self.horizon = later(self.horizon, horizon);
        self
    }

    /// How many keys there is room for.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots};
    /// # let slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// assert_eq!(slots.capacity(), 8);
    /// ```
    pub fn capacity(&self) -> usize {
        self.memory.slots().len()
    }

    /// How many keys there are, expired ones included.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots};
    /// # let slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// assert_eq!(slots.len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there is no key.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots};
    /// # let slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// assert!(slots.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The latest expiry that was forgotten: an earlier `now`, for a key that is missing or has expired, is read as this.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots, Timestamp};
    /// # let slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// assert_eq!(slots.horizon(), Timestamp::ZERO);
    /// ```
    pub const fn horizon(&self) -> Timestamp {
        self.horizon
    }

    /// The keys and their states, expired ones included.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots};
    /// # let slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// assert_eq!(slots.iter().count(), 0);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&M::Key, &M::State)> {
        self.memory.slots().iter().filter_map(|slot| slot.0.as_ref().map(|(key, state)| (key, state)))
    }

    /// Forgets a key, used or not, and gives its state.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots};
    /// # let mut slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// assert_eq!(slots.remove(&7), None);
    /// ```
    pub fn remove(&mut self, key: &M::Key) -> Option<M::State>
    where
        M::Key: PartialEq,
    {
        let slot = self.memory.slots_mut().iter_mut().find(|slot| slot.state_of(key).is_some())?;
        slot.0.take().map(|(_, state)| state)
    }

    /// Forgets every state that has expired, and says how many.
    ///
    /// Not needed for room: a new key reclaims what it needs.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Slot, Slots, Timestamp};
    /// # let mut slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
    /// let _ = ONE_A_SECOND.check(&mut slots, &7, Timestamp::ZERO);
    /// assert_eq!(slots.prune(Timestamp::from_millis(999)), 0);
    /// assert_eq!(slots.prune(Timestamp::from_secs(9)), 1);
    /// assert_eq!(slots.horizon(), Timestamp::from_secs(1));
    /// ```
    pub fn prune(&mut self, now: Timestamp) -> usize
    where
        M::State: State,
    {
        let mut pruned = 0;
        for slot in self.memory.slots_mut() {
            if let Some((_, state)) = slot.0.take_if(|(_, state)| state.is_expired(now)) {
                self.horizon = self.horizon.max(state.expires_at());
                pruned += 1;
            }
        }
        pruned
    }

    /// The memory, with the keys that are in it. The horizon goes: for a [snapshot](crate::store#snapshots), keep [it](Self::horizon) too.
    ///
    /// ```
    /// # use tollgate::{FixedWindowState, Slot, Slots};
    /// # let slots: Slots<[Slot<u8, FixedWindowState>; 8]> = Slots::new([const { Slot::EMPTY }; 8]);
    /// let memory: [Slot<u8, FixedWindowState>; 8] = slots.into_inner();
    /// ```
    pub fn into_inner(self) -> M {
        self.memory
    }
}

/// A slot that is empty; else, one whose state has expired at `now`.
fn room<K, S: State>(slots: &mut [Slot<K, S>], now: Timestamp) -> Option<&mut Slot<K, S>> {
    let expired = |slot: &Slot<K, S>| slot.0.as_ref().is_some_and(|(_, state)| state.is_expired(now));
    let index = slots.iter().position(|slot| slot.0.is_none()).or_else(|| slots.iter().position(expired))?;
    slots.get_mut(index)
}

impl<M: SlotMemory<Key: Clone + PartialEq, State: State>> Store<M::Key> for &mut Slots<M> {
    type State = M::State;
    type Error = Full;

    #[inline]
    fn update<R>(self, key: &M::Key, now: Timestamp, f: impl FnOnce(&mut M::State, Timestamp) -> R) -> Result<R, Full> {
        let found = self.memory.slots_mut().iter_mut().find_map(|slot| slot.state_of_mut(key));
        if let Some(state) = found {
            let read = read(state, now, self.horizon);
            return Ok(f(state, read));
        }
        let read = now.max(self.horizon);
        let capacity = self.capacity();
        let slot = room(self.memory.slots_mut(), read).ok_or(Full { capacity })?;
        let (answer, kept) = vacant(read, f);
        if let Some(state) = kept {
            if let Some((_, forgotten)) = slot.0.replace((key.clone(), state)) {
                self.horizon = self.horizon.max(forgotten.expires_at());
            }
        }
        Ok(answer)
    }

    #[inline]
    fn modify<R>(self, key: &M::Key, f: impl FnOnce(&mut M::State) -> R) -> Option<R> {
        self.memory.slots_mut().iter_mut().find_map(|slot| slot.state_of_mut(key)).map(f)
    }

    #[inline]
    fn view<R>(self, key: &M::Key, now: Timestamp, f: impl FnOnce(&M::State, Timestamp) -> R) -> R {
        look(self.memory.slots().iter().find_map(|slot| slot.state_of(key)), now, self.horizon, f)
    }
}

//! [`Table`]: a fixed number of keys, hashed. Its memory is in `table/memory.rs`, a bucket of it in `table/bucket.rs`, which buckets a key may be
//! in is in `table/home.rs`, and how a new one gets room there in `table/room.rs`.

use core::fmt;
use core::hash::{BuildHasher, Hash};

use self::home::{Home, other};
use super::{Store, later, look, read, vacant};
use crate::error::Full;
use crate::state::State;
use crate::time::Timestamp;

mod bucket;
mod home;
mod key;
mod memory;
mod room;

pub use key::FoundAs;
#[cfg(feature = "alloc")]
pub use memory::HeapBuckets;
pub use memory::{ArrayBuckets, Buckets};

/// A store of fixed capacity, hashed: for as many keys as there are clients, in memory that is taken once.
///
/// A new key takes an empty slot, or that of an expired state; nothing is ever rehashed, swept or moved to larger memory, so no call pauses. Where
/// there is no room within reach, the answer is [`Full`], and never is a live state evicted. It keeps its
/// [horizon](crate::store#forgetting).
///
/// ```
/// use core::time::Duration;
/// use tollgate::store::{HeapBuckets, Table};
/// use tollgate::{Timestamp, TokenBucket, TokenBucketState};
///
/// const TEN_A_SECOND: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
/// let mut clients: Table<HeapBuckets<String, TokenBucketState>, _> = Table::new(HeapBuckets::for_keys(100_000, String::new()));
/// match TEN_A_SECOND.check(&mut clients, "203.0.113.9", Timestamp::ZERO) {
///     Ok(decision) => assert!(decision.is_allow()),
///     Err(full) => println!("{full}"), // let it pass, or not: the caller's choice
/// }
/// ```
///
/// # Memory
///
/// A state that grows, as a log may, allocates besides and takes its time for that: keep `SlidingLogArray`s in a table, or buckets.
///
/// A key, its state and one byte for each slot: 33 bytes for a `u64` and a token bucket, 41 for an IPv6 address. At the load below that is 36.7
/// and 45.6 bytes for each live key.
///
/// # Load
///
/// A key may be in two buckets of 16 slots. Where both are full, one of the keys there moves to its other bucket. So a table of a thousand slots or more can be
/// 90 % full of live states, for ever, and is [`Full`] less than once in a million new keys; what has expired does not count. A
/// smaller one of more than 16 slots needs some more room to spare; with up to 16 it holds as many as it has. `cargo run --release -p
/// tollgate-harness --bin load` measures it.
///
/// # Cost
///
/// O(1), in the worst case too. A key that is there takes one hash, the tags of one bucket or two (a byte a slot, so that a cache holds them), and one slot: one cache
/// miss, in memory that no cache holds. A new key looks at its two buckets, and where they are full at no more than 32 others: at most 544 states, and
/// seldom more than 16.
///
/// # Whom the hasher has to resist
///
/// Who can choose keys that all hash alike makes a table full for them with 32 keys: nothing worse, no live state is lost and no call takes longer.
/// [`Table::new`] hashes with random keys that nobody outside can know. With [`Table::with_hasher`] the choice is the caller's: a faster one,
/// seeded at random (such as `foldhash`), where clients choose their keys; any that mixes, where they do not. One that hands numbers through
/// does for numbers in a row, but for others a table may be full at half its size, or sooner.
#[derive(Clone)]
pub struct Table<M, H> {
    memory: M,
    hasher: H,
    horizon: Timestamp,
    /// Counted once, so that it takes no time to say what is full.
    capacity: usize,
}

type Entry<M> = (<M as Buckets>::Key, <M as Buckets>::State);

/// Where a key is, or may be put.
#[derive(Clone, Copy)]
struct Place {
    bucket: usize,
    slot: usize,
}

#[cfg(feature = "std")]
impl<M: Buckets<Key: Clone, State: Default>> Table<M, std::hash::RandomState> {
    /// With memory for the keys, and a hash with random keys. It begins empty: what is in the memory is forgotten, since under another hash no key
    /// would be found, and each would still take its slot. Memory with keys goes to [`with_hasher`](Table::with_hasher).
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// ```
    #[cfg_attr(docsrs, doc(cfg(feature = "std")))]
    pub fn new(memory: M) -> Self {
        let mut table = Self::with_hasher(memory, std::hash::RandomState::new());
        table.clear();
        table
    }
}

impl<M: Buckets, H> Table<M, H> {
    /// With memory for the keys, and how they are hashed. Memory with keys comes with the [hasher](Table::hasher) that it was filled under, and
    /// [its horizon](Table::with_horizon) too: under another hasher they are not found, and take their slots until they expire.
    ///
    /// ```
    /// # use std::hash::RandomState;
    /// # use tollgate::{store::{ArrayBuckets, Table}, FixedWindowState};
    /// let memory: ArrayBuckets<u64, FixedWindowState, 4> = ArrayBuckets::new(0);
    /// let table = Table::with_hasher(memory, RandomState::new());
    ///
    /// let (hasher, horizon) = (table.hasher().clone(), table.horizon());
    /// let again = Table::with_hasher(table.into_inner(), hasher).with_horizon(horizon);
    /// ```
    pub fn with_hasher(memory: M, hasher: H) -> Self {
        let capacity = memory.tags().iter().map(|tags| tags.open()).sum();
        Self { memory, hasher, horizon: Timestamp::ZERO, capacity }
    }

    /// With a horizon that is at least this one: that of the store whose keys the memory has, for a [snapshot](crate::store#snapshots).
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState, Timestamp};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0)).with_horizon(Timestamp::from_secs(7));
    /// assert_eq!(table.horizon(), Timestamp::from_secs(7));
    /// # assert_eq!(table.with_horizon(Timestamp::ZERO).horizon(), Timestamp::from_secs(7));
    /// ```
    pub const fn with_horizon(mut self, horizon: Timestamp) -> Self {
        self.horizon = later(self.horizon, horizon);
        self
    }

    /// How keys are hashed: for memory that is [taken out](Table::into_inner) and put to use again.
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// let hasher: std::hash::RandomState = table.hasher().clone();
    /// ```
    pub const fn hasher(&self) -> &H {
        &self.hasher
    }

    /// How many slots there are.
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// assert_eq!(table.capacity(), 1000);
    /// ```
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many keys there are, expired ones included.
    ///
    /// # Cost
    ///
    /// O(n) in the slots.
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// assert_eq!(table.len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.memory.tags().iter().map(|tags| tags.taken().count()).sum()
    }

    /// Whether there is no key.
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// assert!(table.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The latest expiry that was forgotten: an earlier `now`, for a key that is missing or has expired, is read as this.
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState, Timestamp};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// assert_eq!(table.horizon(), Timestamp::ZERO);
    /// ```
    pub const fn horizon(&self) -> Timestamp {
        self.horizon
    }

    /// The keys and their states, expired ones included, in no order that means anything.
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// assert_eq!(table.iter().count(), 0);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&M::Key, &M::State)> {
        self.memory.tags().iter().zip(self.memory.buckets()).flat_map(|(tags, bucket)| {
            tags.taken().filter_map(|slot| bucket.get(slot)).map(|(key, state)| (key, state))
        })
    }

    /// Forgets a key, used or not, and gives its state.
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
    /// let mut table = Table::new(HeapBuckets::<String, FixedWindowState>::new(1000, String::new()));
    /// assert_eq!(table.remove("203.0.113.9"), None);
    /// ```
    pub fn remove<Q: FoundAs<M::Key> + ?Sized>(&mut self, key: &Q) -> Option<M::State>
    where
        H: BuildHasher,
        M: Buckets<Key: Clone, State: Default>,
    {
        let place = self.place(self.home(key), key)?;
        Some(self.empty(place)?.1)
    }

    /// Forgets every state that has expired, and says how many.
    ///
    /// Not needed for room: a new key reclaims what it needs.
    ///
    /// # Cost
    ///
    /// O(n) in the slots.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindow, FixedWindowState, Timestamp};
    /// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
    /// let mut table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// let _ = ONE_A_SECOND.check(&mut table, &7, Timestamp::ZERO);
    /// assert_eq!(table.prune(Timestamp::from_millis(999)), 0);
    /// assert_eq!(table.prune(Timestamp::from_secs(9)), 1);
    /// assert_eq!(table.horizon(), Timestamp::from_secs(1));
    /// ```
    pub fn prune(&mut self, now: Timestamp) -> usize
    where
        M: Buckets<Key: Clone, State: State>,
    {
        let mut pruned = 0;
        for bucket in 0..self.memory.tags().len() {
            while let Some(slot) = self.expired(bucket, now) {
                if let Some((_, state)) = self.empty(Place { bucket, slot }) {
                    self.horizon = self.horizon.max(state.expires_at());
                    pruned += 1;
                }
            }
        }
        pruned
    }

    /// The memory, with the keys that are in it: good under the same [hasher](Table::hasher) only, with the same [horizon](Table::horizon).
    ///
    /// ```
    /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
    /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::new(1000, 0));
    /// let memory: HeapBuckets<u64, FixedWindowState> = table.into_inner();
    /// ```
    pub fn into_inner(self) -> M {
        self.memory
    }

    #[inline]
    fn home<Q: Hash + ?Sized>(&self, key: &Q) -> Home
    where
        H: BuildHasher,
    {
        Home::of(self.hasher.hash_one(key), self.memory.tags().len())
    }

    /// The other bucket of a key that may be in this one.
    #[inline]
    fn other(&self, bucket: usize, tag: u8) -> usize {
        other(bucket, tag, self.memory.tags().len())
    }

    /// Where a key is.
    #[inline]
    fn place<Q: FoundAs<M::Key> + ?Sized>(&self, home: Home, key: &Q) -> Option<Place> {
        let buckets = [home.first, self.other(home.first, home.tag)];
        buckets.into_iter().find_map(|bucket| Some(Place { bucket, slot: self.slot(bucket, home.tag, key)? }))
    }

    /// Which slot of a bucket is a key's.
    #[inline]
    fn slot<Q: FoundAs<M::Key> + ?Sized>(&self, bucket: usize, tag: u8, key: &Q) -> Option<usize> {
        let (tags, slots) = (self.memory.tags().get(bucket)?, self.memory.buckets().get(bucket)?);
        let mut like = tags.like(tag);
        while let Some(slot) = like.first() {
            if slots.get(slot).is_some_and(|(mine, _)| key.finds(mine)) {
                return Some(slot);
            }
            like = like.after_first();
        }
        None
    }

    #[inline]
    fn state_mut(&mut self, Place { bucket, slot }: Place) -> Option<&mut M::State> {
        let (_, buckets) = self.memory.parts_mut();
        Some(&mut buckets.get_mut(bucket)?.get_mut(slot)?.1)
    }

    /// Judges a key that is not in its first bucket. Apart, so that the others, which are most, are judged with less.
    #[inline(never)]
    fn update_elsewhere<Q: FoundAs<M::Key> + ?Sized, R>(
        &mut self,
        home: Home,
        key: &Q,
        now: Timestamp,
        f: impl FnOnce(&mut M::State, Timestamp) -> R,
    ) -> Result<R, Full>
    where
        M::State: State,
    {
        let (bucket, horizon) = (self.other(home.first, home.tag), self.horizon);
        if let Some(slot) = self.slot(bucket, home.tag, key) {
            if let Some(state) = self.state_mut(Place { bucket, slot }) {
                let read = read(state, now, horizon);
                return Ok(f(state, read));
            }
        }
        let read = now.max(horizon);
        let Some(room) = self.room(home, read) else {
            return Err(Full { capacity: self.capacity });
        };
        let (answer, kept) = vacant(read, f);
        if let Some(state) = kept {
            self.put(room, home.tag, key.owned(), state);
        }
        Ok(answer)
    }
}

/// Keys are found as anything that they borrow as: `&str` finds `String`.
impl<Q, M, H> Store<Q> for &mut Table<M, H>
where
    Q: FoundAs<M::Key> + ?Sized,
    M: Buckets<State: State>,
    H: BuildHasher,
{
    type State = M::State;
    type Error = Full;

    #[inline]
    fn update<R>(self, key: &Q, now: Timestamp, f: impl FnOnce(&mut M::State, Timestamp) -> R) -> Result<R, Full> {
        // The same for the other bucket is in `update_elsewhere`: a function for both takes a fifth longer with keys of 16 bytes.
        let (home, horizon) = (self.home(key), self.horizon);
        if let Some(slot) = self.slot(home.first, home.tag, key) {
            if let Some(state) = self.state_mut(Place { bucket: home.first, slot }) {
                let read = read(state, now, horizon);
                return Ok(f(state, read));
            }
        }
        self.update_elsewhere(home, key, now, f)
    }

    #[inline]
    fn modify<R>(self, key: &Q, f: impl FnOnce(&mut M::State) -> R) -> Option<R> {
        let place = self.place(self.home(key), key)?;
        self.state_mut(place).map(f)
    }

    #[inline]
    fn view<R>(self, key: &Q, now: Timestamp, f: impl FnOnce(&M::State, Timestamp) -> R) -> R {
        let place = self.place(self.home(key), key);
        let slot = place.and_then(|place| self.memory.buckets().get(place.bucket)?.get(place.slot));
        look(slot.map(|(_, state)| state), now, self.horizon, f)
    }
}

/// As a table and its clone are: with the same in each slot, and the same horizon. The hashers are not asked.
impl<M: PartialEq, H> PartialEq for Table<M, H> {
    fn eq(&self, other: &Self) -> bool {
        self.memory == other.memory && self.horizon == other.horizon
    }
}

impl<M: Eq, H> Eq for Table<M, H> {}

/// The keys and their states, and the horizon.
impl<M: Buckets<Key: fmt::Debug, State: fmt::Debug>, H> fmt::Debug for Table<M, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Entries<'a, M, H>(&'a Table<M, H>);

        impl<M: Buckets<Key: fmt::Debug, State: fmt::Debug>, H> fmt::Debug for Entries<'_, M, H> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_map().entries(self.0.iter()).finish()
            }
        }

        f.debug_struct("Table").field("entries", &Entries(self)).field("horizon", &self.horizon).finish_non_exhaustive()
    }
}

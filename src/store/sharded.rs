//! [`Sharded`]: a store for many threads, made of some that are each behind a lock.

use core::borrow::Borrow;
use core::convert::Infallible;
use core::hash::{BuildHasher, Hash};
use std::borrow::ToOwned;
use std::boxed::Box;
use std::collections::{BTreeMap, HashMap};
use std::hash::RandomState;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::vec::Vec;

use super::map::Map;
use super::{Bounded, BoundedMap, Buckets, FoundAs, Pruned, SlotMemory, Slots, Store, Table};
use crate::error::Full;
use crate::state::State;
use crate::time::Timestamp;

/// What a shard of [`Sharded`] can be: a [`Store`] that is used through `&mut`, with the same methods.
///
/// Every store of this crate is one. A store of your own that is to be sharded implements it beside `Store`:
///
/// ```
/// # use core::convert::Infallible;
/// use tollgate::store::{Sharded, Shard};
/// use tollgate::{FixedWindowState, Store, Timestamp};
///
/// struct Bus([FixedWindowState; 256]);
///
/// impl Store<u8> for &mut Bus {
///     # type State = FixedWindowState;
///     # type Error = Infallible;
///     # fn update<R>(self, key: &u8, now: Timestamp, f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R) -> Result<R, Infallible> {
///     #     Ok(f(&mut self.0[usize::from(*key)], now))
///     # }
///     # fn modify<R>(self, key: &u8, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
///     #     Some(f(&mut self.0[usize::from(*key)]))
///     # }
///     # fn view<R>(self, key: &u8, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
///     #     f(&self.0[usize::from(*key)], now)
///     # }
///     // ...
/// }
///
/// impl Shard<u8> for Bus {
///     type State = FixedWindowState;
///     type Error = Infallible;
///
///     fn update<R>(&mut self, key: &u8, now: Timestamp, f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R) -> Result<R, Infallible> {
///         Store::update(self, key, now, f)
///     }
///
///     fn modify<R>(&mut self, key: &u8, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
///         Store::modify(self, key, f)
///     }
///
///     fn view<R>(&mut self, key: &u8, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
///         Store::view(self, key, now, f)
///     }
/// }
/// ```
// Not `for<'a> &'a mut T: Store<K>`, of which the compiler cannot tell that `State` is the same for every lifetime.
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
pub trait Shard<K: ?Sized> {
    /// As [`Store::State`].
    type State: State;

    /// As [`Store::Error`].
    type Error;

    /// As [`Store::update`].
    ///
    /// # Errors
    ///
    /// Where there is no room for the key; `f` has not run.
    fn update<R>(
        &mut self,
        key: &K,
        now: Timestamp,
        f: impl FnOnce(&mut Self::State, Timestamp) -> R,
    ) -> Result<R, Self::Error>;

    /// As [`Store::modify`].
    fn modify<R>(&mut self, key: &K, f: impl FnOnce(&mut Self::State) -> R) -> Option<R>;

    /// As [`Store::view`].
    fn view<R>(&mut self, key: &K, now: Timestamp, f: impl FnOnce(&Self::State, Timestamp) -> R) -> R;
}

macro_rules! shard {
    ($([$($generics:tt)*] $store:ty, $key:ty, $state:ty, $error:ty where [$($bound:tt)*];)*) => { $(
        impl<$($generics)*> Shard<$key> for $store
        where
            $($bound)*
        {
            type State = $state;
            type Error = $error;

            #[inline]
            fn update<R>(&mut self, key: &$key, now: Timestamp, f: impl FnOnce(&mut $state, Timestamp) -> R) -> Result<R, $error> {
                Store::update(self, key, now, f)
            }

            #[inline]
            fn modify<R>(&mut self, key: &$key, f: impl FnOnce(&mut $state) -> R) -> Option<R> {
                Store::modify(self, key, f)
            }

            #[inline]
            fn view<R>(&mut self, key: &$key, now: Timestamp, f: impl FnOnce(&$state, Timestamp) -> R) -> R {
                Store::view(self, key, now, f)
            }
        }
    )* };
}

shard! {
    [M: SlotMemory] Slots<M>, M::Key, M::State, Full where [M::Key: Clone + PartialEq, M::State: State];
    [Q: ?Sized, M: Buckets, H] Table<M, H>, Q, M::State, Full where [Q: FoundAs<M::Key>, M::State: State, H: BuildHasher];
    [M: BoundedMap] Bounded<M>, M::Key, M::State, Full where [];
    [Q: ?Sized, M: Map<Q>] Pruned<M>, Q, M::State, Infallible where [];
    [Q: ?Sized, K, S: State, H] HashMap<K, S, H>, Q, S, Infallible
        where [Q: ToOwned + Eq + Hash, K: Borrow<Q> + From<Q::Owned> + Eq + Hash, H: BuildHasher];
    [Q: ?Sized, K, S: State] BTreeMap<K, S>, Q, S, Infallible where [Q: ToOwned + Ord, K: Borrow<Q> + From<Q::Owned> + Ord];
}

/// A lock, in cache lines of its own: two of 64 bytes, since they are fetched in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Padded<T>(Mutex<T>);

impl<T> Padded<T> {
    #[inline]
    fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores behind locks, the shards, for use through `&self` by many threads. A key's hash tells its shard.
///
/// ```
/// use core::time::Duration;
/// use std::thread;
/// use tollgate::store::{HeapBuckets, Sharded, Table};
/// use tollgate::{Timestamp, TokenBucket, TokenBucketState};
///
/// const TEN_A_SECOND: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
/// // For 10,000 clients: room for twice as many, since they do not spread evenly.
/// let clients = Sharded::new(|shards| Table::new(HeapBuckets::<u64, TokenBucketState>::for_keys(20_000 / shards, 0)));
/// let admitted: usize = thread::scope(|scope| {
///     let worker = || (0..10).filter(|_| TEN_A_SECOND.check(&clients, &7, Timestamp::ZERO).is_ok_and(|decision| decision.is_allow())).count();
///     let workers = [scope.spawn(worker), scope.spawn(worker)];
///     workers.into_iter().map(|worker| worker.join().unwrap()).sum()
/// });
/// assert_eq!(admitted, 10);
/// ```
///
/// # What a shard is
///
/// Any store that is used through `&mut`: a [`Table`], a `HashMap`, a [`Pruned`] one, [your own](Shard). Each is on its own: a horizon is its
/// shard's, and so is the room of a fixed capacity. Keys do not spread evenly: where there are `n` to a shard on average, fewer than one shard
/// in a million has more than `n + 6 * sqrt(n)`. So room for twice as many is enough from some 36 on.
///
/// Timestamps that were read before the lock was taken arrive out of order. That is allowed: a key's time [never runs
/// backwards](crate#laws). A bare map that is pruned keeps no horizon, so let it be a `Pruned` one.
///
/// # Locks
///
/// A shard is locked while its store is used, the policy's arithmetic included and no more. A closure of the caller's that is run
/// there must not use the same `Sharded` again: it would wait for itself. So several policies cannot be judged together over one, which
/// the compiler sees to: it is not [`Exclusive`](super::Exclusive). Judge them [in order](crate::layers), or keep the states of one key as a
/// pair, for [`Both`](crate::Both).
///
/// ```compile_fail,E0277
/// # use core::time::Duration;
/// # use std::collections::HashMap;
/// # use tollgate::{layers::{Layer, all}, store::Sharded, FixedWindow, FixedWindowState, Timestamp};
/// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let shared = Sharded::new(|_| HashMap::<u64, FixedWindowState>::new());
/// let _ = all((Layer::new(TEN, &shared, &1), Layer::new(TEN, &shared, &2)), Timestamp::ZERO);
/// ```
///
/// A panic while a shard is locked comes from the caller's code (a closure, a key's `Hash` or `Eq`), for nothing in this crate panics. The stores
/// of this crate and of the standard library are whole at every point where that runs. So such a shard is used on as if nothing had been: a lock
/// that is poisoned would turn the mishap of one request into an outage.
///
/// # Cost
///
/// A hash of the key, and a lock that nobody else holds, on top of the store's. Where another thread used the shard last, whatever its keys, the lock's
/// cache line comes from that thread's core, which takes longer than a check. So two threads that do nothing but check are no faster than one,
/// and more shards do not change that while both threads use all of them. Where each thread has clients of its own, give each a store of its own.
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
#[derive(Debug)]
pub struct Sharded<T, H = RandomState> {
    /// So that there is one.
    last: Padded<T>,
    others: Box<[Padded<T>]>,
    /// Not that of the stores, whose keys would all have the same bits in one shard.
    hasher: H,
}

impl<T> Sharded<T> {
    /// With four shards for each processor, and a hash with random keys. Each shard is made by `make`, which is told how many there will be, so that
    /// all together have as much room on a large machine as on a small one. It should be empty: a key is looked for in the shard that its hash tells.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use tollgate::{store::Sharded, FixedWindowState};
    /// let clients = Sharded::new(|shards| HashMap::<String, FixedWindowState>::with_capacity(10_000 / shards));
    /// ```
    pub fn new(mut make: impl FnMut(usize) -> T) -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let shards = processors.saturating_mul(4);
        Self::with_shards(shards, RandomState::new(), || make(shards))
    }
}

impl<T, H> Sharded<T, H> {
    /// With so many shards, at least one, and a hasher to choose one by: another than those of the stores, or seeded otherwise, and at random where clients
    /// choose their keys. Each shard is made by `make`, and should be empty, as for [`new`](Sharded::new).
    ///
    /// ```
    /// # use std::{collections::HashMap, hash::RandomState};
    /// # use tollgate::{store::Sharded, FixedWindowState};
    /// let clients = Sharded::with_shards(64, RandomState::new(), HashMap::<String, FixedWindowState>::new);
    /// assert_eq!(clients.shards(), 64);
    /// ```
    pub fn with_shards(shards: usize, hasher: H, mut make: impl FnMut() -> T) -> Self {
        let mut shard = || Padded(Mutex::new(make()));
        let others = (1..shards).map(|_| shard()).collect();
        Self { last: shard(), others, hasher }
    }

    /// How many shards there are.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use tollgate::{store::Sharded, FixedWindowState};
    /// assert!(Sharded::new(|_| HashMap::<u64, FixedWindowState>::new()).shards() >= 4);
    /// ```
    pub const fn shards(&self) -> usize {
        // Cannot overflow: they are in memory, and each takes more than a byte.
        self.others.len() + 1
    }

    /// Lets `f` have each shard's store in turn, to prune it or count its keys. Only the one that `f` has is locked.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use tollgate::{store::{Pruned, Sharded}, FixedWindowState, Timestamp};
    /// let clients = Sharded::new(|_| Pruned::<HashMap<String, FixedWindowState>>::default());
    /// let (mut pruned, mut left) = (0, 0);
    /// clients.each(|store| {
    ///     pruned += store.prune(Timestamp::ZERO);
    ///     left += store.map().len();
    /// });
    /// assert_eq!((pruned, left), (0, 0));
    /// ```
    pub fn each(&self, mut f: impl FnMut(&mut T)) {
        for shard in self.others.iter().chain([&self.last]) {
            f(&mut shard.lock());
        }
    }

    /// Lets `f` have the store of the shard that a key is in, to remove the key.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use tollgate::{store::Sharded, FixedWindowState};
    /// let clients = Sharded::new(|_| HashMap::<String, FixedWindowState>::new());
    /// assert_eq!(clients.shard_of("203.0.113.9", |store| store.remove("203.0.113.9")), None);
    /// ```
    pub fn shard_of<K: Hash + ?Sized, R>(&self, key: &K, f: impl FnOnce(&mut T) -> R) -> R
    where
        H: BuildHasher,
    {
        f(&mut self.shard(key).lock())
    }

    /// The stores.
    ///
    /// ```
    /// # use std::{collections::HashMap, hash::RandomState};
    /// # use tollgate::{store::Sharded, FixedWindowState};
    /// let clients = Sharded::with_shards(2, RandomState::new(), HashMap::<u64, FixedWindowState>::new);
    /// let [first, second] = <[_; 2]>::try_from(clients.into_inner()).unwrap();
    /// assert!(first.is_empty() && second.is_empty());
    /// ```
    pub fn into_inner(self) -> Vec<T> {
        let shards = Vec::from(self.others).into_iter().chain([self.last]);
        shards.map(|shard| shard.0.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    #[inline]
    fn shard<K: Hash + ?Sized>(&self, key: &K) -> &Padded<T>
    where
        H: BuildHasher,
    {
        // Cannot overflow: less than 2^64 * 2^64. Scales the hash to the number of shards.
        let index = (u128::from(self.hasher.hash_one(key)) * self.shards() as u128) >> 64;
        self.others.get(index as usize).unwrap_or(&self.last)
    }
}

impl<K, T, H> Store<K> for &Sharded<T, H>
where
    K: Hash + ?Sized,
    T: Shard<K>,
    H: BuildHasher,
{
    type State = T::State;
    type Error = T::Error;

    #[inline]
    fn update<R>(self, key: &K, now: Timestamp, f: impl FnOnce(&mut T::State, Timestamp) -> R) -> Result<R, T::Error> {
        self.shard(key).lock().update(key, now, f)
    }

    #[inline]
    fn modify<R>(self, key: &K, f: impl FnOnce(&mut T::State) -> R) -> Option<R> {
        self.shard(key).lock().modify(key, f)
    }

    #[inline]
    fn view<R>(self, key: &K, now: Timestamp, f: impl FnOnce(&T::State, Timestamp) -> R) -> R {
        self.shard(key).lock().view(key, now, f)
    }
}

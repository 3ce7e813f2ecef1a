//! The crate's own stores.

use core::convert::Infallible;
use core::hash::BuildHasherDefault;
use std::collections::{BTreeMap, HashMap};
use std::hash::DefaultHasher;
use std::sync::{Mutex, MutexGuard};

use tollgate::conformance::{self, Law, Shared, StoreSuite};
#[cfg(feature = "heapless")]
use tollgate::store::Bounded;
use tollgate::store::{ArrayBuckets, HeapBuckets, Pruned, Sharded, Table, prune};
use tollgate::{
    FixedWindowState, SlidingLogArray, SlidingLogState, Slot, Slots, State, Store, Timestamp, TokenBucketState,
};

const NUMBERS: [&u64; 3] = [&1, &2, &3];
const NAMES: [&str; 3] = ["a", "b", "c"];

fn slots<S: State, const N: usize>() -> Slots<[Slot<u64, S>; N]> {
    Slots::new([const { Slot::EMPTY }; N])
}

macro_rules! slots {
    ($($name:ident: $state:ty, $capacity:literal;)*) => { $(
        #[test]
        fn $name() {
            let suite = StoreSuite::new(NUMBERS, slots::<$state, $capacity>).capacity($capacity);
            suite.depth(4).prune(|slots, now| { slots.prune(now); }).check();
        }
    )* };
}

slots! {
    slots_one: FixedWindowState, 1;
    slots_two: TokenBucketState, 2;
    slots_enough: SlidingLogState, 3;
    slots_of_logs_in_place: SlidingLogArray<2>, 2;
    slots_of_pairs: (FixedWindowState, TokenBucketState), 2;
}

#[test]
fn slots_without_room() {
    StoreSuite::new(NUMBERS, slots::<FixedWindowState, 0>).capacity(0).check();
    let breach = StoreSuite::new(NUMBERS, slots::<FixedWindowState, 0>).run().expect_err("unless it says so");
    assert_eq!(breach.law, Law::Room);
}

#[test]
fn slots_on_the_heap() {
    let make = || Slots::new(vec![Slot::<u64, FixedWindowState>::EMPTY; 2].into_boxed_slice());
    conformance::store(NUMBERS, make);
}

type Hashed = BuildHasherDefault<DefaultHasher>;

fn table<S: State>(capacity: usize) -> Table<HeapBuckets<u64, S>, Hashed> {
    Table::with_hasher(HeapBuckets::new(capacity, 1), Hashed::default())
}

macro_rules! tables {
    ($($name:ident: $state:ty, $capacity:literal;)*) => { $(
        #[test]
        fn $name() {
            let suite = StoreSuite::new(NUMBERS, || table::<$state>($capacity)).capacity($capacity);
            suite.depth(4).prune(|table, now| { table.prune(now); }).check();
        }
    )* };
}

tables! {
    table_without_room: FixedWindowState, 0;
    table_one: FixedWindowState, 1;
    table_two: TokenBucketState, 2;
    table_enough: SlidingLogState, 3;
    table_of_logs_in_place: SlidingLogArray<2>, 2;
    table_of_pairs: (FixedWindowState, TokenBucketState), 2;
    table_of_many_buckets: FixedWindowState, 100;
}

#[test]
fn table_in_the_caller_s_memory() {
    let make = || Table::with_hasher(ArrayBuckets::<String, FixedWindowState, 2>::new("a".into()), Hashed::default());
    let suite = StoreSuite::new(NAMES, make).capacity(32);
    suite
        .prune(|table, now| {
            table.prune(now);
        })
        .check();
}

#[test]
fn sharded_tables() {
    let make = |shards| Sharded::with_shards(shards, Hashed::default(), || table::<FixedWindowState>(100));
    for shards in [0, 1, 2, 7] {
        let suite = StoreSuite::new(NUMBERS, || Shared(make(shards)));
        suite
            .prune(|Shared(sharded), now| {
                sharded.each(|table| {
                    table.prune(now);
                });
            })
            .check();
        conformance::threads(NUMBERS, make(shards));
    }
}

#[test]
fn sharded_maps() {
    let trees = || Sharded::new(|_| Pruned::<BTreeMap<String, TokenBucketState>>::default());
    conformance::store(NAMES, || Shared(trees()));
    conformance::threads(NAMES, trees());
    conformance::threads(NUMBERS, Sharded::new(|_| HashMap::<u64, SlidingLogState>::new()));
    conformance::threads(NAMES, Sharded::new(|_| BTreeMap::<String, FixedWindowState>::new()));
    conformance::threads(NUMBERS, Sharded::new(|_| slots::<FixedWindowState, 3>()));
}

#[test]
fn hash_map() {
    conformance::store(NAMES, HashMap::<String, FixedWindowState>::new);
    let suite = StoreSuite::new(NUMBERS, HashMap::<u64, FixedWindowState>::new);
    suite
        .prune_without_horizon(|map, now| {
            prune(map, now);
        })
        .check();
}

#[test]
fn btree_map() {
    conformance::store(NAMES, BTreeMap::<String, TokenBucketState>::new);
    let suite = StoreSuite::new(NUMBERS, BTreeMap::<u64, TokenBucketState>::new).depth(4);
    suite
        .prune_without_horizon(|map, now| {
            prune(map, now);
        })
        .check();
}

#[test]
fn pruned_hash_map() {
    let suite = StoreSuite::new(NAMES, Pruned::<HashMap<String, SlidingLogState>>::default);
    suite
        .prune(|map, now| {
            map.prune(now);
        })
        .check();
}

#[test]
fn pruned_btree_map() {
    let suite = StoreSuite::new(NAMES, Pruned::<BTreeMap<String, FixedWindowState>>::default).depth(4);
    suite
        .prune(|map, now| {
            map.prune(now);
        })
        .check();
}

#[cfg(feature = "heapless")]
macro_rules! heapless_maps {
    ($($name:ident: $map:ty, $capacity:literal;)*) => { $(
        #[test]
        fn $name() {
            let suite = StoreSuite::new(NUMBERS, Bounded::<$map>::default).capacity($capacity);
            suite.depth(4).prune(|map, now| { map.prune(now); }).check();
        }
    )* };
}

#[cfg(feature = "heapless")]
heapless_maps! {
    heapless_hashed: heapless::index_map::FnvIndexMap<u64, TokenBucketState, 2>, 2;
    heapless_hashed_enough: heapless::index_map::FnvIndexMap<u64, SlidingLogArray<2>, 4>, 4;
    heapless_scanned_one: heapless::LinearMap<u64, FixedWindowState, 1>, 1;
    heapless_scanned: heapless::LinearMap<u64, (FixedWindowState, TokenBucketState), 2>, 2;
}

/// One lock around a map.
#[derive(Default)]
struct Locked(Mutex<Pruned<BTreeMap<u64, FixedWindowState>>>);

impl Locked {
    fn lock(&self) -> MutexGuard<'_, Pruned<BTreeMap<u64, FixedWindowState>>> {
        self.0.lock().expect("no update has panicked")
    }
}

impl Store<u64> for &Locked {
    type State = FixedWindowState;
    type Error = Infallible;

    fn update<R>(
        self,
        key: &u64,
        now: Timestamp,
        f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R,
    ) -> Result<R, Infallible> {
        self.lock().update(key, now, f)
    }

    fn modify<R>(self, key: &u64, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
        self.lock().modify(key, f)
    }

    fn view<R>(self, key: &u64, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
        self.lock().view(key, now, f)
    }
}

#[test]
fn a_store_that_locks() {
    let suite = StoreSuite::new(NUMBERS, || Shared(Locked::default()));
    suite
        .prune(|Shared(locked), now| {
            locked.lock().prune(now);
        })
        .check();
    conformance::threads(NUMBERS, Locked::default());
}

//! Laws 2, 3 and 7 through every store: answers are those of a plain map that forgets nothing, whatever the store has dropped meanwhile.

use core::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::collections::{BTreeMap, HashMap};
use std::hash::DefaultHasher;

#[cfg(feature = "heapless")]
use heapless::{LinearMap, index_map::FnvIndexMap};
use proptest::collection::vec;
use proptest::prelude::*;
use tollgate::store::{ArrayBuckets, HeapBuckets, Pruned, Table, prune};
#[cfg(feature = "heapless")]
use tollgate::store::{Bounded, BoundedMap};
use tollgate::{
    CheckError, CostExceedsLimit, Decision, FixedWindow, FixedWindowState, Full, Slot, Slots, State, Timestamp,
};
use tollgate_harness::key::Trace;
use tollgate_harness::keyed::{Act, run};
use tollgate_harness::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows};

use crate::traces;

/// A trace of a few keys, with prunings in between.
fn keyed(trace: impl Strategy<Value = Trace>) -> impl Strategy<Value = (Trace, Vec<Act>)> {
    of_keys(4, trace)
}

/// The same of so many keys.
fn of_keys(keys: u8, trace: impl Strategy<Value = Trace>) -> impl Strategy<Value = (Trace, Vec<Act>)> {
    (trace, vec((0..keys, any::<bool>()), 40)).prop_map(|(trace, keys)| {
        let acts = trace.steps.iter().zip(keys).flat_map(|(step, (key, pruned))| {
            let prune = (pruned && key == 0).then_some(Act::Prune(step.at));
            [Act::Key(key, *step)].into_iter().chain(prune)
        });
        (trace.clone(), acts.collect())
    })
}

fn slots<S: Subject, const N: usize>() -> Slots<[Slot<u8, S::State>; N]> {
    Slots::new([const { Slot::EMPTY }; N])
}

fn table<S: Subject>(capacity: usize) -> Table<HeapBuckets<u8, S::State>, BuildHasherDefault<DefaultHasher>> {
    Table::with_hasher(HeapBuckets::new(capacity, 0), BuildHasherDefault::default())
}

macro_rules! stores {
    ($($module:ident: $subject:ty, $policies:expr;)*) => { $(
        mod $module {
            use super::*;

            #[cfg(feature = "heapless")]
            proptest! {
                #[test]
                fn heapless_hashed((trace, acts) in keyed(traces::anything($policies))) {
                    let map: FnvIndexMap<u8, <$subject as Subject>::State, 2> = FnvIndexMap::new();
                    run::<$subject, _>(Bounded::new(map), &trace.policies, &acts);
                }

                #[test]
                fn heapless_scanned((trace, acts) in keyed(traces::anything($policies))) {
                    let map: LinearMap<u8, <$subject as Subject>::State, 3> = LinearMap::new();
                    run::<$subject, _>(Bounded::new(map), &trace.policies, &acts);
                }
            }

            proptest! {
                #[test]
                fn slots_one((trace, acts) in keyed(traces::anything($policies))) {
                    run::<$subject, _>(slots::<$subject, 1>(), &trace.policies, &acts);
                }

                #[test]
                fn slots_nearly_enough((trace, acts) in keyed(traces::anything($policies))) {
                    run::<$subject, _>(slots::<$subject, 3>(), &trace.policies, &acts);
                }

                #[test]
                fn slots_on_the_heap((trace, acts) in keyed(traces::anything($policies))) {
                    let memory = vec![Slot::<u8, <$subject as Subject>::State>::EMPTY; 2].into_boxed_slice();
                    run::<$subject, _>(Slots::new(memory), &trace.policies, &acts);
                }

                #[test]
                fn table_one((trace, acts) in keyed(traces::anything($policies))) {
                    run::<$subject, _>(table::<$subject>(1), &trace.policies, &acts);
                }

                #[test]
                fn table_nearly_enough((trace, acts) in keyed(traces::anything($policies))) {
                    run::<$subject, _>(table::<$subject>(3), &trace.policies, &acts);
                }

                #[test]
                fn table_of_two_buckets((trace, acts) in of_keys(40, traces::anything($policies))) {
                    run::<$subject, _>(table::<$subject>(18), &trace.policies, &acts);
                }

                #[test]
                fn table_of_keys_that_hash_alike((trace, acts) in keyed(traces::anything($policies))) {
                    let memory: ArrayBuckets<u8, <$subject as Subject>::State, 3> = ArrayBuckets::new(0);
                    run::<$subject, _>(Table::with_hasher(memory, Alike), &trace.policies, &acts);
                }

                #[test]
                fn hash_map((trace, acts) in keyed(traces::anything($policies))) {
                    run::<$subject, _>(HashMap::new(), &trace.policies, &acts);
                }

                #[test]
                fn btree_map((trace, acts) in keyed(traces::anything($policies))) {
                    run::<$subject, _>(BTreeMap::new(), &trace.policies, &acts);
                }

                #[test]
                fn pruned_hash_map((trace, acts) in keyed(traces::anything($policies))) {
                    run::<$subject, _>(Pruned::new(HashMap::new()), &trace.policies, &acts);
                }

                #[test]
                fn pruned_btree_map((trace, acts) in keyed(traces::anything($policies))) {
                    run::<$subject, _>(Pruned::new(BTreeMap::new()), &trace.policies, &acts);
                }
            }
        }
    )* };
}

stores! {
    fixed_window: Windows, traces::windows();
    sliding_log: GrowingLog, traces::logs();
    sliding_log_in_place: ArrayLog<2>, traces::logs();
    token_bucket: Buckets, traces::buckets();
}

const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, core::time::Duration::from_secs(1));

/// The worst hash: of all keys the same.
#[derive(Clone, Default)]
struct Alike;

impl Hasher for Alike {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, _: &[u8]) {}
}

impl BuildHasher for Alike {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self
    }
}

#[test]
fn any_hasher_will_do() {
    let mut clients: HashMap<String, FixedWindowState, Alike> = HashMap::default();
    for key in ["a", "b", ""] {
        assert_eq!(ONE_A_SECOND.check(&mut clients, key, Timestamp::ZERO), Ok(Decision::Allow));
        let Ok(again) = ONE_A_SECOND.check(&mut clients, key, Timestamp::ZERO);
        assert!(again.retry_after().is_some());
    }
    assert_eq!(clients.len(), 3);
}

#[test]
fn keys_are_found_as_what_they_borrow_as() {
    let mut by_name: BTreeMap<Box<str>, FixedWindowState> = BTreeMap::new();
    let mut by_bytes: HashMap<Vec<u8>, FixedWindowState> = HashMap::new();
    let mut by_address: HashMap<core::net::IpAddr, FixedWindowState> = HashMap::new();
    let address = "2001:db8::1".parse().unwrap();
    assert_eq!(ONE_A_SECOND.check(&mut by_name, "a", Timestamp::ZERO), Ok(Decision::Allow));
    assert_eq!(ONE_A_SECOND.check(&mut by_bytes, b"a".as_slice(), Timestamp::ZERO), Ok(Decision::Allow));
    assert_eq!(ONE_A_SECOND.check(&mut by_address, &address, Timestamp::ZERO), Ok(Decision::Allow));
    assert!(by_name.contains_key("a") && by_bytes.contains_key(b"a".as_slice()) && by_address.contains_key(&address));
}

#[test]
fn a_hit_does_not_clone_its_key() {
    #[derive(Debug, PartialEq)]
    struct Once(u8);

    impl Clone for Once {
        fn clone(&self) -> Self {
            assert_ne!(self.0, 0, "cloned");
            Self(0)
        }
    }

    let mut slots: Slots<[Slot<Once, FixedWindowState>; 1]> = Slots::new([Slot::EMPTY]);
    assert_eq!(ONE_A_SECOND.check(&mut slots, &Once(1), Timestamp::ZERO), Ok(Decision::Allow));
    let Ok(again) = ONE_A_SECOND.check(&mut slots, &Once(0), Timestamp::ZERO) else { panic!("there") };
    assert!(!again.is_allow());
}

#[cfg(feature = "heapless")]
#[test]
fn heapless_maps_clone_a_key_only_to_add_it_or_to_make_room() {
    use core::cell::Cell;

    std::thread_local!(static CLONED: Cell<u32> = const { Cell::new(0) });

    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Counted(u8);

    impl Clone for Counted {
        fn clone(&self) -> Self {
            CLONED.set(CLONED.get() + 1);
            Self(self.0)
        }
    }

    fn clones(mut check: impl FnMut(u8, u64) -> Result<Decision, Full>) {
        CLONED.set(0);
        assert_eq!((check(1, 0), CLONED.get()), (Ok(Decision::Allow), 1));
        assert!(check(1, 0).is_ok_and(|again| !again.is_allow()) && CLONED.get() == 1, "a hit clones none");
        assert_eq!((check(2, 0), CLONED.get()), (Ok(Decision::Allow), 2));
        assert_eq!((check(3, 0), CLONED.get()), (Err(Full { capacity: 2 }), 2));
        assert_eq!((check(3, 1), CLONED.get()), (Ok(Decision::Allow), 4));
    }

    let mut hashed: Bounded<FnvIndexMap<Counted, FixedWindowState, 2>> = Bounded::default();
    clones(|key, secs| ONE_A_SECOND.check(&mut hashed, &Counted(key), Timestamp::from_secs(secs)));
    let mut scanned: Bounded<LinearMap<Counted, FixedWindowState, 2>> = Bounded::default();
    clones(|key, secs| ONE_A_SECOND.check(&mut scanned, &Counted(key), Timestamp::from_secs(secs)));
}

#[cfg(feature = "heapless")]
#[test]
fn heapless_maps_are_counted() {
    fn counted<M: BoundedMap<Key = u8, State = FixedWindowState> + Default>() {
        let mut map: Bounded<M> = Bounded::default();
        assert_eq!((map.map().capacity(), map.map().len(), map.map().is_empty()), (2, 0, true));
        let _ = ONE_A_SECOND.check(&mut map, &1, Timestamp::ZERO);
        assert_eq!((map.map().len(), map.map().is_empty()), (1, false));
    }

    counted::<FnvIndexMap<u8, FixedWindowState, 2>>();
    counted::<LinearMap<u8, FixedWindowState, 2>>();
}

#[test]
fn slots_that_are_full_say_so_and_are_not_asked_for_a_cost_of_zero() {
    let mut slots = slots::<Windows, 1>();
    assert_eq!(ONE_A_SECOND.check(&mut slots, &1, Timestamp::ZERO), Ok(Decision::Allow));
    assert_eq!(ONE_A_SECOND.check(&mut slots, &2, Timestamp::ZERO), Err(Full { capacity: 1 }));
    assert_eq!(ONE_A_SECOND.charge(&mut slots, &2, 1, Timestamp::ZERO), Err(Full { capacity: 1 }));
    let never = CheckError::CostExceedsLimit(CostExceedsLimit::new(2, 1));
    assert_eq!(ONE_A_SECOND.check_n(&mut slots, &2, 2, Timestamp::ZERO), Err(never));
    assert_eq!(ONE_A_SECOND.check_with_status(&mut slots, &2, 2, Timestamp::ZERO), Err(never));
    assert_eq!(ONE_A_SECOND.charge(&mut slots, &2, 0, Timestamp::ZERO), Ok(()));
    assert_eq!(ONE_A_SECOND.check_n(&mut slots, &2, 0, Timestamp::ZERO), Ok(Decision::Allow));
    assert_eq!(ONE_A_SECOND.peek(&mut slots, &2, 1, Timestamp::ZERO), Ok(Decision::Allow));
    assert_eq!(ONE_A_SECOND.status(&mut slots, &2, Timestamp::ZERO).remaining, 1);
    ONE_A_SECOND.refund(&mut slots, &2, 1, Timestamp::ZERO);
    assert_eq!(slots.remove(&1).map(|state| state.expires_at()), Some(Timestamp::from_secs(1)));
    assert_eq!(ONE_A_SECOND.check(&mut slots, &2, Timestamp::ZERO), Ok(Decision::Allow));
}

#[test]
fn slots_are_counted() {
    let mut slots = slots::<Windows, 3>();
    assert!(slots.is_empty());
    for key in [1, 2] {
        let _ = ONE_A_SECOND.check(&mut slots, &key, Timestamp::ZERO);
    }
    assert_eq!((slots.capacity(), slots.len(), slots.is_empty()), (3, 2, false));
    assert_eq!(slots.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [1, 2]);
    assert!(slots.remove(&3).is_none() && slots.remove(&1).is_some() && slots.remove(&1).is_none());
    assert_eq!(slots.into_inner().into_iter().filter(|slot| *slot == Slot::EMPTY).count(), 2);
}

#[test]
fn no_slots_are_always_full() {
    let mut slots = slots::<Windows, 0>();
    assert_eq!(ONE_A_SECOND.check(&mut slots, &1, Timestamp::MAX), Err(Full { capacity: 0 }));
}

#[test]
fn a_map_that_is_pruned_loses_the_expired_alone() {
    let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    for (key, secs) in [(1, 0), (2, 1), (3, 2)] {
        let _ = ONE_A_SECOND.check(&mut clients, &key, Timestamp::from_secs(secs));
    }
    assert_eq!(prune(&mut clients, Timestamp::from_secs(2)), 2);
    assert!(clients.contains_key(&3));
}

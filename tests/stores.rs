//! Stores that are taken apart and made anew: what a snapshot must have, and which memory `Slots` take.

use core::time::Duration;
use std::collections::{BTreeMap, HashMap};
use std::hash::RandomState;

#[cfg(feature = "heapless")]
use tollgate::store::Bounded;
use tollgate::store::{HeapBuckets, Pruned, Table};
use tollgate::{Decision, FixedWindow, FixedWindowState, Full, Slot, Slots, Store, Timestamp};

const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));

fn ms(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn allows<T>(store: &mut T, key: u8, now: Timestamp) -> bool
where
    for<'a> &'a mut T: Store<u8, State = FixedWindowState>,
{
    ONE_A_SECOND.check(store, &key, now).is_ok_and(Decision::is_allow)
}

/// A store in which a used key is forgotten and another is live, made anew of its memory: with its horizon, and without.
macro_rules! restored {
    ($store:expr, $again:expr) => {{
        let mut store = $store;
        assert!(allows(&mut store, 7, ms(0)) && allows(&mut store, 8, ms(900)));
        assert_eq!(store.prune(ms(1_000)), 1);
        let horizon = store.horizon();
        assert_eq!(horizon, ms(1_000));

        let whole = $again(store.clone()).with_horizon(horizon);
        assert_eq!(whole, store, "nothing is missing");
        assert_eq!(whole.clone().with_horizon(ms(999)).horizon(), horizon, "a horizon is never lowered");
        assert_eq!(whole.clone().with_horizon(ms(1_001)).horizon(), ms(1_001));
        keeps_the_bound(whole);

        let mut keys_alone = $again(store);
        assert_eq!(keys_alone.horizon(), Timestamp::ZERO);
        assert!(allows(&mut keys_alone, 7, ms(500)), "the second in one second: what the horizon is kept for");
        assert!(allows(&mut keys_alone, 7, ms(1_500)));
    }};
}

/// The key 7 was admitted at 0, the key 8 at 900 ms.
fn keeps_the_bound<T>(mut store: T)
where
    for<'a> &'a mut T: Store<u8, State = FixedWindowState>,
{
    assert!(!allows(&mut store, 8, ms(1_000)), "what is live is there");
    let late = (&mut store).update(&7, ms(500), |state, read| (ONE_A_SECOND.judge(state, read).is_allow(), read));
    assert_eq!(late.ok(), Some((true, ms(1_000))), "a second after it was last admitted");
    assert!(!allows(&mut store, 7, ms(1_999)) && allows(&mut store, 7, ms(2_000)));
}

#[test]
fn slots_made_anew_with_their_horizon_know_what_was_forgotten() {
    restored!(Slots::new([const { Slot::EMPTY }; 4]), |slots: Slots<_>| Slots::new(slots.into_inner()));
}

#[test]
fn a_table_made_anew_with_its_horizon_knows_what_was_forgotten() {
    restored!(Table::new(HeapBuckets::new(40, 0)), |table: Table<_, RandomState>| {
        let hasher = table.hasher().clone();
        Table::with_hasher(table.into_inner(), hasher)
    });
}

#[test]
fn maps_made_anew_with_their_horizon_know_what_was_forgotten() {
    restored!(Pruned::<HashMap<u8, FixedWindowState>>::default(), |map: Pruned<_>| Pruned::new(map.into_inner()));
    restored!(Pruned::<BTreeMap<u8, FixedWindowState>>::default(), |map: Pruned<_>| Pruned::new(map.into_inner()));
}

#[cfg(feature = "heapless")]
#[test]
fn heapless_maps_made_anew_with_their_horizon_know_what_was_forgotten() {
    use heapless::{LinearMap, index_map::FnvIndexMap};

    restored!(Bounded::new(LinearMap::<_, _, 4>::new()), |map: Bounded<_>| Bounded::new(map.into_inner()));
    restored!(Bounded::new(FnvIndexMap::<_, _, 4>::new()), |map: Bounded<_>| Bounded::new(map.into_inner()));
}

#[test]
fn keys_and_a_horizon_are_a_snapshot_for_any_store() {
    // What is written down: the hash of a table in the next process is another.
    let mut table = Table::new(HeapBuckets::new(40, 0));
    assert!(allows(&mut table, 7, ms(0)) && allows(&mut table, 8, ms(900)));
    assert_eq!(table.prune(ms(1_000)), 1);
    let (horizon, keys): (_, Vec<_>) =
        (table.horizon(), table.iter().map(|(key, state)| (*key, state.clone())).collect());

    let mut again = Table::new(HeapBuckets::new(40, 0)).with_horizon(horizon);
    for (key, saved) in keys {
        assert_eq!((&mut again).update(&key, horizon, |state, _| *state = saved), Ok(()));
    }
    keeps_the_bound(again);
}

/// Fills two slots of memory, and finds both keys there later.
macro_rules! filled {
    ($memory:expr) => {
        let mut slots = Slots::new($memory);
        assert_eq!(slots.capacity(), 2);
        assert!(allows(&mut slots, 1, ms(0)) && allows(&mut slots, 2, ms(0)));
        assert_eq!(ONE_A_SECOND.check(&mut slots, &3, ms(0)), Err(Full { capacity: 2 }));
        let again = Slots::new($memory);
        assert_eq!(again.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [1, 2]);
    };
}

#[test]
fn slots_take_a_reference_to_any_memory() {
    const EMPTY: Slot<u8, FixedWindowState> = Slot::EMPTY;
    let mut array = [EMPTY; 2];
    filled!(&mut array);
    let mut longer = [EMPTY; 5];
    filled!(&mut longer[1..3]);
    let mut boxed: Box<[Slot<u8, FixedWindowState>]> = Box::new([EMPTY; 2]);
    filled!(&mut boxed);
}

//! `Table`: what it holds, when it is full, and how much work a call is.

use core::cell::Cell;
use core::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use core::time::Duration;
use std::hash::DefaultHasher;
use std::net::Ipv6Addr;

use tollgate::store::{ArrayBuckets, Buckets, HeapBuckets, Table};
use tollgate::{
    Decision, FixedWindow, FixedWindowState, Full, SlidingLog, SlidingLogState, State, Store, Timestamp,
    TokenBucketState,
};

/// Seeded alike in every run.
type Seeded = BuildHasherDefault<DefaultHasher>;

const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));

fn table<K: Clone>(capacity: usize, vacant: K) -> Table<HeapBuckets<K, FixedWindowState>, Seeded> {
    Table::with_hasher(HeapBuckets::new(capacity, vacant), Seeded::default())
}

/// Uses up the key's quota. Whether it was the first to.
fn take<M: Buckets<Key = u64, State = FixedWindowState>, H: BuildHasher>(
    table: &mut Table<M, H>,
    key: u64,
    now: Timestamp,
) -> Result<bool, Full> {
    ONE_A_SECOND.check(table, &key, now).map(Decision::is_allow)
}

#[test]
fn it_holds_as_many_as_it_says_where_it_has_one_bucket() {
    for capacity in 0..=16 {
        let mut table = table(capacity, 0);
        for key in 0..capacity as u64 {
            assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true));
        }
        assert_eq!((table.capacity(), table.len(), table.is_empty()), (capacity, capacity, capacity == 0));
        assert_eq!(take(&mut table, 99, Timestamp::ZERO), Err(Full { capacity }));
        let never = ONE_A_SECOND.check_n(&mut table, &99, 0, Timestamp::ZERO);
        assert_eq!(never, Ok(Decision::Allow), "a cost of zero needs no room");
        let later = take(&mut table, 99, Timestamp::from_secs(1));
        assert_eq!(later, if capacity == 0 { Err(Full { capacity }) } else { Ok(true) });
        assert_eq!((table.len(), table.prune(Timestamp::from_secs(1))), (capacity, capacity.saturating_sub(1)));
    }
}

#[test]
fn it_is_filled_to_nine_tenths_and_keeps_all() {
    for keys in [900, 10_000, 123_456] {
        let mut table = Table::with_hasher(HeapBuckets::for_keys(keys, 0), Seeded::default());
        assert_eq!(
            table.capacity(),
            (keys + keys.div_ceil(9)).next_multiple_of(16),
            "a part of a bucket takes as much"
        );
        for key in 0..keys as u64 {
            assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true), "key {key} of {keys}");
        }
        for key in 0..keys as u64 {
            assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(false), "key {key} of {keys} is there");
        }
        assert_eq!((table.len(), table.iter().count(), table.horizon()), (keys, keys, Timestamp::ZERO));
    }
}

#[test]
fn a_small_one_that_is_made_for_some_keys_takes_them() {
    for keys in 0..300 {
        let mut table = Table::with_hasher(HeapBuckets::for_keys(keys, 0), Seeded::default());
        for key in 0..keys as u64 {
            assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true), "key {key} of {keys}");
        }
    }
}

#[test]
fn a_part_of_a_bucket_is_shared_by_all() {
    // Of 17 slots in two buckets, a quarter of the keys can only go to one, and a quarter only to the other.
    for capacity in 17..300 {
        let mut table = table(capacity, 0);
        assert_eq!(table.capacity(), capacity);
        for key in 0..capacity as u64 * 3 / 4 {
            assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true), "key {key} for {capacity} slots");
        }
    }
}

#[test]
fn it_stays_nine_tenths_full_of_live_states_while_keys_come_and_go() {
    // A key a nanosecond, each of which lasts until so many more have come.
    let live = 1_800;
    let policy = FixedWindow::constant(1, Duration::from_nanos(live));
    let mut table = Table::with_hasher(HeapBuckets::for_keys(live as usize, 0), Seeded::default());
    for key in 0..50_000 {
        assert_eq!(policy.check(&mut table, &key, Timestamp::from_nanos(key)), Ok(Decision::Allow), "key {key}");
        let oldest = key.saturating_sub(live - 1);
        let again = policy.check(&mut table, &oldest, Timestamp::from_nanos(key));
        assert_eq!(again.map(Decision::is_allow), Ok(false), "key {oldest} is live");
    }
    assert!(table.len() <= table.capacity());
}

#[test]
fn a_flood_of_new_keys_takes_no_memory_and_spares_the_live() {
    let hour = FixedWindow::constant(1, Duration::from_secs(3600));
    let mut table = table(4096, 0);
    let known: Vec<u64> = (0..2000).map(|key| key << 32).collect();
    for key in &known {
        assert_eq!(hour.check(&mut table, key, Timestamp::ZERO), Ok(Decision::Allow));
    }
    // Each lasts a second, in which 2000 come: 97 of 100 slots are live.
    let mut full = 0;
    for key in 1..400_000 {
        let now = Timestamp::from_micros(500 * key);
        full += u32::from(take(&mut table, key, now).is_err());
        let known = &known[key as usize % known.len()];
        assert_eq!(hour.check(&mut table, known, now).map(Decision::is_allow), Ok(false), "the known are remembered");
    }
    assert_eq!(table.capacity(), 4096);
    assert!(table.len() <= 4096 && full < 400_000 / 10, "full {full} times");
}

#[test]
fn a_full_one_lets_nobody_go_and_takes_whoever_it_can() {
    let mut table = table(1000, 0);
    let (mut held, mut refused) = (Vec::new(), 0);
    for key in 0..3000 {
        match take(&mut table, key, Timestamp::ZERO) {
            Ok(first) => {
                assert!(first);
                held.push(key);
            }
            Err(full) => {
                assert_eq!(full, Full { capacity: 1000 });
                refused += 1;
            }
        }
    }
    assert_eq!((held.len(), refused), (table.len(), 3000 - table.len()));
    assert!(held.len() > 980, "{}", held.len());
    for key in held {
        assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(false));
    }
}

#[test]
fn what_is_removed_is_gone_and_leaves_room() {
    let mut table = table(16, String::new());
    for key in 0..16 {
        assert_eq!(ONE_A_SECOND.check(&mut table, key.to_string().as_str(), Timestamp::ZERO), Ok(Decision::Allow));
    }
    assert!(table.remove("7").is_some_and(|state| !state.is_expired(Timestamp::ZERO)));
    assert_eq!((table.remove("7"), table.len(), table.horizon()), (None, 15, Timestamp::ZERO));
    assert!(!format!("{table:?}").contains("\"7\""));
    assert_eq!(ONE_A_SECOND.check(&mut table, "", Timestamp::ZERO), Ok(Decision::Allow));
    assert_eq!(ONE_A_SECOND.check(&mut table, "7", Timestamp::ZERO), Err(Full { capacity: 16 }));
}

#[test]
fn the_key_of_empty_slots_is_a_key_like_any_other() {
    for key in 0..2000 {
        let mut table = table(40, key);
        assert_eq!((table.remove(&key), table.len()), (None, 0));
        assert_eq!((&mut table).modify(&key, |_| ()), None);
        assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true));
        assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(false));
        assert!(table.remove(&key).is_some());
        assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true));
    }
}

#[test]
fn the_caller_s_memory_is_used_and_given_back() {
    let mut memory: ArrayBuckets<u64, FixedWindowState, 2> = ArrayBuckets::new(0);
    let mut table = Table::with_hasher(&mut memory, Seeded::default());
    assert_eq!(table.capacity(), 32);
    for key in 0..20 {
        assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true));
    }
    let mut again = Table::with_hasher(memory, Seeded::default());
    assert_eq!((again.len(), take(&mut again, 7, Timestamp::ZERO)), (20, Ok(false)));
    assert_eq!(Table::with_hasher(again.into_inner(), Seeded::default()).len(), 20);
    let mut none = Table::with_hasher(ArrayBuckets::<u64, FixedWindowState, 0>::new(0), Seeded::default());
    assert_eq!((none.capacity(), take(&mut none, 7, Timestamp::ZERO)), (0, Err(Full { capacity: 0 })));
}

#[test]
fn memory_with_keys_is_good_under_its_own_hasher_and_emptied_under_another() {
    const KEYS: u64 = 500;
    let mut first = Table::new(HeapBuckets::for_keys(KEYS as usize, 0));
    for key in 0..KEYS {
        assert_eq!(take(&mut first, key, Timestamp::ZERO), Ok(true));
    }
    let mut same = Table::with_hasher(first.clone().into_inner(), first.hasher().clone());
    assert!((0..KEYS).all(|key| take(&mut same, key, Timestamp::ZERO) == Ok(false)), "all are found");

    // Under other keys of the hash: none is there, and none takes a slot from those that come.
    let capacity = first.capacity();
    let mut other = Table::new(first.into_inner());
    assert_eq!((other.len(), other.is_empty(), other.capacity()), (0, true, capacity));
    assert_eq!(other, Table::new(HeapBuckets::for_keys(KEYS as usize, 0)), "as if the memory were new");
    for key in KEYS..2 * KEYS {
        assert_eq!(take(&mut other, key, Timestamp::ZERO), Ok(true), "there is room for {key}");
    }
}

#[test]
fn memory_that_is_emptied_keeps_the_slots_that_may_not_be_used() {
    let mut first = Table::new(HeapBuckets::<String, FixedWindowState>::new(5, String::new()));
    let mut take = |key: &str| ONE_A_SECOND.check(&mut first, key, Timestamp::ZERO);
    assert_eq!(take("a"), Ok(Decision::Allow));
    let mut other = Table::new(first.into_inner());
    assert_eq!((other.capacity(), other.iter().count()), (5, 0));
    for (count, key) in ["a", "b", "c", "d", "e", "f"].into_iter().enumerate() {
        let taken = ONE_A_SECOND.check(&mut other, key, Timestamp::ZERO);
        assert_eq!(taken, if count < 5 { Ok(Decision::Allow) } else { Err(Full { capacity: 5 }) });
    }
}

#[test]
#[should_panic(expected = "capacity overflow")]
fn memory_that_no_program_can_address_is_refused_as_a_vec_refuses_it() {
    let _ = HeapBuckets::<u64, FixedWindowState>::for_keys(usize::MAX, 0);
}

#[test]
fn memory_of_a_key() {
    /// Bytes of a bucket with its sixteen tags: what one more adds to an array.
    fn bucket<K, S>() -> usize {
        size_of::<ArrayBuckets<K, S, 9>>() - size_of::<ArrayBuckets<K, S, 5>>()
    }

    assert_eq!(bucket::<u64, TokenBucketState>(), 4 * 16 * 33);
    assert_eq!(bucket::<Ipv6Addr, TokenBucketState>(), 4 * 16 * 41);
    assert_eq!(bucket::<u64, FixedWindowState>(), 4 * 16 * (8 + size_of::<FixedWindowState>() + 1));
    // At nine tenths, 36.7 and 45.6 bytes for each live key.
    assert!(bucket::<u64, TokenBucketState>() * 10 <= 4 * 16 * 38 * 9);
    assert!(bucket::<Ipv6Addr, TokenBucketState>() * 10 <= 4 * 16 * 48 * 9);
}

#[test]
fn equal_ones_and_those_that_are_not() {
    let mut one = table(100, 0);
    assert_eq!(take(&mut one, 7, Timestamp::ZERO), Ok(true));
    let mut other = one.clone();
    assert_eq!(one, other);
    assert!(other.remove(&7).is_some());
    assert_ne!(one, other);
    assert_eq!(other, table(100, 0));
    assert_eq!((one.prune(Timestamp::from_secs(1)), other.prune(Timestamp::from_secs(1))), (1, 0));
    assert_ne!(one, other, "but for the horizon they are the same");
}

#[test]
fn logs_that_grow_are_let_go_with_their_keys() {
    let policy = SlidingLog::constant(3, Duration::from_secs(1));
    let mut table = Table::with_hasher(HeapBuckets::<u64, SlidingLogState>::new(3, 0), Seeded::default());
    for key in 0..1000 {
        let now = Timestamp::from_millis(500 * key);
        for decision in [true, true, true, false] {
            let at = Timestamp::from_nanos(now.as_nanos() + u64::from(decision));
            assert_eq!(policy.check(&mut table, &key, at).map(Decision::is_allow), Ok(decision));
        }
    }
}

thread_local! {
    static HASHES: Cell<u64> = const { Cell::new(0) };
    static COMPARISONS: Cell<u64> = const { Cell::new(0) };
    static CLONES: Cell<u64> = const { Cell::new(0) };
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

fn count(counter: &'static std::thread::LocalKey<Cell<u64>>) {
    counter.set(counter.get() + 1);
}

/// What was done since the last time: hashes, comparisons, clones and states looked at.
fn work() -> [u64; 4] {
    [HASHES.take(), COMPARISONS.take(), CLONES.take(), LOOKS.take()]
}

/// A key that counts what is done with it.
#[derive(Debug)]
struct Counted(u64);

impl Hash for Counted {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        count(&HASHES);
        self.0.hash(hasher);
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        count(&COMPARISONS);
        self.0 == other.0
    }
}

impl Eq for Counted {}

impl Clone for Counted {
    fn clone(&self) -> Self {
        count(&CLONES);
        Self(self.0)
    }
}

/// Lives for ever once it was used, and counts who asks.
#[derive(Clone, Debug, Default, PartialEq)]
struct Used(bool);

impl State for Used {
    fn is_expired(&self, _: Timestamp) -> bool {
        count(&LOOKS);
        !self.0
    }

    fn expires_at(&self) -> Timestamp {
        Timestamp::MAX
    }
}

/// The most that a call does, over a table that fills up and is asked on.
fn most_work<H: BuildHasher>(capacity: usize, keys: u64, hasher: H) -> ([u64; 4], usize) {
    let mut table = Table::with_hasher(HeapBuckets::<Counted, Used>::new(capacity, Counted(0)), hasher);
    let mut most = [0; 4];
    work();
    for key in 0..keys {
        let _ = (&mut table).update(&Counted(key), Timestamp::ZERO, |state, _| state.0 = true);
        let of_new = work();
        (&mut table).view(&Counted(key), Timestamp::ZERO, |_, _| ());
        let _ = (&mut table).update(&Counted(key / 2), Timestamp::ZERO, |_, _| ());
        let of_two_looks = work();
        assert!(of_two_looks[0] == 2 && of_two_looks[2] == 0, "a hit neither clones its key nor looks it up twice");
        most = core::array::from_fn(|index| most[index].max(of_new[index]).max(of_two_looks[index] / 2));
    }
    (most, table.len())
}

#[test]
fn the_work_of_a_call_is_bounded() {
    // A hash; two buckets compared; a key cloned; the states of two buckets and of 32 others looked at.
    let bound = [1, 2 * 16, 1, (2 + 32) * 16];
    for capacity in [1, 16, 40, 1000, 20_000] {
        let ([hashes, comparisons, clones, looks], held) = most_work(capacity, 2 * capacity as u64, Seeded::default());
        assert!(held <= capacity && held * 100 >= capacity * 98, "{held} of {capacity}");
        assert!(hashes == bound[0] && comparisons <= bound[1] && clones <= bound[2] && looks <= bound[3]);
        assert!(comparisons < 10, "few keys are compared in vain, not {comparisons}");
    }
}

/// The worst hash: of all keys the same.
struct Alike;

impl Hasher for Alike {
    fn finish(&self) -> u64 {
        0x1234_5678_9ABC_DEF0
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
fn keys_that_all_hash_alike_fill_two_buckets_and_no_more_and_cost_no_more() {
    let ([hashes, comparisons, clones, looks], held) = most_work(1000, 1000, Alike);
    assert_eq!((hashes, comparisons, clones, held), (1, 32, 1, 32));
    assert!(looks <= (2 + 32) * 16, "{looks}");
    // Whoever is there is judged as ever; whoever is not is told so.
    let mut table = Table::with_hasher(HeapBuckets::new(1000, 0), Alike);
    for key in 0..100 {
        let first = if key < 32 { Ok(true) } else { Err(Full { capacity: 1000 }) };
        assert_eq!(take(&mut table, key, Timestamp::ZERO), first);
        assert_eq!(take(&mut table, key, Timestamp::ZERO), first.map(|_| false));
    }
}

#[test]
fn hashes_that_are_numbers_in_a_row_spread() {
    /// The number itself.
    #[derive(Default)]
    struct Itself(u64);

    impl Hasher for Itself {
        fn finish(&self) -> u64 {
            self.0
        }

        fn write(&mut self, bytes: &[u8]) {
            self.0 = bytes.iter().fold(self.0, |number, byte| number << 8 | u64::from(*byte));
        }

        fn write_u64(&mut self, number: u64) {
            self.0 = number;
        }
    }

    for step in [1, 8, 1 << 20, 1 << 44] {
        let mut table = Table::with_hasher(HeapBuckets::for_keys(9_000, 0), BuildHasherDefault::<Itself>::default());
        for key in 0..9_000 {
            assert_eq!(take(&mut table, key * step, Timestamp::ZERO), Ok(true), "{key} steps of {step}");
        }
    }
}

#[test]
fn what_is_given_back_may_be_taken_again() {
    let mut table = table(40, 0);
    for key in 0..30 {
        assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true));
        ONE_A_SECOND.refund(&mut table, &key, 1, Timestamp::ZERO);
        assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(true));
        assert_eq!(take(&mut table, key, Timestamp::ZERO), Ok(false));
    }
}

#[test]
fn its_debug_form_is_what_it_holds() {
    let mut table = table(4, 0);
    assert_eq!(take(&mut table, 7, Timestamp::ZERO), Ok(true));
    let (_, state) = table.iter().next().expect("one key");
    assert_eq!(
        format!("{table:?}"),
        format!("Table {{ entries: {{7: {state:?}}}, horizon: {:?}, .. }}", Timestamp::ZERO)
    );
}

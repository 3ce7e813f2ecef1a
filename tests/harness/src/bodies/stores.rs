//! Lists of operations on many keys, in every store.
//!
//! The first byte chooses the store (its number in `of`, below), the second the policy and state: `00` fixed windows, `01` a growing log, `02`
//! a log in place with room for 2, `03` token buckets. Slots and the first table have a third, for how many there are. Then come the policies, one to
//! three behind their number less one, then the steps: the policy and the action as two digits (`4`: what has expired is dropped), and the time;
//! but for that action, the key stands before the time and the cost after it.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::{BTreeMap, HashMap};
use std::hash::DefaultHasher;

use tollgate::store::{ArrayBuckets, Bounded, BoundedMap, HeapBuckets, Prune, Pruned, Table};
use tollgate::{Full, Slot, Slots, State, Store, Timestamp};

use super::input::Input;
use crate::key::Action;
use crate::keyed::{self, Act, Shelf};
use crate::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows};

/// So few that they meet.
const KEYS: usize = 6;

/// Seeded alike in every run.
type Seeded = BuildHasherDefault<DefaultHasher>;
type Hashed<S> = HashMap<u8, S, Seeded>;

/// The worst hash: of all keys the same.
#[derive(Default)]
struct Alike;

impl Hasher for Alike {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, _: &[u8]) {}
}

/// A map with room for two keys.
#[derive(Clone, Debug, Default, PartialEq)]
struct Two<S>(BTreeMap<u8, S>);

impl<S: State> BoundedMap for Two<S> {
    type Key = u8;
    type State = S;

    fn capacity(&self) -> usize {
        2
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn iter(&self) -> impl Iterator<Item = (&u8, &S)> {
        self.0.iter()
    }

    fn get(&self, key: &u8) -> Option<&S> {
        self.0.get(key)
    }

    fn get_mut(&mut self, key: &u8) -> Option<&mut S> {
        self.0.get_mut(key)
    }

    fn insert(&mut self, key: u8, state: S) {
        let before = self.0.insert(key, state);
        assert!(
            before.is_none() && self.0.len() <= 2,
            "only a key that is not there is added, and only where there is room"
        );
    }

    fn remove(&mut self, key: &u8) {
        assert!(self.0.remove(key).is_some(), "only what is there is removed");
    }
}

impl<S: State> Prune for Two<S> {
    fn drop_expired(&mut self, now: Timestamp, forgotten: impl FnMut(Timestamp)) {
        self.0.drop_expired(now, forgotten);
    }
}

/// Runs a case.
///
/// # Panics
///
/// Where the crate and the oracle differ, or a live state is lost.
pub fn run(case: &[u8]) {
    let mut input = Input::new(case);
    let store = input.choice(9);
    match input.choice(4) {
        0 => of::<Windows>(store, input),
        1 => of::<GrowingLog>(store, input),
        2 => of::<ArrayLog<2>>(store, input),
        _ => of::<Buckets>(store, input),
    }
}

fn of<S: Subject>(store: usize, mut input: Input<'_>) {
    match store {
        0 => within::<S, _>(Slots::new([const { Slot::EMPTY }; 1]), input),
        1 => {
            let slots: Box<[Slot<u8, S::State>]> = (0..input.choice(KEYS + 1)).map(|_| Slot::EMPTY).collect();
            within::<S, _>(Slots::new(slots), input);
        }
        2 => within::<S, _>(Hashed::default(), input),
        3 => within::<S, _>(BTreeMap::default(), input),
        4 => within::<S, _>(Pruned::<Hashed<S::State>>::default(), input),
        5 => within::<S, _>(Pruned::<BTreeMap<u8, S::State>>::default(), input),
        6 => within::<S, _>(Bounded::<Two<S::State>>::default(), input),
        7 => {
            let memory = HeapBuckets::<u8, S::State>::new(input.choice(KEYS + 1), 0);
            within::<S, _>(Table::with_hasher(memory, Seeded::default()), input);
        }
        // Its keys all hash alike.
        _ => {
            let memory = ArrayBuckets::<u8, S::State, 2>::new(0);
            within::<S, _>(Table::with_hasher(memory, BuildHasherDefault::<Alike>::default()), input);
        }
    }
}

fn within<S: Subject, T: Shelf>(store: T, mut input: Input<'_>)
where
    for<'a> &'a mut T: Store<u8, State = S::State, Error: Into<Full>>,
{
    let policies = input.policies(S::KIND);
    let mut latest = 0;
    let acts = input.steps(48, |input| {
        let digits = input.byte();
        let action = match digits & 0xF {
            1 => Action::Peek,
            2 => Action::Charge,
            3 => Action::Refund,
            4 => return Act::Prune(input.time(&mut latest)),
            _ => Action::Check,
        };
        let key = input.choice(KEYS) as u8;
        Act::Key(key, input.step_of(action, digits, &policies, &mut latest))
    });
    keyed::run::<S, T>(store, &policies, &acts);
}

//! A plain store with one fault at a time: each is found by its law, and by the shortest trace there is.

use core::cell::RefCell;

use tollgate::conformance::{self, Law, Shared, Specimen, StoreSuite};
use tollgate::{FixedWindowState, Full, State, Store, Timestamp, Wait};

use crate::{assert_breach, panic_of};

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    EvictsTheLive,
    StoresOnDenial,
    ReclaimsOnDenial,
    StoresOnALook,
    HasNoHorizon,
    LowersItsHorizon,
    ReadsTheLiveAtItsHorizon,
    ReadsAtTheTimeOfPruning,
    MixesKeys,
    IsFullTooEarly,
    IsFullForAKeyThatIsThere,
    RunsBeforeItIsFull,
    StoresOnModify,
    LosesModifications,
    LosesUpdates,
    GoesByTheSaturatedExpiry,
    Panics,
}

const KEYS: [&u64; 3] = [&1, &2, &3];
const ROOM: usize = 2;

/// Room for two keys; it reclaims what it must, and keeps its horizon.
#[derive(Debug)]
struct Two {
    fault: Fault,
    entries: Vec<(u64, FixedWindowState)>,
    horizon: Timestamp,
}

impl Two {
    fn with(fault: Fault) -> Self {
        Self { fault, entries: Vec::new(), horizon: Timestamp::ZERO }
    }

    fn place(&self, key: u64) -> Option<usize> {
        self.entries.iter().position(|(mine, _)| match self.fault {
            Fault::MixesKeys => mine % 2 == key % 2,
            _ => *mine == key,
        })
    }

    fn read(&self, place: Option<usize>, now: Timestamp) -> Timestamp {
        let live = place.is_some_and(|place| !self.entries[place].1.is_expired(now));
        let horizon = if self.fault == Fault::HasNoHorizon { Timestamp::ZERO } else { self.horizon };
        if live && self.fault != Fault::ReadsTheLiveAtItsHorizon { now } else { now.max(horizon) }
    }

    fn forget(&mut self, place: usize) {
        let expiry = self.entries.remove(place).1.expires_at();
        self.horizon = if self.fault == Fault::LowersItsHorizon { expiry } else { self.horizon.max(expiry) };
    }

    fn expired(&self, now: Timestamp) -> Option<usize> {
        self.entries.iter().position(|(_, state)| match self.fault {
            Fault::GoesByTheSaturatedExpiry => state.expires_at() <= now,
            _ => state.is_expired(now),
        })
    }

    fn prune(&mut self, now: Timestamp) {
        while let Some(place) = self.expired(now) {
            self.forget(place);
        }
        if self.fault == Fault::ReadsAtTheTimeOfPruning {
            self.horizon = self.horizon.max(now);
        }
    }
}

impl Store<u64> for &mut Two {
    type State = FixedWindowState;
    type Error = Full;

    fn update<R>(
        self,
        key: &u64,
        now: Timestamp,
        f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R,
    ) -> Result<R, Full> {
        let (place, full) = (self.place(*key), Full { capacity: ROOM });
        let read = self.read(place, now);
        if let Some(place) = place {
            if self.fault == Fault::IsFullForAKeyThatIsThere && self.entries.len() == ROOM {
                return Err(full);
            }
            let mut copy = self.entries[place].1.clone();
            let answer = f(&mut copy, read);
            if self.fault != Fault::LosesUpdates {
                self.entries[place].1 = copy;
            }
            return Ok(answer);
        }
        let victim = match self.expired(read) {
            _ if self.entries.len() < ROOM && self.fault != Fault::IsFullTooEarly => None,
            None if self.fault == Fault::IsFullTooEarly && self.entries.is_empty() => None,
            None if self.fault == Fault::EvictsTheLive => Some(0),
            None if self.fault == Fault::RunsBeforeItIsFull => {
                f(&mut FixedWindowState::default(), read);
                return Err(full);
            }
            None => return Err(full),
            expired => expired,
        };
        if self.fault == Fault::Panics {
            assert!(self.entries.is_empty(), "one key is enough");
        }
        let mut state = FixedWindowState::default();
        let answer = f(&mut state, read);
        let changed = state != FixedWindowState::default();
        if let Some(victim) = victim.filter(|_| changed || self.fault == Fault::ReclaimsOnDenial) {
            self.forget(victim);
        }
        if changed || self.fault == Fault::StoresOnDenial {
            self.entries.push((*key, state));
        }
        Ok(answer)
    }

    fn modify<R>(self, key: &u64, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
        if self.fault == Fault::StoresOnModify && self.place(*key).is_none() {
            self.entries.push((*key, FixedWindowState::default()));
        }
        let place = self.place(*key)?;
        let mut copy = self.entries[place].1.clone();
        let answer = f(&mut copy);
        if self.fault != Fault::LosesModifications {
            self.entries[place].1 = copy;
        }
        Some(answer)
    }

    fn view<R>(self, key: &u64, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
        let place = self.place(*key);
        if self.fault == Fault::StoresOnALook && place.is_none() && self.entries.len() < ROOM {
            self.entries.push((*key, FixedWindowState::default()));
        }
        let read = self.read(place, now);
        match place {
            Some(place) => f(&self.entries[place].1, read),
            None => f(&FixedWindowState::default(), read),
        }
    }
}

fn suite(fault: Fault) -> StoreSuite<'static, u64, Two> {
    StoreSuite::new(KEYS, move || Two::with(fault)).capacity(ROOM).prune(Two::prune)
}

/// That a fault is found by a law, after so many steps. Gives what is shown.
fn assert_found(fault: Fault, law: Law, steps: usize) -> String {
    assert_breach(suite(fault).run(), law, steps)
}

#[test]
fn without_a_fault_it_conforms() {
    suite(Fault::None).depth(4).check();
    conformance::store(KEYS, || Two::with(Fault::None));
}

#[test]
fn eviction_of_the_live() {
    let shown = assert_found(Fault::EvictsTheLive, Law::Forgetting, 3);
    assert!(
        shown.ends_with(
            "\nafter these 3 steps, and by no shorter trace:\n  1. update 1 at 0ns: store a state that counts for 1ns\n  2. update 2 at 0ns: \
             store a state that counts for 1ns\n  3. update 3 at 0ns: store a state that counts for 1ns\n  => then view 1 at 0ns: it finds a \
             default state; what step 1 stored is live, and must be found"
        ),
        "{shown}"
    );
}

#[test]
fn a_denial_that_stores() {
    let shown = assert_found(Fault::StoresOnDenial, Law::Purity, 1);
    assert!(
        shown.contains(
            "  1. update 1 at 0ns: change nothing\n  => then modify 1: it finds a default state; it must find no state"
        ),
        "{shown}"
    );
}

#[test]
fn a_denial_that_reclaims() {
    assert_found(Fault::ReclaimsOnDenial, Law::Purity, 3);
}

#[test]
fn a_look_that_stores() {
    assert_found(Fault::StoresOnALook, Law::Vacancy, 0);
}

#[test]
fn no_horizon() {
    let shown = assert_found(Fault::HasNoHorizon, Law::Forgetting, 2);
    assert!(
        shown.ends_with(
            "  2. prune at 1ns\n  => then view 1 at 0ns: what step 1 stored was dropped, and the key is to be read at 0ns; not before 1ns, its expiry"
        ),
        "{shown}"
    );
}

#[test]
fn a_horizon_that_falls() {
    let shown = assert_found(Fault::LowersItsHorizon, Law::Forgetting, 3);
    assert!(shown.contains("was dropped"), "{shown}");
}

#[test]
fn a_horizon_that_is_no_expiry() {
    let shown = assert_found(Fault::ReadsAtTheTimeOfPruning, Law::Forgetting, 1);
    assert!(shown.contains("at which nothing that may have been dropped expired"), "{shown}");
}

#[test]
fn a_live_state_that_is_read_late() {
    let shown = assert_found(Fault::ReadsTheLiveAtItsHorizon, Law::Keys, 3);
    assert!(shown.contains("which is live, must be read at "), "{shown}");
}

#[test]
fn keys_that_mix() {
    let shown = assert_found(Fault::MixesKeys, Law::Keys, 1);
    assert!(
        shown.ends_with("=> then view 3 at 0ns: it finds what step 1 stored; it must find a default state"),
        "{shown}"
    );
}

#[test]
fn full_with_room() {
    let shown = assert_found(Fault::IsFullTooEarly, Law::Room, 2);
    assert!(shown.ends_with("=> it is full, with room for 2, and 1 live"), "{shown}");
    // Where its room is not known, it may be full so early.
    StoreSuite::new(KEYS, || Two::with(Fault::IsFullTooEarly)).check();
}

#[test]
fn full_for_a_key_that_is_there() {
    assert_found(Fault::IsFullForAKeyThatIsThere, Law::Room, 3);
}

#[test]
fn full_too_late() {
    assert_found(Fault::RunsBeforeItIsFull, Law::Room, 3);
}

#[test]
fn a_modification_that_stores() {
    let shown = assert_found(Fault::StoresOnModify, Law::Vacancy, 0);
    assert!(shown.contains("\nat the very start:\n  => then modify 1: it finds a default state"), "{shown}");
}

#[test]
fn modifications_that_are_lost() {
    assert_found(Fault::LosesModifications, Law::Keys, 2);
}

#[test]
fn updates_that_are_lost() {
    let shown = assert_found(Fault::LosesUpdates, Law::Keys, 2);
    assert!(shown.ends_with("it finds what step 1 stored; it must find what step 2 stored"), "{shown}");
}

#[test]
fn expiries_beyond_the_last_timestamp() {
    let shown = assert_found(Fault::GoesByTheSaturatedExpiry, Law::Forgetting, 2);
    assert!(shown.contains("  2. prune at 9223372036.854775807s\n"), "{shown}");
}

#[test]
fn a_panic() {
    let shown = assert_found(Fault::Panics, Law::Totality, 2);
    assert!(shown.ends_with("=> a panic, one key is enough"), "{shown}");
}

#[test]
fn the_panic_has_it_all() {
    let shown = panic_of(|| conformance::store(KEYS, || Two::with(Fault::MixesKeys)));
    assert!(shown.starts_with("the store does not conform: keys, is broken\n  A key finds the state "), "{shown}");
}

/// A state that does not last as long as it is asked to.
#[derive(Clone, Default, PartialEq)]
struct ShortLived(u64, u32);

impl State for ShortLived {
    fn is_expired(&self, now: Timestamp) -> bool {
        now.as_nanos() >= self.0
    }

    fn expires_at(&self) -> Timestamp {
        Timestamp::from_nanos(self.0)
    }
}

impl Specimen for ShortLived {
    fn lasting(from: Timestamp, _: Wait, mark: u32) -> Self {
        Self(from.as_nanos(), mark)
    }
}

#[test]
fn a_specimen_that_is_none() {
    let found = StoreSuite::new(KEYS, std::collections::BTreeMap::<u64, ShortLived>::new).run();
    let shown = assert_breach(found, Law::Forgetting, 0);
    assert!(shown.contains("a specimen that lasts 1ns from 0ns on has expired at 0ns: true"), "{shown}");
}

/// Shared by all and locked by none of them for long enough: an update works on a copy.
#[derive(Debug)]
struct Copying(std::sync::Mutex<Two>);

impl Store<u64> for &Copying {
    type State = FixedWindowState;
    type Error = Full;

    fn update<R>(
        self,
        key: &u64,
        now: Timestamp,
        f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R,
    ) -> Result<R, Full> {
        let copy = RefCell::new(FixedWindowState::default());
        self.0.lock().unwrap().view(key, now, |state, _| copy.replace(state.clone()));
        let answer = f(&mut copy.borrow_mut(), now);
        self.0.lock().unwrap().update(key, now, |state, _| *state = copy.take())?;
        Ok(answer)
    }

    fn modify<R>(self, key: &u64, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
        self.0.lock().unwrap().modify(key, f)
    }

    fn view<R>(self, key: &u64, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
        self.0.lock().unwrap().view(key, now, f)
    }
}

#[test]
fn updates_that_threads_lose() {
    // Sure to be found where every update is lost, whatever the threads' turns.
    let shown = panic_of(|| conformance::threads([&1, &2], Copying(Two::with(Fault::LosesUpdates).into())));
    assert!(
        shown.starts_with("the store does not conform: sharing, is broken\n  Updates of one key follow one another"),
        "{shown}"
    );
    assert!(shown.contains("  1. 4 threads update each key 100 times\n  => update 1: "), "{shown}");
    let suite = StoreSuite::new(KEYS, || Shared(Copying(Two::with(Fault::LosesUpdates).into())));
    assert_breach(suite.run(), Law::Keys, 2);
}

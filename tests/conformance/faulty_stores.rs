//! A plain store with one fault at a time: each is found by its law, and by the shortest trace there is.

use core::cell::RefCell;
use core::fmt::Debug;

use tollgate::conformance::{self, Law, Shared, Specimen, StoreSuite};
use tollgate::{FixedWindowState, Full, State, Store, Timestamp, Wait};

use crate::{assert_breach, panic_of};

const KEYS: [&u64; 3] = [&1, &2, &3];
const ROOM: usize = 2;

/// Where a store may go wrong. All is right as it stands here; a fault is one of these that is not.
trait Ways: Default + Debug + 'static {
    /// For how many keys there is room.
    const ROOM: usize = ROOM;

    /// Whether a look adds the key that it does not find.
    const LOOKS_ADD: bool = false;

    /// Whether a modification adds the key that it does not find.
    const MODIFICATIONS_ADD: bool = false;

    /// Whether what is held for `mine` is found for `key`.
    fn finds(mine: u64, key: u64) -> bool {
        mine == key
    }

    /// When a key is read that is asked for at `now`.
    fn read(now: Timestamp, is_live: bool, horizon: Timestamp) -> Timestamp {
        if is_live { now } else { now.max(horizon) }
    }

    fn has_expired(state: &FixedWindowState, now: Timestamp) -> bool {
        state.is_expired(now)
    }

    /// The horizon, once a state with this expiry is dropped.
    fn dropped(horizon: Timestamp, expiry: Timestamp) -> Timestamp {
        horizon.max(expiry)
    }

    /// The horizon, once all that had expired at `now` is dropped.
    fn pruned(horizon: Timestamp, _now: Timestamp) -> Timestamp {
        horizon
    }

    /// Whether a key that is there, one of so many, can be updated.
    fn serves(_held: usize) -> bool {
        true
    }

    /// What is dropped, where there is no room and nothing has expired.
    fn evicts() -> Option<usize> {
        None
    }

    /// Before an update is refused for want of room.
    fn refuses(_run: impl FnOnce()) {}

    /// Before a key is added to so many.
    fn adds(_held: usize) {}

    /// Whether a key that was not there is, after an update of it.
    fn keeps(changed: bool) -> bool {
        changed
    }

    /// Whether room is made for it.
    fn makes_room(changed: bool) -> bool {
        changed
    }

    fn updated(state: &mut FixedWindowState, new: FixedWindowState) {
        *state = new;
    }

    fn modified(state: &mut FixedWindowState, new: FixedWindowState) {
        *state = new;
    }
}

/// Nothing is wrong.
#[derive(Debug, Default)]
struct Right;

impl Ways for Right {}

/// Room for two keys; it reclaims what it must, and keeps its horizon.
#[derive(Debug, Default)]
struct Two<W> {
    entries: Vec<(u64, FixedWindowState)>,
    horizon: Timestamp,
    ways: core::marker::PhantomData<W>,
}

impl<W: Ways> Two<W> {
    fn place(&self, key: u64) -> Option<usize> {
        self.entries.iter().position(|(mine, _)| W::finds(*mine, key))
    }

    fn read(&self, place: Option<usize>, now: Timestamp) -> Timestamp {
        let is_live = place.is_some_and(|place| !self.entries[place].1.is_expired(now));
        W::read(now, is_live, self.horizon)
    }

    fn add(&mut self, key: u64, state: FixedWindowState) {
        self.entries.push((key, state));
    }

    fn drop(&mut self, place: usize) {
        let (_, state) = self.entries.remove(place);
        self.horizon = W::dropped(self.horizon, state.expires_at());
    }

    fn expired(&self, now: Timestamp) -> Option<usize> {
        self.entries.iter().position(|(_, state)| W::has_expired(state, now))
    }

    fn prune(&mut self, now: Timestamp) {
        while let Some(place) = self.expired(now) {
            self.drop(place);
        }
        self.horizon = W::pruned(self.horizon, now);
    }
}

impl<W: Ways> Store<u64> for &mut Two<W> {
    type State = FixedWindowState;
    type Error = Full;

    fn update<R>(
        self,
        key: &u64,
        now: Timestamp,
        f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R,
    ) -> Result<R, Full> {
        let (place, full) = (self.place(*key), Full { capacity: W::ROOM });
        let (read, held) = (self.read(place, now), self.entries.len());
        let mut state = place.map_or_else(FixedWindowState::default, |place| self.entries[place].1.clone());
        if let Some(place) = place {
            if !W::serves(held) {
                return Err(full);
            }
            let answer = f(&mut state, read);
            W::updated(&mut self.entries[place].1, state);
            return Ok(answer);
        }
        let victim = if held < W::ROOM { None } else { self.expired(read).or_else(W::evicts) };
        if held >= W::ROOM && victim.is_none() {
            W::refuses(|| drop(f(&mut state, read)));
            return Err(full);
        }
        W::adds(held);
        let answer = f(&mut state, read);
        let changed = state != FixedWindowState::default();
        if let Some(victim) = victim.filter(|_| W::makes_room(changed)) {
            self.drop(victim);
        }
        if W::keeps(changed) {
            self.add(*key, state);
        }
        Ok(answer)
    }

    fn modify<R>(self, key: &u64, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
        if W::MODIFICATIONS_ADD && self.place(*key).is_none() {
            self.add(*key, FixedWindowState::default());
        }
        let place = self.place(*key)?;
        let mut state = self.entries[place].1.clone();
        let answer = f(&mut state);
        W::modified(&mut self.entries[place].1, state);
        Some(answer)
    }

    fn view<R>(self, key: &u64, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
        let place = self.place(*key);
        if W::LOOKS_ADD && place.is_none() && self.entries.len() < W::ROOM {
            self.add(*key, FixedWindowState::default());
        }
        let read = self.read(place, now);
        match place {
            Some(place) => f(&self.entries[place].1, read),
            None => f(&FixedWindowState::default(), read),
        }
    }
}

fn suite<W: Ways>() -> StoreSuite<'static, u64, Two<W>> {
    StoreSuite::new(KEYS, Two::<W>::default).capacity(ROOM).prune(Two::prune)
}

#[test]
fn without_a_fault_it_conforms() {
    suite::<Right>().depth(4).check();
    conformance::store(KEYS, Two::<Right>::default);
}

/// Faults: what is wrong, the law that is named, the steps that it takes, and what is shown.
macro_rules! faults {
    ($($name:ident { $($wrong:item)+ } is $law:ident after $steps:literal: $shown:expr;)+) => { $(
        mod $name {
            use super::*;

            #[derive(Debug, Default)]
            pub(super) struct Fault;

            impl Ways for Fault { $($wrong)+ }

            #[test]
            fn is_found() {
                let shown = assert_breach(suite::<Fault>().run(), Law::$law, $steps);
                assert!(shown.contains($shown), "{shown}");
            }
        }
    )+ };
}

faults! {
    eviction_of_the_live {
        fn evicts() -> Option<usize> { Some(0) }
    } is Forgetting after 3:
        "\nafter these 3 steps, and by no shorter trace:\n  1. update 1 at 0ns: store a state that counts for 1ns\n  2. update 2 at 0ns: \
         store a state that counts for 1ns\n  3. update 3 at 0ns: store a state that counts for 1ns\n  => then view 1 at 0ns: it finds a \
         default state; what step 1 stored is live, and must be found";

    a_denial_that_stores {
        fn keeps(_: bool) -> bool { true }
    } is Purity after 1:
        "  1. update 1 at 0ns: change nothing\n  => then modify 1: it finds a default state; it must find no state";

    a_denial_that_reclaims {
        fn makes_room(_: bool) -> bool { true }
    } is Purity after 3:
        "  3. update 3 at 1ns: change nothing\n  => then view 1 at 0ns: it finds a default state; what step 1 stored is live";

    a_look_that_stores {
        const LOOKS_ADD: bool = true;
    } is Vacancy after 0:
        "\nat the very start:\n  => then modify 1: it finds a default state; it must find no state, since none was stored";

    no_horizon {
        fn read(now: Timestamp, _: bool, _: Timestamp) -> Timestamp { now }
    } is Forgetting after 2:
        "  2. prune at 1ns\n  => then view 1 at 0ns: what step 1 stored was dropped, and the key is to be read at 0ns; not before 1ns, its expiry";

    a_horizon_that_falls {
        fn dropped(_: Timestamp, expiry: Timestamp) -> Timestamp { expiry }
    } is Forgetting after 3: "was dropped";

    a_horizon_that_is_no_expiry {
        fn pruned(horizon: Timestamp, now: Timestamp) -> Timestamp { horizon.max(now) }
    } is Forgetting after 1: "at which nothing that may have been dropped expired";

    a_live_state_that_is_read_late {
        fn read(now: Timestamp, _: bool, horizon: Timestamp) -> Timestamp { now.max(horizon) }
    } is Keys after 3: "which is live, must be read at ";

    keys_that_mix {
        fn finds(mine: u64, key: u64) -> bool { mine % 2 == key % 2 }
    } is Keys after 1: "=> then view 3 at 0ns: it finds what step 1 stored; it must find a default state";

    full_with_room {
        const ROOM: usize = 1;
    } is Room after 2: "=> it is full, with room for 2, and 1 live";

    full_for_a_key_that_is_there {
        fn serves(held: usize) -> bool { held < ROOM }
    } is Room after 3: "=> it is full for a key that is there, with what step 1 stored";

    full_too_late {
        fn refuses(run: impl FnOnce()) { run() }
    } is Room after 3: "=> it is full, though the closure has run";

    a_modification_that_stores {
        const MODIFICATIONS_ADD: bool = true;
    } is Vacancy after 0: "\nat the very start:\n  => then modify 1: it finds a default state";

    modifications_that_are_lost {
        fn modified(_: &mut FixedWindowState, _: FixedWindowState) {}
    } is Keys after 2:
        "  2. modify 1: another state with the same expiry\n  => then view 1 at 0ns: it finds what step 1 stored; it must find what step 2 stored";

    updates_that_are_lost {
        fn updated(_: &mut FixedWindowState, _: FixedWindowState) {}
    } is Keys after 2: "it finds what step 1 stored; it must find what step 2 stored";

    expiries_beyond_the_last_timestamp {
        fn has_expired(state: &FixedWindowState, now: Timestamp) -> bool { state.expires_at() <= now }
    } is Forgetting after 2: "  2. prune at 9223372036.854775807s\n";

    a_panic {
        fn adds(held: usize) { assert!(held == 0, "one key is enough") }
    } is Totality after 2: "=> a panic, one key is enough";
}

/// Where its room is not known, it may be full so early.
#[test]
fn full_with_room_that_nobody_knows_of() {
    StoreSuite::new(KEYS, Two::<full_with_room::Fault>::default).check();
}

#[test]
fn the_panic_has_it_all() {
    let shown = panic_of(|| conformance::store(KEYS, Two::<keys_that_mix::Fault>::default));
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
#[derive(Debug, Default)]
struct Copying(std::sync::Mutex<Two<updates_that_are_lost::Fault>>);

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
    let shown = panic_of(|| conformance::threads([&1, &2], Copying::default()));
    assert!(
        shown.starts_with("the store does not conform: sharing, is broken\n  Updates of one key follow one another"),
        "{shown}"
    );
    assert!(shown.contains("  1. 4 threads update each key 100 times\n  => update 1: "), "{shown}");
    let suite = StoreSuite::new(KEYS, || Shared(Copying::default()));
    assert_breach(suite.run(), Law::Keys, 2);
}

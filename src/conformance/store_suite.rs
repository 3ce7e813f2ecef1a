//! [`StoreSuite`]: every small trace of a store, the shortest first.

use core::fmt;
use core::time::Duration;
use std::boxed::Box;
use std::format;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;
use std::vec::Vec;

use super::law::{Breach, Fault, Held, Law, panic_message};
use super::specimen::Specimen;
use super::store_trace::{Op, specimens_hold, try_out};
use crate::store::Store;
use crate::time::{Timestamp, Wait};

/// How a store of type `T` drops what has expired.
pub(super) type Prune<'k, T> = dyn Fn(&mut T, Timestamp) + 'k;

/// Holds a store to the laws, by every small trace of what can be done to it.
///
/// [`store`](super::store) does it with the settings that this starts with.
///
/// ```
/// use std::collections::HashMap;
/// use tollgate::FixedWindowState;
/// use tollgate::conformance::StoreSuite;
/// use tollgate::store::Pruned;
///
/// let suite = StoreSuite::new(["a", "b", "c"], || Pruned::new(HashMap::<String, FixedWindowState>::new()));
/// suite.prune(|store, now| { store.prune(now); }).check();
/// ```
#[must_use = "a suite tries nothing until it is run"]
pub struct StoreSuite<'k, K: ?Sized, T> {
    pub(super) keys: Vec<&'k K>,
    pub(super) make: Box<dyn Fn() -> T + 'k>,
    pub(super) prune: Option<Box<Prune<'k, T>>>,
    /// Whether a horizon is kept.
    pub(super) horizon: bool,
    pub(super) capacity: Option<usize>,
    pub(super) preallocated: bool,
    tick: Wait,
    depth: usize,
}

impl<'k, K: ?Sized, T> StoreSuite<'k, K, T> {
    /// With keys that differ, three or so, and how to make a store that is empty. Traces are of up to three steps.
    ///
    /// Give a store of fixed capacity one key more than it has room for, and [say so](Self::capacity).
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{conformance::StoreSuite, FixedWindowState};
    /// StoreSuite::new([&1, &2, &3], BTreeMap::<u8, FixedWindowState>::new).check();
    /// ```
    pub fn new(keys: impl IntoIterator<Item = &'k K>, make: impl Fn() -> T + 'k) -> Self {
        Self {
            keys: keys.into_iter().collect(),
            make: Box::new(make),
            prune: None,
            horizon: true,
            capacity: None,
            preallocated: false,
            tick: Wait::from_nanos(1),
            depth: 3,
        }
    }

    /// The store can be told to drop what has expired, and keeps its [horizon](crate::store#forgetting).
    ///
    /// ```
    /// # use tollgate::{conformance::StoreSuite, FixedWindowState, Slot, Slots};
    /// let suite = StoreSuite::new([&1, &2, &3], || Slots::new([const { Slot::<u8, FixedWindowState>::EMPTY }; 2]));
    /// suite.prune(|store, now| { store.prune(now); }).check();
    /// ```
    pub fn prune(mut self, prune: impl Fn(&mut T, Timestamp) + 'k) -> Self {
        self.prune = Some(Box::new(prune));
        self.horizon = true;
        self
    }

    /// The same for a store that keeps no horizon, and says so: after it has dropped what had expired at some time, it is asked about no
    /// earlier one.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use tollgate::{conformance::StoreSuite, store, FixedWindowState};
    /// let suite = StoreSuite::new([&1, &2, &3], HashMap::<u8, FixedWindowState>::new);
    /// suite.prune_without_horizon(|map, now| { store::prune(map, now); }).check();
    /// ```
    pub fn prune_without_horizon(mut self, prune: impl Fn(&mut T, Timestamp) + 'k) -> Self {
        self.prune = Some(Box::new(prune));
        self.horizon = false;
        self
    }

    /// The store has room for exactly so many keys, whichever they are: it is full only if so many are live.
    ///
    /// Without it a store may be full as soon as one key is live, as one that looks for room in a few places only may be.
    ///
    /// ```
    /// # use tollgate::{conformance::StoreSuite, FixedWindowState, Slot, Slots};
    /// let make = || Slots::new([const { Slot::<u8, FixedWindowState>::EMPTY }; 2]);
    /// StoreSuite::new([&1, &2, &3], make).capacity(2).check();
    /// ```
    pub fn capacity(mut self, keys: usize) -> Self {
        self.capacity = Some(keys);
        self
    }

    /// The store holds a state for every key from the start, as an array by key does: so a key that was never used can be modified.
    ///
    /// ```
    /// # use core::convert::Infallible;
    /// # use tollgate::{conformance::StoreSuite, FixedWindowState, Store, Timestamp};
    /// struct Bus([FixedWindowState; 256]);
    ///
    /// impl Store<u8> for &mut Bus {
    ///     type State = FixedWindowState;
    ///     type Error = Infallible;
    ///     // ...
    ///     # fn update<R>(self, key: &u8, now: Timestamp, f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R) -> Result<R, Infallible> {
    ///     #     Ok(f(&mut self.0[usize::from(*key)], now))
    ///     # }
    ///     # fn modify<R>(self, key: &u8, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
    ///     #     Some(f(&mut self.0[usize::from(*key)]))
    ///     # }
    ///     # fn view<R>(self, key: &u8, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
    ///     #     f(&self.0[usize::from(*key)], now)
    ///     # }
    /// }
    ///
    /// StoreSuite::new([&1, &2, &255], || Bus(std::array::from_fn(|_| Default::default()))).preallocated().check();
    /// ```
    pub fn preallocated(mut self) -> Self {
        self.preallocated = true;
        self
    }

    /// The time between the times that are tried, a nanosecond unless given. For a store that reclaims in coarser steps.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{conformance::StoreSuite, FixedWindowState};
    /// StoreSuite::new([&1, &2, &3], BTreeMap::<u8, FixedWindowState>::new).tick(Duration::from_secs(1)).check();
    /// ```
    pub fn tick(mut self, tick: Duration) -> Self {
        // A few ticks are to fit before the last timestamp.
        self.tick = Wait::from(tick).clamp(Wait::from_nanos(1), Wait::from_nanos(1 << 60));
        self
    }

    /// With traces of up to so many steps. Each more takes some thirty times as long. With three or more, a key is tried only
    /// after those before it in the list, and looks and denials only at the end.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{conformance::StoreSuite, FixedWindowState};
    /// StoreSuite::new([&1, &2, &3], BTreeMap::<u8, FixedWindowState>::new).depth(3).check();
    /// ```
    pub fn depth(mut self, steps: usize) -> Self {
        self.depth = steps;
        self
    }
}

impl<K, T, S> StoreSuite<'_, K, T>
where
    K: fmt::Debug + ?Sized,
    for<'a> &'a mut T: Store<K, State = S>,
    S: Specimen,
{
    /// Tries every trace, and panics at the first that breaks a law.
    ///
    /// # Panics
    ///
    /// With what [`run`](Self::run) gives, written out.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{conformance::StoreSuite, FixedWindowState};
    /// StoreSuite::new([&1, &2, &3], BTreeMap::<u8, FixedWindowState>::new).check();
    /// ```
    #[track_caller]
    pub fn check(&self) {
        if let Err(breach) = self.run() {
            panic!("the store does not conform: {breach}");
        }
    }

    /// Tries every trace, and says how many that were.
    ///
    /// # Errors
    ///
    /// [`Breach`]: the law that is broken, and the shortest trace that does it.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use tollgate::{conformance::StoreSuite, FixedWindowState};
    /// let traces = StoreSuite::new([&1, &2, &3], BTreeMap::<u8, FixedWindowState>::new).run()?;
    /// assert!(traces > 1_000);
    /// # Ok::<(), tollgate::conformance::Breach>(())
    /// ```
    pub fn run(&self) -> Result<usize, Breach> {
        let mut search = Search { suite: self, trace: Vec::new(), tried: 0 };
        // Nothing of the search is used after a panic but its trace.
        let held = catch_unwind(AssertUnwindSafe(|| search.everything())).unwrap_or_else(|payload| {
            Err(Fault { law: Law::Totality, text: format!("a panic, {}", panic_message(&*payload)) })
        });
        let Search { trace, tried, .. } = search;
        let shown = |op: &Op| op.shown(self);
        held.map(|()| tried).map_err(|Fault { law, text }| Breach {
            law,
            trace: trace.iter().map(shown).collect(),
            fault: text,
        })
    }
}

/// The times that are tried.
pub(super) struct Times {
    pub(super) times: Vec<Timestamp>,
    pub(super) tick: Wait,
}

struct Search<'s, 'k, K: ?Sized, T> {
    suite: &'s StoreSuite<'k, K, T>,
    trace: Vec<Op>,
    tried: usize,
}

impl<K, T, S> Search<'_, '_, K, T>
where
    K: fmt::Debug + ?Sized,
    for<'a> &'a mut T: Store<K, State = S>,
    S: Specimen,
{
    fn everything(&mut self) -> Held {
        let tick = self.suite.tick;
        let ticks = |from: u64| Times {
            times: [0, 1, 2].map(|ticks| Timestamp::from_nanos(from + ticks * tick.as_nanos())).into(),
            tick,
        };
        let (early, late) = (ticks(0), ticks(Timestamp::MAX.as_nanos() - 2 * tick.as_nanos()));
        specimens_hold::<S>(&early)?;
        specimens_hold::<S>(&late)?;
        for length in 0..=self.suite.depth {
            self.of_length(length, &early)?;
            self.of_length(length.min(2), &late)?;
        }
        Ok(())
    }

    fn of_length(&mut self, length: usize, times: &Times) -> Held {
        let (changes, looks) = self.alphabet(times);
        self.walk(length, &Letters { times, changes, looks, thorough: length <= 2 }, 0)
    }

    /// What may change something, and what may not.
    fn alphabet(&self, times: &Times) -> (Vec<Op>, Vec<Op>) {
        let (mut changes, mut looks) = (Vec::new(), Vec::new());
        for key in 0..self.suite.keys.len() {
            for &at in &times.times {
                for ticks in [1, 2] {
                    changes.push(Op::Store { key, at, life: Wait::from_nanos(ticks * times.tick.as_nanos()) });
                }
                looks.extend([Op::Leave { key, at }, Op::Look { key, at }]);
            }
            changes.push(Op::Modify { key });
        }
        if self.suite.prune.is_some() {
            changes.extend(times.times.iter().map(|at| Op::Prune { at: *at }));
        }
        (changes, looks)
    }

    /// `keys` of the keys were used so far.
    fn walk(&mut self, left: usize, letters: &Letters<'_>, keys: usize) -> Held {
        if left == 0 {
            self.tried += 1;
            return try_out(self.suite, &self.trace, letters.times);
        }
        let looked = self.trace.iter().any(|op| op.looks());
        let looks = if looked || (!letters.thorough && left > 1) { &[] } else { letters.looks.as_slice() };
        for op in letters.changes.iter().chain(looks) {
            let key = op.key();
            if letters.thorough || key.is_none_or(|key| key <= keys) {
                self.trace.push(*op);
                self.walk(left - 1, letters, key.map_or(keys, |key| keys.max(key + 1)))?;
                self.trace.pop();
            }
        }
        Ok(())
    }
}

struct Letters<'t> {
    times: &'t Times,
    changes: Vec<Op>,
    looks: Vec<Op>,
    /// With every order of the keys, and looks anywhere.
    thorough: bool,
}

/// How a key is called: as its type prints it.
pub(super) fn name<K: fmt::Debug + ?Sized>(keys: &[&K], key: usize) -> String {
    keys.get(key).map_or_else(String::new, |key| format!("{key:?}"))
}

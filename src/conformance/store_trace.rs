//! One trace of a store: what a step does, and whether what it finds may be.

use core::cell::Cell;
use core::fmt;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::law::{Fault, Held, Law, hold};
use super::specimen::Specimen;
use super::store_model::{Found, Model, Stored};
use super::store_suite::{StoreSuite, Times, name};
use super::subject::At;
use crate::store::Store;
use crate::time::{Timestamp, Wait};

/// What a step does. Keys are counted from 0.
#[derive(Clone, Copy)]
pub(super) enum Op {
    /// An update whose closure stores a state: an admission.
    Store { key: usize, at: Timestamp, life: Wait },
    /// An update whose closure changes nothing: a denial.
    Leave { key: usize, at: Timestamp },
    /// A look.
    Look { key: usize, at: Timestamp },
    /// A modification, to a state with the same expiry: a refund.
    Modify { key: usize },
    /// What has expired is dropped.
    Prune { at: Timestamp },
}

impl Op {
    pub(super) fn key(&self) -> Option<usize> {
        match *self {
            Self::Store { key, .. } | Self::Leave { key, .. } | Self::Look { key, .. } | Self::Modify { key } => {
                Some(key)
            }
            Self::Prune { .. } => None,
        }
    }

    /// Whether it cannot change anything.
    pub(super) fn looks(&self) -> bool {
        matches!(self, Self::Leave { .. } | Self::Look { .. })
    }

    pub(super) fn shown<K: fmt::Debug + ?Sized, T>(&self, suite: &StoreSuite<'_, K, T>) -> String {
        let name = |key| name(&suite.keys, key);
        match *self {
            Self::Store { key, at, life } => {
                format!("update {} at {}: store a state that counts for {life}", name(key), At(at))
            }
            Self::Leave { key, at } => format!("update {} at {}: change nothing", name(key), At(at)),
            Self::Look { key, at } => format!("view {} at {}", name(key), At(at)),
            Self::Modify { key } => format!("modify {}: another state with the same expiry", name(key)),
            Self::Prune { at } => format!("prune at {}", At(at)),
        }
    }
}

/// What a look has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    key: usize,
    at: Timestamp,
    found: Found,
    read: Timestamp,
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, read at {}", self.found, At(self.read))
    }
}

/// Takes the steps with a new store, and then looks at everything.
pub(super) fn try_out<K, T, S>(suite: &StoreSuite<'_, K, T>, trace: &[Op], times: &Times) -> Held
where
    K: fmt::Debug + ?Sized,
    for<'a> &'a mut T: Store<K, State = S>,
    S: Specimen,
{
    let floor = if suite.horizon { Some(Timestamp::ZERO) } else { floor(trace) };
    let Some(floor) = floor else {
        return Ok(());
    };
    let new = || Bench { suite, store: (suite.make)(), model: Model::<S>::new(), times, floor };
    let Some((last, before)) = trace.split_last() else {
        let mut bench = new();
        bench.look_at_everything()?;
        return bench.modify_everything(Law::Vacancy);
    };
    let number = u32::try_from(trace.len()).unwrap_or(u32::MAX);
    if last.looks() {
        new().try_last(before, number, *last)?;
    }
    let mut bench = new();
    bench.steps(before)?;
    let changed = bench.step(number, *last)?;
    bench.look_at_everything()?;
    bench.modify_everything(if trace.iter().any(Op::looks) { Law::Purity } else { Law::Vacancy })?;
    if changed || last.looks() { Ok(()) } else { new().try_last(before, number, *last) }
}

/// The last time of pruning, without a horizon: before it, nothing is promised, so a trace that goes back there says nothing.
fn floor(trace: &[Op]) -> Option<Timestamp> {
    trace.iter().try_fold(Timestamp::ZERO, |pruned, op| match *op {
        Op::Store { at, .. } | Op::Leave { at, .. } | Op::Look { at, .. } => (at >= pruned).then_some(pruned),
        Op::Modify { .. } => Some(pruned),
        Op::Prune { at } => Some(pruned.max(at)),
    })
}

/// A store under test, and what is known of it.
struct Bench<'s, 'k, K: ?Sized, T, S> {
    suite: &'s StoreSuite<'k, K, T>,
    store: T,
    model: Model<S>,
    times: &'s Times,
    /// The earliest time to look at.
    floor: Timestamp,
}

impl<K, T, S> Bench<'_, '_, K, T, S>
where
    K: fmt::Debug + ?Sized,
    for<'a> &'a mut T: Store<K, State = S>,
    S: Specimen,
{
    fn steps(&mut self, trace: &[Op]) -> Held {
        (1..).zip(trace).try_for_each(|(number, op)| self.step(number, *op).map(drop))
    }

    /// Looks at everything before and after the last step, which may change nothing.
    fn try_last(mut self, before: &[Op], number: u32, last: Op) -> Held {
        self.steps(before)?;
        let right = self.look_at_everything()?;
        self.step(number, last)?;
        let seen = self.look_at_everything().map_err(|Fault { text, .. }| Fault { law: Law::Purity, text })?;
        self.unchanged(&seen, &right, "before the last step")
    }

    /// Takes a step; whether it may have changed something.
    fn step(&mut self, number: u32, op: Op) -> Result<bool, Fault> {
        match op {
            Op::Store { key, at, life } => self.store(number, key, at, life),
            Op::Leave { key, at } => self.leave(key, at),
            Op::Look { key, at } => self.look(key, at).map(|_| false),
            Op::Modify { key } => self.modify(key, Some(number), Law::Vacancy),
            Op::Prune { at } => {
                if let Some(prune) = &self.suite.prune {
                    prune(&mut self.store, at);
                }
                self.model.latest = self.model.latest.max(at);
                Ok(true)
            }
        }
    }

    fn store(&mut self, number: u32, key: usize, at: Timestamp, life: Wait) -> Result<bool, Fault> {
        let Some(name) = self.suite.keys.get(key) else {
            return Ok(false);
        };
        let ran = Cell::new(false);
        let stored = self
            .store
            .update(name, at, |state, read| {
                ran.set(true);
                let found = core::mem::replace(state, S::lasting(read, life, number));
                (found, read)
            })
            .ok();
        let Some((found, read)) = stored else {
            return self.full(key, at, ran.get());
        };
        let latest = self.model.latest.max(at);
        self.model.may_find(key, at, (&found, read), latest)?;
        self.model.latest = latest;
        let until = read.as_nanos().saturating_add(life.as_nanos());
        self.model.stored(Stored { step: number, key, from: read, until, state: S::lasting(read, life, number) });
        Ok(true)
    }

    fn leave(&mut self, key: usize, at: Timestamp) -> Result<bool, Fault> {
        let Some(name) = self.suite.keys.get(key) else {
            return Ok(false);
        };
        let ran = Cell::new(false);
        let left = self
            .store
            .update(name, at, |state, read| {
                ran.set(true);
                (state.clone(), read)
            })
            .ok();
        let Some((found, read)) = left else {
            return self.full(key, at, ran.get());
        };
        self.model.may_find(key, at, (&found, read), self.model.latest)?;
        Ok(false)
    }

    fn full(&mut self, key: usize, at: Timestamp, ran: bool) -> Result<bool, Fault> {
        hold(Law::Room, !ran, || "it is full, though the closure has run".into())?;
        if let Some(stored) = self.model.surely_there(key) {
            let of = Found::Of(stored.step);
            return Err(Fault { law: Law::Room, text: format!("it is full for a key that is there, with {of}") });
        }
        let (live, capacity) = (self.model.live(at), self.suite.capacity.unwrap_or(1));
        hold(Law::Room, live >= capacity, || format!("it is full, with room for {capacity}, and {live} live"))?;
        Ok(false)
    }

    /// Modifies a key, with the number of the step: to another state with the same expiry. Without: to what it is.
    fn modify(&mut self, key: usize, number: Option<u32>, vacancy: Law) -> Result<bool, Fault> {
        let Some(name) = self.suite.keys.get(key) else {
            return Ok(false);
        };
        let current = self.model.current(key).cloned();
        let next = number.zip(current.as_ref()).map(|(number, stored)| {
            let life = Wait::from_nanos(stored.until.saturating_sub(stored.from.as_nanos()));
            Stored { step: number, state: S::lasting(stored.from, life, number), ..stored.clone() }
        });
        let found = self.store.modify(name, |state| {
            let found = state.clone();
            if let Some(next) = &next {
                *state = next.state.clone();
            }
            found
        });
        let Some(found) = found else {
            let surely = self.model.surely_there(key).map(|stored| Found::Of(stored.step));
            return match surely {
                None => Ok(false),
                Some(of) => {
                    Err(Fault { law: Law::Forgetting, text: format!("it finds none; {of} is live, and must be found") })
                }
            };
        };
        let reset = self.suite.preallocated && found == S::default() && self.model.surely_there(key).is_none();
        let right = reset || current.as_ref().is_some_and(|stored| stored.state == found);
        hold(if current.is_some() { Law::Keys } else { vacancy }, right, || {
            let must_be = current.map_or_else(
                || "no state, since none was stored".into(),
                |stored| format!("{}", Found::Of(stored.step)),
            );
            format!("it finds {}; it must find {must_be}", self.model.identify(&found))
        })?;
        let changed = next.is_some();
        if let Some(next) = next {
            self.model.stored(next);
        }
        Ok(changed)
    }

    fn look(&mut self, key: usize, at: Timestamp) -> Result<Option<Look>, Fault> {
        let Some(name) = self.suite.keys.get(key) else {
            return Ok(None);
        };
        let (found, read) = self.store.view(name, at, |state, read| (state.clone(), read));
        self.model.may_find(key, at, (&found, read), self.model.latest)?;
        Ok(Some(Look { key, at, found: self.model.identify(&found), read }))
    }

    /// Looks at every key at all times, twice.
    fn look_at_everything(&mut self) -> Result<Vec<Look>, Fault> {
        let first = self.look_once()?;
        let second = self.look_once()?;
        self.unchanged(&second, &first, "at the look before")?;
        Ok(first)
    }

    fn look_once(&mut self) -> Result<Vec<Look>, Fault> {
        let (floor, mut looks) = (self.floor, Vec::new());
        for key in 0..self.suite.keys.len() {
            for &at in self.times.times.iter().filter(|at| **at >= floor) {
                let look = self.look(key, at).map_err(|fault| self.then("view", key, Some(at), fault))?;
                looks.extend(look);
            }
        }
        Ok(looks)
    }

    fn modify_everything(&mut self, vacancy: Law) -> Held {
        (0..self.suite.keys.len()).try_for_each(|key| {
            self.modify(key, None, vacancy).map(drop).map_err(|fault| self.then("modify", key, None, fault))
        })
    }

    fn unchanged(&self, seen: &[Look], right: &[Look], when: &str) -> Held {
        let differs = seen.iter().zip(right).find(|(seen, right)| seen != right);
        differs.map_or(Ok(()), |(seen, right)| {
            let fault = Fault { law: Law::Purity, text: format!("it finds {seen}; {when}: {right}") };
            Err(self.then("view", seen.key, Some(seen.at), fault))
        })
    }

    /// A fault that is seen after the trace.
    fn then(&self, verb: &str, key: usize, at: Option<Timestamp>, Fault { law, text }: Fault) -> Fault {
        let at = at.map_or_else(String::new, |at| format!(" at {}", At(at)));
        Fault { law, text: format!("then {verb} {}{at}: {text}", name(&self.suite.keys, key)) }
    }
}

/// That specimens are what they are to be, without which no finding would mean anything.
pub(super) fn specimens_hold<S: Specimen>(times: &Times) -> Held {
    for &at in &times.times {
        let [one, other] = [1, 2].map(|mark| S::lasting(at, times.tick, mark));
        let differ = one != other && one != S::default() && other != S::default();
        hold(Law::Keys, differ, || "a specimen is equal to one with another mark, or to a default state".into())?;
        let until = at.as_nanos().saturating_add(times.tick.as_nanos());
        for now in [until.saturating_sub(1), until].map(Timestamp::from_nanos) {
            let right = now.as_nanos() >= until;
            hold(Law::Forgetting, one.is_expired(now) == right, || {
                format!(
                    "a specimen that lasts {} from {} on has expired at {}: {}",
                    times.tick,
                    At(at),
                    At(now),
                    !right
                )
            })?;
        }
    }
    Ok(())
}

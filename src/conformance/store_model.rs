//! What a store may answer: a model that knows all that was stored, and what of that may have been dropped.

use core::fmt;
use std::collections::BTreeMap;
use std::format;
use std::vec::Vec;

use super::law::{Fault, Held, Law, hold};
use super::specimen::Specimen;
use super::subject::At;
use crate::time::{Timestamp, Wait};

/// A state that a step has stored.
#[derive(Clone)]
pub(super) struct Stored<S> {
    /// The step, counted from 1, which is its mark.
    pub(super) step: u32,
    /// Which key, counted from 0.
    pub(super) key: usize,
    pub(super) from: Timestamp,
    /// Until when it counts, in nanoseconds, which may be beyond the last timestamp.
    pub(super) until: u64,
    pub(super) state: S,
}

impl<S> Stored<S> {
    fn expired(&self, at: Timestamp) -> bool {
        at.as_nanos() >= self.until
    }
}

/// What a look has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Default,
    /// What this step has stored.
    Of(u32),
    Unknown,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("a default state"),
            Self::Of(step) => write!(f, "what step {step} stored"),
            Self::Unknown => f.write_str("a state that no step stored"),
        }
    }
}

pub(super) struct Model<S> {
    /// All that was ever stored, in order.
    history: Vec<Stored<S>>,
    /// Where in the history is what each key was last given.
    current: BTreeMap<usize, Stored<S>>,
    /// The latest time that the store was told of by something that may drop what has expired.
    pub(super) latest: Timestamp,
    /// The horizon, as far as a look at a key has shown it.
    horizons: BTreeMap<usize, Timestamp>,
}

impl<S: Specimen> Model<S> {
    pub(super) fn new() -> Self {
        Self { history: Vec::new(), current: BTreeMap::new(), latest: Timestamp::ZERO, horizons: BTreeMap::new() }
    }

    /// What was last stored for a key.
    pub(super) fn current(&self, key: usize) -> Option<&Stored<S>> {
        self.current.get(&key)
    }

    /// What was last stored for a key, where it cannot have been dropped.
    pub(super) fn surely_there(&self, key: usize) -> Option<&Stored<S>> {
        self.current(key).filter(|stored| !stored.expired(self.latest))
    }

    /// How many keys count at `at`, at the most: some may have been dropped, when it was later than that.
    pub(super) fn live(&self, at: Timestamp) -> usize {
        self.current.values().filter(|stored| !stored.expired(at)).count()
    }

    pub(super) fn stored(&mut self, stored: Stored<S>) {
        self.history.push(stored.clone());
        self.current.insert(stored.key, stored);
    }

    pub(super) fn identify(&self, state: &S) -> Found {
        if *state == S::default() {
            return Found::Default;
        }
        let known = self.history.iter().rev().find(|stored| stored.state == *state);
        known.map_or(Found::Unknown, |stored| Found::Of(stored.step))
    }

    /// Whether `key` may be found so at `now`, and read at `read`; of which the store was told by what may drop at `latest`.
    pub(super) fn may_find(
        &mut self,
        key: usize,
        now: Timestamp,
        (state, read): (&S, Timestamp),
        latest: Timestamp,
    ) -> Held {
        let found = self.identify(state);
        let current = self.current.get(&key);
        let there = current.filter(|stored| stored.state == *state);
        if there.is_none() && found != Found::Default {
            let must_be = current.map_or(Found::Default, |stored| Found::Of(stored.step));
            return Err(Fault { law: Law::Keys, text: format!("it finds {found}; it must find {must_be}") });
        }
        if let Some(stored) = there.filter(|stored| !stored.expired(now)) {
            return hold(Law::Keys, read == now, || {
                format!(
                    "it is to be read at {}; {}, which is live, must be read at {}",
                    At(read),
                    Found::Of(stored.step),
                    At(now)
                )
            });
        }
        if let (None, Some(stored)) = (there, current) {
            let of = Found::Of(stored.step);
            hold(Law::Forgetting, stored.expired(latest), || {
                format!("it finds {found}; {of} is live, and must be found")
            })?;
            hold(Law::Forgetting, read.as_nanos() >= stored.until, || {
                format!(
                    "{of} was dropped, and the key is to be read at {}; not before {}, its expiry",
                    At(read),
                    Nanos(stored.until)
                )
            })?;
        }
        self.may_read(key, now, read, latest)
    }

    /// Whether a key that is missing or has expired may be read at `read`.
    fn may_read(&mut self, key: usize, now: Timestamp, read: Timestamp, latest: Timestamp) -> Held {
        hold(Law::Forgetting, read >= now, || {
            format!("it is to be read at {}, which is before {}", At(read), At(now))
        })?;
        let seen = self.horizons.get(&key).copied().unwrap_or_default();
        hold(Law::Forgetting, read >= seen, || {
            format!("it is to be read at {}; the horizon was {} before, and never falls", At(read), At(seen))
        })?;
        if read == now {
            return Ok(());
        }
        let dropped = self.history.iter().any(|stored| stored.until == read.as_nanos() && stored.expired(latest));
        hold(Law::Forgetting, dropped, || {
            format!("it is to be read at {}, at which nothing that may have been dropped expired", At(read))
        })?;
        self.horizons.insert(key, read);
        Ok(())
    }
}

/// A deadline, which may lie beyond the last timestamp.
struct Nanos(u64);

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Wait::from_nanos(self.0).fmt(f)
    }
}

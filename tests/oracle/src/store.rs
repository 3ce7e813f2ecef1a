//! Many keys: a map, and the horizon that forgetting leaves behind.

use std::collections::BTreeMap;

use crate::model::{Answer, Kind, Model, Status};
use crate::policy::Policy;

/// What is remembered of many keys, all of one kind.
///
/// The model drops nothing by itself, since which of the expired keys are dropped, and when, is each store's own affair: a test calls
/// [`forget`](Self::forget) for what the store has dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreModel<K> {
    kind: Kind,
    keys: BTreeMap<K, Model>,
    horizon: u64,
}

impl<K: Ord> StoreModel<K> {
    /// A store without keys.
    pub fn new(kind: Kind) -> Self {
        Self { kind, keys: BTreeMap::new(), horizon: 0 }
    }

    /// Judges a request, and counts it if it passes. Only then is a key added.
    pub fn check(&mut self, key: K, policy: &Policy, cost: u32, now: u64) -> Answer {
        let answer = self.peek(&key, policy, cost, now);
        if answer == Answer::Allow {
            self.charge(key, policy, cost, now);
        }
        answer
    }

    /// The answer that [`check`](Self::check) would give.
    pub fn peek(&self, key: &K, policy: &Policy, cost: u32, now: u64) -> Answer {
        self.look(key, now, |model, read| model.peek(policy, cost, read))
    }

    /// The largest cost that would pass now, 0 if none would.
    pub fn remaining(&self, key: &K, policy: &Policy, now: u64) -> u32 {
        self.look(key, now, |model, read| model.remaining(policy, read))
    }

    /// Where a key stands.
    pub fn status(&self, key: &K, policy: &Policy, now: u64) -> Status {
        self.look(key, now, |model, read| model.status(policy, read))
    }

    /// Counts usage without asking.
    pub fn charge(&mut self, key: K, policy: &Policy, cost: u32, now: u64) {
        if cost > 0 {
            let read = self.read_time(&key, now);
            self.keys.entry(key).or_insert_with(|| Model::new(self.kind)).charge(policy, cost, read);
        }
    }

    /// Gives units back, if the key is there.
    pub fn refund(&mut self, key: &K, policy: &Policy, cost: u32, now: u64) {
        if let Some(model) = self.keys.get_mut(key) {
            model.refund(policy, cost, now);
        }
    }

    /// Drops a key that has expired, whereby the horizon moves to its expiry.
    ///
    /// # Panics
    ///
    /// If the key is not there, or has not expired: no store may drop it.
    pub fn forget(&mut self, key: &K, now: u64) {
        let model = self.keys.remove(key).expect("only a key that is there can be dropped");
        assert!(model.is_expired(now), "dropped at {now}, though it counts until {}", model.expires_at());
        self.horizon = self.horizon.max(model.expires_at());
    }

    /// The latest expiry that was dropped: a missing key is not read before it, for it might have been used until then.
    pub fn horizon(&self) -> u64 {
        self.horizon
    }

    /// What is remembered of a key.
    pub fn get(&self, key: &K) -> Option<&Model> {
        self.keys.get(key)
    }

    /// The keys that are remembered, expired ones included, in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.keys.keys()
    }

    /// How many keys are remembered, expired ones included.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether no key is remembered.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Waits need no putting right where the horizon is read in place of `now`: nothing is denied to a missing key.
    fn look<R>(&self, key: &K, now: u64, answer: impl FnOnce(&Model, u64) -> R) -> R {
        let read = self.read_time(key, now);
        match self.keys.get(key) {
            Some(model) => answer(model, read),
            None => answer(&Model::new(self.kind), read),
        }
    }

    /// What has expired is read like what is missing, so that it makes no difference whether it has been dropped yet.
    fn read_time(&self, key: &K, now: u64) -> u64 {
        let live = self.keys.get(key).is_some_and(|model| !model.is_expired(now));
        if live { now } else { now.max(self.horizon) }
    }
}

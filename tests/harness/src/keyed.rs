//! A store of keys: every answer is the oracle's, whatever the store has forgotten meanwhile; and it forgets nothing that is live.

use core::fmt::Debug;
use core::hash::BuildHasher;
use std::collections::{BTreeMap, HashMap};

use tollgate::store::{Bounded, BoundedMap, Buckets, Prune, Pruned, SlotMemory, Table, prune};
use tollgate::{CheckError, Decision, Full, Policy, Slots, State, Store, Timestamp};
use tollgate_oracle::{Answer, StoreModel};

use crate::key::{Action, ShownOnPanic, Step};
use crate::oracle;
use crate::subject::{Subject, answer, status};

/// What is done to a store at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A step of a key.
    Key(u8, Step),
    /// Everything that has expired at this time is dropped.
    Prune(u64),
}

/// What a harness has to know of a store beyond how to use it.
pub trait Shelf: Clone + PartialEq + Debug {
    /// The keys it holds, expired ones included.
    fn keys(&self) -> Vec<u8>;

    /// Drops what has expired, and says how much.
    fn prune(&mut self, now: Timestamp) -> usize;

    /// The horizon; `None` for a bare map, which keeps none.
    fn horizon(&self) -> Option<Timestamp> {
        None
    }

    /// How many keys fit; `None` for a store that grows.
    fn capacity(&self) -> Option<usize> {
        None
    }

    /// Whether it is full only when so many keys are live, whichever they are.
    fn reaches_all(&self) -> bool {
        true
    }
}

/// A map without a horizon.
macro_rules! map {
    ($([$($generics:tt)*] $map:ty;)*) => { $(
        impl<S: State + Debug, $($generics)*> Shelf for $map {
            fn keys(&self) -> Vec<u8> {
                self.keys().copied().collect()
            }

            fn prune(&mut self, now: Timestamp) -> usize {
                prune(self, now)
            }
        }
    )* };
}

map! {
    [H: BuildHasher + Clone] HashMap<u8, S, H>;
    [] BTreeMap<u8, S>;
}

/// A store of fixed capacity: what of it has the keys, and how many slots are within the reach of each.
macro_rules! fixed {
    ($([$($generics:tt)*] $store:ty, |$this:ident| $inner:expr, $within_reach:expr;)*) => { $(
        impl<$($generics)*> Shelf for $store {
            fn keys(&self) -> Vec<u8> {
                let $this = self;
                $inner.iter().map(|(key, _)| *key).collect()
            }

            fn prune(&mut self, now: Timestamp) -> usize {
                self.prune(now)
            }

            fn horizon(&self) -> Option<Timestamp> {
                Some(self.horizon())
            }

            fn capacity(&self) -> Option<usize> {
                let $this = self;
                Some($inner.capacity())
            }

            fn reaches_all(&self) -> bool {
                let $this = self;
                $inner.capacity() <= $within_reach
            }
        }
    )* };
}

fixed! {
    [M: SlotMemory<Key = u8, State: State> + Clone + PartialEq + Debug] Slots<M>, |slots| slots, usize::MAX;
    [M: Buckets<Key = u8, State: State + Debug> + Clone + PartialEq, H: Clone] Table<M, H>, |table| table, 16;
    [M: BoundedMap<Key = u8> + Prune + Clone + PartialEq + Debug] Bounded<M>, |bounded| bounded.map(), usize::MAX;
}

impl<M: Shelf + Prune> Shelf for Pruned<M> {
    fn keys(&self) -> Vec<u8> {
        self.map().keys()
    }

    fn prune(&mut self, now: Timestamp) -> usize {
        self.prune(now)
    }

    fn horizon(&self) -> Option<Timestamp> {
        Some(self.horizon())
    }
}

/// A store in the crate and in the oracle.
#[derive(Clone, Debug)]
pub(crate) struct Stores<T> {
    pub(crate) store: T,
    pub(crate) model: StoreModel<u8>,
    /// A bare map keeps no horizon, and promises nothing for times before it was last pruned.
    floor: u64,
}

/// Runs a trace over a store that holds nothing yet.
///
/// # Panics
///
/// At the first difference, with the trace up to it.
pub fn run<S: Subject, T: Shelf>(store: T, policies: &[oracle::Policy], acts: &[Act])
where
    for<'a> &'a mut T: Store<u8, State = S::State, Error: Into<Full>>,
{
    let mut stores = Stores::new(S::KIND, store);
    for (index, act) in acts.iter().enumerate() {
        let _shown = ShownOnPanic(policies, &acts[..=index]);
        match *act {
            Act::Key(key, step) => stores.step::<S>(key, &policies[step.policy % policies.len()], step),
            Act::Prune(at) => stores.prune(at),
        }
    }
}

impl<T: Shelf> Stores<T> {
    /// With a store that holds nothing yet.
    pub(crate) fn new(kind: oracle::Kind, store: T) -> Self {
        Self { store, model: StoreModel::new(kind), floor: 0 }
    }

    fn step<S: Subject>(&mut self, key: u8, policy: &oracle::Policy, step: Step)
    where
        for<'a> &'a mut T: Store<u8, State = S::State, Error: Into<Full>>,
    {
        let (cost, at) = (step.cost, step.at.max(self.floor));
        let (mine, now) = (S::policy(policy), Timestamp::from_nanos(at));
        let before = self.store.clone();

        let peeked = answer(mine.peek(&mut self.store, &key, cost, now));
        assert_eq!(peeked, self.model.peek(&key, policy, cost, at), "peek");
        assert_eq!(status(mine.status(&mut self.store, &key, now)), self.model.status(&key, policy, at), "status");
        assert_eq!(self.store, before, "a look changes nothing");

        let changed = match step.action {
            Action::Peek => Ok(false),
            Action::Check if cost == 1 => {
                mine.check(&mut self.store, &key, now).map(Decision::is_allow).map_err(Into::into)
            }
            Action::Check => {
                let judged = mine.check_with_status(&mut self.store, &key, cost, now).map_err(|error| match error {
                    CheckError::CostExceedsLimit(_) => None,
                    CheckError::Store(error) => Some(error.into()),
                });
                match judged {
                    Ok((decision, stands)) => {
                        assert_eq!(stands, mine.status(&mut self.store, &key, now), "with status");
                        Ok(decision.is_allow() && cost > 0)
                    }
                    Err(None) => Ok(false),
                    Err(Some(full)) => Err(full),
                }
            }
            Action::Charge => mine.charge(&mut self.store, &key, cost, now).map(|()| cost > 0).map_err(Into::into),
            Action::Refund => {
                mine.refund(&mut self.store, &key, cost, now);
                Ok(cost > 0)
            }
        };
        match changed {
            Ok(changed) => {
                let modelled = match step.action {
                    Action::Check => self.model.check(key, policy, cost, at) == Answer::Allow && cost > 0,
                    Action::Charge => {
                        self.model.charge(key, policy, cost, at);
                        cost > 0
                    }
                    Action::Refund => {
                        self.model.refund(&key, policy, cost, at);
                        cost > 0
                    }
                    Action::Peek => false,
                };
                assert_eq!(changed, modelled, "the answer through the store");
                if !changed {
                    assert_eq!(self.store, before, "a denial, an error, a look and a cost of zero change nothing");
                }
            }
            Err(Full { capacity }) => {
                assert_eq!(Some(capacity), self.store.capacity(), "what is full has a capacity");
                assert_eq!(self.store, before, "what is full changes nothing");
                assert!(self.model.get(&key).is_none() && cost > 0, "what is there, and a cost of zero, need no room");
                let may_pass = step.action == Action::Charge || cost <= policy.limit();
                assert!(may_pass, "what can never pass is told so first");
                if self.store.reaches_all() {
                    assert_eq!(self.model.len(), capacity, "there is no empty slot");
                    let read = at.max(self.model.horizon());
                    let live = |key: &u8| !self.model.get(key).expect("modelled").is_expired(read);
                    assert!(self.store.keys().iter().all(live), "there is nothing to reclaim");
                }
            }
        }
        self.forget(at.max(self.model.horizon()));
    }

    fn prune(&mut self, at: u64) {
        let before = self.model.len();
        let pruned = self.store.prune(Timestamp::from_nanos(at));
        self.forget(at);
        assert_eq!(before - self.model.len(), pruned, "as many as were pruned are gone");
        let expired = |key: &u8| self.model.get(key).expect("modelled").is_expired(at);
        assert!(!self.store.keys().iter().any(expired), "pruning leaves nothing that has expired");
    }

    /// Drops from the model what the store has dropped, which must have expired at that time.
    pub(crate) fn forget(&mut self, at: u64) {
        let kept = self.store.keys();
        let gone: Vec<u8> = self.model.keys().copied().filter(|key| !kept.contains(key)).collect();
        for key in &gone {
            self.model.forget(key, at);
        }
        assert_eq!(self.model.len(), kept.len(), "no key is added unseen, and none is held twice");
        match self.store.horizon() {
            Some(horizon) => assert_eq!(horizon.as_nanos(), self.model.horizon(), "the horizon"),
            None if !gone.is_empty() => self.floor = self.floor.max(at),
            None => {}
        }
    }
}

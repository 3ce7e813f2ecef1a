//! The oracle, as what a step is asked of.

use core::fmt;
use std::collections::BTreeSet;

use tollgate_oracle::{self as oracle, StoreModel};

use crate::case::{Case, Layer, LayeredAnswer, LayeredOp, LayeredStep, Together};
use crate::policy::{Policy, PolicyError};
use crate::reply::Reply;
use crate::step::{Act, Answer, Step};

/// What makes a case meaningless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseError {
    /// A policy that cannot be built, where one has to be.
    Policy(PolicyError),
    /// An origin where there is no grid.
    Origin,
    /// Room for entries where there is no log.
    Capacity,
    /// A policy of another kind than the key's.
    Kind,
    /// Another number of asks than of layers.
    Asks {
        /// So many asks.
        asks: usize,
        /// So many layers.
        layers: usize,
    },
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy(error) => write!(f, "the policy cannot be built: {error}"),
            Self::Origin => f.write_str("`origin_ns` needs a grid: `\"aligned\": true`, or `\"refill\": \"interval\"`"),
            Self::Capacity => f.write_str("`capacity` is the room of a log: the policy is no sliding log"),
            Self::Kind => f.write_str("the policies of one case must be of one kind"),
            Self::Asks { asks, layers } => write!(f, "`asks` has {asks} members for {layers} layers"),
        }
    }
}

impl std::error::Error for CaseError {}

impl From<PolicyError> for CaseError {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

/// A case, and the place in it, that is meaningless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadCase {
    /// Its name.
    pub name: String,
    /// The step, counted from 0.
    pub step: Option<usize>,
    /// What is wrong.
    pub error: CaseError,
}

impl fmt::Display for BadCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, step, error } = self;
        match step {
            Some(step) => write!(f, "case {name:?}, step {step}: {error}"),
            None => write!(f, "case {name:?}: {error}"),
        }
    }
}

impl std::error::Error for BadCase {}

/// A store of keys under one policy at a time.
#[derive(Clone, Debug)]
pub struct Keys {
    store: StoreModel<String>,
    /// The keys that have been asked about: the model does not list its own.
    seen: BTreeSet<String>,
    slots: Option<u32>,
    policy: Policy,
    built: oracle::Policy,
    capacity: Option<u32>,
}

fn built(policy: &Policy) -> Result<oracle::Policy, CaseError> {
    match *policy {
        Policy::FixedWindow { aligned: false, origin_ns: 1.., .. } => Err(CaseError::Origin),
        Policy::TokenBucket { refill: crate::policy::Refill::Continuous, origin_ns: 1.., .. } => Err(CaseError::Origin),
        _ => Ok(policy.build()?),
    }
}

impl Keys {
    /// A store without keys.
    pub fn new(policy: Policy, capacity: Option<u32>, slots: Option<u32>) -> Result<Self, CaseError> {
        let built = built(&policy)?;
        if capacity.is_some() && !matches!(policy, Policy::SlidingLog { .. }) {
            return Err(CaseError::Capacity);
        }
        let store = StoreModel::new(policy.kind(capacity));
        Ok(Self { store, seen: BTreeSet::new(), slots, policy, built, capacity })
    }

    /// The policy now.
    pub fn policy(&self) -> &oracle::Policy {
        &self.built
    }

    /// Takes a step, and gives the right answer to it.
    pub fn take(&mut self, step: &Step) -> Result<Answer, CaseError> {
        if let Some(policy) = step.policy {
            if policy.kind(self.capacity) != self.policy.kind(self.capacity) {
                return Err(CaseError::Kind);
            }
            (self.policy, self.built) = (policy, built(&policy)?);
        }
        let key = step.key.clone().unwrap_or_default();
        self.seen.insert(key.clone());
        Ok(self.answer(key, step.act, step.at_ns))
    }

    fn answer(&mut self, key: String, act: Act, now: u64) -> Answer {
        let policy = self.built;
        match act {
            Act::Check(cost) => match self.store.peek(&key, &policy, cost, now) {
                oracle::Answer::Allow if cost > 0 && !self.make_room(&key, now) => Answer::Full,
                answer => {
                    if answer == oracle::Answer::Allow {
                        self.store.charge(key.clone(), &policy, cost, now);
                    }
                    Answer::of(answer, self.store.remaining(&key, &policy, now))
                }
            },
            Act::Peek(cost) => {
                let answer = self.store.peek(&key, &policy, cost, now);
                Answer::of(answer, self.store.remaining(&key, &policy, now))
            }
            Act::Charge(cost) if cost > 0 && !self.make_room(&key, now) => Answer::Full,
            Act::Charge(cost) => {
                self.store.charge(key.clone(), &policy, cost, now);
                Answer::Done { remaining: self.store.remaining(&key, &policy, now) }
            }
            Act::Refund(cost) => {
                self.store.refund(&key, &policy, cost, now);
                Answer::Done { remaining: self.store.remaining(&key, &policy, now) }
            }
            Act::Status => self.store.status(&key, &policy, now).into(),
            Act::Expired => Answer::Expired(self.is_expired(&key, now)),
            Act::Prune => {
                let expired: Vec<String> = self.held().filter(|key| self.is_expired(key, now)).cloned().collect();
                for key in &expired {
                    self.store.forget(key, now);
                }
                Answer::Pruned { dropped: count(expired.len()), horizon_ns: self.store.horizon() }
            }
            Act::Keys => Answer::Keys(count(self.store.len())),
        }
    }

    fn held(&self) -> impl Iterator<Item = &String> {
        self.seen.iter().filter(|key| self.store.get(key).is_some())
    }

    fn is_expired(&self, key: &String, now: u64) -> bool {
        self.store.get(key).is_none_or(|model| model.is_expired(now))
    }

    /// Whether there is room for this key, if need be after dropping one that has expired: the one that did so first.
    fn make_room(&mut self, key: &String, now: u64) -> bool {
        let Some(victim) = self.victim(key, now) else {
            return self.has_room(key);
        };
        self.store.forget(&victim, now.max(self.store.horizon()));
        true
    }

    fn has_room(&self, key: &String) -> bool {
        self.store.get(key).is_some() || self.slots.is_none_or(|slots| count(self.store.len()) < slots)
    }

    /// The key to drop for this one, if one has to be and can be.
    fn victim(&self, key: &String, now: u64) -> Option<String> {
        if self.has_room(key) {
            return None;
        }
        let read = now.max(self.store.horizon());
        let expiry = |key: &&String| self.store.get(*key).map(oracle::Model::expires_at);
        self.held().filter(|key| self.is_expired(key, read)).min_by_key(expiry).cloned()
    }
}

fn count(keys: usize) -> u32 {
    u32::try_from(keys).unwrap_or(u32::MAX)
}

/// Several stores under a policy each.
#[derive(Clone, Debug)]
pub struct Layers(Vec<Keys>);

impl Layers {
    /// Stores without keys.
    pub fn new(layers: &[Layer]) -> Result<Self, CaseError> {
        let keys = |layer: &Layer| Keys::new(layer.policy, layer.capacity.map(Into::into), layer.slots);
        layers.iter().map(keys).collect::<Result<_, _>>().map(Self)
    }

    /// Takes a step, and gives the right answer to it.
    pub fn take(&mut self, step: &LayeredStep) -> Result<LayeredAnswer, CaseError> {
        let Self(layers) = self;
        if step.asks.len() != layers.len() {
            return Err(CaseError::Asks { asks: step.asks.len(), layers: layers.len() });
        }
        // Each layer is asked alone, and none keeps what it counted unless all admit.
        let mut after = layers.clone();
        let alone: Vec<Answer> = after
            .iter_mut()
            .zip(&step.asks)
            .map(|(keys, ask)| {
                let act = if step.op == LayeredOp::Peek { Act::Peek(ask.cost) } else { Act::Check(ask.cost) };
                keys.seen.insert(ask.key.clone());
                keys.answer(ask.key.clone(), act, step.at_ns)
            })
            .collect();
        let (expect, layer, retry_after_ns) = together(&alone, layers);
        if expect == Together::Allow {
            *layers = after;
        }
        let remaining = layers
            .iter()
            .zip(&step.asks)
            .map(|(keys, ask)| keys.store.remaining(&ask.key, &keys.built, step.at_ns))
            .collect();
        Ok(LayeredAnswer { expect: Some(expect), retry_after_ns, layer, remaining: Some(remaining) })
    }
}

/// What never passes comes first, of the smallest limit; then a denial, of the longest wait; then a store that is full. Among equals,
/// the first layer.
fn together(alone: &[Answer], layers: &[Keys]) -> (Together, Option<u32>, Option<u64>) {
    let of = |wanted: fn(&Answer) -> bool| alone.iter().enumerate().filter(move |(_, answer)| wanted(answer));
    let never = of(|answer| *answer == Answer::Never).min_by_key(|(layer, _)| layers[*layer].built.limit());
    if let Some((layer, _)) = never {
        return (Together::Never, Some(count(layer)), None);
    }
    let wait = |answer: &Answer| match *answer {
        Answer::Deny { retry_after_ns } => Some(retry_after_ns),
        _ => None,
    };
    let longest = alone.iter().filter_map(wait).max();
    if let Some(layer) = alone.iter().position(|answer| longest.is_some() && wait(answer) == longest) {
        return (Together::Deny, Some(count(layer)), longest);
    }
    match of(|answer| *answer == Answer::Full).next() {
        Some((layer, _)) => (Together::Full, Some(count(layer)), None),
        None => (Together::Allow, None, None),
    }
}

/// The case with the right answers, whatever answers it had.
pub fn answered<C: Case>(case: C) -> Result<C, BadCase> {
    let bad = |step, error| BadCase { name: case.name().to_owned(), step, error };
    let mut store = match case.open() {
        Ok(store) => store,
        Err(CaseError::Policy(error)) => {
            let refused = case.clone().refused(error);
            let is_said = case.steps().is_empty() && refused.policy_error() == Some(error);
            return if is_said { Ok(refused) } else { Err(bad(None, CaseError::Policy(error))) };
        }
        Err(error) => return Err(bad(None, error)),
    };
    let answered = |(index, step): (usize, &C::Step)| {
        let answer = C::ask(&mut store, step).map_err(|error| bad(Some(index), error))?;
        Ok(C::with_reply(step.clone(), Reply::Right(answer)))
    };
    let steps = case.steps().iter().enumerate().map(answered).collect::<Result<_, BadCase>>()?;
    Ok(case.with_steps(steps))
}

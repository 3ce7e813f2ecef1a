//! Cases, and files of them.

use core::num::NonZeroU32;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::model::{CaseError, Keys, Layers};
use crate::number::timestamp;
use crate::policy::{Policy, PolicyError};
use crate::reply::{Answered, Reply};
use crate::step::{Answer, Step};

/// A file of cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File<C> {
    /// What the cases are about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The unit of all times.
    #[serde(default)]
    pub unit: Unit,
    /// The cases.
    pub vectors: Vec<C>,
}

/// There is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Nanoseconds.
    #[default]
    Ns,
}

/// What cases of either kind have in common: steps, and a store that is asked them.
pub trait Case: Clone + Serialize + DeserializeOwned {
    /// What is asked and answered.
    type Step: Clone + Serialize + DeserializeOwned;
    /// What is answered.
    type Answer: Answered;
    /// What is asked.
    type Store;

    /// What is shown.
    fn name(&self) -> &str;

    /// Why it is worth showing.
    fn why(&self) -> &str;

    /// In order.
    fn steps(&self) -> &[Self::Step];

    /// The same case with other steps.
    fn with_steps(self, steps: Vec<Self::Step>) -> Self;

    /// Why its policy cannot be built, if the case says so.
    fn policy_error(&self) -> Option<PolicyError>;

    /// The same case where its policy cannot be built.
    fn refused(self, error: PolicyError) -> Self;

    /// A store without keys.
    fn open(&self) -> Result<Self::Store, CaseError>;

    /// Takes a step, and gives the right answer to it.
    fn ask(store: &mut Self::Store, step: &Self::Step) -> Result<Self::Answer, CaseError>;

    /// What a step says is answered.
    fn reply(step: &Self::Step) -> &Reply<Self::Answer>;

    /// The same step with this answer.
    fn with_reply(step: Self::Step, reply: Reply<Self::Answer>) -> Self::Step;
}

/// A case of one policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SingleCase {
    /// What is shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Why it is worth showing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The policy, until a step names another.
    pub policy: Policy,
    /// How many entries a log has room for; it grows, where that is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<NonZeroU32>,
    /// How many keys the store has room for; it grows, where that is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// Why the policy is none. Then there are no steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_error: Option<PolicyError>,
    /// What is asked and answered, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// A case of several policies that are judged together, each with keys and a store of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayeredCase {
    /// What is shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Why it is worth showing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The layers.
    pub layers: Vec<Layer>,
    /// What is asked and answered, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<LayeredStep>,
}

/// One of several policies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a layer, which is an object")]
pub struct Layer {
    /// The layer's policy.
    pub policy: Policy,
    /// As in a [`SingleCase`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<NonZeroU32>,
    /// As in a [`SingleCase`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
}

/// One request to all layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "a step, which is an object")]
pub struct LayeredStep {
    /// The caller's time.
    #[serde(deserialize_with = "timestamp")]
    pub at_ns: u64,
    /// Whether it counts, if it passes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub op: LayeredOp,
    /// What each layer is asked, in the order of the layers.
    pub asks: Vec<Ask>,
    /// What they answer together.
    #[serde(flatten)]
    pub reply: Reply<LayeredAnswer>,
    /// Why this step is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What is asked of all layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayeredOp {
    /// A request.
    #[default]
    Check,
    /// Would a request pass?
    Peek,
}

/// What is asked of one layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a key and a cost, in an object")]
pub struct Ask {
    /// The key.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// The cost.
    pub cost: u32,
}

/// What the layers answer together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Together {
    /// All admit.
    Allow,
    /// One denies, for the longest time.
    Deny,
    /// One can never admit; of those, the one with the smallest limit.
    Never,
    /// The store of one has no room.
    Full,
}

/// The members of a [`LayeredStep`] that are answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LayeredAnswer {
    /// What they answer together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<Together>,
    /// From the caller's time until it passes, if it is denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ns: Option<u64>,
    /// The layer that decided, unless it passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<u32>,
    /// What remains in each layer, of the key that was asked about, after the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining: Option<Vec<u32>>,
}

impl Answered for LayeredAnswer {
    const MEMBERS: &'static [&'static str] = &["expect", "retry_after_ns", "layer", "remaining"];
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Case for SingleCase {
    type Step = Step;
    type Answer = Answer;
    type Store = Keys;

    fn name(&self) -> &str {
        &self.name
    }

    fn why(&self) -> &str {
        &self.why
    }

    fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn with_steps(self, steps: Vec<Step>) -> Self {
        Self { steps, policy_error: None, ..self }
    }

    fn policy_error(&self) -> Option<PolicyError> {
        self.policy_error
    }

    fn refused(self, error: PolicyError) -> Self {
        Self { policy_error: Some(error), ..self }
    }

    fn open(&self) -> Result<Keys, CaseError> {
        Keys::new(self.policy, self.capacity.map(Into::into), self.slots)
    }

    fn ask(keys: &mut Keys, step: &Step) -> Result<Answer, CaseError> {
        keys.take(step)
    }

    fn reply(step: &Step) -> &Reply<Answer> {
        &step.reply
    }

    fn with_reply(step: Step, reply: Reply<Answer>) -> Step {
        Step { reply, ..step }
    }
}

impl Case for LayeredCase {
    type Step = LayeredStep;
    type Answer = LayeredAnswer;
    type Store = Layers;

    fn name(&self) -> &str {
        &self.name
    }

    fn why(&self) -> &str {
        &self.why
    }

    fn steps(&self) -> &[LayeredStep] {
        &self.steps
    }

    fn with_steps(self, steps: Vec<LayeredStep>) -> Self {
        Self { steps, ..self }
    }

    /// It has no place for that.
    fn policy_error(&self) -> Option<PolicyError> {
        None
    }

    fn refused(self, _: PolicyError) -> Self {
        self
    }

    fn open(&self) -> Result<Layers, CaseError> {
        Layers::new(&self.layers)
    }

    fn ask(layers: &mut Layers, step: &LayeredStep) -> Result<LayeredAnswer, CaseError> {
        layers.take(step)
    }

    fn reply(step: &LayeredStep) -> &Reply<LayeredAnswer> {
        &step.reply
    }

    fn with_reply(step: LayeredStep, reply: Reply<LayeredAnswer>) -> LayeredStep {
        LayeredStep { reply, ..step }
    }
}

//! What a step says is answered: the model's answer, or whatever a file has in its place.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::number::digits;

/// An answer of the model, which is an object.
pub trait Answered: Serialize {
    /// The members that answers may have.
    const MEMBERS: &'static [&'static str];

    /// Those that this one has.
    fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            other => unreachable!("an answer is an object, not {other:?}"),
        }
    }
}

/// What a step says is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<A> {
    /// By a file: any members of an answer, none of them `null`. Their values may be anything, since they may be wrong.
    Given(Map<String, Value>),
    /// By the model.
    Right(A),
}

impl<A> Reply<A> {
    /// None: that is the question.
    pub fn none() -> Self {
        Self::Given(Map::new())
    }
}

impl<A: Answered> Reply<A> {
    /// The members that are answered.
    pub fn members(&self) -> Map<String, Value> {
        match self {
            Self::Given(members) => members.clone(),
            Self::Right(answer) => answer.members(),
        }
    }

    /// A member that is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.members().get(name).and_then(Value::as_u64)
    }
}

impl<A: Answered> Serialize for Reply<A> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Given(members) => members.serialize(to),
            Self::Right(answer) => answer.serialize(to),
        }
    }
}

/// Of the members that are not otherwise a step's.
impl<'de, A: Answered> Deserialize<'de> for Reply<A> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut members = Map::deserialize(from)?;
        if let Some(name) = members.keys().find(|name| !A::MEMBERS.contains(&name.as_str())) {
            return Err(D::Error::custom(format_args!("a step has no member `{name}`")));
        }
        members.retain(|_, value| !value.is_null());
        for (_, value) in members.iter_mut().filter(|(name, _)| name.ends_with("_ns")) {
            if let Some(number) = value.as_str().and_then(digits) {
                *value = number.into();
            }
        }
        Ok(Self::Given(members))
    }
}

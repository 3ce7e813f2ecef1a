//! A step as it stands in a file: one flat object, in which what is answered follows what is asked.

use serde::{Deserialize, Serialize};

use super::{Act, Answer, Step};
use crate::number::timestamp;
use crate::policy::Policy;
use crate::reply::Reply;

/// The member `op`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    #[default]
    Check,
    Peek,
    Charge,
    Refund,
    Status,
    Expired,
    Prune,
    Keys,
}

/// The member `expect`.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Expect {
    Allow,
    Deny,
    Never,
    Full,
    Done,
    Yes,
    No,
}

/// The members of an answer.
#[derive(Default, Serialize)]
pub(super) struct Members {
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<Expect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grows_in_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_in_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    horizon_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<u32>,
}

/// All members.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(expecting = "a step, which is an object")]
pub(super) struct Flat {
    #[serde(deserialize_with = "timestamp")]
    at_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<Policy>,
    #[serde(default, skip_serializing_if = "is_check")]
    op: Op,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost: Option<u32>,
    #[serde(flatten)]
    reply: Reply<Answer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn is_check(op: &Op) -> bool {
    *op == Op::Check
}

impl TryFrom<Flat> for Step {
    type Error = String;

    fn try_from(flat: Flat) -> Result<Self, String> {
        let Flat { at_ns, key, policy, op, cost, reply, note } = flat;
        let act = act(op, cost)?;
        if act.is_of_the_store() && (key.is_some() || policy.is_some()) {
            return Err(format!("{op:?} is asked of all keys: it has neither `key` nor `policy`").to_lowercase());
        }
        Ok(Self { at_ns, key, policy, act, reply, note })
    }
}

fn act(op: Op, cost: Option<u32>) -> Result<Act, String> {
    Ok(match (op, cost) {
        (Op::Check, Some(cost)) => Act::Check(cost),
        (Op::Peek, Some(cost)) => Act::Peek(cost),
        (Op::Charge, Some(cost)) => Act::Charge(cost),
        (Op::Refund, Some(cost)) => Act::Refund(cost),
        (Op::Status, None) => Act::Status,
        (Op::Expired, None) => Act::Expired,
        (Op::Prune, None) => Act::Prune,
        (Op::Keys, None) => Act::Keys,
        (Op::Check | Op::Peek | Op::Charge | Op::Refund, None) => {
            return Err(format!("a {op:?} needs a `cost`").to_lowercase());
        }
        (Op::Status | Op::Expired | Op::Prune | Op::Keys, Some(_)) => {
            return Err(format!("{op:?} has no `cost`").to_lowercase());
        }
    })
}

impl From<Answer> for Members {
    fn from(answer: Answer) -> Self {
        let none = Self::default();
        match answer {
            Answer::Allow { remaining } => Self { expect: Some(Expect::Allow), remaining: Some(remaining), ..none },
            Answer::Deny { retry_after_ns } => {
                Self { expect: Some(Expect::Deny), retry_after_ns: Some(retry_after_ns), ..none }
            }
            Answer::Never => Self { expect: Some(Expect::Never), ..none },
            Answer::Full => Self { expect: Some(Expect::Full), ..none },
            Answer::Done { remaining } => Self { expect: Some(Expect::Done), remaining: Some(remaining), ..none },
            Answer::Status { limit, remaining, grows_in_ns, full_in_ns } => Self {
                limit: Some(limit),
                remaining: Some(remaining),
                grows_in_ns: Some(grows_in_ns),
                full_in_ns: Some(full_in_ns),
                ..none
            },
            Answer::Expired(yes) => Self { expect: Some(if yes { Expect::Yes } else { Expect::No }), ..none },
            Answer::Pruned { dropped, horizon_ns } => {
                Self { dropped: Some(dropped), horizon_ns: Some(horizon_ns), ..none }
            }
            Answer::Keys(keys) => Self { keys: Some(keys), ..none },
        }
    }
}

impl From<Step> for Flat {
    fn from(step: Step) -> Self {
        let Step { at_ns, key, policy, act, reply, note } = step;
        let (op, cost) = match act {
            Act::Check(cost) => (Op::Check, Some(cost)),
            Act::Peek(cost) => (Op::Peek, Some(cost)),
            Act::Charge(cost) => (Op::Charge, Some(cost)),
            Act::Refund(cost) => (Op::Refund, Some(cost)),
            Act::Status => (Op::Status, None),
            Act::Expired => (Op::Expired, None),
            Act::Prune => (Op::Prune, None),
            Act::Keys => (Op::Keys, None),
        };
        Self { at_ns, key, policy, op, cost, reply, note }
    }
}

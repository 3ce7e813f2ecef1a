//! A step as it stands in a file: one flat object, in which what is answered follows what is asked.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{Act, Answer, Step};
use crate::number::{optional_nanos, timestamp};
use crate::policy::Policy;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Given {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expect: Option<Expect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remaining: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_nanos")]
    retry_after_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_nanos")]
    grows_in_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_nanos")]
    full_in_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dropped: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_nanos")]
    horizon_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keys: Option<u32>,
}

/// All members.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    given: Given,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// Members that a step does not have: `deny_unknown_fields` does not go together with `flatten`.
    #[serde(flatten, skip_serializing)]
    unknown: BTreeMap<String, IgnoredAny>,
}

fn is_check(op: &Op) -> bool {
    *op == Op::Check
}

impl TryFrom<Flat> for Step {
    type Error = String;

    fn try_from(flat: Flat) -> Result<Self, String> {
        let Flat { at_ns, key, policy, op, cost, given, note, unknown } = flat;
        if let Some(name) = unknown.keys().next() {
            return Err(format!("a step has no member `{name}`"));
        }
        let act = act(op, cost)?;
        if act.is_of_the_store() && (key.is_some() || policy.is_some()) {
            return Err(format!("{op:?} is asked of all keys: it has neither `key` nor `policy`").to_lowercase());
        }
        let answer = if given == Given::default() { None } else { Some(answer(op, &given)?) };
        Ok(Self { at_ns, key, policy, act, answer, note })
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

/// The members that the answer to each operation has.
const MEMBERS: &str = "an answer has these members: to a check or a peek, `expect` (`allow`, with `remaining`; `deny`, with \
`retry_after_ns`; `never`; and to a check `full`); to a charge or a refund, `expect` (`done`, with `remaining`; and to a charge \
`full`); to `status`, `limit`, `remaining`, `grows_in_ns` and `full_in_ns`; to `expired`, `expect` (`yes` or `no`); to `prune`, \
`dropped` and `horizon_ns`; to `keys`, `keys`";

fn answer(op: Op, given: &Given) -> Result<Answer, String> {
    let answer = match (op, given.expect) {
        (Op::Check | Op::Peek, Some(Expect::Allow)) => given.remaining.map(|remaining| Answer::Allow { remaining }),
        (Op::Check | Op::Peek, Some(Expect::Deny)) => {
            given.retry_after_ns.map(|retry_after_ns| Answer::Deny { retry_after_ns })
        }
        (Op::Check | Op::Peek, Some(Expect::Never)) => Some(Answer::Never),
        (Op::Check | Op::Charge, Some(Expect::Full)) => Some(Answer::Full),
        (Op::Charge | Op::Refund, Some(Expect::Done)) => given.remaining.map(|remaining| Answer::Done { remaining }),
        (Op::Status, None) => match (given.limit, given.remaining, given.grows_in_ns, given.full_in_ns) {
            (Some(limit), Some(remaining), Some(grows_in_ns), Some(full_in_ns)) => {
                Some(Answer::Status { limit, remaining, grows_in_ns, full_in_ns })
            }
            _ => None,
        },
        (Op::Expired, Some(Expect::Yes)) => Some(Answer::Expired(true)),
        (Op::Expired, Some(Expect::No)) => Some(Answer::Expired(false)),
        (Op::Prune, None) => match (given.dropped, given.horizon_ns) {
            (Some(dropped), Some(horizon_ns)) => Some(Answer::Pruned { dropped, horizon_ns }),
            _ => None,
        },
        (Op::Keys, None) => given.keys.map(Answer::Keys),
        _ => None,
    };
    // What the answer has no place for would be missing in it.
    answer.filter(|answer| Given::from(*answer) == *given).ok_or_else(|| MEMBERS.to_owned())
}

impl From<Answer> for Given {
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
        let Step { at_ns, key, policy, act, answer, note } = step;
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
        let given = answer.map(Given::from).unwrap_or_default();
        Self { at_ns, key, policy, op, cost, given, note, unknown: BTreeMap::new() }
    }
}

//! A step of a case: what is asked, and what is answered.

mod flat;

use serde::{Deserialize, Serialize};
use tollgate_oracle as oracle;

use crate::policy::Policy;
use crate::reply::{Answered, Reply};
use flat::Flat;

/// One line of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Flat", into = "Flat")]
pub struct Step {
    /// The caller's time.
    pub at_ns: u64,
    /// The key that is asked about; a case with one key need not name it.
    pub key: Option<String>,
    /// The policy from here on.
    pub policy: Option<Policy>,
    /// What is asked.
    pub act: Act,
    /// What is answered.
    pub reply: Reply<Answer>,
    /// Why this step is there.
    pub note: Option<String>,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A request.
    Check(u32),
    /// Would a request pass?
    Peek(u32),
    /// Count usage without asking.
    Charge(u32),
    /// Give units back.
    Refund(u32),
    /// Where does the key stand?
    Status,
    /// May the key be forgotten?
    Expired,
    /// Forget all keys that may be.
    Prune,
    /// How many keys are remembered?
    Keys,
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may pass; so much remains after the step.
    Allow {
        /// The largest cost that would pass now.
        remaining: u32,
    },
    /// It may not pass now.
    Deny {
        /// From the caller's time until it may.
        retry_after_ns: u64,
    },
    /// It can never pass.
    Never,
    /// The store has no room for the key.
    Full,
    /// A charge or a refund has been counted; so much remains after the step.
    Done {
        /// The largest cost that would pass now.
        remaining: u32,
    },
    /// Where the key stands.
    Status {
        /// The largest cost that can ever pass.
        limit: u32,
        /// The largest cost that would pass now.
        remaining: u32,
        /// From the caller's time until more remains.
        grows_in_ns: u64,
        /// From the caller's time until the limit remains.
        full_in_ns: u64,
    },
    /// Whether the key may be forgotten.
    Expired(bool),
    /// What was forgotten.
    Pruned {
        /// How many keys.
        dropped: u32,
        /// The latest expiry that was ever dropped.
        horizon_ns: u64,
    },
    /// How many keys are remembered, expired ones included.
    Keys(u32),
}

impl Act {
    /// Whether it asks about all keys at once.
    pub fn is_of_the_store(self) -> bool {
        matches!(self, Self::Prune | Self::Keys)
    }
}

impl Answer {
    /// The answer to a request, with what remains after it.
    pub fn of(answer: oracle::Answer, remaining: u32) -> Self {
        match answer {
            oracle::Answer::Allow => Self::Allow { remaining },
            oracle::Answer::Deny { retry_after_ns } => Self::Deny { retry_after_ns },
            oracle::Answer::Never => Self::Never,
        }
    }
}

impl From<oracle::Status> for Answer {
    fn from(status: oracle::Status) -> Self {
        let oracle::Status { limit, remaining, more_after_ns: grows_in_ns, full_after_ns: full_in_ns } = status;
        Self::Status { limit, remaining, grows_in_ns, full_in_ns }
    }
}

/// The members that the answer has in a step.
impl Serialize for Answer {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        flat::Members::from(*self).serialize(to)
    }
}

impl Answered for Answer {
    const MEMBERS: &'static [&'static str] = &[
        "expect",
        "limit",
        "remaining",
        "retry_after_ns",
        "grows_in_ns",
        "full_in_ns",
        "dropped",
        "horizon_ns",
        "keys",
    ];
}

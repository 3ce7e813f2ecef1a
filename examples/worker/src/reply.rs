//! From the bytes in the buffer to a question, and from its answer to bytes in the buffer.

use core::fmt::{self, Display};

use tollgate::format::{NameError, render};
use tollgate::wire::Wire;
use tollgate::wire::step::StepError;
use tollgate::{ParsePolicyError, State, Status, Timestamp, Wait};

use crate::{Outcome, buffer};

/// How many bytes the numbers take.
const HEAD: usize = 48;

/// From a policy and what comes after it to an answer.
pub(crate) type Answer<'a> = dyn Fn(&str, &[u8], &mut Reply) -> Result<Outcome, Refusal> + 'a;

/// Reads a policy and what comes after it from the buffer, and writes there what is answered.
pub(crate) fn reply(policy_len: usize, other_len: usize, answer: &Answer<'_>) -> Outcome {
    let (mut bytes, mut reply) = ([0; buffer::LEN], Reply::empty());
    let answered = match bytes.get_mut(..policy_len.saturating_add(other_len)) {
        Some(given) => {
            buffer::read(given);
            let (policy, other) = given.split_at_checked(policy_len).unwrap_or_default();
            // What is no UTF-8 is no policy, and neither is nothing.
            answer(core::str::from_utf8(policy).unwrap_or_default(), other, &mut reply)
        }
        None => Err(Refusal::Length),
    };
    let outcome = answered.unwrap_or_else(|refusal| match reply.text(&refusal) {
        Ok(_) => refusal.outcome(),
        Err(longer) => longer.outcome(),
    });
    buffer::write(&reply.head(), reply.tail.get(..reply.len).unwrap_or_default());
    outcome
}

/// What is answered: numbers, and bytes.
pub(crate) struct Reply {
    retry_after: Wait,
    status: Status,
    expires_at: Timestamp,
    is_expired: bool,
    tail: [u8; buffer::LEN - HEAD],
    len: usize,
}

impl Reply {
    /// Not a constant, which the module would hold, room and all.
    fn empty() -> Self {
        Self {
            retry_after: Wait::ZERO,
            status: Status::new(0, 0, Wait::ZERO, Wait::ZERO),
            expires_at: Timestamp::ZERO,
            is_expired: false,
            tail: [0; buffer::LEN - HEAD],
            len: 0,
        }
    }

    pub(crate) fn numbers(&mut self, retry_after: Wait, status: Status, state: &impl State, now: Timestamp) {
        (self.retry_after, self.status) = (retry_after, status);
        (self.expires_at, self.is_expired) = (state.expires_at(), state.is_expired(now));
    }

    pub(crate) fn state(&mut self, state: &impl Wire) -> Result<(), Refusal> {
        self.len = state.encode(&mut self.tail).map_err(|_| Refusal::Length)?.len();
        Ok(())
    }

    pub(crate) fn text(&mut self, text: &dyn Display) -> Result<(), Refusal> {
        self.len = render(text, &mut self.tail).map_err(|_| Refusal::Length)?.len();
        Ok(())
    }

    /// The bytes of the numbers.
    fn head(&self) -> [u8; HEAD] {
        let waits = [self.retry_after, self.status.grows_in, self.status.full_in].map(Wait::as_nanos);
        let times = waits.into_iter().chain([self.expires_at.as_nanos()]).flat_map(u64::to_le_bytes);
        // Cannot truncate: shorter than the buffer.
        let counts = [self.status.limit, self.status.remaining, self.is_expired.into(), self.len as u32];
        let mut head = [0; HEAD];
        let bytes = times.chain(counts.into_iter().flat_map(u32::to_le_bytes));
        head.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        head
    }
}

/// Why there is no answer.
pub(crate) enum Refusal {
    Kind,
    Policy(ParsePolicyError),
    Name(NameError),
    State(StepError),
    Length,
}

impl Refusal {
    fn outcome(&self) -> Outcome {
        match self {
            Self::Kind | Self::Policy(_) | Self::Name(_) => Outcome::BadPolicy,
            Self::State(_) => Outcome::BadState,
            Self::Length => Outcome::BadLength,
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind => f.write_str("a policy is a fixed-window, a sliding-log or a token-bucket (kinds 1 to 3)"),
            Self::Policy(error) => error.fmt(f),
            Self::Name(error) => error.fmt(f),
            Self::State(error) => error.fmt(f),
            Self::Length => {
                write!(f, "the question or its answer takes more than the {} bytes of the buffer", buffer::LEN)
            }
        }
    }
}

impl From<ParsePolicyError> for Refusal {
    fn from(error: ParsePolicyError) -> Self {
        Self::Policy(error)
    }
}

impl From<NameError> for Refusal {
    fn from(error: NameError) -> Self {
        Self::Name(error)
    }
}

impl From<StepError> for Refusal {
    fn from(error: StepError) -> Self {
        Self::State(error)
    }
}

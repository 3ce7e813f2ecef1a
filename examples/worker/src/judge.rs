//! A policy, a state and a time in; an answer out, with the new state where it has changed.

use core::str::FromStr;
use core::time::Duration;

use tollgate::wire::Wire;
use tollgate::wire::step::{self, Step, StepError};
use tollgate::{
    FixedWindow, FixedWindowState, ParsePolicyError, Policy, SlidingLog, SlidingLogArray, Timestamp, TokenBucket,
    TokenBucketState, Wait,
};

use crate::reply::{Refusal, Reply};
use crate::{Outcome, buffer};

/// The admissions that a log has room for. Where there are more within a window, it denies until the oldest has expired.
const LOG_ROOM: usize = 1024;

const _: () = assert!(
    SlidingLogArray::<LOG_ROOM>::MAX_LEN + 1024 <= buffer::LEN,
    "the buffer must hold a full log, and a policy or the numbers of an answer besides"
);

/// What is asked.
#[derive(Clone, Copy)]
pub(crate) enum Ask {
    Check,
    Peek,
    Charge,
    Refund,
}

/// A question about one key.
pub(crate) struct Call {
    pub(crate) ask: Ask,
    pub(crate) cost: u32,
    pub(crate) now: Timestamp,
}

impl Call {
    /// The answer, for a policy of a kind: 1 to 3, as in the first byte of the states.
    pub(crate) fn judged(&self, kind: u32, policy: &str, state: &[u8], reply: &mut Reply) -> Result<Outcome, Refusal> {
        match kind {
            1 => self.answer::<FixedWindow, FixedWindowState>(policy, state, reply),
            2 => self.answer::<SlidingLog, SlidingLogArray<LOG_ROOM>>(policy, state, reply),
            3 => self.answer::<TokenBucket, TokenBucketState>(policy, state, reply),
            _ => self.judged_by_small_log(kind, policy, state, reply),
        }
    }

    #[cfg(not(feature = "small-logs"))]
    fn judged_by_small_log(&self, _: u32, _: &str, _: &[u8], _: &mut Reply) -> Result<Outcome, Refusal> {
        Err(Refusal::Kind)
    }

    /// The answer of a log with room for 1 to 4 admissions: the second byte of the kind says how many.
    #[cfg(feature = "small-logs")]
    fn judged_by_small_log(
        &self,
        kind: u32,
        policy: &str,
        state: &[u8],
        reply: &mut Reply,
    ) -> Result<Outcome, Refusal> {
        match kind {
            0x102 => self.answer::<SlidingLog, SlidingLogArray<1>>(policy, state, reply),
            0x202 => self.answer::<SlidingLog, SlidingLogArray<2>>(policy, state, reply),
            0x302 => self.answer::<SlidingLog, SlidingLogArray<3>>(policy, state, reply),
            0x402 => self.answer::<SlidingLog, SlidingLogArray<4>>(policy, state, reply),
            _ => Err(Refusal::Kind),
        }
    }

    fn answer<P, S>(&self, policy: &str, stored: &[u8], reply: &mut Reply) -> Result<Outcome, Refusal>
    where
        P: Policy<S> + FromStr<Err = ParsePolicyError>,
        S: Wire,
    {
        let policy: P = policy.parse()?;
        let stored = if stored.is_empty() { None } else { Some(stored) };
        let (step, can_pass) = match self.step(&policy, stored) {
            Err(StepError::CostExceedsLimit(_)) => (look(&policy, stored, 0, self.now)?, false),
            step => (step?, true),
        };
        let retry_after = match &step {
            Step::Settled { decision, .. } => decision.retry_after().unwrap_or_default(),
            // Whether what was read is still there need not be asked: an object's storage is its own.
            Step::Write(write) => {
                reply.state(&write.state)?;
                Wait::ZERO
            }
        };
        reply.numbers(retry_after, policy.status_of(step.state(), self.now), step.state(), self.now);
        Ok(match can_pass {
            false => Outcome::Never,
            true if retry_after.is_zero() => Outcome::Allow,
            true => Outcome::Deny,
        })
    }

    fn step<'a, S: Wire>(&self, policy: &impl Policy<S>, stored: Option<&'a [u8]>) -> Result<Step<'a, S>, StepError> {
        let Self { ask, cost, now } = *self;
        // How long a state is kept is the alarm's affair, which goes by its expiry.
        let skew = Duration::ZERO;
        match ask {
            Ask::Check => step::check(policy, stored, cost, now, skew),
            Ask::Charge => Ok(step::charge(policy, stored, cost, now, skew)?),
            Ask::Refund => Ok(step::refund(policy, stored, cost, now, skew)?),
            Ask::Peek => look(policy, stored, cost, now),
        }
    }
}

/// What a check would say.
fn look<'a, S: Wire>(
    policy: &impl Policy<S>,
    stored: Option<&'a [u8]>,
    cost: u32,
    now: Timestamp,
) -> Result<Step<'a, S>, StepError> {
    let state = stored.map_or_else(|| Ok(S::default()), S::decode)?;
    Ok(Step::Settled { decision: policy.preview(&state, cost, now)?, state })
}

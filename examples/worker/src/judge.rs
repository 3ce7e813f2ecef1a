//! A policy, a state and a time in; an answer out, with the new state where it has changed.

use core::str::FromStr;

use tollgate::wire::Wire;
use tollgate::{
    Decision, FixedWindow, FixedWindowState, ParsePolicyError, Policy, SlidingLog, SlidingLogArray, Timestamp,
    TokenBucket, TokenBucketState, Wait,
};

use crate::Outcome;
use crate::reply::{Refusal, Reply};

/// The admissions that a log has room for. Where there are more within a window, it denies until the oldest has expired.
const LOG_ROOM: usize = 1024;

/// What is asked.
#[derive(Clone, Copy)]
pub(crate) enum Ask {
    Check,
    Peek,
    Charge,
    Refund,
    Expired,
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
            #[cfg(feature = "small-logs")]
            0x102 => self.answer::<SlidingLog, SlidingLogArray<1>>(policy, state, reply),
            #[cfg(feature = "small-logs")]
            0x202 => self.answer::<SlidingLog, SlidingLogArray<2>>(policy, state, reply),
            #[cfg(feature = "small-logs")]
            0x302 => self.answer::<SlidingLog, SlidingLogArray<3>>(policy, state, reply),
            #[cfg(feature = "small-logs")]
            0x402 => self.answer::<SlidingLog, SlidingLogArray<4>>(policy, state, reply),
            _ => Err(Refusal::Kind(kind)),
        }
    }

    fn answer<P, S>(&self, policy: &str, stored: &[u8], reply: &mut Reply) -> Result<Outcome, Refusal>
    where
        P: Policy<S> + FromStr<Err = ParsePolicyError>,
        S: Wire,
    {
        let policy: P = policy.parse()?;
        let before = if stored.is_empty() { S::default() } else { S::decode(stored)? };
        let mut state = before.clone();
        let Self { ask, cost, now } = *self;
        let decision = match ask {
            Ask::Check => policy.judge_n(&mut state, cost, now),
            Ask::Peek => policy.preview(&state, cost, now),
            Ask::Charge => {
                policy.charge_to(&mut state, cost, now);
                Ok(Decision::Allow)
            }
            Ask::Refund => {
                policy.refund_to(&mut state, cost, now);
                Ok(Decision::Allow)
            }
            Ask::Expired if state.is_expired(now) => Ok(Decision::Allow),
            Ask::Expired => Ok(Decision::Deny { retry_after: now.until(state.expires_at()) }),
        };
        let (outcome, retry_after) = match decision {
            Ok(Decision::Allow) => (Outcome::Allow, Wait::ZERO),
            Ok(Decision::Deny { retry_after }) => (Outcome::Deny, retry_after),
            Err(_) => (Outcome::Never, Wait::ZERO),
        };
        reply.numbers(retry_after, policy.status_of(&state, now), state.expires_at());
        if state != before {
            reply.state(&state)?;
        }
        Ok(outcome)
    }
}

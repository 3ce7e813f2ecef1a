//! From stored bytes to an answer, and to new bytes where something has changed. No I/O, and nothing of Redis.

use tollgate::wire::{DecodeError, Wire};
use tollgate::{Timestamp, Wait};

/// What a judgement leaves to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// Nothing has changed, so nothing is written.
    Answer(T),
    /// The answer, if these bytes can be put in the place of those that were judged.
    Write {
        /// The answer.
        answer: T,
        /// The new state.
        bytes: Vec<u8>,
        /// How long they must be kept.
        keep: Wait,
    },
}

/// Judges what is stored, or a key that was never seen.
///
/// New bytes are to be kept until they have expired for a clock that is `skew` behind.
///
/// # Errors
///
/// [`DecodeError`], where the bytes are not those of such a state.
pub fn step<S: Wire, T>(
    stored: Option<&[u8]>,
    now: Timestamp,
    skew: Wait,
    judge: impl FnOnce(&mut S, Timestamp) -> T,
) -> Result<Step<T>, DecodeError> {
    let before = stored.map_or_else(|| Ok(S::default()), S::decode)?;
    let mut state = before.clone();
    let answer = judge(&mut state, now);
    if state == before {
        return Ok(Step::Answer(answer));
    }
    let left = now.until(state.expires_at());
    let keep = Wait::from_nanos(left.as_nanos().saturating_add(skew.as_nanos()));
    Ok(Step::Write { answer, bytes: state.to_vec(), keep })
}

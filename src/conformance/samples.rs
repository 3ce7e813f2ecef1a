//! What is tried: times and costs, each once and in order.

use std::vec::Vec;

use crate::decision::Decision;
use crate::policy::Policy;
use crate::state::State;
use crate::time::Timestamp;

/// Times around those that show when all of the limit is asked for at once.
pub(super) fn times_of<S: State>(policy: &impl Policy<S>) -> Vec<Timestamp> {
    let mut state = S::default();
    policy.charge_to(&mut state, policy.limit(), Timestamp::ZERO);
    let retry = policy.preview(&state, 1, Timestamp::ZERO).ok().and_then(Decision::retry_after).unwrap_or_default();
    let expires = state.expires_at().as_nanos();
    let times = [0, 1, retry.as_nanos(), expires.saturating_sub(1), expires, expires.saturating_mul(2)];
    ascending(times.map(Timestamp::from_nanos))
}

/// Each once, the smallest first.
pub(super) fn ascending<T: Ord>(numbers: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut numbers: Vec<T> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

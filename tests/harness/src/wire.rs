//! States as bytes: whatever is written reads as what it was written from, and what is read is a state that policies keep one.

use core::fmt::Debug;

use tollgate::wire::Wire;
use tollgate::{Decision, Policy, State, Timestamp};
use tollgate_oracle::policy::LAST_TIMESTAMP;

use crate::key::{Action, Step};

/// A state reads from its bytes as itself.
///
/// # Panics
///
/// Where it does not.
pub fn goes_round<S: Wire + Debug>(state: &S) {
    let bytes = state.to_vec();
    assert_eq!(bytes.len(), state.encoded_len(), "{state:?}");
    assert!(bytes.len() <= S::MAX_LEN, "{state:?}");
    match S::decode(&bytes) {
        Ok(read) => assert_eq!(&read, state, "written as {bytes:02x?}"),
        Err(error) => panic!("{state:?} is written as {bytes:02x?}, and not read: {error}"),
    }
}

/// The state that some bytes begin with, if they do, and the bytes after it.
///
/// # Panics
///
/// Where the state has other bytes than it was read from.
pub fn read<S: Wire + Debug>(bytes: &[u8]) -> Option<(S, &[u8])> {
    match S::decode_prefix(bytes) {
        Ok((state, rest)) => {
            let read = &bytes[..bytes.len() - rest.len()];
            assert_eq!(state.to_vec(), read, "{state:?} has two forms");
            assert_eq!(S::decode(read).as_ref(), Ok(&state));
            assert!(rest.is_empty() || S::decode(bytes).is_err(), "bytes after {state:?} go unseen");
            Some((state, rest))
        }
        Err(error) => {
            assert!(!error.to_string().is_empty(), "{error:?} says nothing");
            assert_eq!(S::decode(bytes), Err(error));
            None
        }
    }
}

/// Takes a step with a state that may have come from anywhere: it stays one, and what is answered is so.
///
/// # Panics
///
/// Where it does not, or is not.
pub fn step<S: Wire + Debug, P: Policy<S> + Debug>(policy: &P, state: &mut S, step: Step) {
    let Step { action, at, cost, .. } = step;
    let (before, now) = (state.clone(), Timestamp::from_nanos(at));
    let status = policy.status_of(state, now);
    assert!(status.remaining <= status.limit, "{policy:?} {before:?}");
    match action {
        Action::Peek => assert_eq!(
            policy.preview(state, status.remaining, now),
            Ok(Decision::Allow),
            "what remains may pass: {policy:?} {before:?}"
        ),
        Action::Charge => policy.charge_to(state, cost, now),
        Action::Refund => policy.refund_to(state, cost, now),
        Action::Check => match policy.judge_n(state, cost, now) {
            Ok(Decision::Allow) => assert!(cost <= status.remaining, "{policy:?} {before:?}"),
            Err(_) => assert!(cost > status.limit && *state == before, "{policy:?} {before:?}"),
            Ok(Decision::Deny { retry_after }) => {
                assert!(cost > status.remaining && *state == before, "{policy:?} {before:?}");
                retries_are_exact(policy, state, cost, at, retry_after.as_nanos());
            }
        },
    }
    goes_round(state);
}

fn retries_are_exact<S: State + Debug, P: Policy<S> + Debug>(policy: &P, state: &S, cost: u32, at: u64, wait: u64) {
    if let Some(then) = at.checked_add(wait).filter(|then| *then <= LAST_TIMESTAMP) {
        let preview = |at| policy.preview(state, cost, Timestamp::from_nanos(at));
        assert_eq!(preview(then), Ok(Decision::Allow), "{policy:?} {state:?}");
        assert!(preview(then - 1).is_ok_and(|decision| !decision.is_allow()), "{policy:?} {state:?}");
    }
}

//! States as bytes.

use tollgate::Both;
use tollgate::wire::Wire;

use super::Input;
use crate::key::Step;
use crate::oracle;
use crate::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows};
use crate::wire;

/// The case as a state, and behind it one to three policies and steps with it, as in the cases of `policies` (for a pair: one policy for each
/// of its states).
///
/// What is read is written as the same bytes; a log in place and one that grows read the same, where there is room; and whatever policies do
/// to a state that came from outside, it stays one.
pub(super) fn states(case: &[u8]) {
    state::<Windows>(case);
    state::<GrowingLog>(case);
    state::<ArrayLog<2>>(case);
    state::<Buckets>(case);
    logs(case);
    pair::<Buckets, Windows>(case);
    pair::<ArrayLog<2>, Buckets>(case);
}

fn state<S: Subject>(case: &[u8]) {
    let Some((mut state, rest)) = wire::read::<S::State>(case) else { return };
    let mut input = Input::new(rest);
    let policies = input.policies(S::KIND);
    let mine: Vec<_> = policies.iter().map(S::policy).collect();
    for step in steps(&mut input, &policies) {
        wire::step(&mine[step.policy], &mut state, step);
    }
}

fn pair<A: Subject, B: Subject>(case: &[u8]) {
    let Some((mut state, rest)) = wire::read::<(A::State, B::State)>(case) else { return };
    let mut input = Input::new(rest);
    let policies = [input.policy(A::KIND), input.policy(B::KIND)];
    let both = Both(A::policy(&policies[0]), B::policy(&policies[1]));
    for step in steps(&mut input, &policies) {
        wire::step(&both, &mut state, step);
    }
}

fn steps(input: &mut Input<'_>, policies: &[oracle::Policy]) -> Vec<Step> {
    let mut latest = 0;
    input.steps(16, |input| input.step(policies, &mut latest))
}

/// In place or growing, a log has the same bytes.
fn logs(case: &[u8]) {
    let growing = wire::read::<<GrowingLog as Subject>::State>(case);
    let Some((in_place, rest)) = wire::read::<<ArrayLog<2> as Subject>::State>(case) else { return };
    let growing = growing.expect("a log that grows has room for it");
    assert_eq!((growing.0.to_vec(), growing.1), (in_place.to_vec(), rest));
}

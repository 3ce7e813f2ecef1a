//! Lists of operations on one key, under every kind of policy.
//!
//! The first byte chooses the kind: `00` fixed windows, `01` a growing log, `02` to `04` logs in place with room for 1, 2 and 5, `05`
//! token buckets, `06` windows and buckets as one policy, `07` logs with room for 2 and buckets. Then come the policies, one to three behind
//! their number less one (for pairs: one of each), then the steps.

use super::input::Input;
use crate::both;
use crate::key::{self, Action, Trace};
use crate::oracle::bound;
use crate::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows};

/// Runs a case.
///
/// # Panics
///
/// Where the crate and the oracle differ, or the bound is broken.
pub fn run(case: &[u8]) {
    let mut input = Input::new(case);
    match input.choice(8) {
        0 => one::<Windows>(input),
        1 => one::<GrowingLog>(input),
        2 => one::<ArrayLog<1>>(input),
        3 => one::<ArrayLog<2>>(input),
        4 => one::<ArrayLog<5>>(input),
        5 => one::<Buckets>(input),
        6 => pair::<Windows, Buckets>(input),
        _ => pair::<ArrayLog<2>, Buckets>(input),
    }
}

fn one<S: Subject>(mut input: Input<'_>) {
    let policies = input.policies(S::KIND);
    let mut latest = 0;
    let steps = input.steps(48, |input| input.step(&policies, &mut latest));
    let takes_alone = steps.iter().all(|step| matches!(step.action, Action::Check | Action::Peek));
    let trace = Trace { policies, steps };
    let admissions = key::run::<S>(&trace);
    if let ([policy], true) = (&trace.policies[..], takes_alone) {
        assert_eq!(bound::holds(policy, &bound::effective(admissions)), Ok(()), "{policy:?}");
    }
}

fn pair<A: Subject, B: Subject>(mut input: Input<'_>) {
    let policies = (input.policy(A::KIND), input.policy(B::KIND));
    let mut latest = 0;
    // The cost is near the smaller limit.
    let smaller = [if policies.0.limit() < policies.1.limit() { policies.0 } else { policies.1 }];
    let steps = input.steps(48, |input| input.step(&smaller, &mut latest));
    both::run::<A, B>(&policies, &steps);
}

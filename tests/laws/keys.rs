//! Laws 1 to 9, for every policy and every state it can judge.

use proptest::prelude::*;
use tollgate::{Decision, Policy, State, Timestamp};
use tollgate_harness::key::{Action, Key, Step, Trace, run};
use tollgate_harness::oracle::policy::LAST_TIMESTAMP;
use tollgate_harness::oracle::{Answer, bound};
use tollgate_harness::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows, answer};

use crate::traces;

/// The key after a trace, in the crate and in the oracle.
fn after<S: Subject>(trace: &Trace) -> Key<S> {
    let mut key = Key::default();
    for step in &trace.steps {
        key.step(&trace.policies[step.policy], *step);
    }
    key
}

/// The time last read by an admission or a charge.
fn last_read(trace: &Trace, answers: &[Option<Answer>]) -> u64 {
    let took = |(step, answered): (&Step, &Option<Answer>)| {
        let counted = step.action == Action::Charge || *answered == Some(Answer::Allow);
        (counted && step.cost > 0).then_some(step.at)
    };
    trace.steps.iter().zip(answers).filter_map(took).max().unwrap_or(0)
}

fn ns(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

/// 1. Bound: no more is admitted than the policy says, for any order of timestamps.
fn bound_holds<S: Subject>(trace: &Trace) {
    let admissions = bound::effective(run::<S>(trace));
    assert_eq!(bound::holds(&trace.policies[0], &admissions), Ok(()));
}

/// 2. No needless denial: every answer is that of the naive model with exact fractions.
fn answers_are_exact<S: Subject>(trace: &Trace) {
    run::<S>(trace);
}

/// 3. Purity: a denial, an error, a look and a cost of zero change nothing.
fn denials_are_pure<S: Subject>(trace: &Trace, at: u64, cost: u32) {
    let key = after::<S>(trace);
    let policy = S::policy(&trace.policies[0]);
    let mut state = key.state.clone();
    let _ = policy.preview(&state, cost, ns(at));
    let _ = policy.status_of(&state, ns(at));
    assert_eq!(policy.judge_n(&mut state, 0, ns(at)), Ok(Decision::Allow));
    policy.charge_to(&mut state, 0, ns(at));
    policy.refund_to(&mut state, 0, ns(at));
    assert_eq!(state, key.state);
    for cost in [1, cost, policy.limit(), policy.limit().saturating_add(1)] {
        let mut judged = state.clone();
        if policy.judge_n(&mut judged, cost, ns(at)) != Ok(Decision::Allow) {
            assert_eq!(judged, state, "{cost}");
        }
    }
}

/// 4. Exact retry: allowed at `now + retry_after`, denied a nanosecond before, where those are timestamps.
fn retries_are_exact<S: Subject>(trace: &Trace, at: u64, cost: u32) {
    let state = after::<S>(trace).state;
    let policy = S::policy(&trace.policies[0]);
    for cost in [1, cost, policy.limit()] {
        let Ok(Decision::Deny { retry_after }) = policy.preview(&state, cost, ns(at)) else { continue };
        assert!(!retry_after.is_zero());
        if let Some(then) = at.checked_add(retry_after.as_nanos()).filter(|then| *then <= LAST_TIMESTAMP) {
            assert_eq!(policy.preview(&state, cost, ns(then)), Ok(Decision::Allow));
            assert!(policy.preview(&state, cost, ns(then - 1)).unwrap().retry_after().is_some());
        }
    }
}

/// 5. No drift: polling, often or seldom, changes nothing.
fn polling_changes_nothing<S: Subject>(trace: &Trace, polls: usize) {
    let policy = S::policy(&trace.policies[0]);
    let (mut polled, mut left_alone) = (S::State::default(), S::State::default());
    let mut before = 0;
    for step in &trace.steps {
        for poll in 1..=polls as u64 {
            let at = ns(before + step.at.abs_diff(before) / (polls as u64 + 1) * poll);
            if policy.preview(&polled, 1, at) != Ok(Decision::Allow) {
                assert!(policy.judge(&mut polled, at).retry_after().is_some());
            }
            let _ = policy.status_of(&polled, at);
        }
        before = step.at.min(before);
        assert_eq!(
            policy.judge_n(&mut polled, step.cost, ns(step.at)),
            policy.judge_n(&mut left_alone, step.cost, ns(step.at))
        );
    }
}

/// 6. Time never runs backwards: a `now` before the last admission is read as that, and waits count from the caller's.
fn late_is_read_as_last<S: Subject>(trace: &Trace, at: u64, cost: u32) {
    let mut key = Key::<S>::default();
    let answers: Vec<_> = trace.steps.iter().map(|step| key.step(&trace.policies[0], *step)).collect();
    let last = last_read(trace, &answers);
    let late = at.min(last);
    let policy = S::policy(&trace.policies[0]);
    for cost in [1, cost, policy.limit()] {
        let (mut early, mut on_time) = (key.state.clone(), key.state.clone());
        let (judged, expected) =
            (policy.judge_n(&mut early, cost, ns(late)), policy.judge_n(&mut on_time, cost, ns(last)));
        match (answer(judged), answer(expected)) {
            (Answer::Deny { retry_after_ns }, Answer::Deny { retry_after_ns: expected }) => {
                assert_eq!(retry_after_ns, expected + (last - late));
            }
            (judged, expected) => assert_eq!(judged, expected),
        }
        assert_eq!(early, on_time, "nothing is minted, and nothing drained");
    }
}

/// 7. Forgetting is invisible: from its expiry on, a state cannot be told from none at all.
fn expired_is_none<S: Subject>(trace: &Trace, later: &[Step]) {
    let state = after::<S>(trace).state;
    let expiry = state.expires_at().as_nanos();
    if !state.is_expired(ns(expiry)) {
        return; // beyond the last timestamp
    }
    assert!(expiry == 0 || !state.is_expired(ns(expiry - 1)));
    let policies: Vec<_> = trace.policies.iter().map(S::policy).collect();
    let (mut kept, mut fresh) = (state, S::State::default());
    for step in later {
        let policy = &policies[step.policy % policies.len()];
        let now = ns(expiry.saturating_add(step.at).min(LAST_TIMESTAMP));
        assert_eq!(policy.status_of(&kept, now), policy.status_of(&fresh, now));
        match step.action {
            Action::Check | Action::Peek => {
                assert_eq!(policy.judge_n(&mut kept, step.cost, now), policy.judge_n(&mut fresh, step.cost, now));
            }
            Action::Charge => {
                policy.charge_to(&mut kept, step.cost, now);
                policy.charge_to(&mut fresh, step.cost, now);
            }
            Action::Refund => {
                policy.refund_to(&mut kept, step.cost, now);
                policy.refund_to(&mut fresh, step.cost, now);
            }
        }
    }
}

/// 8. Totality: policies that change under a live state, at any time and cost, and still every answer is exact.
fn anything_goes<S: Subject>(trace: &Trace) {
    run::<S>(trace);
}

/// 9. Shift: a constant added to every timestamp changes no answer.
fn shift_changes_nothing<S: Subject>(trace: &Trace, shift: u64) {
    let policy = S::policy(&trace.policies[0]);
    let (mut here, mut there) = (S::State::default(), S::State::default());
    let end = trace.steps.iter().map(|step| step.at).max().unwrap_or(0);
    let shift = shift % (LAST_TIMESTAMP - end + 1);
    for step in &trace.steps {
        let (now, then) = (ns(step.at), ns(step.at + shift));
        match step.action {
            Action::Charge => {
                policy.charge_to(&mut here, step.cost, now);
                policy.charge_to(&mut there, step.cost, then);
            }
            _ => assert_eq!(policy.judge_n(&mut here, step.cost, now), policy.judge_n(&mut there, step.cost, then)),
        }
        assert_eq!(policy.status_of(&here, now), policy.status_of(&there, then));
    }
}

/// A refund right after an admission is as if that had not been made, at and after it; the time last read stands.
fn refund_undoes<S: Subject>(trace: &Trace, at: u64, cost: u32, then: u64) {
    let key = after::<S>(trace);
    let policy = S::policy(&trace.policies[0]);
    let mut refunded = key.state.clone();
    if policy.judge_n(&mut refunded, cost, ns(at)) == Ok(Decision::Allow) {
        policy.refund_to(&mut refunded, cost, ns(at));
        // Read no earlier than the admission was.
        let read = trace.steps.iter().map(|step| step.at).fold(at, u64::max);
        for then in [read, read.saturating_add(then).min(LAST_TIMESTAMP)] {
            assert_eq!(policy.status_of(&refunded, ns(then)), policy.status_of(&key.state, ns(then)));
        }
    }
}

macro_rules! laws {
    ($module:ident: $subject:ty, $policies:expr, without a grid: $gridless:expr) => {
        mod $module {
            use super::*;
            use crate::traces::{anything, checks, takings};
            use proptest::collection::vec;

            fn at() -> impl Strategy<Value = u64> {
                prop_oneof![0..=100_u64, 0..=LAST_TIMESTAMP, LAST_TIMESTAMP - 100..=LAST_TIMESTAMP]
            }

            fn steps() -> impl Strategy<Value = Vec<Step>> {
                anything($policies).prop_map(|trace| trace.steps)
            }

            proptest! {
                #[test]
                fn law_1_bound(trace in checks($policies)) {
                    bound_holds::<$subject>(&trace);
                }

                #[test]
                fn law_2_no_needless_denial(trace in takings($policies)) {
                    answers_are_exact::<$subject>(&trace);
                }

                #[test]
                fn law_3_purity(trace in anything($policies), at in at(), cost in any::<u32>()) {
                    denials_are_pure::<$subject>(&trace, at, cost);
                }

                #[test]
                fn law_4_exact_retry(trace in anything($policies), at in at(), cost in 1..10_u32) {
                    retries_are_exact::<$subject>(&trace, at, cost);
                }

                #[test]
                fn law_5_no_drift(trace in checks($policies), polls in 1..20_usize) {
                    polling_changes_nothing::<$subject>(&trace, polls);
                }

                #[test]
                fn law_6_time_never_runs_backwards(trace in takings($policies), at in at(), cost in 1..10_u32) {
                    late_is_read_as_last::<$subject>(&trace, at, cost);
                }

                #[test]
                fn law_7_forgetting_is_invisible(trace in anything($policies), later in steps()) {
                    expired_is_none::<$subject>(&trace, &later);
                }

                #[test]
                fn law_8_totality(trace in anything($policies)) {
                    anything_goes::<$subject>(&trace);
                }

                #[test]
                fn law_9_shift(trace in takings($gridless), shift in any::<u64>()) {
                    shift_changes_nothing::<$subject>(&trace, shift);
                }

                #[test]
                fn a_refund_undoes_an_admission(trace in takings($policies), at in at(), cost in 1..10_u32, then in at()) {
                    refund_undoes::<$subject>(&trace, at, cost, then);
                }

                #[test]
                fn any_time_that_is_read_reaches_the_end(steps in vec((0..=2_u64, 1..=3_u32), 1..20)) {
                    // Only the first and the last timestamps, where every sum is at its largest.
                    let step = |(choice, cost)| Step::check([0, LAST_TIMESTAMP - 1, LAST_TIMESTAMP][choice as usize], cost);
                    let steps: Vec<_> = steps.into_iter().map(step).collect();
                    let mut runner = proptest::test_runner::TestRunner::deterministic();
                    for _ in 0..4 {
                        let policy = $policies.new_tree(&mut runner).unwrap().current();
                        run::<$subject>(&Trace { policies: vec![policy], steps: steps.clone() });
                    }
                }
            }
        }
    };
}

laws!(fixed_window: Windows, traces::windows(), without a grid: traces::windows_without_grid());
laws!(sliding_log: GrowingLog, traces::logs(), without a grid: traces::logs());
laws!(sliding_log_in_place: ArrayLog<3>, traces::logs(), without a grid: traces::logs());
laws!(sliding_log_of_one: ArrayLog<1>, traces::logs(), without a grid: traces::logs());
laws!(token_bucket: Buckets, traces::buckets(), without a grid: traces::continuous());
laws!(token_bucket_continuous: Buckets, traces::continuous(), without a grid: traces::continuous());
laws!(token_bucket_by_interval: Buckets, traces::interval(), without a grid: traces::continuous());

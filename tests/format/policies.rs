//! Formatters on the answers of real policies, over random histories.

use core::time::Duration;

use proptest::prelude::*;
use tollgate::format::{Name, Quota, RetryAfter, draft_06, draft_10};
use tollgate::{
    Decision, FixedWindow, FixedWindowState, Refill, SlidingLog, SlidingLogArray, Status, Timestamp, TokenBucket,
    TokenBucketState,
};

const NAME: Name = Name::constant("policy");

/// Requests at ever later times: the nanoseconds since the one before, and the cost.
fn history() -> impl Strategy<Value = Vec<(u64, u32)>> {
    prop::collection::vec((prop_oneof![0..=3u64, 0..=3_000_000_000u64], 1..=8u32), 1..60)
}

/// Judges the history, and holds every answer and its status against what is told of them.
fn tell_all(history: &[(u64, u32)], mut judge: impl FnMut(u32, Timestamp) -> (Option<Decision>, Status)) {
    let mut now = 0;
    for (pause, cost) in history {
        now += pause;
        let (decision, status) = judge(*cost, Timestamp::from_nanos(now));
        let limit = draft_10::Limit::new(NAME, &status);
        let retry_after = decision.and_then(RetryAfter::new);
        match decision {
            Some(decision @ Decision::Deny { retry_after: wait }) => {
                let retry_after = retry_after.unwrap();
                assert!(retry_after.secs() >= status.grows_in.as_secs_ceil(), "earlier than t");
                assert_eq!(draft_10::retry_after(decision, &[limit]), Some(retry_after), "t adds nothing of its own");
                assert!(u128::from(retry_after.secs()) * 1_000_000_000 >= u128::from(wait.as_nanos()));
                assert_eq!(draft_06::RateLimit::new(decision, &status).reset().0, retry_after.secs());
            }
            Some(Decision::Allow) | None => assert_eq!(retry_after, None),
        }
        let has_t = limit.to_string().contains(";t=");
        assert_eq!(has_t, status.remaining < status.limit, "more will come exactly where not all is there");
    }
}

proptest! {
    #[test]
    fn fixed_windows(quota in 1..=6u32, window in 1..=4_000_000_000u64, history in history()) {
        let policy = FixedWindow::new(quota, Duration::from_nanos(window)).unwrap();
        let mut state = FixedWindowState::default();
        tell_all(&history, |cost, now| {
            let decision = policy.judge_n(&mut state, cost, now).ok();
            (decision, policy.status_of(&state, now))
        });
    }

    #[test]
    fn sliding_logs(quota in 1..=6u32, window in 1..=4_000_000_000u64, history in history()) {
        let policy = SlidingLog::new(quota, Duration::from_nanos(window)).unwrap();
        let mut state = SlidingLogArray::<4>::default();
        tell_all(&history, |cost, now| {
            let decision = policy.judge_n(&mut state, cost, now).ok();
            (decision, policy.status_of(&state, now))
        });
    }

    #[test]
    fn token_buckets(
        (quota, burst) in (1..=6u32, 1..=6u32),
        window in 1..=4_000_000_000u64,
        interval in any::<bool>(),
        history in history(),
    ) {
        let refill = if interval { Refill::Interval { origin: Timestamp::ZERO } } else { Refill::Continuous };
        let policy = TokenBucket::new_with(quota, Duration::from_nanos(window), burst, refill).unwrap();
        let mut state = TokenBucketState::default();
        tell_all(&history, |cost, now| {
            let decision = policy.judge_n(&mut state, cost, now).ok();
            (decision, policy.status_of(&state, now))
        });
    }
}

#[test]
fn a_cost_that_can_never_pass_has_no_retry_after() {
    const POLICY: FixedWindow = FixedWindow::constant(10, Duration::from_secs(60));
    let result = POLICY.judge_n(&mut FixedWindowState::default(), 11, Timestamp::ZERO);
    assert!(result.is_err());
    assert_eq!(result.ok().and_then(RetryAfter::new), None);
}

#[test]
fn policies_describe_themselves() {
    let minute = Duration::from_secs(60);
    assert_eq!(Quota::from(FixedWindow::constant(30, minute)), Quota::new(30, minute));
    assert_eq!(Quota::from(SlidingLog::constant(100, minute)), Quota::new(100, minute));
    assert_eq!(Quota::from(TokenBucket::constant(10, minute)), Quota::new(10, minute));
    let burst = TokenBucket::constant_with(10, minute, 5, Refill::Continuous);
    assert_eq!(Quota::from(burst), Quota::new(10, minute).with_burst(5));
    assert_eq!(Quota::from(burst).burst(), Some(5));
    const IN_THE_SOURCE: [Quota; 3] = [
        Quota::of_window(FixedWindow::constant(30, Duration::from_secs(60))),
        Quota::of_log(SlidingLog::constant(100, Duration::from_secs(60))),
        Quota::of_bucket(TokenBucket::constant_with(10, Duration::from_secs(60), 5, Refill::Continuous)),
    ];
    const TOLD: Result<draft_06::QuotaPolicies, draft_06::QuotaPoliciesError> =
        draft_06::QuotaPolicies::new(&IN_THE_SOURCE);
    assert_eq!(TOLD.unwrap().to_string(), "30;w=60, 100;w=60, 10;w=60;burst=5");
    // `q` is the quota of the window, whatever the bucket holds.
    assert_eq!(draft_10::Policy::new(NAME, burst.into()).to_string(), r#""policy";q=10;w=60"#);
}

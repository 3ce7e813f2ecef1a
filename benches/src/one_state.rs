//! One state, checked again and again: what a policy costs without a store.

use std::hint::black_box;
use std::time::Duration;

use tollgate::{
    FixedWindow, FixedWindowState, Policy, Refill, SlidingLog, SlidingLogArray, SlidingLogState, State, Timestamp,
    TokenBucket, TokenBucketState,
};

use crate::baseline::Naive;
use crate::measure::Contender;

/// The checks of a round. A round starts with the same state each time.
pub const CHECKS: usize = 4096;

/// All policies: so many a second.
pub const QUOTA: u32 = 100;
pub const SECOND: Duration = Duration::from_secs(1);

/// Just slow enough that all are allowed.
pub fn steady() -> Vec<Timestamp> {
    times(10_000_000)
}

/// So fast that all are denied, after a burst at time zero.
pub fn hasty() -> Vec<Timestamp> {
    times(100)
}

fn times(step: u64) -> Vec<Timestamp> {
    (1..=CHECKS as u64).map(|check| Timestamp::from_nanos(check * step)).collect()
}

/// A contender that checks a new state at all those times, and must have allowed all.
pub fn all_allowed<'a, S: 'a>(
    name: impl Into<String>,
    times: &'a [Timestamp],
    start: impl Fn() -> S + 'a,
    mut allows: impl FnMut(&mut S, Timestamp) -> bool + 'a,
) -> Contender<'a> {
    let name = name.into();
    Contender::new(name.clone(), move || {
        let mut state = start();
        let mut allowed = 0;
        for now in times {
            allowed += usize::from(allows(black_box(&mut state), *now));
        }
        if allowed != CHECKS {
            unlike_the_others(&name, allowed);
        }
    })
}

/// The same where all are denied, each with its wait.
fn all_denied<'a, S: Clone + 'a>(
    name: impl Into<String>,
    times: &'a [Timestamp],
    start: S,
    mut wait: impl FnMut(&mut S, Timestamp) -> Option<u64> + 'a,
) -> Contender<'a> {
    Contender::new(name, move || {
        let mut state = start.clone();
        let (mut denied, mut waits) = (0, 0);
        for now in times {
            if let Some(wait) = wait(black_box(&mut state), *now) {
                denied += 1;
                waits += wait;
            }
        }
        check(denied == CHECKS && waits > 0);
    })
}

#[cold]
fn unlike_the_others(name: &str, allowed: usize) {
    panic!("{name} allowed {allowed} of {CHECKS}, which are all to be allowed");
}

fn check(holds: bool) {
    assert!(holds, "a contender that does not do what the others do");
}

fn fresh<'a, S: State + 'a, P: Policy<S> + 'a>(name: &str, times: &'a [Timestamp], policy: P) -> Contender<'a> {
    let policy = black_box(policy);
    all_allowed(name, times, S::default, move |state, now| policy.judge(state, now).is_allow())
}

/// Ours, after the naive one.
pub fn allow(times: &[Timestamp]) -> Vec<Contender<'_>> {
    let naive = black_box(Naive::a_second(QUOTA.into()));
    vec![
        all_allowed("naive", times, || 0, move |full_at, now| naive.allows(full_at, now.as_nanos())),
        fresh::<FixedWindowState, _>("**FixedWindow**", times, window()),
        fresh::<TokenBucketState, _>("**TokenBucket**", times, bucket(Refill::Continuous)),
        drained(times),
        fresh::<TokenBucketState, _>("**TokenBucket** by interval", times, bucket(BY_INTERVAL)),
        fresh::<SlidingLogArray<100>, _>("**SlidingLog** of 100, in place", times, log(QUOTA)),
        fresh::<SlidingLogState, _>("**SlidingLog** of 100, growing", times, log(QUOTA)),
    ]
}

/// A bucket that is never full, so that each check reads and writes the fraction.
fn drained(times: &[Timestamp]) -> Contender<'_> {
    let policy = black_box(bucket(Refill::Continuous));
    let half = move || {
        let mut state = TokenBucketState::default();
        policy.charge_to(&mut state, QUOTA / 2, Timestamp::ZERO);
        state
    };
    all_allowed("**TokenBucket**, never full", times, half, move |state, now| policy.judge(state, now).is_allow())
}

pub fn deny(times: &[Timestamp]) -> Vec<Contender<'_>> {
    fn used_up<'a, S: State + 'a, P: Policy<S> + 'a>(
        name: &str,
        times: &'a [Timestamp],
        policy: P,
        mut start: S,
    ) -> Contender<'a> {
        while policy.judge(&mut start, Timestamp::ZERO).is_allow() {}
        let policy = black_box(policy);
        all_denied(name, times, start, move |state, now| {
            policy.judge(state, now).retry_after().map(|wait| wait.as_nanos())
        })
    }
    let naive = black_box(Naive::a_second(QUOTA.into()));
    let mut full_at = 0;
    while naive.allows(&mut full_at, 0) {}
    vec![
        all_denied("naive, with a wait", times, full_at, move |full_at, now| naive.wait(full_at, now.as_nanos())),
        used_up("**FixedWindow**", times, window(), FixedWindowState::default()),
        used_up("**TokenBucket**", times, bucket(Refill::Continuous), TokenBucketState::default()),
        used_up("**TokenBucket** by interval", times, bucket(BY_INTERVAL), TokenBucketState::default()),
        used_up("**SlidingLog** of 100, in place", times, log(QUOTA), SlidingLogArray::<100>::default()),
        used_up("**SlidingLog** of 100, growing", times, log(QUOTA), SlidingLogState::default()),
    ]
}

const BY_INTERVAL: Refill = Refill::Interval { origin: Timestamp::ZERO };

fn window() -> FixedWindow {
    FixedWindow::constant(QUOTA, SECOND)
}

fn bucket(refill: Refill) -> TokenBucket {
    TokenBucket::constant_with(QUOTA, SECOND, QUOTA, refill)
}

fn log(quota: u32) -> SlidingLog {
    SlidingLog::constant(quota, SECOND)
}

/// Full logs of 100 and of 10,000 entries, allowed one as another expires.
pub fn long_logs() -> [Vec<Contender<'static>>; 2] {
    fn full(quota: u32) -> (SlidingLog, SlidingLogState, u64) {
        let (policy, step) = (log(quota), SECOND.as_nanos() as u64 / u64::from(quota));
        let mut state = SlidingLogState::default();
        for admission in 0..u64::from(quota) {
            assert!(policy.judge(&mut state, Timestamp::from_nanos(admission * step)).is_allow());
        }
        (policy, state, step)
    }
    let name = |quota| format!("**SlidingLog** of {quota}, full");
    let allow = |quota| {
        let (policy, mut state, step) = full(quota);
        let mut now = SECOND.as_nanos() as u64;
        Contender::new(name(quota), move || {
            for _ in 0..CHECKS {
                check(policy.judge(black_box(&mut state), Timestamp::from_nanos(now)).is_allow());
                now += step;
            }
        })
    };
    let deny = |quota| {
        let (policy, mut state, _) = full(quota);
        Contender::new(name(quota), move || {
            for now in 1..=CHECKS as u64 {
                check(
                    !policy
                        .judge(black_box(&mut state), Timestamp::from_nanos(SECOND.as_nanos() as u64 - now))
                        .is_allow(),
                );
            }
        })
    };
    [vec![allow(100), allow(10_000)], vec![deny(100), deny(10_000)]]
}

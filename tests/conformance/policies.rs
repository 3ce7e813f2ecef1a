//! The crate's own policies, with the bounds that define them.

use core::time::Duration;

use tollgate::conformance::{self, Admission, Law, PolicySuite};
use tollgate::{
    Both, FixedWindow, FixedWindowState, Policy, Refill, SlidingLog, SlidingLogArray, SlidingLogState, State,
    Timestamp, TokenBucket, TokenBucketState,
};

const fn ns(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

const fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

/// Up to three steps of any kind, and four requests.
fn suite<P: Policy<S>, S: State>(policy: &P) -> PolicySuite<'_, P, S> {
    PolicySuite::new(policy).depth(3)
}

fn too_much(units: u64, allowed: u64) -> Result<(), String> {
    if units > allowed { Err(format!("{units} were admitted; {allowed} may be")) } else { Ok(()) }
}

/// At most a quota in each window, where `end` tells when one ends that opens with an admission.
fn windows(quota: u64, end: impl Fn(u64) -> u64) -> impl Fn(&[Admission]) -> Result<(), String> {
    move |admitted| {
        let (mut ends, mut used) = (0, 0);
        admitted.iter().try_for_each(|admission| {
            let at = admission.at.as_nanos();
            if at >= ends {
                (ends, used) = (end(at), 0);
            }
            used += u64::from(admission.units);
            too_much(used, quota)
        })
    }
}

/// At most `burst` and what is refilled in `(a, b]`, for every `[a, b]`.
fn bucket(burst: u64, refilled: impl Fn(u64, u64) -> u64) -> impl Fn(&[Admission]) -> Result<(), String> {
    move |admitted| {
        (0..admitted.len()).try_for_each(|first| {
            let mut units = 0;
            admitted[first..].iter().try_for_each(|admission| {
                units += u64::from(admission.units);
                too_much(units, burst + refilled(admitted[first].at.as_nanos(), admission.at.as_nanos()))
            })
        })
    }
}

#[test]
fn fixed_window() {
    let policy = FixedWindow::constant(3, ns(5));
    suite::<_, FixedWindowState>(&policy).bound(windows(3, |at| at + 5)).tight().check();
    suite::<_, FixedWindowState>(&policy).at_most(6, ns(5)).check();
    conformance::policy::<FixedWindowState>(&FixedWindow::constant(100, Duration::from_secs(60)));
}

#[test]
fn fixed_window_on_a_grid() {
    let policy = FixedWindow::constant(3, ns(5)).aligned(at(2));
    let next_point = |at: u64| (at + 3) / 5 * 5 + 2;
    suite::<_, FixedWindowState>(&policy).on_a_grid(ns(5)).bound(windows(3, next_point)).tight().check();
}

#[test]
fn sliding_log() {
    let policy = SlidingLog::constant(3, ns(5));
    suite::<_, SlidingLogState>(&policy).at_most(3, ns(5)).tight().check();
    suite::<_, SlidingLogArray<3>>(&policy).at_most(3, ns(5)).tight().check();
    conformance::policy::<SlidingLogState>(&SlidingLog::constant(100, Duration::from_secs(60)));
}

#[test]
fn sliding_log_that_may_be_full() {
    let policy = SlidingLog::constant(3, ns(5));
    suite::<_, SlidingLogArray<1>>(&policy).at_most(3, ns(5)).check();
    suite::<_, SlidingLogArray<2>>(&policy).at_most(3, ns(5)).check();
}

#[test]
fn token_bucket() {
    // 7/3 ns a token: waits have fractions.
    let policy = TokenBucket::constant_with(3, ns(7), 2, Refill::Continuous);
    let times = [0, 1, 2, 3, 5, 7];
    suite::<_, TokenBucketState>(&policy)
        .times(times)
        .bound(bucket(2, |a, b| (b - a) / 7 * 3 + (b - a) % 7 * 3 / 7))
        .tight()
        .check();
    conformance::policy::<TokenBucketState>(&TokenBucket::constant(700, Duration::from_secs(60)));
}

#[test]
fn token_bucket_by_interval() {
    let origin = at(2);
    let policy = TokenBucket::constant_with(3, ns(7), 5, Refill::Interval { origin });
    let points_to = |at: u64| (at + 5) / 7;
    let refilled = move |a, b| 3 * (points_to(b) - points_to(a));
    suite::<_, TokenBucketState>(&policy).on_a_grid(ns(7)).bound(bucket(5, refilled)).tight().check();
}

/// What the documentation of `at_most` says of buckets: it holds, and with one less it does not.
#[test]
fn what_a_bucket_admits_in_one_of_its_windows() {
    let by_interval = TokenBucket::constant_with(3, ns(3), 3, Refill::Interval { origin: at(0) });
    let in_a_nanosecond = TokenBucket::constant(3, ns(3));
    let in_more = TokenBucket::constant(2, ns(3));
    for (policy, most) in [(by_interval, 3 + 3), (in_a_nanosecond, 3 + 3 - 1), (in_more, 2 + 2 - 1)] {
        let window = |units| suite::<_, TokenBucketState>(&policy).on_a_grid(ns(3)).at_most(units, ns(3));
        window(most).check();
        assert_eq!(window(most - 1).run().unwrap_err().law, Law::Bound, "{policy:?}");
    }
}

#[test]
fn both_on_one_key() {
    let policy = Both(FixedWindow::constant(3, ns(5)), TokenBucket::constant_with(3, ns(7), 2, Refill::Continuous));
    suite::<_, (FixedWindowState, TokenBucketState)>(&policy).at_most(6, ns(5)).check();
}

#[test]
fn the_largest_there_are() {
    let longest = ns(1 << 62);
    conformance::policy::<FixedWindowState>(&FixedWindow::constant(u32::MAX, longest));
    conformance::policy::<SlidingLogState>(&SlidingLog::constant(u32::MAX, longest));
    conformance::policy::<SlidingLogArray<2>>(&SlidingLog::constant(u32::MAX, longest));
    conformance::policy::<TokenBucketState>(&TokenBucket::constant(u32::MAX, longest));
}

#[test]
fn the_smallest_there_are() {
    conformance::policy::<FixedWindowState>(&FixedWindow::constant(1, ns(1)));
    conformance::policy::<SlidingLogArray<1>>(&SlidingLog::constant(1, ns(1)));
    conformance::policy::<TokenBucketState>(&TokenBucket::constant(1, ns(1)));
}

/// Either may judge what the other has written.
fn tiers<P: Policy<S>, S: State>(one: &P, other: &P, grid: Duration) {
    PolicySuite::new(one).tier(other).on_a_grid(grid).check();
    PolicySuite::new(other).tier(one).on_a_grid(grid).check();
}

#[test]
fn tiers_of_one_store() {
    let windows = [FixedWindow::constant(3, ns(5)), FixedWindow::constant(2, ns(2)).aligned(Timestamp::ZERO)];
    tiers::<_, FixedWindowState>(&windows[0], &windows[1], ns(2));
    let logs = [SlidingLog::constant(3, ns(5)), SlidingLog::constant(2, ns(2))];
    tiers::<_, SlidingLogState>(&logs[0], &logs[1], ns(1));
    tiers::<_, SlidingLogArray<2>>(&logs[0], &logs[1], ns(1));
    let by_interval = TokenBucket::constant_with(2, ns(5), 3, Refill::Interval { origin: at(2) });
    for bucket in [TokenBucket::constant(3, ns(7)), TokenBucket::constant_with(2, ns(3), 1, Refill::Continuous)] {
        tiers::<_, TokenBucketState>(&bucket, &by_interval, ns(5));
    }
}

#[test]
fn together() {
    let window = FixedWindow::constant(3, ns(5));
    let bucket = TokenBucket::constant_with(3, ns(7), 2, Refill::Continuous);
    let log = SlidingLog::constant(2, ns(4));
    conformance::together::<FixedWindowState, TokenBucketState>(&window, &bucket);
    conformance::together::<TokenBucketState, SlidingLogState>(&bucket, &log);
    conformance::together::<SlidingLogArray<1>, FixedWindowState>(&log, &window);
    conformance::together::<FixedWindowState, FixedWindowState>(&window, &FixedWindow::constant(3, ns(5)));
}

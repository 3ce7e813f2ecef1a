//! [`overshot`]: by how much a record of admissions breaks a policy's bound. It knows nothing of states; what it relies on is the record alone.
//!
//! The bound is law 1 of `tollgate`: over admissions in the order in which they were made, by the running maximum of the times that they were
//! judged by. In one pass over them, so a record may be long; the tests hold it to the bound of `tollgate-oracle`, which looks at every interval.

use std::collections::VecDeque;
use std::time::Duration;

use tollgate::{FixedWindow, Refill, SlidingLog, TokenBucket, Wait};

use crate::policy::Policy;

/// The most units by which any interval has too many: 0 where the bound holds. Each admission is one unit; they are in order.
pub fn overshot(policy: &Policy, judged_at: &[u64]) -> u64 {
    let mut latest = 0;
    let times = judged_at.iter().map(|&at| {
        latest = at.max(latest);
        latest
    });
    match policy {
        Policy::FixedWindow(policy) => window(policy, times),
        Policy::SlidingLog(policy) => log(policy, times),
        Policy::TokenBucket(policy) => match policy.refill() {
            Refill::Continuous => steady(policy, times),
            Refill::Interval { origin } => by_interval(policy, origin.as_nanos(), times),
        },
    }
}

/// In windows that an admission opens.
fn window(policy: &FixedWindow, times: impl Iterator<Item = u64>) -> u64 {
    let (quota, window) = (u64::from(policy.quota()), nanos(policy.window()));
    let phase = policy.origin().map(|origin| origin.as_nanos() % window);
    let (mut end, mut units, mut worst) = (0, 0_u64, 0_u64);
    for at in times {
        if at >= end {
            units = 0;
            end = match phase {
                None => at + window,
                Some(phase) => at + window - (at + window - phase) % window,
            };
        }
        units += 1;
        worst = worst.max(units);
    }
    worst.saturating_sub(quota)
}

/// In every half-open interval one window long; those that end with an admission are enough.
fn log(policy: &SlidingLog, times: impl Iterator<Item = u64>) -> u64 {
    let window = nanos(policy.window());
    let (mut inside, mut worst) = (VecDeque::new(), 0);
    for at in times {
        while inside.front().is_some_and(|&first| first + window <= at) {
            inside.pop_front();
        }
        inside.push_back(at);
        worst = worst.max(inside.len() as u64);
    }
    worst.saturating_sub(policy.quota().into())
}

/// In every `[a, b]`, over `burst + rate * (b - a)`. In units of a window's nanosecond, so that the rate is whole.
fn steady(policy: &TokenBucket, times: impl Iterator<Item = u64>) -> u64 {
    let window = i128::from(nanos(policy.window()));
    let worst = worst_rise(window, times, |at| i128::from(at) * i128::from(policy.quota()));
    let over = worst - i128::from(policy.burst()) * window;
    // Units are whole, so a part of one too many is one too many.
    u64::try_from((over + window - 1).div_euclid(window)).unwrap_or(0)
}

/// In every `[a, b]`, over `burst + quota * points`, for the points of the grid in `(a, b]`.
fn by_interval(policy: &TokenBucket, origin: u64, times: impl Iterator<Item = u64>) -> u64 {
    let (window, origin) = (i128::from(nanos(policy.window())), i128::from(origin));
    let refilled = |at| (i128::from(at) - origin).div_euclid(window) * i128::from(policy.quota());
    u64::try_from(worst_rise(1, times, refilled) - i128::from(policy.burst())).unwrap_or(0)
}

/// The largest of: the units from one admission to another, both included, at `unit` each, less what was refilled between them.
fn worst_rise(unit: i128, times: impl Iterator<Item = u64>, refilled: impl Fn(u64) -> i128) -> i128 {
    let (mut taken, mut lowest, mut worst) = (0, i128::MAX, 0);
    for at in times {
        let refilled = refilled(at);
        lowest = lowest.min(taken - refilled);
        taken += unit;
        worst = worst.max(taken - refilled - lowest);
    }
    worst
}

fn nanos(window: Duration) -> u64 {
    Wait::from(window).as_nanos()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use tollgate::Timestamp;
    use tollgate_oracle::{self as oracle, bound};

    use super::*;

    #[test]
    fn it_says_by_how_many_units() {
        let log = Policy::SlidingLog("3/10ns".parse().unwrap());
        assert_eq!(overshot(&log, &[0, 1, 2]), 0);
        assert_eq!(overshot(&log, &[0, 1, 2, 9, 9]), 2);
        assert_eq!(overshot(&log, &[0, 1, 2, 10]), 0);
        let window = Policy::FixedWindow("3/10ns".parse().unwrap());
        assert_eq!(overshot(&window, &[0, 9, 9, 10, 10, 10, 10]), 1);
        // The fourth nanosecond has brought one token, and the fifth one and a half.
        let bucket = Policy::TokenBucket("3/10ns,burst=2".parse().unwrap());
        assert_eq!(overshot(&bucket, &[0, 0, 4]), 0);
        assert_eq!(overshot(&bucket, &[0, 0, 3]), 1);
        assert_eq!(overshot(&bucket, &[0, 0, 5, 5, 5]), 2);
        let interval = Policy::TokenBucket("3/10ns,burst=5,interval".parse().unwrap());
        assert_eq!(overshot(&interval, &[9, 9, 9, 9, 9, 10, 10, 10]), 0);
        assert_eq!(overshot(&interval, &[9, 9, 9, 9, 9, 9]), 1);
    }

    #[test]
    fn a_late_time_counts_as_the_latest_before_it() {
        let log = Policy::SlidingLog("1/10ns".parse().unwrap());
        assert_eq!(overshot(&log, &[0, 10, 5]), 1);
        assert_eq!(overshot(&log, &[0, 10, 20]), 0);
    }

    /// A policy, and the oracle's form of it.
    fn policies() -> impl Strategy<Value = (Policy, oracle::Policy)> {
        let duration = Duration::from_nanos;
        (0..5_u8, 1..6_u32, 1..12_u64, 1..8_u32, 0..12_u64).prop_filter_map(
            "not a policy",
            move |(kind, quota, window_ns, burst, origin_ns)| {
                let window = duration(window_ns);
                let origin = Timestamp::from_nanos(origin_ns);
                let bucket = |refill, oracle| {
                    let policy = TokenBucket::new_with(quota, window, burst, refill).ok()?;
                    Some((
                        Policy::TokenBucket(policy),
                        oracle::Policy::TokenBucket { quota, window_ns, burst, refill: oracle },
                    ))
                };
                match kind {
                    0 => Some((
                        Policy::FixedWindow(FixedWindow::new(quota, window).ok()?),
                        oracle::Policy::FixedWindow { quota, window_ns, grid: None },
                    )),
                    1 => Some((
                        Policy::FixedWindow(FixedWindow::new(quota, window).ok()?.aligned(origin)),
                        oracle::Policy::FixedWindow { quota, window_ns, grid: Some(origin_ns) },
                    )),
                    2 => Some((
                        Policy::SlidingLog(SlidingLog::new(quota, window).ok()?),
                        oracle::Policy::SlidingLog { quota, window_ns },
                    )),
                    3 => bucket(Refill::Continuous, oracle::Refill::Continuous),
                    _ => bucket(Refill::Interval { origin }, oracle::Refill::Interval { origin_ns }),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn it_finds_an_overshoot_just_where_the_oracle_finds_a_breach(
            (policy, model) in policies(),
            times in vec(0..60_u64, 0..40),
        ) {
            let made = times.iter().map(|&at_ns| bound::Admission { at_ns, units: 1 });
            let holds = bound::holds(&model, &bound::effective(made)).is_ok();
            prop_assert_eq!(overshot(&policy, &times) == 0, holds);
        }
    }
}

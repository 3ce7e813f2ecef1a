//! How much may pass at all, judged from the list of what has passed, without a model.
//!
//! The bound is on what was admitted and kept: units that were refunded are taken out of the newest admissions first. An admission
//! without units left stays in the list, for its time was read.

use crate::grid::Grid;
use crate::policy::{Policy, Refill};

/// Units that have passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The effective time: see [`effective`].
    pub at_ns: u64,
    /// How many.
    pub units: u32,
}

/// An interval in which too much has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Its first time.
    pub from_ns: u64,
    /// Its last time, itself included for a bucket, excluded else.
    pub to_ns: u64,
    /// What has passed.
    pub units: u128,
    /// What may have, rounded down.
    pub allowed: u128,
}

/// Admissions by their effective times: the running maximum of the times that they were made with.
pub fn effective(made: impl IntoIterator<Item = Admission>) -> Vec<Admission> {
    let mut latest = 0;
    made.into_iter()
        .map(|admission| {
            latest = admission.at_ns.max(latest);
            Admission { at_ns: latest, ..admission }
        })
        .collect()
}

/// The bound of a policy that was the only one, over admissions by their effective times. No window was opened by anything else.
pub fn holds(policy: &Policy, admissions: &[Admission]) -> Result<(), Breach> {
    match *policy {
        Policy::FixedWindow { quota, window_ns, grid } => {
            fixed_window(quota, &window_ends(window_ns, grid, admissions), admissions)
        }
        Policy::SlidingLog { quota, window_ns } => sliding_log(quota, window_ns, admissions),
        Policy::TokenBucket { quota, window_ns, burst, refill: Refill::Continuous } => {
            bucket_continuous(quota, window_ns, burst, admissions)
        }
        Policy::TokenBucket { quota, window_ns, burst, refill: Refill::Interval { origin_ns } } => {
            bucket_interval(quota, window_ns, origin_ns, burst, admissions)
        }
    }
}

/// The ends of the windows that these admissions open: each opens one, unless it falls into that of an earlier one.
pub fn window_ends(window_ns: u64, grid: Option<u64>, admissions: &[Admission]) -> Vec<u64> {
    let mut ends: Vec<u64> = Vec::new();
    for &Admission { at_ns, .. } in admissions {
        if ends.last().is_none_or(|&end| at_ns >= end) {
            ends.push(match grid {
                None => at_ns + window_ns,
                Some(origin) => Grid::new(origin, window_ns).next_after(at_ns),
            });
        }
    }
    ends
}

/// At most `quota` in each of the windows with these ends, in order. A window reaches from the end before it, or from time 0, to its
/// own, excluded.
///
/// # Panics
///
/// If an admission lies in no window.
pub fn fixed_window(quota: u32, ends: &[u64], admissions: &[Admission]) -> Result<(), Breach> {
    let last_end = ends.last().copied().unwrap_or(0);
    assert!(admissions.iter().all(|admission| admission.at_ns < last_end), "an admission lies after the last window");
    let mut from_ns = 0;
    for &to_ns in ends {
        let units = admissions.iter().filter(|admission| (from_ns..to_ns).contains(&admission.at_ns)).map(units).sum();
        judge(from_ns, to_ns, units, u128::from(quota))?;
        from_ns = to_ns;
    }
    Ok(())
}

/// At most `quota` in every half-open interval one window long. It is enough to look at those that begin with an admission.
pub fn sliding_log(quota: u32, window_ns: u64, admissions: &[Admission]) -> Result<(), Breach> {
    for first in admissions {
        let (from_ns, to_ns) = (first.at_ns, first.at_ns + window_ns);
        let units = admissions.iter().filter(|admission| (from_ns..to_ns).contains(&admission.at_ns)).map(units).sum();
        judge(from_ns, to_ns, units, u128::from(quota))?;
    }
    Ok(())
}

/// At most `burst + quota / window * (b - a)` in every `[a, b]`. It is enough to look at those that begin and end with an admission.
pub fn bucket_continuous(quota: u32, window_ns: u64, burst: u32, admissions: &[Admission]) -> Result<(), Breach> {
    let window = u128::from(window_ns);
    for_each_interval(admissions, |from_ns, to_ns, units| {
        // Units are whole, so they are above the bound if and only if they are above its whole part.
        let refill = u128::from(to_ns - from_ns) * u128::from(quota) / window;
        judge(from_ns, to_ns, units, u128::from(burst) + refill)
    })
}

/// At most `burst + quota * points` in every `[a, b]`, for the points of the grid in `(a, b]`.
pub fn bucket_interval(
    quota: u32,
    window_ns: u64,
    origin_ns: u64,
    burst: u32,
    admissions: &[Admission],
) -> Result<(), Breach> {
    let grid = Grid::new(origin_ns, window_ns);
    for_each_interval(admissions, |from_ns, to_ns, units| {
        let refill = u128::from(grid.points(from_ns, to_ns)) * u128::from(quota);
        judge(from_ns, to_ns, units, u128::from(burst) + refill)
    })
}

/// Calls `judge` with every `[a, b]` that begins and ends with an admission, and the units in it.
fn for_each_interval(
    admissions: &[Admission],
    judge: impl Fn(u64, u64, u128) -> Result<(), Breach>,
) -> Result<(), Breach> {
    let mut rest = admissions;
    while let [first, ..] = rest {
        let mut sum = 0;
        for admission in rest {
            sum += units(admission);
            judge(first.at_ns, admission.at_ns, sum)?;
        }
        rest = &rest[1..];
    }
    Ok(())
}

fn units(admission: &Admission) -> u128 {
    u128::from(admission.units)
}

fn judge(from_ns: u64, to_ns: u64, units: u128, allowed: u128) -> Result<(), Breach> {
    if units <= allowed { Ok(()) } else { Err(Breach { from_ns, to_ns, units, allowed }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(admissions: &[(u64, u32)]) -> Vec<Admission> {
        effective(admissions.iter().map(|&(at_ns, units)| Admission { at_ns, units }))
    }

    #[test]
    fn effective_times_never_fall() {
        assert_eq!(list(&[(5, 1), (3, 2), (9, 3)]), list(&[(5, 1), (5, 2), (9, 3)]));
    }

    #[test]
    fn windows_open_with_an_admission_or_on_the_grid() {
        let admissions = list(&[(3, 1), (12, 1), (13, 1), (40, 1)]);
        assert_eq!(window_ends(10, None, &admissions), [13, 23, 50]);
        assert_eq!(window_ends(10, Some(0), &admissions), [10, 20, 50]);
        assert_eq!(window_ends(10, Some(23), &admissions), [13, 23, 43]);
    }

    #[test]
    fn fixed_windows_are_half_open() {
        let admissions = list(&[(3, 1), (12, 1), (13, 2)]);
        assert_eq!(fixed_window(2, &[13, 23], &admissions), Ok(()));
        assert_eq!(
            fixed_window(1, &[13, 23], &admissions),
            Err(Breach { from_ns: 0, to_ns: 13, units: 2, allowed: 1 })
        );
        assert_eq!(
            fixed_window(2, &[14, 24], &admissions),
            Err(Breach { from_ns: 0, to_ns: 14, units: 4, allowed: 2 })
        );
    }

    #[test]
    fn logs_look_at_every_half_open_interval() {
        let policy = |quota, window_ns| Policy::SlidingLog { quota, window_ns };
        let admissions = list(&[(0, 1), (9, 2), (10, 1)]);
        assert_eq!(holds(&policy(3, 10), &admissions), Ok(()));
        assert_eq!(holds(&policy(3, 11), &admissions), Err(Breach { from_ns: 0, to_ns: 11, units: 4, allowed: 3 }));
        assert_eq!(holds(&policy(2, 2), &admissions), Err(Breach { from_ns: 9, to_ns: 11, units: 3, allowed: 2 }));
    }

    #[test]
    fn buckets_look_at_every_closed_interval() {
        // 3 tokens in 10 ns: the third nanosecond after the burst has brought 0.9 of one, the fourth 1.2.
        let policy = Policy::TokenBucket { quota: 3, window_ns: 10, burst: 5, refill: Refill::Continuous };
        assert_eq!(holds(&policy, &list(&[(0, 5), (4, 1)])), Ok(()));
        assert_eq!(
            holds(&policy, &list(&[(0, 5), (3, 1)])),
            Err(Breach { from_ns: 0, to_ns: 3, units: 6, allowed: 5 })
        );
    }

    #[test]
    fn buckets_by_interval_count_the_points_after_the_first_time() {
        let policy =
            Policy::TokenBucket { quota: 3, window_ns: 10, burst: 5, refill: Refill::Interval { origin_ns: 2 } };
        assert_eq!(holds(&policy, &list(&[(11, 5), (12, 3), (21, 0), (22, 3)])), Ok(()));
        assert_eq!(
            holds(&policy, &list(&[(12, 5), (21, 1)])),
            Err(Breach { from_ns: 12, to_ns: 21, units: 6, allowed: 5 })
        );
    }
}

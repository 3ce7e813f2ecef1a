//! The figures, one a line.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::cli::{Settings, WhenUnjudged};
use crate::excess;
use crate::policy::Policy;
use crate::tally::{Admission, Count, Tally};

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Report {
    tally: Tally,
    took: Duration,
    /// By how many units the bound is broken.
    pub(crate) overshot: u64,
    overshot_in_one_life: u64,
    when_unjudged: WhenUnjudged,
}

impl Report {
    pub(crate) fn new(settings: &Settings, mut tally: Tally, took: Duration) -> Self {
        // By key, and of each in the order of the swaps.
        tally.admissions.sort_unstable();
        let overshot = overshot(&settings.policy, &tally.admissions, |admission| admission.key);
        let in_one_life =
            self::overshot(&settings.policy, &tally.admissions, |admission| (admission.key, admission.life));
        Self { tally, took, overshot, overshot_in_one_life: in_one_life, when_unjudged: settings.when_unjudged }
    }
}

/// Over all groups of admissions, of which each should keep the bound.
fn overshot<G: Ord>(policy: &Policy, admissions: &[Admission], group: impl Fn(&Admission) -> G) -> u64 {
    let mut groups = BTreeMap::<G, Vec<u64>>::new();
    for admission in admissions {
        groups.entry(group(admission)).or_default().push(admission.now);
    }
    groups.values().map(|times| excess::overshot(policy, times)).sum()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, took, overshot, overshot_in_one_life, when_unjudged } = self;
        let unjudged = Count::UNJUDGED.into_iter().map(|count| tally.get(count)).sum::<u64>();
        let passed = if *when_unjudged == WhenUnjudged::Open { unjudged } else { 0 };
        let count = |f: &mut fmt::Formatter<'_>, count| writeln!(f, "{count} {}", tally.get(count));
        [Count::Checks, Count::Admitted, Count::Denied].into_iter().try_for_each(|which| count(f, which))?;
        writeln!(f, "unjudged {unjudged}")?;
        writeln!(f, "overshot {overshot}")?;
        [Count::Conflicts, Count::RoundTrips].into_iter().try_for_each(|which| count(f, which))?;
        let rate = u128::from(tally.get(Count::Checks)) * 1_000 / took.as_millis().max(1);
        writeln!(f, "checks/s {rate}")?;
        writeln!(f, "slowest_ms {}", tally.slowest.div_ceil(1_000))?;
        writeln!(f, "restarts {}", tally.lives.len().saturating_sub(1))?;
        writeln!(f, "overshot_in_one_life {overshot_in_one_life}")?;
        Count::UNJUDGED.into_iter().try_for_each(|which| count(f, which))?;
        writeln!(f, "passed_unjudged {passed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overshoot_is_that_of_each_key_in_the_order_of_the_swaps() {
        let admission = |key, at, now, life| Admission { key, at, now, life };
        let mut admissions = vec![
            // Judged at 5, and swapped in after another at 12: it counts as one at 12.
            admission(0, 3, 5, 0),
            admission(0, 1, 0, 0),
            admission(0, 2, 12, 0),
            admission(1, 1, 0, 0),
            admission(1, 2, 1, 1),
        ];
        admissions.sort_unstable();
        let log = Policy::SlidingLog("1/10ns".parse().unwrap());
        assert_eq!(overshot(&log, &admissions, |admission| admission.key), 2);
        assert_eq!(overshot(&log, &admissions, |admission| (admission.key, admission.life)), 1);
    }
}

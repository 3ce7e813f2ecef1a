//! What is counted for the page: everybody's requests over time, and the waits that callers were told. Its size depends on the bins and the
//! policies alone.

use crate::judge::{Compose, Outcome, Verdict};
use crate::table::length;
use crate::timeline::Bins;

/// Requests by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) allowed: u64,
    pub(crate) denied: u64,
    pub(crate) never: u64,
}

impl Counts {
    pub(crate) fn total(&self) -> u64 {
        self.allowed + self.denied + self.never
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.allowed += other.allowed;
        self.denied += other.denied;
        self.never += other.never;
    }
}

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// The longest wait of each class but the last, which has all that are longer.
const CLASSES: [u64; 14] = [
    MS,
    10 * MS,
    100 * MS,
    SECOND,
    5 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    HOUR,
    6 * HOUR,
    24 * HOUR,
    7 * 24 * HOUR,
];

/// Waits by class.
pub(crate) type Waits = [u64; CLASSES.len() + 1];

/// The counts of the page.
#[derive(Debug)]
pub(crate) struct Overview {
    compose: Compose,
    bins: Bins,
    answers: Vec<(Vec<Counts>, Waits)>,
}

impl Overview {
    pub(crate) fn new(compose: Compose, policies: usize, bins: Bins) -> Self {
        let answers = if compose == Compose::Independent { policies } else { 1 };
        Self { compose, bins, answers: vec![(vec![Counts::default(); bins.count()], Waits::default()); answers] }
    }

    /// Counts the verdicts on a request.
    pub(crate) fn add(&mut self, at_ns: u64, verdicts: &[Verdict]) {
        let bin = self.bins.of(at_ns);
        for verdict in verdicts {
            let answer = if self.compose == Compose::Independent { verdict.policy.unwrap_or(0) } else { 0 };
            let (counts, waits) = &mut self.answers[answer];
            match verdict.outcome {
                Outcome::Allow { .. } => counts[bin].allowed += 1,
                Outcome::Never => counts[bin].never += 1,
                Outcome::Deny { retry_after } => {
                    counts[bin].denied += 1;
                    waits[CLASSES.partition_point(|&longest| longest < retry_after.as_nanos())] += 1;
                }
            }
        }
    }

    pub(crate) fn bins(&self) -> &Bins {
        &self.bins
    }

    /// By answer, the counts of each bin.
    pub(crate) fn over_time(&self) -> impl Iterator<Item = &[Counts]> {
        self.answers.iter().map(|(counts, _)| counts.as_slice())
    }

    /// The classes of waits from the shortest that was told to the longest, each with its name and its count by answer.
    pub(crate) fn waits(&self) -> Vec<(String, Vec<u64>)> {
        let told = |class: usize| self.answers.iter().any(|(_, waits)| waits[class] > 0);
        let classes = 0..CLASSES.len() + 1;
        let (Some(first), Some(last)) =
            (classes.clone().find(|&class| told(class)), classes.rev().find(|&class| told(class)))
        else {
            return Vec::new();
        };
        let count = |class| self.answers.iter().map(|(_, waits)| waits[class]).collect();
        (first..=last).map(|class| (name(class), count(class))).collect()
    }
}

fn name(class: usize) -> String {
    match (class.checked_sub(1).and_then(|before| CLASSES.get(before)), CLASSES.get(class)) {
        (None, Some(&longest)) => format!("up to {}", length(longest)),
        (Some(&above), Some(&longest)) => format!("{} to {}", length(above), length(longest)),
        (above, None) => format!("above {}", length(above.copied().unwrap_or(0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate::Wait;

    fn deny(nanos: u64, policy: usize) -> Verdict {
        Verdict { outcome: Outcome::Deny { retry_after: Wait::from_nanos(nanos) }, policy: Some(policy) }
    }

    #[test]
    fn requests_are_counted_by_bin_and_answer() {
        let mut overview = Overview::new(Compose::Independent, 2, Bins::covering(0, 9, 1, 240));
        let allow = |policy| Verdict { outcome: Outcome::Allow { remaining: 0 }, policy: Some(policy) };
        overview.add(0, &[allow(0), allow(1)]);
        overview.add(9, &[deny(5, 0), Verdict { outcome: Outcome::Never, policy: Some(1) }]);
        let over_time: Vec<_> = overview.over_time().collect();
        assert_eq!(over_time[0][0], Counts { allowed: 1, ..Counts::default() });
        assert_eq!(over_time[0][9], Counts { denied: 1, ..Counts::default() });
        assert_eq!(over_time[1][9], Counts { never: 1, ..Counts::default() });
    }

    #[test]
    fn waits_are_told_from_the_shortest_to_the_longest() {
        let mut overview = Overview::new(Compose::Each, 2, Bins::covering(0, 9, 1, 240));
        assert_eq!(overview.waits(), []);
        for wait in [SECOND, SECOND + 1, 20 * SECOND] {
            overview.add(0, &[deny(wait, 1)]);
        }
        let waits = overview.waits();
        let waits: Vec<_> = waits.iter().map(|(name, counts)| (name.as_str(), counts[0])).collect();
        assert_eq!(waits, [("100ms to 1s", 1), ("1s to 5s", 1), ("5s to 15s", 0), ("15s to 30s", 1)]);
        overview.add(0, &[deny(u64::MAX, 0)]);
        overview.add(0, &[deny(1, 0)]);
        let waits = overview.waits();
        assert_eq!((waits[0].0.as_str(), waits.len()), ("up to 1ms", CLASSES.len() + 1));
        assert_eq!(waits[waits.len() - 1].0, format!("above {}", length(7 * 24 * HOUR)));
    }
}

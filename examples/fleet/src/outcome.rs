//! What became of the requests, and the figures of it.

/// What became of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) asked_at: u64,
    pub(crate) decided_at: u64,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Admitted,
    Denied,
    /// Too many conflicts: neither was said. What then happens is the caller's choice.
    GaveUp,
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) admitted: usize,
    pub(crate) denied: usize,
    pub(crate) gave_up: usize,
    /// The most that passed in any interval one window long, by true time.
    pub(crate) densest: usize,
    /// How long half of the requests waited for a decision at most, and how long 99 of 100 did.
    pub(crate) median: u64,
    pub(crate) slowest: u64,
    pub(crate) questions: u64,
    pub(crate) conflicts: u64,
}

impl Figures {
    pub(crate) fn of(outcomes: &[Outcome], window: u64, questions: u64, conflicts: u64) -> Self {
        let count = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
        let mut waits: Vec<u64> = outcomes.iter().map(|outcome| outcome.decided_at - outcome.asked_at).collect();
        waits.sort_unstable();
        let share = |percent: usize| waits.get((waits.len() * percent / 100).min(waits.len().saturating_sub(1)));
        let mut passed: Vec<u64> = outcomes
            .iter()
            .filter(|outcome| outcome.verdict == Verdict::Admitted)
            .map(|outcome| outcome.decided_at)
            .collect();
        passed.sort_unstable();
        Self {
            admitted: count(Verdict::Admitted),
            denied: count(Verdict::Denied),
            gave_up: count(Verdict::GaveUp),
            densest: densest(&passed, window),
            median: share(50).copied().unwrap_or_default(),
            slowest: share(99).copied().unwrap_or_default(),
            questions,
            conflicts,
        }
    }
}

/// The most of these times, which are sorted, that lie in a half-open interval so long.
fn densest(times: &[u64], window: u64) -> usize {
    let mut first = 0;
    let mut most = 0;
    for (last, time) in times.iter().enumerate() {
        while times[first] + window <= *time {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_densest_interval_is_half_open() {
        assert_eq!(densest(&[], 10), 0);
        assert_eq!(densest(&[0, 10], 10), 1);
        assert_eq!(densest(&[0, 9, 10, 11, 30], 10), 3);
    }

    #[test]
    fn figures_count_each_verdict_and_rank_the_waits() {
        let outcome = |asked_at, wait, verdict| Outcome { asked_at, decided_at: asked_at + wait, verdict };
        let outcomes: Vec<_> = (0..98)
            .map(|at| outcome(at, at, Verdict::Admitted))
            .chain([outcome(98, 98, Verdict::Denied), outcome(99, 99, Verdict::GaveUp)])
            .collect();
        let figures = Figures::of(&outcomes, 20, 7, 3);
        assert_eq!((figures.admitted, figures.denied, figures.gave_up), (98, 1, 1));
        // Decided at 0, 2, 4 and so on.
        assert_eq!(figures.densest, 10);
        assert_eq!((figures.median, figures.slowest), (50, 99));
        assert_eq!((figures.questions, figures.conflicts), (7, 3));
    }
}

//! What is counted while requests are judged: for the run, for each key and for each policy.

use tollgate::Wait;

use crate::input::Request;
use crate::judge::{Compose, KeyId, Outcome, Verdict};

/// Requests that were refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) denied: u64,
    pub(crate) never: u64,
}

impl Refused {
    pub(crate) fn total(self) -> u64 {
        self.denied + self.never
    }

    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Allow { .. } => {}
            Outcome::Deny { .. } => self.denied += 1,
            Outcome::Never => self.never += 1,
        }
    }
}

/// The longest wait that was asked for, and of whom first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Longest {
    pub(crate) wait: Wait,
    pub(crate) key: KeyId,
    pub(crate) line: u64,
}

/// The answers that callers got: of the policies together, or of one that was asked alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    pub(crate) allowed: u64,
    pub(crate) refused: Refused,
    pub(crate) longest: Option<Longest>,
    /// By key; keys beyond the end were never refused.
    by_key: Vec<Refused>,
}

impl Answers {
    fn add(&mut self, request: &Request, key: KeyId, outcome: Outcome) {
        self.refused.add(outcome);
        match outcome {
            Outcome::Allow { .. } => {
                self.allowed += 1;
                return;
            }
            Outcome::Deny { retry_after: wait } if self.longest.is_none_or(|longest| wait > longest.wait) => {
                self.longest = Some(Longest { wait, key, line: request.line });
            }
            Outcome::Deny { .. } | Outcome::Never => {}
        }
        if key >= self.by_key.len() {
            self.by_key.resize(key + 1, Refused::default());
        }
        self.by_key[key].add(outcome);
    }

    pub(crate) fn of_key(&self, key: KeyId) -> Refused {
        self.by_key.get(key).copied().unwrap_or_default()
    }

    /// Keys of which a request was refused.
    pub(crate) fn limited(&self) -> usize {
        self.by_key.iter().filter(|refused| refused.total() > 0).count()
    }
}

/// The counts of a run.
#[derive(Debug)]
pub(crate) struct Tally {
    compose: Compose,
    pub(crate) requests: u64,
    /// The earliest and the latest time of a request.
    pub(crate) span: Option<(u64, u64)>,
    /// Requests by key.
    by_key: Vec<u64>,
    /// One of the policies together, or with independent policies one of each.
    pub(crate) answers: Vec<Answers>,
    /// By policy, what was refused on its account.
    pub(crate) by_policy: Vec<Refused>,
}

impl Tally {
    pub(crate) fn new(compose: Compose, policies: usize) -> Self {
        let answers = if compose == Compose::Independent { policies } else { 1 };
        Self {
            compose,
            requests: 0,
            span: None,
            by_key: Vec::new(),
            answers: vec![Answers::default(); answers],
            by_policy: vec![Refused::default(); policies],
        }
    }

    /// Counts a request and the verdicts on it.
    pub(crate) fn add(&mut self, request: &Request, key: KeyId, verdicts: &[Verdict]) {
        self.requests += 1;
        let at_ns = request.at_ns;
        self.span = Some(self.span.map_or((at_ns, at_ns), |(first, last)| (first.min(at_ns), last.max(at_ns))));
        if key >= self.by_key.len() {
            self.by_key.resize(key + 1, 0);
        }
        self.by_key[key] += 1;
        for verdict in verdicts {
            let answers = if self.compose == Compose::Independent { verdict.policy.unwrap_or(0) } else { 0 };
            self.answers[answers].add(request, key, verdict.outcome);
            if let Some(policy) = verdict.policy {
                self.by_policy[policy].add(verdict.outcome);
            }
        }
    }

    pub(crate) fn keys(&self) -> usize {
        self.by_key.len()
    }

    pub(crate) fn requests_of(&self, key: KeyId) -> u64 {
        self.by_key.get(key).copied().unwrap_or(0)
    }

    /// The key that was refused most, or where none was, the one with most requests.
    pub(crate) fn most_telling(&self) -> KeyId {
        let busiest = || (0..self.keys()).max_by_key(|&key| (self.requests_of(key), std::cmp::Reverse(key)));
        self.most_refused(1).first().copied().or_else(busiest).unwrap_or(0)
    }

    /// The keys that were refused most, over all answers; of equals, those with fewer requests, then the earlier seen.
    pub(crate) fn most_refused(&self, top: usize) -> Vec<KeyId> {
        let total = |key: KeyId| self.answers.iter().map(|answers| answers.of_key(key).total()).sum::<u64>();
        let mut keys: Vec<(u64, KeyId)> =
            (0..self.keys()).map(|key| (total(key), key)).filter(|&(refused, _)| refused > 0).collect();
        keys.sort_unstable_by_key(|&(refused, key)| (std::cmp::Reverse(refused), self.requests_of(key), key));
        keys.into_iter().take(top).map(|(_, key)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOW: Outcome = Outcome::Allow { remaining: 1 };

    fn deny(nanos: u64) -> Outcome {
        Outcome::Deny { retry_after: Wait::from_nanos(nanos) }
    }

    fn request(line: u64, at_ns: u64) -> Request {
        Request { line, at_ns, cost: 1 }
    }

    #[test]
    fn together_there_is_one_answer_and_each_refusal_is_on_the_account_of_its_policy() {
        let mut tally = Tally::new(Compose::Each, 2);
        tally.add(&request(1, 50), 0, &[Verdict { outcome: ALLOW, policy: None }]);
        tally.add(&request(2, 10), 1, &[Verdict { outcome: deny(7), policy: Some(1) }]);
        tally.add(&request(3, 90), 1, &[Verdict { outcome: deny(7), policy: Some(0) }]);
        tally.add(&request(4, 60), 2, &[Verdict { outcome: Outcome::Never, policy: Some(0) }]);
        let [answers] = &tally.answers[..] else { panic!("one answer") };
        assert_eq!((tally.requests, tally.keys(), tally.span), (4, 3, Some((10, 90))));
        assert_eq!((answers.allowed, answers.refused), (1, Refused { denied: 2, never: 1 }));
        assert_eq!(answers.longest, Some(Longest { wait: Wait::from_nanos(7), key: 1, line: 2 }));
        assert_eq!(answers.limited(), 2);
        assert_eq!(tally.by_policy, [Refused { denied: 1, never: 1 }, Refused { denied: 1, never: 0 }]);
        assert_eq!(tally.most_refused(10), [1, 2]);
        assert_eq!(tally.most_refused(1), [1]);
        assert_eq!(tally.most_refused(0), [0; 0]);
    }

    #[test]
    fn independent_policies_answer_for_themselves() {
        let mut tally = Tally::new(Compose::Independent, 2);
        let verdict = |policy, outcome| Verdict { outcome, policy: Some(policy) };
        tally.add(&request(1, 0), 0, &[verdict(0, ALLOW), verdict(1, deny(3))]);
        tally.add(&request(2, 0), 0, &[verdict(0, deny(4)), verdict(1, deny(5))]);
        assert_eq!((tally.answers[0].allowed, tally.answers[1].allowed), (1, 0));
        assert_eq!((tally.answers[0].of_key(0).denied, tally.answers[1].of_key(0).denied), (1, 2));
        assert_eq!(tally.answers[1].longest, Some(Longest { wait: Wait::from_nanos(5), key: 0, line: 2 }));
        assert_eq!((tally.requests, tally.requests_of(0)), (2, 2));
    }

    #[test]
    fn the_most_telling_key_is_refused_most_or_else_asks_most() {
        let mut tally = Tally::new(Compose::Each, 1);
        for key in [0, 1, 1, 2, 2] {
            tally.add(&request(1, 0), key, &[Verdict { outcome: ALLOW, policy: None }]);
        }
        assert_eq!(tally.most_telling(), 1);
        tally.add(&request(1, 0), 0, &[Verdict { outcome: deny(1), policy: Some(0) }]);
        assert_eq!(tally.most_telling(), 0);
    }
}

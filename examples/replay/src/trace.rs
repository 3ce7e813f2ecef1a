//! One key's traffic over time, judged once more: what each policy made of it, bin by bin.

use std::collections::VecDeque;

use tollgate::Timestamp;

use crate::judge::{Compose, Judge, KeyId, Outcome, Policy, Verdict};
use crate::timeline::{Bins, resolution};
use crate::traffic::Held;

/// Requests in a bin, by what became of them as one policy sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) allowed: u64,
    /// Refused on this policy's account, for now.
    pub(crate) denied: u64,
    /// Refused on this policy's account, for good.
    pub(crate) never: u64,
    /// Refused on another's account.
    pub(crate) elsewhere: u64,
}

/// How a policy stood during a bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// The most units that it admitted in one window ending here.
    pub(crate) used: u64,
    /// The least that remained.
    pub(crate) remaining: u32,
}

/// One policy's share in what became of the key.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) policy: Policy,
    pub(crate) bars: Vec<Bar>,
    pub(crate) levels: Vec<Level>,
    pub(crate) total: Bar,
    /// The most units admitted in any interval one window long.
    pub(crate) peak: u64,
}

/// One key's traffic.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) key: KeyId,
    pub(crate) requests: u64,
    /// The time of the first request and of the last.
    pub(crate) span: (u64, u64),
    pub(crate) bins: Bins,
    pub(crate) lanes: Vec<Lane>,
}

impl Trace {
    /// Judges the requests of one key, of which there is at least one, on their own: no key has a part in another's answers.
    ///
    /// A time before an earlier one of the key is drawn as that, which is how policies read it. Where the log goes on, until `log_end`,
    /// the picture does too for a while, to show how the policies recover.
    pub(crate) fn new(policies: &[Policy], compose: Compose, held: &[Held], log_end: u64, most_bins: usize) -> Self {
        let times = || {
            held.iter().scan(0, |latest, held| {
                *latest = held.now.as_nanos().max(*latest);
                Some(*latest)
            })
        };
        let (first, last) = (times().next().unwrap_or(0), times().last().unwrap_or(0));
        let key = held.first().map_or(0, |held| held.key);
        let longest = policies.iter().map(Policy::window).max().unwrap_or(0);
        let rest = longest.min((last - first) / 4).min(log_end.saturating_sub(last));
        let bins = Bins::covering(first, last + rest, resolution(times()), most_bins);

        let mut drawing = Drawing::new(policies, compose, key, bins);
        for (held, at) in held.iter().zip(times()) {
            drawing.request(held, at);
        }
        drawing.go_on_to(bins.count());
        Self { key, requests: held.len() as u64, span: (first, last), bins, lanes: drawing.lanes }
    }
}

/// A trace of which the bins before `bin` are complete.
struct Drawing {
    key: KeyId,
    compose: Compose,
    judge: Judge,
    verdicts: Vec<Verdict>,
    bins: Bins,
    bin: usize,
    lanes: Vec<Lane>,
    recent: Vec<Recent>,
}

impl Drawing {
    fn new(policies: &[Policy], compose: Compose, key: KeyId, bins: Bins) -> Self {
        let lane = |&policy: &Policy| Lane {
            policy,
            bars: vec![Bar::default(); bins.count()],
            levels: Vec::with_capacity(bins.count()),
            total: Bar::default(),
            peak: 0,
        };
        let mut drawing = Self {
            key,
            compose,
            judge: Judge::new(policies, compose),
            verdicts: Vec::new(),
            bins,
            bin: 0,
            lanes: policies.iter().map(lane).collect(),
            recent: policies.iter().map(|policy| Recent::new(policy.window())).collect(),
        };
        drawing.begin_bin();
        drawing
    }

    fn request(&mut self, held: &Held, at: u64) {
        self.go_on_to(self.bins.of(at));
        let (cost, now) = (held.request.cost, held.now);
        self.judge.judge(self.key, cost, now, &mut self.verdicts);
        for (index, (lane, recent)) in self.lanes.iter_mut().zip(&mut self.recent).enumerate() {
            let verdict = match self.compose {
                Compose::Independent => self.verdicts[index],
                Compose::Each | Compose::All => self.verdicts[0],
            };
            let counted = match verdict {
                Verdict { outcome: Outcome::Allow { .. }, .. } => true,
                // What stands before the one that denied has counted it.
                Verdict { policy: Some(by), .. } => self.compose == Compose::Each && index < by,
                Verdict { policy: None, .. } => false,
            };
            let (bar, total) = (&mut lane.bars[self.bin], &mut lane.total);
            for count in [bar, total] {
                match verdict.outcome {
                    Outcome::Allow { .. } => count.allowed += 1,
                    _ if verdict.policy != Some(index) => count.elsewhere += 1,
                    Outcome::Deny { .. } => count.denied += 1,
                    Outcome::Never => count.never += 1,
                }
            }
            if counted {
                recent.admit(at, cost);
            }
            let used = recent.used(at);
            lane.peak = lane.peak.max(used);
            if let Some(level) = lane.levels.last_mut() {
                level.used = level.used.max(used);
                level.remaining = level.remaining.min(self.judge.remaining(index, self.key, now));
            }
        }
    }

    fn go_on_to(&mut self, bin: usize) {
        while self.bin < bin {
            self.bin += 1;
            if self.bin < self.bins.count() {
                self.begin_bin();
            }
        }
    }

    /// How the policies stand when a bin begins; what happens in it may leave more used, and less remaining.
    fn begin_bin(&mut self) {
        let at = self.bins.begin(self.bin);
        for (index, (lane, recent)) in self.lanes.iter_mut().zip(&mut self.recent).enumerate() {
            let remaining = self.judge.remaining(index, self.key, Timestamp::from_nanos(at));
            lane.levels.push(Level { used: recent.used(at), remaining });
        }
    }
}

/// What was admitted in the last window.
struct Recent {
    window: u64,
    admitted: VecDeque<(u64, u64)>,
    used: u64,
}

impl Recent {
    fn new(window: u64) -> Self {
        Self { window, admitted: VecDeque::new(), used: 0 }
    }

    fn admit(&mut self, at: u64, cost: u64) {
        if cost > 0 {
            self.admitted.push_back((at, cost));
            self.used += cost;
        }
    }

    fn used(&mut self, now: u64) -> u64 {
        while let Some(&(at, cost)) = self.admitted.front() {
            // Intervals are half-open: a window later it no longer counts.
            if now - at.min(now) < self.window {
                break;
            }
            self.used -= cost;
            self.admitted.pop_front();
        }
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::ByKey;

    const SECOND: u64 = 1_000_000_000;

    fn trace(policies: &[Policy], compose: Compose, requests: &[(u64, u64)]) -> Trace {
        let requests: Vec<_> = requests.iter().map(|&(second, cost)| (0, second * SECOND, cost)).collect();
        let end = requests.iter().map(|&(_, at, _)| at).max().unwrap();
        Trace::new(policies, compose, ByKey::of_requests(&requests).of(0), end, 200)
    }

    fn window(text: &str) -> Policy {
        Policy::FixedWindow(text.parse().unwrap())
    }

    fn log(text: &str) -> Policy {
        Policy::SlidingLog(text.parse().unwrap())
    }

    #[test]
    fn a_double_burst_is_seen_and_a_log_refuses_it() {
        // The window opens at 0 and ends at 10.
        let requests = [(0, 1), (8, 1), (9, 2), (10, 2), (11, 2), (12, 1)];
        let trace = trace(&[window("4/10s"), log("4/10s")], Compose::Independent, &requests);
        assert_eq!((trace.bins.width(), trace.bins.count(), trace.requests), (SECOND, 13, 6));
        let [window, log] = &trace.lanes[..] else { panic!("two lanes") };
        assert_eq!((window.total, window.peak), (Bar { allowed: 5, denied: 1, ..Bar::default() }, 7));
        assert_eq!((log.total, log.peak), (Bar { allowed: 4, denied: 2, ..Bar::default() }, 4));
        let used = |lane: &Lane| lane.levels.iter().map(|level| level.used).collect::<Vec<_>>();
        assert_eq!(used(window), [1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 5, 7, 7]);
        assert_eq!(used(log), [1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 3, 3, 4]);
        let remaining = |lane: &Lane| lane.levels.iter().map(|level| level.remaining).collect::<Vec<_>>();
        assert_eq!(remaining(window), [3, 3, 3, 3, 3, 3, 3, 3, 2, 0, 2, 0, 0]);
        assert_eq!(remaining(log), [3, 3, 3, 3, 3, 3, 3, 3, 2, 0, 1, 1, 0]);
    }

    #[test]
    fn together_each_lane_tells_its_own_refusals_from_another_s() {
        let policies = [log("9/60s"), window("1/60s")];
        let requests = [(0, 1), (1, 1), (2, 99)];
        let each = trace(&policies, Compose::Each, &requests);
        assert_eq!(each.lanes[0].total, Bar { allowed: 1, never: 1, elsewhere: 1, ..Bar::default() });
        assert_eq!(each.lanes[1].total, Bar { allowed: 1, denied: 1, elsewhere: 1, ..Bar::default() });
        // In turn, the first has counted what the second denied; all or none, it has not.
        assert_eq!((each.lanes[0].peak, each.lanes[1].peak), (2, 1));
        let all = trace(&policies, Compose::All, &requests);
        assert_eq!((all.lanes[0].peak, all.lanes[1].peak), (1, 1));
        assert_eq!(all.lanes[0].levels.last().unwrap().remaining, 8);
    }

    #[test]
    fn policies_are_seen_to_recover_where_the_log_goes_on() {
        let requests = [(0, 0, 1), (0, 8 * SECOND, 1)];
        let traffic = ByKey::of_requests(&requests);
        let bins = |end| Trace::new(&[log("2/60s")], Compose::Each, traffic.of(0), end, 200).bins;
        assert_eq!((bins(8 * SECOND).count(), bins(9 * SECOND).count(), bins(900 * SECOND).count()), (9, 10, 11));
    }

    #[test]
    fn a_late_time_is_drawn_as_it_is_read() {
        let trace = trace(&[log("2/60s")], Compose::Each, &[(50, 1), (10, 1), (51, 1)]);
        assert_eq!(trace.span, (50 * SECOND, 51 * SECOND));
        assert_eq!(trace.lanes[0].bars[0].allowed, 2);
        assert_eq!(trace.lanes[0].total.denied, 1);
    }

    #[test]
    fn bars_add_up_over_any_span() {
        for requests in [vec![(0, 1)], vec![(0, 1), (9_000_000_000, 1)], vec![(5, 0), (5, 7), (5, 7), (6, 1)]] {
            let trace = trace(&[window("3/10s")], Compose::All, &requests);
            let lane = &trace.lanes[0];
            let sum: u64 = lane.bars.iter().map(|bar| bar.allowed + bar.denied + bar.never + bar.elsewhere).sum();
            assert_eq!((sum, lane.levels.len()), (requests.len() as u64, trace.bins.count()));
        }
    }
}

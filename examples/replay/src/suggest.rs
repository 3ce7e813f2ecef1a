//! The smallest quota that would have refused at most a given share of the requests.
//!
//! Is more ever refused with a greater quota? Not while the requests of a key cost the same (or nothing) and its times do not go back. Were
//! the greater quota the first to fall behind, at some request, both would have admitted as many until there. The bound that forbids it
//! this request is that of some interval: in it the greater one has admitted more than the smaller one may, who so must have admitted more
//! before the interval; but until there it was not ahead. (A fixed window opens at the same requests with either quota, as long as each
//! admits the first of a window.) There a search by halves is exact.
//!
//! With mixed costs it can be: a quota of 3 refuses a cost of 4 and admits three of 1 after it; a quota of 4 admits the 4 and refuses the
//! three. So if a key has those, every quota is tried in turn: from the least that the other keys and the largest costs leave possible, and
//! passing over those of which it is known that no answer changes. A search that would take too long is given up, and says between which
//! quotas the answer lies.

use std::fmt;
use std::str::FromStr;

use crate::judge::{Alone, Policy};
use crate::traffic::{ByKey, Held};

/// Judgements after which a search is given up: some seconds.
const PATIENCE: u64 = 100_000_000;

/// A share of requests, in millionths of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share(u64);

impl Share {
    const PERCENT: u64 = 1_000_000;

    /// As many of `requests` as this share allows.
    fn of(self, requests: u64) -> u64 {
        let allowed = u128::from(self.0) * u128::from(requests) / u128::from(100 * Self::PERCENT);
        // At most 100%.
        u64::try_from(allowed).unwrap_or(requests)
    }
}

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected a percentage from 0 to 100 with at most six decimals, such as 1 or 0.5";
        let number = text.strip_suffix('%').unwrap_or(text);
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |part: &str| !part.is_empty() && part.len() <= 6 && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) {
            return Err(EXPECTED);
        }
        let millionths = format!("{whole}{decimals:0<6}").parse().map_err(|_| EXPECTED)?;
        if millionths <= 100 * Self::PERCENT { Ok(Self(millionths)) } else { Err(EXPECTED) }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, decimals) = (self.0 / Self::PERCENT, format!("{:06}", self.0 % Self::PERCENT));
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{whole}%"),
            decimals => write!(f, "{whole}.{decimals}%"),
        }
    }
}

/// What was found for a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The smallest quota that refuses few enough, and how many; and how many the next smaller one refuses, if there is one.
    Least { policy: Policy, refused: u64, with_less: Option<u64> },
    /// None was found: a burst that is given stands in the way, or costs above all quotas.
    None,
    /// Given up: none below the first does, and `enough` does.
    Between { from: u32, enough: Policy, refused: u64 },
}

/// Finds the smallest quota for a policy, alone, at its window.
pub(crate) fn suggest(policy: &Policy, traffic: &ByKey, requests: u64, share: Share) -> Found {
    Search::new(policy, traffic, share.of(requests), PATIENCE).run()
}

/// Keys apart by how they can be searched.
struct Search<'a> {
    policy: &'a Policy,
    /// Refused no more with a greater quota.
    steady: Vec<&'a [Held]>,
    /// Perhaps refused more.
    mixed: Vec<&'a [Held]>,
    allowed: u64,
    /// Judgements that are left.
    patience: u64,
}

/// Requests refused, and the next greater quota with which an answer may change.
#[derive(Clone, Copy)]
struct Refused {
    count: u64,
    next: u64,
}

impl<'a> Search<'a> {
    fn new(policy: &'a Policy, traffic: &'a ByKey, allowed: u64, patience: u64) -> Self {
        let (steady, mixed) = traffic.keys().partition(|held| is_steady(held));
        Self { policy, steady, mixed, allowed, patience }
    }

    fn run(mut self) -> Found {
        let (steady, mixed) = (std::mem::take(&mut self.steady), std::mem::take(&mut self.mixed));
        if mixed.is_empty() {
            return match self.halve(|search, quota| search.refused(quota, &steady).count) {
                Some(quota) => self.found(quota, &steady),
                None => Found::None,
            };
        }
        // Whatever becomes of the rest, these are refused, and no more of them with a greater quota.
        let least =
            self.halve(|search, quota| search.refused(quota, &steady).count + search.above_limit(quota, &mixed));
        let Some(least) = least else { return Found::None };
        let keys = [steady, mixed].concat();
        let mut quota = u64::from(least);
        while let Ok(candidate) = u32::try_from(quota) {
            if self.patience == 0 {
                return self.given_up(candidate, &keys);
            }
            let refused = self.refused(candidate, &keys);
            if refused.count <= self.allowed {
                return self.found(candidate, &keys);
            }
            quota = refused.next;
        }
        Found::None
    }

    /// The least quota that refuses few enough, where a greater one never refuses more.
    fn halve(&mut self, refused: impl Fn(&mut Self, u32) -> u64) -> Option<u32> {
        if refused(self, u32::MAX) > self.allowed {
            return None;
        }
        let (mut low, mut high) = (1, u32::MAX);
        // Quotas below `low` refuse too many; `high` does not.
        while low < high {
            let middle = low + (high - low) / 2;
            if refused(self, middle) <= self.allowed {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(high)
    }

    /// Requests of these keys that can never pass.
    fn above_limit(&self, quota: u32, keys: &[&[Held]]) -> u64 {
        let limit = self.policy.with_quota(quota).map_or(0, |policy| Alone::new(policy).limit());
        keys.iter().copied().flatten().filter(|held| held.request.cost > u64::from(limit)).count() as u64
    }

    fn found(&mut self, quota: u32, keys: &[&[Held]]) -> Found {
        let Some(policy) = self.policy.with_quota(quota) else { return Found::None };
        let with_less =
            (quota > 1 && self.policy.with_quota(quota - 1).is_some()).then(|| self.refused(quota - 1, keys).count);
        Found::Least { policy, refused: self.refused(quota, keys).count, with_less }
    }

    /// Some quota that is enough where the next smaller one is not: by doubling, and then by halves.
    fn given_up(&mut self, from: u32, keys: &[&[Held]]) -> Found {
        let (mut low, mut high) = (from, from);
        while self.refused(high, keys).count > self.allowed {
            if high == u32::MAX {
                return Found::None;
            }
            (low, high) = (high + 1, high.saturating_mul(2));
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.refused(middle, keys).count <= self.allowed {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let refused = self.refused(high, keys).count;
        self.policy.with_quota(high).map_or(Found::None, |enough| Found::Between { from, enough, refused })
    }

    /// What would be refused of these keys with this quota. Where there is no such policy, all.
    fn refused(&mut self, quota: u32, keys: &[&[Held]]) -> Refused {
        let Some(policy) = self.policy.with_quota(quota) else {
            let count = keys.iter().map(|held| held.len() as u64).sum();
            return Refused { count, next: u64::from(quota) + 1 };
        };
        let mut all = Refused { count: 0, next: u64::MAX };
        for held in keys {
            let mut alone = Alone::new(policy);
            for held in *held {
                let (cost, now) = (held.request.cost, held.now);
                if !alone.admits(cost, now) {
                    all.count += 1;
                    // With so much more it would have been admitted, if nothing before it had changed.
                    let short = cost.saturating_sub(alone.remaining(now).into()).max(1);
                    all.next = all.next.min(u64::from(quota).saturating_add(short));
                }
            }
            self.patience = self.patience.saturating_sub(held.len() as u64);
        }
        if matches!(policy, Policy::TokenBucket(_)) {
            // A greater quota refills faster too, which may change any answer.
            all.next = u64::from(quota) + 1;
        }
        all
    }
}

/// Whether a greater quota never refuses more of these requests: they cost the same, or nothing, and time does not go back.
fn is_steady(held: &[Held]) -> bool {
    let mut costs = held.iter().map(|held| held.request.cost).filter(|&cost| cost > 0);
    let first = costs.next();
    costs.all(|cost| Some(cost) == first) && held.is_sorted_by_key(|held| held.now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn policies() -> Vec<Policy> {
        vec![
            Policy::FixedWindow("9/10s".parse().unwrap()),
            Policy::FixedWindow("9/10s,aligned".parse().unwrap()),
            Policy::SlidingLog("9/10s".parse().unwrap()),
            Policy::TokenBucket("9/10s".parse().unwrap()),
            Policy::TokenBucket("9/10s,interval".parse().unwrap()),
            Policy::TokenBucket("9/10s,burst=3".parse().unwrap()),
        ]
    }

    /// The same by asking for every quota in turn, of all keys, with nothing left out.
    fn naive(policy: &Policy, traffic: &ByKey, allowed: u64, most: u32) -> Option<(u32, u64)> {
        let refused = |quota| {
            let policy = policy.with_quota(quota)?;
            let of_key = |held: &[Held]| {
                let mut alone = Alone::new(policy);
                held.iter().filter(|held| !alone.admits(held.request.cost, held.now)).count() as u64
            };
            Some(traffic.keys().map(of_key).sum::<u64>())
        };
        (1..=most).find_map(|quota| refused(quota).filter(|&count| count <= allowed).map(|count| (quota, count)))
    }

    /// Requests of three keys from a small generator; the costs are of one kind or mixed.
    fn traffic(seed: u64, costs: &[u64]) -> (ByKey, u64) {
        let mut state = seed;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let (mut requests, mut at) = (Vec::new(), 0);
        for _ in 0..40 {
            at += below(3) * SECOND / 2;
            requests.push((below(3) as usize, at, costs[below(costs.len() as u64) as usize]));
        }
        (ByKey::of_requests(&requests), requests.len() as u64)
    }

    #[test]
    fn the_search_finds_what_asking_for_every_quota_finds() {
        let mut given_up = 0;
        for seed in 0..20 {
            for costs in [&[1][..], &[0, 1], &[3], &[1, 2, 5], &[7, 1, 1, 1], &[400, 90, 1]] {
                let (traffic, requests) = traffic(seed, costs);
                for policy in policies() {
                    for percent in ["0", "3", "20", "60"] {
                        let allowed = percent.parse::<Share>().unwrap().of(requests);
                        let naive = naive(&policy, &traffic, allowed, 6_000);
                        let what = format!("seed {seed}, costs {costs:?}, {policy}, {percent}%");
                        match Search::new(&policy, &traffic, allowed, 20_000).run() {
                            Found::Least { policy, refused, .. } => {
                                assert_eq!(Some((policy.quota(), refused)), naive, "{what}");
                            }
                            Found::None => assert_eq!(naive, None, "{what}"),
                            Found::Between { from, enough, .. } => {
                                given_up += 1;
                                let least = naive.unwrap_or_else(|| panic!("{what}")).0;
                                assert!((from..=enough.quota()).contains(&least), "{what}: {least}");
                            }
                        }
                    }
                }
            }
        }
        assert!(given_up < 300, "{given_up}");
    }

    #[test]
    fn a_greater_quota_can_refuse_more_where_costs_are_mixed() {
        let traffic = ByKey::of_requests(&[(0, 0, 4), (0, 1, 1), (0, 2, 1), (0, 3, 1)]);
        let log = Policy::SlidingLog("9/10s".parse().unwrap());
        let mut search = Search::new(&log, &traffic, 0, PATIENCE);
        let keys = search.mixed.clone();
        let refused = [3, 4, 5, 7].map(|quota| search.refused(quota, &keys).count);
        assert_eq!(refused, [1, 3, 2, 0]);
        let found = suggest(&log, &traffic, 4, "25".parse().unwrap());
        let expected = Policy::SlidingLog("3/10s".parse().unwrap());
        assert_eq!(found, Found::Least { policy: expected, refused: 1, with_less: Some(2) });
    }

    #[test]
    fn a_search_that_takes_too_long_says_how_far_it_came() {
        let traffic = ByKey::of_requests(&[(0, 0, 900), (0, 1, 800), (0, 2, 1)]);
        let bucket = Policy::TokenBucket("9/10s".parse().unwrap());
        let found = Search::new(&bucket, &traffic, 0, 30).run();
        let Found::Between { from, enough, refused: 0 } = found else { panic!("{found:?}") };
        assert!(from > 1 && enough.quota() >= 1_701, "{found:?}");
        let Found::Least { policy, .. } = Search::new(&bucket, &traffic, 0, PATIENCE).run() else { panic!("found") };
        assert!((from..=enough.quota()).contains(&policy.quota()));
    }

    #[test]
    fn shares_are_exact() {
        for (text, of_a_million, shown) in [
            ("0", 0, "0%"),
            ("1", 10_000, "1%"),
            ("1%", 10_000, "1%"),
            ("0.5", 5_000, "0.5%"),
            ("0.0001", 1, "0.0001%"),
            ("0.00009", 0, "0.00009%"),
            ("100", 1_000_000, "100%"),
            ("33.333333", 333_333, "33.333333%"),
        ] {
            let share: Share = text.parse().unwrap();
            assert_eq!((share.of(1_000_000), share.to_string().as_str()), (of_a_million, shown));
            assert_eq!(share.of(u64::MAX) == u64::MAX, text == "100");
        }
        for bad in ["", "%", ".5", "5.", "-1", "101", "100.000001", "1e3", "1.0000000", "one", "+1", "1%%", "٣"] {
            assert!(bad.parse::<Share>().is_err(), "{bad}");
        }
    }
}

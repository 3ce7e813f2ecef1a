//! The limiter: policies over keys, each alone and composed. `tollgate` decides; here is only who is asked, and in which order.

use std::collections::HashMap;
use std::fmt;

use clap::ValueEnum;
use tollgate::layers::{Joint, JointError, Layer, Many, all_with_status};
use tollgate::{
    CheckError, CostExceedsLimit, Decision, FixedWindow, FixedWindowState, Policy as _, SlidingLog, SlidingLogState,
    State, Status, Timestamp, TokenBucket, TokenBucketState, Wait,
};

/// A policy of any kind, as it stands on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    FixedWindow(FixedWindow),
    SlidingLog(SlidingLog),
    TokenBucket(TokenBucket),
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FixedWindow(policy) => write!(f, "fixed-window {policy}"),
            Self::SlidingLog(policy) => write!(f, "sliding-log {policy}"),
            Self::TokenBucket(policy) => write!(f, "token-bucket {policy}"),
        }
    }
}

impl Policy {
    pub(crate) fn quota(&self) -> u32 {
        match self {
            Self::FixedWindow(policy) => policy.quota(),
            Self::SlidingLog(policy) => policy.quota(),
            Self::TokenBucket(policy) => policy.quota(),
        }
    }

    /// In nanoseconds.
    pub(crate) fn window(&self) -> u64 {
        let window = match self {
            Self::FixedWindow(policy) => policy.window(),
            Self::SlidingLog(policy) => policy.window(),
            Self::TokenBucket(policy) => policy.window(),
        };
        Wait::from(window).as_nanos()
    }

    /// What is never exceeded in an interval one window long: two windows may touch it, and a bucket may be full at its beginning.
    pub(crate) fn bound(&self) -> u64 {
        match self {
            Self::FixedWindow(policy) => 2 * u64::from(policy.quota()),
            Self::SlidingLog(policy) => policy.quota().into(),
            Self::TokenBucket(policy) => u64::from(policy.burst()) + u64::from(policy.quota()),
        }
    }

    /// The same with another quota, if there is such a policy. A burst that is the quota stays it; any other stands.
    pub(crate) fn with_quota(&self, quota: u32) -> Option<Self> {
        match self {
            Self::FixedWindow(policy) => {
                let changed = FixedWindow::new(quota, policy.window()).ok()?;
                Some(Self::FixedWindow(policy.origin().map_or(changed, |origin| changed.aligned(origin))))
            }
            Self::SlidingLog(policy) => SlidingLog::new(quota, policy.window()).ok().map(Self::SlidingLog),
            Self::TokenBucket(policy) => {
                let burst = if policy.burst() == policy.quota() { quota } else { policy.burst() };
                TokenBucket::new_with(quota, policy.window(), burst, policy.refill()).ok().map(Self::TokenBucket)
            }
        }
    }
}

/// How several policies work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compose {
    /// In the order given; the first denial ends it, and what earlier ones admitted stands
    Each,
    /// All or none: what one denies is counted by none
    All,
    /// Each alone, and compared
    Independent,
}

/// The number of a key, by which policies remember it: each is stored once, whoever counts it.
pub(crate) type KeyId = usize;

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The least that remains of any policy that was asked.
    Allow { remaining: u32 },
    /// Not now.
    Deny { retry_after: Wait },
    /// Not ever: the cost is above a policy's limit.
    Never,
}

/// An outcome and the index of the policy that it is due to: the one that refused, or the one that was asked alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) policy: Option<usize>,
}

/// Policies, what they remember of each key, and how they work together.
pub(crate) struct Judge {
    limiters: Vec<Limiter>,
    compose: Compose,
}

impl Judge {
    pub(crate) fn new(policies: &[Policy], compose: Compose) -> Self {
        let limiter = |&policy| Limiter { policy, clients: HashMap::new() };
        Self { limiters: policies.iter().map(limiter).collect(), compose }
    }

    /// Judges a request, leaving one verdict in `verdicts`, or with independent policies one for each.
    pub(crate) fn judge(&mut self, key: KeyId, cost: u64, now: Timestamp, verdicts: &mut Vec<Verdict>) {
        verdicts.clear();
        match self.compose {
            Compose::Each => verdicts.push(self.in_order(key, cost, now)),
            Compose::All => verdicts.push(self.all_or_none(key, cost, now)),
            Compose::Independent => {
                let limiters = self.limiters.iter_mut().enumerate();
                verdicts.extend(limiters.map(|(index, limiter)| limiter.check(key, cost, now).due_to(index)));
            }
        }
    }

    /// The largest cost that a policy would still admit.
    pub(crate) fn remaining(&self, policy: usize, key: KeyId, now: Timestamp) -> u32 {
        let limiter = self.limiters.get(policy);
        limiter.map_or(0, |Limiter { policy, clients }| {
            clients.get(&key).map_or(policy.limit(), |memory| policy.remaining_of(memory, now))
        })
    }

    fn in_order(&mut self, key: KeyId, cost: u64, now: Timestamp) -> Verdict {
        let mut least = u32::MAX;
        for (index, limiter) in self.limiters.iter_mut().enumerate() {
            match limiter.check(key, cost, now) {
                Outcome::Allow { remaining } => least = least.min(remaining),
                refused => return refused.due_to(index),
            }
        }
        Verdict { outcome: Outcome::Allow { remaining: least }, policy: None }
    }

    fn all_or_none(&mut self, key: KeyId, cost: u64, now: Timestamp) -> Verdict {
        let Ok(cost) = u32::try_from(cost) else {
            let smallest = self.limiters.iter().enumerate().min_by_key(|(_, limiter)| limiter.policy.limit());
            return Outcome::Never.due_to(smallest.map_or(0, |(index, _)| index));
        };
        let layers =
            self.limiters.iter_mut().map(|Limiter { policy, clients }| Layer::new(*policy, clients, &key).cost(cost));
        match all_with_status(Many(layers), now) {
            Ok((Joint::Allow, tightest)) => {
                let remaining = tightest.map_or(u32::MAX, |tightest| tightest.status.remaining);
                Verdict { outcome: Outcome::Allow { remaining }, policy: None }
            }
            Ok((Joint::Deny { retry_after, layer }, _)) => Outcome::Deny { retry_after }.due_to(layer),
            // A map is never full.
            Err(JointError::CostExceedsLimit { layer, .. } | JointError::Full { layer, .. }) => {
                Outcome::Never.due_to(layer)
            }
        }
    }
}

impl Outcome {
    fn due_to(self, policy: usize) -> Verdict {
        Verdict { outcome: self, policy: Some(policy) }
    }
}

/// One policy over one key, asked outside of any store.
pub(crate) struct Alone {
    policy: Policy,
    memory: Memory,
}

impl Alone {
    pub(crate) fn new(policy: Policy) -> Self {
        Self { policy, memory: Memory::default() }
    }

    pub(crate) fn limit(&self) -> u32 {
        self.policy.limit()
    }

    /// Whether a request passes, counting it if so.
    pub(crate) fn admits(&mut self, cost: u64, now: Timestamp) -> bool {
        let Ok(cost) = u32::try_from(cost) else { return false };
        self.policy.judge_n(&mut self.memory, cost, now).is_ok_and(|decision| decision.is_allow())
    }

    pub(crate) fn remaining(&self, now: Timestamp) -> u32 {
        self.policy.remaining_of(&self.memory, now)
    }
}

/// A policy and its store.
struct Limiter {
    policy: Policy,
    clients: HashMap<KeyId, Memory>,
}

impl Limiter {
    fn check(&mut self, key: KeyId, cost: u64, now: Timestamp) -> Outcome {
        // A limit is at most `u32::MAX`.
        let Ok(cost) = u32::try_from(cost) else { return Outcome::Never };
        match self.policy.check_with_status(&mut self.clients, &key, cost, now) {
            Ok((Decision::Allow, status)) => Outcome::Allow { remaining: status.remaining },
            Ok((Decision::Deny { retry_after }, _)) => Outcome::Deny { retry_after },
            Err(CheckError::CostExceedsLimit(_)) => Outcome::Never,
        }
    }
}

/// What a policy of any kind remembers of a key: a part for each kind, of which a policy uses its own. So policies of different kinds are
/// of one type, and any number of them can be judged together.
#[derive(Clone, Debug, Default, PartialEq)]
struct Memory {
    window: FixedWindowState,
    log: SlidingLogState,
    bucket: TokenBucketState,
}

impl State for Memory {
    fn is_expired(&self, now: Timestamp) -> bool {
        self.window.is_expired(now) && self.log.is_expired(now) && self.bucket.is_expired(now)
    }

    fn expires_at(&self) -> Timestamp {
        self.window.expires_at().max(self.log.expires_at()).max(self.bucket.expires_at())
    }
}

impl tollgate::Policy<Memory> for Policy {
    fn limit(&self) -> u32 {
        match self {
            Self::FixedWindow(policy) => policy.quota(),
            Self::SlidingLog(policy) => policy.quota(),
            Self::TokenBucket(policy) => policy.burst(),
        }
    }

    fn preview(&self, memory: &Memory, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        match self {
            Self::FixedWindow(policy) => policy.preview(&memory.window, cost, now),
            Self::SlidingLog(policy) => policy.preview(&memory.log, cost, now),
            Self::TokenBucket(policy) => policy.preview(&memory.bucket, cost, now),
        }
    }

    fn remaining_of(&self, memory: &Memory, now: Timestamp) -> u32 {
        self.status_of(memory, now).remaining
    }

    fn status_of(&self, memory: &Memory, now: Timestamp) -> Status {
        match self {
            Self::FixedWindow(policy) => policy.status_of(&memory.window, now),
            Self::SlidingLog(policy) => policy.status_of(&memory.log, now),
            Self::TokenBucket(policy) => policy.status_of(&memory.bucket, now),
        }
    }

    fn charge_to(&self, memory: &mut Memory, cost: u32, now: Timestamp) {
        match self {
            Self::FixedWindow(policy) => policy.charge_to(&mut memory.window, cost, now),
            Self::SlidingLog(policy) => policy.charge_to(&mut memory.log, cost, now),
            Self::TokenBucket(policy) => policy.charge_to(&mut memory.bucket, cost, now),
        }
    }

    fn refund_to(&self, memory: &mut Memory, cost: u32, now: Timestamp) {
        match self {
            Self::FixedWindow(policy) => policy.refund_to(&mut memory.window, cost, now),
            Self::SlidingLog(policy) => policy.refund_to(&mut memory.log, cost, now),
            Self::TokenBucket(policy) => policy.refund_to(&mut memory.bucket, cost, now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(text: &str) -> Policy {
        Policy::SlidingLog(text.parse().unwrap())
    }

    fn window(text: &str) -> Policy {
        Policy::FixedWindow(text.parse().unwrap())
    }

    fn bucket(text: &str) -> Policy {
        Policy::TokenBucket(text.parse().unwrap())
    }

    #[test]
    fn another_quota_leaves_all_else() {
        for (policy, changed) in [
            (window("60/1m"), "fixed-window 7/1m"),
            (window("60/1d,aligned=6h"), "fixed-window 7/1d,aligned=6h"),
            (log("60/1m"), "sliding-log 7/1m"),
            (bucket("60/1m"), "token-bucket 7/1m"),
            (bucket("60/1m,interval"), "token-bucket 7/1m,interval"),
            (bucket("60/1m,burst=5"), "token-bucket 7/1m,burst=5"),
        ] {
            assert_eq!(policy.with_quota(7).unwrap().to_string(), changed);
            assert_eq!(policy.with_quota(0), None);
        }
        // So many tokens would take longer than any bucket may.
        assert_eq!(bucket("4294967295/1d,burst=4294967294").with_quota(1), None);
    }

    #[test]
    fn the_bound_is_that_of_one_window_anywhere() {
        assert_eq!(window("60/1m").bound(), 120);
        assert_eq!(log("60/1m").bound(), 60);
        assert_eq!(bucket("60/1m,burst=5").bound(), 65);
        assert_eq!(bucket("4294967295/1d").bound(), 2 * u64::from(u32::MAX));
    }

    #[test]
    fn a_policy_alone_answers_as_over_a_store() {
        let at = Timestamp::from_secs;
        for policy in [window("3/10s"), log("3/10s"), bucket("3/10s")] {
            let mut alone = Alone::new(policy);
            let mut judge = Judge::new(&[policy], Compose::Independent);
            let mut verdicts = Vec::new();
            for (cost, second) in [(1, 0), (2, 1), (1, 2), (4, 3), (0, 3), (1, 10), (u64::MAX, 11), (3, 25)] {
                judge.judge(5, cost, at(second), &mut verdicts);
                let allowed = matches!(verdicts[0].outcome, Outcome::Allow { .. });
                assert_eq!(alone.admits(cost, at(second)), allowed, "{policy} {cost} at {second}");
                assert_eq!(alone.remaining(at(second)), judge.remaining(0, 5, at(second)));
            }
            assert_eq!(judge.remaining(0, 6, at(0)), 3);
        }
    }
}

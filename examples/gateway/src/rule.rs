//! Policies with names: what one request of one key is judged by, and the answer as it is told.

use axum::http::{HeaderName, HeaderValue};
use tollgate::format::sf::List;
use tollgate::format::{Name, Quota, RetryAfter, draft_10};
use tollgate::{
    Both, Decision, FixedWindow, FixedWindowState, Policy, State, Status, Timestamp, TokenBucket, TokenBucketState,
};

/// One policy or several on one key, judged all or none.
///
/// Pure, so that a store may run it where it likes, and again after a compare-and-swap that failed: it changes the state only if it admits.
pub trait Judge<S>: Send + Sync {
    /// Judges one request.
    fn judge(&self, state: &mut S, now: Timestamp) -> Judgement;
}

/// A policy, and the name by which clients and logs know it.
#[derive(Clone, Copy, Debug)]
pub struct Named<P> {
    name: Name<'static>,
    policy: P,
}

impl<P> Named<P> {
    /// This policy by this name.
    pub const fn new(name: &'static str, policy: P) -> Self {
        Self { name: Name::constant(name), policy }
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name.as_str()
    }

    fn standing<S: State>(&self, state: &S, now: Timestamp) -> Standing
    where
        P: Policy<S> + Copy,
        Quota: From<P>,
    {
        Standing { name: self.name, quota: self.policy.into(), status: self.policy.status_of(state, now) }
    }
}

impl<S, P> Judge<S> for Named<P>
where
    S: State,
    P: Policy<S> + Copy + Send + Sync,
    Quota: From<P>,
{
    fn judge(&self, state: &mut S, now: Timestamp) -> Judgement {
        let decision = self.policy.judge(state, now);
        Judgement { decision, by: self.name(), standings: [Some(self.standing(state, now)), None] }
    }
}

/// A bucket, and for some a quota of the day besides.
#[derive(Clone, Copy, Debug)]
pub struct Quotas {
    /// What the bucket admits.
    pub bucket: Named<TokenBucket>,
    /// What a day admits.
    pub daily: Option<Named<FixedWindow>>,
}

/// What is remembered of a key with [`Quotas`]. It is one state, so the quota of the day cannot overshoot and a rejected request writes nothing.
pub type Usage = (TokenBucketState, FixedWindowState);

impl Judge<Usage> for Quotas {
    fn judge(&self, usage: &mut Usage, now: Timestamp) -> Judgement {
        let Self { bucket, daily: Some(daily) } = self else { return self.bucket.judge(&mut usage.0, now) };
        let decision = Both(bucket.policy, daily.policy).judge(usage, now);
        // A denial has changed nothing, so the one of the two that asks for the longer wait would say the same again.
        let by_bucket = bucket.policy.preview(&usage.0, 1, now) == Ok(decision);
        let by = if by_bucket { bucket.name() } else { daily.name() };
        Judgement {
            decision,
            by,
            standings: [Some(bucket.standing(&usage.0, now)), Some(daily.standing(&usage.1, now))],
        }
    }
}

/// The answer to one request: the decision, and how the key stands with each policy.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    decision: Decision,
    by: &'static str,
    standings: [Option<Standing>; 2],
}

/// How a key stands with a policy.
#[derive(Clone, Copy, Debug)]
struct Standing {
    name: Name<'static>,
    quota: Quota,
    status: Status,
}

/// A denial: which policy it was, and when to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The policy that asks for the longest wait.
    pub policy: &'static str,
    /// That wait.
    pub retry_after: RetryAfter,
}

impl Judgement {
    /// The denial, if it is one.
    pub fn denied(&self) -> Option<Denied> {
        RetryAfter::new(self.decision).map(|retry_after| Denied { policy: self.by, retry_after })
    }

    /// The header fields that tell it.
    pub fn fields(&self) -> Vec<(HeaderName, HeaderValue)> {
        let standings: Vec<_> = self.standings.into_iter().flatten().collect();
        let policies: Vec<_> = standings.iter().map(|told| draft_10::Policy::new(told.name, told.quota)).collect();
        let limits: Vec<_> = standings.iter().map(|told| draft_10::Limit::new(told.name, &told.status)).collect();
        let policies = List::new(&policies).map(|list| (draft_10::RATELIMIT_POLICY, list.to_string()));
        let limits = List::new(&limits).map(|list| (draft_10::RATELIMIT, list.to_string()));
        // A name and figures are printable ASCII, so no value is refused.
        let field = |(name, value)| Some((HeaderName::from_static(name), HeaderValue::try_from(value).ok()?));
        [policies, limits].into_iter().flatten().filter_map(field).collect()
    }

    /// The same, judged at `read` and counted from an earlier `now`: for stores that forget, and so have a horizon.
    #[must_use]
    pub fn counted_from(self, now: Timestamp, read: Timestamp) -> Self {
        let later = |told: Standing| Standing { status: told.status.counted_from(now, read), ..told };
        let standings = self.standings.map(|told| told.map(later));
        Self { decision: self.decision.counted_from(now, read), standings, ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tollgate::Refill;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);
    const HOUR: Duration = Duration::from_secs(3_600);

    /// So many a minute, and so many an hour.
    fn quotas(minute: u32, hour: u32) -> Quotas {
        let refill = Refill::Interval { origin: Timestamp::ZERO };
        let bucket = Named::new("bucket", TokenBucket::constant_with(minute, MINUTE, minute, refill));
        let daily = Named::new("daily", FixedWindow::constant(hour, HOUR).aligned(Timestamp::ZERO));
        Quotas { bucket, daily: Some(daily) }
    }

    fn denied(quotas: Quotas, usage: &mut Usage, secs: u64) -> Option<(&'static str, u64)> {
        let denied = quotas.judge(usage, Timestamp::from_secs(secs)).denied();
        denied.map(|Denied { policy, retry_after }| (policy, retry_after.secs()))
    }

    #[test]
    fn a_rejected_request_writes_nothing_whichever_rejects_it() {
        let mut usage = Usage::default();
        let used = |usage: &mut Usage| (0..2).for_each(|_| assert_eq!(denied(quotas(2, 5), usage, 70), None));
        used(&mut usage);
        let before = usage.clone();
        assert_eq!(denied(quotas(2, 5), &mut usage, 70), Some(("bucket", 50)));
        assert_eq!(denied(quotas(3, 2), &mut usage, 70), Some(("daily", 3_530)));
        assert_eq!(usage, before);
    }

    #[test]
    fn of_two_that_deny_the_one_with_the_longer_wait_is_named() {
        let mut usage = Usage::default();
        assert_eq!(denied(quotas(1, 1), &mut usage, 70), None);
        assert_eq!(denied(quotas(1, 1), &mut usage, 70), Some(("daily", 3_530)));
    }

    #[test]
    fn fields_tell_of_each_policy() {
        let fields = quotas(2, 5).judge(&mut Usage::default(), Timestamp::from_secs(70)).fields();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        let policy = r#""bucket";q=2;w=60, "daily";q=5;w=3600"#;
        let limit = r#""bucket";r=1;t=50, "daily";r=4;t=3530"#;
        assert_eq!(fields, [("ratelimit-policy", policy), ("ratelimit", limit)]);
    }
}

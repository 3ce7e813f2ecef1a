//! One key: the answers, the same for every kind of policy.

use crate::fixed_window::Window;
use crate::policy::{LAST_TIMESTAMP, Policy};
use crate::search::{earliest, largest};
use crate::sliding_log::Log;
use crate::token_bucket::{Bucket, Level, Rate};

/// Which kind of policy a model is remembered under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Fixed windows.
    FixedWindow,
    /// Sliding logs.
    SlidingLog {
        /// How many entries there is room for; `None` for a log that grows.
        capacity: Option<u32>,
    },
    /// Token buckets.
    TokenBucket,
}

/// The answer to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may pass.
    Allow,
    /// It may not pass now.
    Deny {
        /// From the caller's `now` to the earliest time at which it may, if nothing happens in between.
        retry_after_ns: u64,
    },
    /// It may never pass: its cost is above the policy's limit.
    Never,
}

/// Where a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The policy's limit.
    pub limit: u32,
    /// The largest cost that would pass now.
    pub remaining: u32,
    /// From now until more than that would pass; 0 if no more ever will.
    pub more_after_ns: u64,
    /// From now until the limit would pass; 0 if it would now.
    pub full_after_ns: u64,
}

/// What is remembered of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model(State);

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Window(Window),
    Log(Log),
    Bucket(Bucket),
}

/// A state as one policy sees it.
enum Reading<'a> {
    Window { window: &'a Window, quota: u32 },
    Log { log: &'a Log, quota: u32 },
    Bucket { level: Level, burst: u32 },
}

impl Reading<'_> {
    /// The question that every answer is made of: would `cost` pass at `time`?
    fn allows(&self, cost: u32, time: u64) -> bool {
        match self {
            Reading::Window { window, quota } => window.allows(*quota, cost, time),
            Reading::Log { log, quota } => log.allows(*quota, cost, time),
            Reading::Bucket { level, burst } => level.allows(*burst, cost, time),
        }
    }

    /// From `now` until `cost` passes.
    fn wait(&self, cost: u32, now: u64) -> u64 {
        if self.allows(cost, now) { 0 } else { earliest(now, |time| self.allows(cost, time)) - now }
    }
}

impl Model {
    /// A key of which nothing is remembered yet.
    pub fn new(kind: Kind) -> Self {
        Self(match kind {
            Kind::FixedWindow => State::Window(Window::default()),
            Kind::SlidingLog { capacity } => State::Log(Log::new(capacity)),
            Kind::TokenBucket => State::Bucket(Bucket::default()),
        })
    }

    /// A new key for this policy; a log grows.
    pub fn of(policy: &Policy) -> Self {
        Self::new(match policy {
            Policy::FixedWindow { .. } => Kind::FixedWindow,
            Policy::SlidingLog { .. } => Kind::SlidingLog { capacity: None },
            Policy::TokenBucket { .. } => Kind::TokenBucket,
        })
    }

    /// Judges a request, and counts it if it passes.
    pub fn check(&mut self, policy: &Policy, cost: u32, now: u64) -> Answer {
        let answer = self.peek(policy, cost, now);
        if answer == Answer::Allow {
            self.charge(policy, cost, now);
        }
        answer
    }

    /// The answer that [`check`](Self::check) would give.
    pub fn peek(&self, policy: &Policy, cost: u32, now: u64) -> Answer {
        let reading = self.read_by(policy, now);
        if cost > policy.limit() {
            return Answer::Never;
        }
        match reading.wait(cost, now) {
            0 => Answer::Allow,
            retry_after_ns => Answer::Deny { retry_after_ns },
        }
    }

    /// The largest cost that would pass now, 0 if none would.
    pub fn remaining(&self, policy: &Policy, now: u64) -> u32 {
        let reading = self.read_by(policy, now);
        largest(policy.limit(), |cost| reading.allows(cost, now))
    }

    /// Where the key stands.
    pub fn status(&self, policy: &Policy, now: u64) -> Status {
        let reading = self.read_by(policy, now);
        let limit = policy.limit();
        let remaining = self.remaining(policy, now);
        Status {
            limit,
            remaining,
            more_after_ns: if remaining == limit { 0 } else { reading.wait(remaining + 1, now) },
            full_after_ns: reading.wait(limit, now),
        }
    }

    /// Counts usage without asking. A cost of 0 is none.
    pub fn charge(&mut self, policy: &Policy, cost: u32, now: u64) {
        check_use(policy, now);
        if cost == 0 {
            return;
        }
        match (&mut self.0, *policy) {
            (State::Window(window), Policy::FixedWindow { window_ns, grid, .. }) => {
                window.count(window_ns, grid, cost, now);
            }
            (State::Log(log), Policy::SlidingLog { window_ns, .. }) => log.count(window_ns, cost, now),
            (State::Bucket(bucket), Policy::TokenBucket { quota, window_ns, refill, .. }) => {
                bucket.count(Rate::new(quota, window_ns, refill), cost, now);
            }
            (state, policy) => wrong_kind(state, &policy),
        }
    }

    /// Gives units back, as far as they still count now.
    pub fn refund(&mut self, policy: &Policy, cost: u32, now: u64) {
        check_use(policy, now);
        if cost == 0 {
            return;
        }
        match (&mut self.0, *policy) {
            (State::Window(window), Policy::FixedWindow { .. }) => window.refund(cost, now),
            (State::Log(log), Policy::SlidingLog { .. }) => log.refund(cost, now),
            (State::Bucket(bucket), Policy::TokenBucket { quota, window_ns, refill, .. }) => {
                bucket.refund(Rate::new(quota, window_ns, refill), cost, now);
            }
            (state, policy) => wrong_kind(state, &policy),
        }
    }

    /// From when on the key is as good as new, whatever the policy. May lie beyond the last timestamp.
    pub fn expires_at(&self) -> u64 {
        match &self.0 {
            State::Window(window) => window.expires_at(),
            State::Log(log) => log.expires_at(),
            State::Bucket(bucket) => bucket.expires_at(),
        }
    }

    /// Whether the key is as good as new now, whatever the policy.
    pub fn is_expired(&self, now: u64) -> bool {
        now >= self.expires_at()
    }

    fn read_by(&self, policy: &Policy, now: u64) -> Reading<'_> {
        check_use(policy, now);
        match (&self.0, *policy) {
            (State::Window(window), Policy::FixedWindow { quota, .. }) => Reading::Window { window, quota },
            (State::Log(log), Policy::SlidingLog { quota, .. }) => Reading::Log { log, quota },
            (State::Bucket(bucket), Policy::TokenBucket { quota, window_ns, burst, refill }) => {
                Reading::Bucket { level: bucket.read_by(Rate::new(quota, window_ns, refill)), burst }
            }
            (state, policy) => wrong_kind(state, &policy),
        }
    }
}

fn check_use(policy: &Policy, now: u64) {
    debug_assert!(policy.is_valid(), "this policy cannot be built: {policy:?}");
    debug_assert!(now <= LAST_TIMESTAMP, "not a timestamp: {now}");
}

fn wrong_kind(state: &State, policy: &Policy) -> ! {
    panic!("{state:?} is not remembered under policies like {policy:?}")
}

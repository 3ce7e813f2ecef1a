//! Takes the decisions again that the firmware has printed, with the exact model that is the specification.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use firmware::login::ATTEMPTS;
use firmware::publish::{MESSAGES, TOPICS};
use firmware::radio::{AIRTIME, RING};
use firmware::throttle::LINES;
use tollgate::{FixedWindow, SlidingLog, TokenBucket};
use tollgate_oracle::{Answer, Kind, Policy, Refill, StoreModel};

/// How many decisions of each limiter were allowed, and how many were not.
pub type Counts = BTreeMap<String, [u32; 2]>;

/// What is wrong with what was printed: the line, and what.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Counted from one.
    pub line: usize,
    /// What was printed, and what should have been.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for Mistake {}

/// A limiter as the specification has it.
struct Limiter {
    policy: Policy,
    states: StoreModel<String>,
    /// Keys that are remembered, of those that are live.
    room: usize,
}

impl Limiter {
    fn new(policy: Policy, kind: Kind, room: usize) -> Self {
        Self { policy, states: StoreModel::new(kind), room }
    }

    fn answer(&mut self, key: &str, cost: u32, now: u64) -> String {
        let key = key.to_owned();
        if self.states.get(&key).is_none() && self.states.len() >= self.room {
            let is_expired = |key: &&String| self.states.get(key).is_some_and(|state| state.is_expired(now));
            let expired = self.states.keys().find(is_expired).cloned();
            match expired {
                Some(expired) => self.states.forget(&expired, now),
                None => return "full".into(),
            }
        }
        match self.states.check(key, &self.policy, cost, now) {
            Answer::Allow => "allow".into(),
            Answer::Deny { retry_after_ns } => format!("deny {retry_after_ns}"),
            Answer::Never => "never".into(),
        }
    }
}

fn limiters() -> BTreeMap<&'static str, Limiter> {
    let ring = Kind::SlidingLog { capacity: Some(RING as u32) };
    BTreeMap::from([
        ("log", Limiter::new(of_bucket(LINES), Kind::TokenBucket, usize::MAX)),
        ("radio", Limiter::new(of_log(AIRTIME), ring, 1)),
        ("publish", Limiter::new(of_bucket(MESSAGES), Kind::TokenBucket, TOPICS)),
        ("login", Limiter::new(of_window(ATTEMPTS), Kind::FixedWindow, 1)),
    ])
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).expect("a window is at most 2^62 ns")
}

fn of_bucket(policy: TokenBucket) -> Policy {
    let (quota, window_ns, burst) = (policy.quota(), nanos(policy.window()), policy.burst());
    Policy::TokenBucket { quota, window_ns, burst, refill: Refill::Continuous }
}

fn of_log(policy: SlidingLog) -> Policy {
    Policy::SlidingLog { quota: policy.quota(), window_ns: nanos(policy.window()) }
}

fn of_window(policy: FixedWindow) -> Policy {
    Policy::FixedWindow { quota: policy.quota(), window_ns: nanos(policy.window()), grid: None }
}

/// Takes each decision again. A line is `LIMITER KEY COST NANOSECONDS ANSWER`, or starts with `#`.
///
/// # Errors
///
/// [`Mistake`] at the first line that the specification does not say, or that cannot be read.
pub fn replay(printed: &str) -> Result<Counts, Mistake> {
    let mut limiters = limiters();
    let mut counts = Counts::new();
    for (index, line) in printed.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let wrong = |what: String| Mistake { line: index + 1, what };
        let mut fields = line.splitn(5, ' ');
        let mut field = |name| fields.next().ok_or_else(|| wrong(format!("there is no {name}: {line:?}")));
        let (name, key, cost, at, answer) =
            (field("limiter")?, field("key")?, field("cost")?, field("time")?, field("answer")?);
        let limiter = limiters.get_mut(name).ok_or_else(|| wrong(format!("no limiter is called {name:?}")))?;
        let cost = cost.parse().map_err(|_| wrong(format!("the cost is no number: {cost:?}")))?;
        let now = at.parse().map_err(|_| wrong(format!("the time is no number: {at:?}")))?;
        if now > tollgate_oracle::policy::LAST_TIMESTAMP {
            return Err(wrong(format!("the time is beyond the last timestamp: {now}")));
        }
        let right = limiter.answer(key, cost, now);
        if right != answer {
            return Err(wrong(format!("the device said {answer:?}, and the specification says {right:?}: {line:?}")));
        }
        counts.entry(name.to_owned()).or_default()[usize::from(answer != "allow")] += 1;
    }
    match limiters.keys().find(|name| counts.get(**name).is_none_or(|counts| counts.contains(&0))) {
        Some(name) => {
            let what = format!("`{name}` has not both allowed and refused something, so this shows little");
            Err(Mistake { line: printed.lines().count(), what })
        }
        None => Ok(counts),
    }
}

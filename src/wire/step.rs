//! One step against a store that machines share: stored bytes in, the decision out, and what to write where something must be.
//!
//! A store has to read a key, and to write it **if it is still what was read**; nothing else. No I/O happens here, so the same ten lines around a
//! step serve blocking callers and async ones, whatever the store:
//!
//! ```
//! use core::time::Duration;
//! use tollgate::wire::Wire;
//! use tollgate::wire::step::{self, Condition, Step};
//! use tollgate::{Decision, Timestamp, TokenBucket};
//!
//! # use std::{collections::HashMap, sync::Mutex};
//! # struct Database(Mutex<HashMap<String, Vec<u8>>>);
//! # impl Database {
//! #     fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Outcome> { Ok(self.0.lock().unwrap().get(key).cloned()) }
//! #     fn put_if(&self, key: &str, condition: Condition, bytes: Vec<u8>, _keep_ms: u64) -> Result<bool, Outcome> {
//! #         let mut keys = self.0.lock().unwrap();
//! #         let same = keys.get(key).map(Vec::as_slice) == condition.expected();
//! #         if same { keys.insert(key.into(), bytes); }
//! #         Ok(same)
//! #     }
//! # }
//! # #[derive(Debug)] enum Outcome { Contended, Store, Step(step::StepError) }
//! # impl From<step::StepError> for Outcome { fn from(error: step::StepError) -> Self { Outcome::Step(error) } }
//! # let clock = || Timestamp::from_secs(1);
//! const API: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
//! const SKEW: Duration = Duration::from_secs(2); // a second between any two clocks, and one to answer in
//! const ATTEMPTS: usize = 8;
//!
//! let check = |database: &Database, key: &str| -> Result<Decision, Outcome> {
//!     for _ in 0..ATTEMPTS {
//!         let stored = database.get(key)?;
//!         let write = match step::check(&API, stored.as_deref(), 1, clock(), SKEW)? {
//!             Step::Settled { decision, .. } => return Ok(decision),
//!             Step::Write(write) => write,
//!         };
//!         if database.put_if(key, write.condition, write.state.to_vec(), write.keep.as_millis_ceil())? {
//!             return Ok(Decision::Allow);
//!         }
//!     }
//!     Err(Outcome::Contended) // neither allowed nor denied: the caller chooses, open or closed
//! };
//! # let database = Database(Mutex::default());
//! # assert!(check(&database, "203.0.113.9").unwrap().is_allow());
//! ```
//!
//! With `.await` after the two calls, it is the async form:
//!
//! ```
//! # use core::time::Duration;
//! # use std::{collections::HashMap, sync::Mutex};
//! # use tollgate::wire::{Wire, step::{self, Condition, Step}};
//! # use tollgate::{Decision, SlidingLog, SlidingLogState, Timestamp};
//! # struct Database(Mutex<HashMap<String, Vec<u8>>>);
//! # impl Database {
//! #     async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Outcome> { Ok(self.0.lock().unwrap().get(key).cloned()) }
//! #     async fn put_if(&self, key: &str, condition: Condition<'_>, bytes: Vec<u8>, _keep_ms: u64) -> Result<bool, Outcome> {
//! #         let mut keys = self.0.lock().unwrap();
//! #         let same = keys.get(key).map(Vec::as_slice) == condition.expected();
//! #         if same { keys.insert(key.into(), bytes); }
//! #         Ok(same)
//! #     }
//! # }
//! # #[derive(Debug)] enum Outcome { Contended, Store, Step(step::StepError) }
//! # impl From<step::StepError> for Outcome { fn from(error: step::StepError) -> Self { Outcome::Step(error) } }
//! # fn clock() -> Timestamp { Timestamp::from_secs(1) }
//! # const SKEW: Duration = Duration::from_secs(2);
//! # const ATTEMPTS: usize = 8;
//! const EDGE: SlidingLog = SlidingLog::constant(100, Duration::from_secs(60));
//!
//! async fn check(database: &Database, key: &str) -> Result<Decision, Outcome> {
//!     for _ in 0..ATTEMPTS {
//!         let stored = database.get(key).await?;
//!         let write = match step::check::<SlidingLogState>(&EDGE, stored.as_deref(), 1, clock(), SKEW)? {
//!             Step::Settled { decision, .. } => return Ok(decision),
//!             Step::Write(write) => write,
//!         };
//!         if database.put_if(key, write.condition, write.state.to_vec(), write.keep.as_millis_ceil()).await? {
//!             return Ok(Decision::Allow);
//!         }
//!     }
//!     Err(Outcome::Contended)
//! }
//! # let database = Database(Mutex::default());
//! # let mut checked = std::pin::pin!(check(&database, "203.0.113.9"));
//! # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! # assert!(matches!(checked.as_mut().poll(&mut context), std::task::Poll::Ready(Ok(Decision::Allow))));
//! ```
//!
//! A denial writes nothing, so it costs one read, and a flood of denials no write at all. A conflict means that somebody else was admitted meanwhile. Read the
//! clock anew for each attempt, as above; and when attempts run out, say so, rather than guess.
//!
//! # Time across machines
//!
//! Each step judges by its caller's clock. Of machines that share a key, one whose clock is behind reads the time of the last admission instead
//! (law 6), so whatever the clocks say, **the bound holds and nothing is minted**: in the time of the key, which is the latest that any admission was
//! read at. That time runs at most as far ahead of true time as the fastest clock. What clocks that differ by `d` do change:
//!
//! - In true time, a window is up to `d` shorter: a sliding log admits its quota in every interval of `window - d`, a bucket as much in `b - a` as it
//!   may in `b - a + d`.
//! - Waits get longer on the machines that are behind: what was admitted by a clock `d` ahead is denied for `d` longer. They count from the
//!   clock of the machine that asks, so a client that comes back to it is on time.
//! - Nothing else: no law depends on how well clocks agree, but for the time that the store keeps a key.
//!
//! [`Write::keep`] is from the caller's `now` until the state expires, and `skew` beyond. The store counts it by its own clock from when it writes, so
//! that it need not agree with anyone on the date. Let `skew` be how far two clocks may be apart, **and** how long a step may take, from its reading of
//! the clock until its write is made or given up (a timeout): a write that lands late may find absent what was absent, full and forgotten
//! in between. Up to there, no answer depends on what the store has dropped (law 7). Beyond it by `x`, a machine that is behind finds a key forgotten
//! up to `x` before its time, and fresh: at worst a quota, or a burst, too much for each time that a key expires. So err on the long side: it costs
//! memory, and changes no answer. A store that drops keys for want of memory breaks the bound in the same way.
//!
//! Where clocks are not to be trusted at all, take the store's own time as `now`, which is one clock; `skew` is then the time of a step alone.
//!
//! # A store without compare-and-swap
//!
//! Where a store can only read and write, every write undoes what others have written since its read. `n` machines in lockstep admit `n` times
//! the quota. There is no small bound: if one of two is slow and the other quick, `q (q + 3) / 2` of a quota of `q` can pass, 65 for 10 and
//! 5,150 for 100, since each slow write sets the count back. (Both figures are tests.) Give each machine a share of the quota instead.

use core::error::Error;
use core::fmt;
use core::time::Duration;

use super::{DecodeError, Wire};
use crate::decision::Decision;
use crate::error::CostExceedsLimit;
use crate::policy::Policy;
use crate::state::State;
use crate::time::{Timestamp, Wait};

/// Whether `cost` units may pass for a key of which these bytes are stored, or none.
///
/// # Errors
///
/// [`StepError::Decode`] where what is stored is no state, [`StepError::CostExceedsLimit`] where the request can never pass.
///
/// ```
/// use core::time::Duration;
/// use tollgate::wire::step::{self, Condition, Step};
/// use tollgate::{Decision, FixedWindow, Timestamp, Wait};
///
/// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
/// const SKEW: Duration = Duration::from_millis(500);
///
/// let Ok(Step::Write(write)) = step::check(&ONE_A_SECOND, None, 1, Timestamp::from_secs(7), SKEW) else { panic!() };
/// assert_eq!((write.condition, write.keep.as_millis_ceil()), (Condition::Absent, 1_500));
///
/// let mut stored = [0; 13];
/// tollgate::wire::Wire::encode(&write.state, &mut stored)?;
/// let Ok(Step::Settled { decision, .. }) = step::check(&ONE_A_SECOND, Some(&stored), 1, Timestamp::from_secs(7), SKEW) else { panic!() };
/// assert_eq!(decision, Decision::Deny { retry_after: Wait::from_secs(1) });
/// # Ok::<(), tollgate::wire::BufferTooSmall>(())
/// ```
pub fn check<'a, S: Wire>(
    policy: &impl Policy<S>,
    stored: Option<&'a [u8]>,
    cost: u32,
    now: Timestamp,
    skew: Duration,
) -> Result<Step<'a, S>, StepError> {
    let mut state: S = read(stored)?;
    let decision = policy.judge_n(&mut state, cost, now)?;
    Ok(if cost > 0 && decision.is_allow() {
        Step::Write(Write::new(state, stored, now, skew))
    } else {
        Step::Settled { decision, state }
    })
}

/// Counts units that were used already, without asking: usage known only afterwards.
///
/// A cost of zero settles at once, as allowed.
///
/// # Errors
///
/// Where what is stored is no state.
///
/// ```
/// use core::time::Duration;
/// use tollgate::wire::step::{self, Step};
/// use tollgate::{Timestamp, TokenBucket};
///
/// const TOKENS: TokenBucket = TokenBucket::constant(1_000, Duration::from_secs(60));
/// let now = Timestamp::from_secs(7);
/// let Step::Write(write) = step::charge(&TOKENS, None, 1_500, now, Duration::ZERO)? else { panic!() };
/// assert_eq!(write.keep.as_secs_ceil(), 90);
/// # Ok::<(), tollgate::wire::DecodeError>(())
/// ```
pub fn charge<'a, S: Wire>(
    policy: &impl Policy<S>,
    stored: Option<&'a [u8]>,
    cost: u32,
    now: Timestamp,
    skew: Duration,
) -> Result<Step<'a, S>, DecodeError> {
    let mut state: S = read(stored)?;
    if cost == 0 {
        return Ok(Step::Settled { decision: Decision::Allow, state });
    }
    policy.charge_to(&mut state, cost, now);
    Ok(Step::Write(Write::new(state, stored, now, skew)))
}

/// Gives units back.
///
/// Where there is nothing to give back, it settles at once, as allowed.
///
/// # Errors
///
/// Where what is stored is no state.
///
/// ```
/// use core::time::Duration;
/// use tollgate::wire::step::{self, Step};
/// use tollgate::{Timestamp, TokenBucket};
///
/// const API: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
/// let step = step::refund(&API, None, 1, Timestamp::ZERO, Duration::ZERO)?;
/// assert!(matches!(step, Step::Settled { .. }), "a key that is not there has nothing to get back");
/// # Ok::<(), tollgate::wire::DecodeError>(())
/// ```
pub fn refund<'a, S: Wire>(
    policy: &impl Policy<S>,
    stored: Option<&'a [u8]>,
    cost: u32,
    now: Timestamp,
    skew: Duration,
) -> Result<Step<'a, S>, DecodeError> {
    let before: S = read(stored)?;
    let mut state = before.clone();
    policy.refund_to(&mut state, cost, now);
    Ok(if state == before {
        Step::Settled { decision: Decision::Allow, state }
    } else {
        Step::Write(Write::new(state, stored, now, skew))
    })
}

/// The same for what answers with more than a decision: a policy with its status, or several policies on one key.
///
/// `judge` gets the state, and must be pure: it runs again after a conflict, and what it does not admit it leaves as it was. Its answer holds once
/// what comes with it has been written; with nothing to write, at once.
///
/// # Errors
///
/// Where what is stored is no state.
///
/// ```
/// use core::time::Duration;
/// use tollgate::wire::step;
/// use tollgate::{Timestamp, TokenBucket};
///
/// const API: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
/// let now = Timestamp::from_secs(7);
/// let (answer, write) = step::judge(None, now, Duration::ZERO, |state| (API.judge(state, now), API.status_of(state, now)))?;
/// assert_eq!((answer.0.is_allow(), answer.1.remaining, write.is_some()), (true, 9, true));
/// # Ok::<(), tollgate::wire::DecodeError>(())
/// ```
pub fn judge<S: Wire, T>(
    stored: Option<&[u8]>,
    now: Timestamp,
    skew: Duration,
    judge: impl FnOnce(&mut S) -> T,
) -> Result<(T, Option<Write<'_, S>>), DecodeError> {
    let before: S = read(stored)?;
    let mut state = before.clone();
    let answer = judge(&mut state);
    let write = (state != before).then(|| Write::new(state, stored, now, skew));
    Ok((answer, write))
}

fn read<S: Wire>(stored: Option<&[u8]>) -> Result<S, DecodeError> {
    stored.map_or_else(|| Ok(S::default()), S::decode)
}

/// What a step comes to.
///
/// ```
/// use core::time::Duration;
/// use tollgate::wire::step;
/// use tollgate::{Timestamp, TokenBucket};
///
/// const API: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
/// let step = step::check(&API, None, 4, Timestamp::ZERO, Duration::ZERO)?;
/// assert_eq!(API.status_of(step.state(), Timestamp::ZERO).remaining, 6);
/// # Ok::<(), step::StepError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "what is not written has not been counted"]
pub enum Step<'a, S> {
    /// There is nothing to write, and this is the answer: a denial, or a cost of zero.
    Settled {
        /// The answer.
        decision: Decision,
        /// What is stored, for a [`status_of`](Policy::status_of) it.
        state: S,
    },
    /// Allowed, **once this has been written**. Where its condition does not hold any more, nothing has happened: read again, and step again.
    Write(Write<'a, S>),
}

impl<S> Step<'_, S> {
    /// The state after the step, for a [`status_of`](Policy::status_of) it.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::wire::step;
    /// # use tollgate::{FixedWindow, FixedWindowState, Timestamp};
    /// # const POLICY: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
    /// let step = step::check(&POLICY, None, 0, Timestamp::ZERO, Duration::ZERO)?;
    /// assert_eq!(step.state(), &FixedWindowState::default());
    /// # Ok::<(), step::StepError>(())
    /// ```
    pub const fn state(&self) -> &S {
        match self {
            Self::Settled { state, .. } | Self::Write(Write { state, .. }) => state,
        }
    }
}

/// What must be written for a step to count.
///
/// ```
/// use core::time::Duration;
/// use tollgate::wire::Wire;
/// use tollgate::wire::step::{self, Step};
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const POLICY: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut buffer = [0; FixedWindowState::MAX_LEN]; // or `write.state.to_vec()`
/// if let Step::Write(write) = step::check(&POLICY, None, 1, Timestamp::ZERO, Duration::ZERO)? {
///     let bytes = write.state.encode(&mut buffer)?;
///     assert_eq!(bytes.len(), 13);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write<'a, S> {
    /// The new state; its [`encode`](Wire::encode) or [`to_vec`](Wire::to_vec) is what to write.
    pub state: S,
    /// What must be there still.
    pub condition: Condition<'a>,
    /// How long the store must keep it, at least, from when it is written; a longer time changes no answer. Round it up to what the store can
    /// express: [`as_millis_ceil`](Wait::as_millis_ceil), [`as_secs_ceil`](Wait::as_secs_ceil). Never zero; [`Wait::MAX`] means for good, which
    /// in milliseconds is some 584 years.
    pub keep: Wait,
}

impl<'a, S: Wire> Write<'a, S> {
    fn new(state: S, stored: Option<&'a [u8]>, now: Timestamp, skew: Duration) -> Self {
        let keep = keep(&state, now, skew);
        Self { state, condition: stored.map_or(Condition::Absent, Condition::Unchanged), keep }
    }
}

fn keep<S: State>(state: &S, now: Timestamp, skew: Duration) -> Wait {
    let expiry = state.expires_at();
    if !state.is_expired(expiry) {
        // The deadline lies beyond the last timestamp.
        return Wait::MAX;
    }
    let left = now.until(expiry).as_nanos();
    Wait::from_nanos(left.saturating_add(Wait::from(skew).as_nanos()).max(1))
}

/// What must be stored of a key for a write to be made.
///
/// ```
/// use tollgate::wire::step::Condition;
///
/// assert_eq!(Condition::Absent.expected(), None);
/// assert_eq!(Condition::Unchanged(&[0x11]).expected(), Some(&[0x11][..]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition<'a> {
    /// Nothing: the key is not there.
    Absent,
    /// These bytes, which are those that were read.
    Unchanged(&'a [u8]),
}

impl<'a> Condition<'a> {
    /// The bytes that must be there, or `None` where the key must not be. No state is empty, so a script to which one of them has to be a text may take an
    /// empty one for none.
    ///
    /// ```
    /// # use tollgate::wire::step::Condition;
    /// let argument = Condition::Absent.expected().unwrap_or_default();
    /// assert!(argument.is_empty());
    /// ```
    pub const fn expected(self) -> Option<&'a [u8]> {
        match self {
            Self::Absent => None,
            Self::Unchanged(bytes) => Some(bytes),
        }
    }
}

/// Why a check came to no answer.
///
/// ```
/// use core::time::Duration;
/// use tollgate::wire::step::{self, StepError};
/// use tollgate::{FixedWindow, Timestamp};
///
/// const POLICY: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let corrupted = step::check(&POLICY, Some(b"?"), 1, Timestamp::ZERO, Duration::ZERO);
/// assert!(matches!(corrupted, Err(StepError::Decode(_))));
/// let never = step::check(&POLICY, None, 11, Timestamp::ZERO, Duration::ZERO);
/// assert!(matches!(never, Err(StepError::CostExceedsLimit(_))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepError {
    /// What is stored is no state. It has been left as it is.
    Decode(DecodeError),
    /// The request can never pass.
    CostExceedsLimit(CostExceedsLimit),
}

impl From<DecodeError> for StepError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<CostExceedsLimit> for StepError {
    fn from(error: CostExceedsLimit) -> Self {
        Self::CostExceedsLimit(error)
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => write!(f, "what is stored is not read: {error}"),
            Self::CostExceedsLimit(error) => error.fmt(f),
        }
    }
}

/// Without a source: the message has all of it.
impl Error for StepError {}

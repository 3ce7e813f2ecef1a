//! [`TokenBucket`]: a steady rate with a burst. What it is; the arithmetic of the two refills is in `continuous` and `interval`, and what is
//! remembered in `state`.

mod continuous;
mod interval;
mod state;
#[cfg(test)]
mod tests;

use core::num::{NonZeroU32, NonZeroU64};
use core::time::Duration;

use super::Policy;
use super::inherent::inherent;
use super::settings::{self, built};
use crate::decision::Decision;
use crate::error::{CostExceedsLimit, PolicyError};
use crate::time::Timestamp;
use continuous::Continuous;
use interval::Interval;
use state::Fraction;
pub use state::TokenBucketState;

/// `quota` tokens a window, of which at most `burst` are kept: a steady rate that forgives bursts, in 24 bytes a key.
///
/// A bucket is full at first. A request of cost `n` takes `n` tokens, or is denied where there are fewer. Between any times `a` and `b` at
/// most `burst + quota x (b - a) / window` units pass, and rates are exact rationals: 700 a minute is exactly that, however often or
/// seldom it is asked. In the literature this is the *generic cell rate algorithm* (GCRA, ITU-T I.371) in its virtual scheduling form.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{TokenBucket, TokenBucketState, Timestamp};
///
/// const SEVEN_A_SECOND: TokenBucket = TokenBucket::constant(7, Duration::from_secs(1));
/// let mut state = TokenBucketState::default();
/// assert!(SEVEN_A_SECOND.judge_n(&mut state, 7, Timestamp::ZERO).unwrap().is_allow());
/// let wait = SEVEN_A_SECOND.judge(&mut state, Timestamp::ZERO).retry_after().unwrap();
/// assert_eq!(wait.as_nanos(), 142_857_143); // a seventh of a second, rounded up
/// assert!(SEVEN_A_SECOND.judge(&mut state, Timestamp::ZERO.saturating_add(wait)).is_allow());
/// ```
///
/// # Changing it
///
/// A new burst counts at once. The time at which the bucket was going to be full stands, whatever the new rate; a fraction of a nanosecond is
/// kept where the quota is the same, else rounded against the key, and so is a time that is no point of a new grid. A refund under
/// another policy than the one that admitted gives back no more than that, and perhaps less.
///
/// | remembered | new policy | then |
/// | --- | --- | --- |
/// | 10/60s: 5 of 10 tokens, full in 30 s | 20/60s | full in 30 s: 10 of 20 tokens |
/// | 10/60s: 5 of 10 tokens, full in 30 s | 10/60s,burst=3 | full in 30 s: no token until 18 s from now |
/// | 10/60s: 5 of 10 tokens, full in 30 s | 10/60s,interval, with a point in 20 s | no token until full in 30 s |
/// | 10/60s,interval: 5 of 10 tokens, full in 30 s | 10/60s,interval on another grid | no token until full in 30 s |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenBucket {
    quota: NonZeroU32,
    burst: NonZeroU32,
    window: NonZeroU64,
    pace: Pace,
}

/// How tokens come back to a [`TokenBucket`].
///
/// ```
/// use tollgate::{Refill, Timestamp};
///
/// assert_eq!(Refill::default(), Refill::Continuous);
/// let on_the_hour = Refill::Interval { origin: Timestamp::ZERO };
/// assert_ne!(on_the_hour, Refill::Continuous);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Refill {
    /// One by one, evenly over the window.
    #[default]
    Continuous,
    /// A whole quota at each point of the grid `origin + k x window`, for every whole `k`.
    Interval {
        /// A point of the grid.
        origin: Timestamp,
    },
}

/// What is computed ahead for either refill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pace {
    Continuous(Continuous),
    Interval(Interval),
}

impl TokenBucket {
    /// `quota` tokens a window, refilled continuously, and a burst of the quota.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] where the quota is zero, or the window not `1 ns ..= 2^62 ns`.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::TokenBucket;
    /// let policy = TokenBucket::new(10, Duration::from_secs(60))?;
    /// assert_eq!(policy.burst(), 10);
    /// # Ok::<(), tollgate::PolicyError>(())
    /// ```
    pub const fn new(quota: u32, window: Duration) -> Result<Self, PolicyError> {
        if quota == 0 {
            return Err(PolicyError::ZeroQuota);
        }
        Self::new_with(quota, window, quota, Refill::Continuous)
    }

    /// The same with a burst of its own and either refill.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] where the quota or the burst is zero, the window not `1 ns ..= 2^62 ns`, or where an empty bucket would take more than
    /// 2^62 ns to fill.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{Refill, TokenBucket};
    /// let policy = TokenBucket::new_with(10, Duration::from_secs(60), 5, Refill::Continuous)?;
    /// assert_eq!(policy.burst(), 5);
    /// # Ok::<(), tollgate::PolicyError>(())
    /// ```
    pub const fn new_with(quota: u32, window: Duration, burst: u32, refill: Refill) -> Result<Self, PolicyError> {
        let Some(burst) = NonZeroU32::new(burst) else {
            return Err(PolicyError::ZeroBurst);
        };
        let (quota, window) = match (settings::quota(quota), settings::window(window)) {
            (Ok(quota), Ok(window)) => (quota, window),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        let pace = match refill {
            Refill::Continuous => match Continuous::new(quota, window.get(), burst) {
                Ok(pace) => Pace::Continuous(pace),
                Err(error) => return Err(error),
            },
            Refill::Interval { origin } => match Interval::new(quota, window, burst, origin) {
                Ok(pace) => Pace::Interval(pace),
                Err(error) => return Err(error),
            },
        };
        Ok(Self { quota, burst, window, pace })
    }

    /// As [`new`](TokenBucket::new) for a `const`, where a bad policy fails the build.
    ///
    /// # Panics
    ///
    /// Where [`new`](TokenBucket::new) gives an error, if called at run time.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::TokenBucket;
    /// const POLICY: TokenBucket = TokenBucket::constant(10, Duration::from_secs(60));
    /// ```
    ///
    /// ```compile_fail,E0080
    /// # use core::time::Duration;
    /// # use tollgate::TokenBucket;
    /// const NO_WINDOW: TokenBucket = TokenBucket::constant(10, Duration::ZERO);
    /// ```
    pub const fn constant(quota: u32, window: Duration) -> Self {
        built!(Self::new(quota, window))
    }

    /// As [`new_with`](TokenBucket::new_with) for a `const`, where a bad policy fails the build.
    ///
    /// # Panics
    ///
    /// Where [`new_with`](TokenBucket::new_with) gives an error, if called at run time.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{Refill, Timestamp, TokenBucket};
    /// const MINUTE: Duration = Duration::from_secs(60);
    /// const POLICY: TokenBucket = TokenBucket::constant_with(10, MINUTE, 20, Refill::Interval { origin: Timestamp::ZERO });
    /// ```
    ///
    /// ```compile_fail,E0080
    /// # use core::time::Duration;
    /// # use tollgate::{Refill, TokenBucket};
    /// const NO_BURST: TokenBucket = TokenBucket::constant_with(10, Duration::from_secs(60), 0, Refill::Continuous);
    /// ```
    pub const fn constant_with(quota: u32, window: Duration, burst: u32, refill: Refill) -> Self {
        built!(Self::new_with(quota, window, burst, refill))
    }

    /// The tokens that come back a window.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::TokenBucket;
    /// assert_eq!(TokenBucket::constant(10, Duration::from_secs(60)).quota(), 10);
    /// ```
    pub const fn quota(&self) -> u32 {
        self.quota.get()
    }

    /// The time in which a quota comes back.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::TokenBucket;
    /// assert_eq!(TokenBucket::constant(10, Duration::from_secs(60)).window(), Duration::from_secs(60));
    /// ```
    pub const fn window(&self) -> Duration {
        Duration::from_nanos(self.window.get())
    }

    /// The most tokens that the bucket keeps, which are also the limit.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::TokenBucket;
    /// assert_eq!(TokenBucket::constant(10, Duration::from_secs(60)).burst(), 10);
    /// ```
    pub const fn burst(&self) -> u32 {
        self.burst.get()
    }

    /// How tokens come back. The origin of a grid is its first point, below one window.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{Refill, TokenBucket};
    /// assert_eq!(TokenBucket::constant(10, Duration::from_secs(60)).refill(), Refill::Continuous);
    /// ```
    pub const fn refill(&self) -> Refill {
        match self.pace {
            Pace::Continuous(_) => Refill::Continuous,
            Pace::Interval(interval) => Refill::Interval { origin: interval.origin() },
        }
    }
}

impl Policy<TokenBucketState> for TokenBucket {
    #[inline]
    fn limit(&self) -> u32 {
        self.burst.get()
    }

    #[inline]
    fn preview(&self, state: &TokenBucketState, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        CostExceedsLimit::test(cost, self.limit())?;
        if cost == 0 {
            return Ok(Decision::Allow);
        }
        Ok(match self.judged(state, cost, now) {
            Ok(_) => Decision::Allow,
            Err(allowed_at) => Decision::Deny { retry_after: now.until_deadline(allowed_at) },
        })
    }

    #[inline]
    fn remaining_of(&self, state: &TokenBucketState, now: Timestamp) -> u32 {
        let read = state.read(now);
        if state.full_at <= read {
            return self.limit();
        }
        let missing = match &self.pace {
            Pace::Continuous(pace) => pace.missing(state, read, self.window),
            Pace::Interval(pace) => pace.missing(state, read),
        };
        self.limit().saturating_sub(missing)
    }

    #[inline]
    fn charge_to(&self, state: &mut TokenBucketState, cost: u32, now: Timestamp) {
        if cost == 0 {
            return;
        }
        let read = state.read(now);
        *state = match &self.pace {
            Pace::Continuous(pace) => pace.taken(state, cost, read),
            Pace::Interval(pace) => pace.taken(state, cost, read),
        };
    }

    #[inline]
    fn refund_to(&self, state: &mut TokenBucketState, cost: u32, now: Timestamp) {
        if cost == 0 || state.full_at <= state.read(now) {
            return;
        }
        *state = match &self.pace {
            Pace::Continuous(pace) => pace.given_back(state, cost),
            Pace::Interval(pace) => pace.given_back(state, cost),
        };
    }

    #[inline]
    fn judge(&self, state: &mut TokenBucketState, now: Timestamp) -> Decision {
        match &self.pace {
            Pace::Continuous(pace) => pace.judge(state, now),
            Pace::Interval(pace) => pace.judge(state, now),
        }
    }

    #[inline]
    fn judge_n(&self, state: &mut TokenBucketState, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        CostExceedsLimit::test(cost, self.limit())?;
        if cost == 0 {
            return Ok(Decision::Allow);
        }
        Ok(state.settle(self.judged(state, cost, now), now))
    }
}

impl TokenBucket {
    /// What becomes of a bucket from which a cost within `1 ..= burst` is taken; or else when it may be.
    #[inline]
    fn judged(&self, state: &TokenBucketState, cost: u32, now: Timestamp) -> Result<TokenBucketState, u64> {
        match &self.pace {
            Pace::Continuous(pace) => pace.judged(state, cost, now.as_nanos()),
            Pace::Interval(pace) => pace.judged(state, cost, now.as_nanos()),
        }
    }
}

inherent!(
    [] TokenBucket,
    "TokenBucket",
    "TokenBucket::constant(10, Duration::from_secs(60))",
    "TokenBucketState"
);

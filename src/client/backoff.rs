//! [`Backoff`], how to go on after a failure, and [`Retries`], what is remembered between failures.
//!
//! They are to each other what a policy and a state are on the other side: the one is immutable and may be a constant, the other is plain data.
//! Nothing sleeps here, and chance is brought by the caller.

use core::error::Error;
use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use super::jitter::Jitter;
use crate::time::{Timestamp, Wait};

/// A rule by which to try again: delays that double up to a cap, spread by chance, and an end to patience.
///
/// ```
/// use core::num::NonZeroU32;
/// use core::time::Duration;
/// use tollgate::client::{Backoff, Jitter, Next, Reader, Retries};
/// use tollgate::{Timestamp, Wait};
///
/// const RULE: Backoff = Backoff::constant(Duration::from_millis(100), Duration::from_secs(10))
///     .jitter(Jitter::Full)
///     .attempts(NonZeroU32::new(5).unwrap())
///     .within(Duration::from_secs(60))
///     .patience(Duration::from_secs(30));
///
/// let mut retries = Retries::default();
/// # let (now, random) = (Timestamp::ZERO, 1 << 63); // your clock, and a word of your random numbers
/// # let headers = [("retry-after", "2")];
/// // ... an answer came, and it was no good:
/// let advice = Reader::new().read(429, headers).advice();
/// match RULE.next(&mut retries, advice.wait(), now, random) {
///     Next::Retry { after } => assert_eq!(after, Wait::from_millis(2_050)), // sleep, and try again
///     Next::TooLong { wait } => println!("the server asks for {wait}"),
///     Next::GiveUp(spent) => println!("{spent}"),
/// }
/// // ... and when one came that was good:
/// retries = Retries::default();
/// # assert_eq!(retries.attempts(), 0);
/// ```
///
/// # What a server says
///
/// A wait that the server tells is kept to: **the delay is never shorter**. It takes the place of the part of the delay that is not chance,
/// where it is the longer of the two, and the part that is chance comes on top. So clients that were all told the same moment do not all come at
/// that moment; and one that is told to come back at once, again and again, still backs off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backoff {
    /// Nanoseconds, `1 ..= cap`.
    base: u64,
    cap: u64,
    jitter: Jitter,
    attempts: Option<NonZeroU32>,
    within: Option<Wait>,
    patience: Wait,
}

impl Backoff {
    /// Delays of `base`, twice `base` and so on, up to `cap`; with [full jitter](Jitter::Full), and without an end.
    ///
    /// # Errors
    ///
    /// [`BackoffError`] where `base` is zero or more than `cap`, or `cap` is more than a [`Wait`] can be.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::client::{Backoff, BackoffError};
    /// assert!(Backoff::new(Duration::from_millis(100), Duration::from_secs(10)).is_ok());
    /// assert_eq!(Backoff::new(Duration::ZERO, Duration::from_secs(10)), Err(BackoffError::ZeroBase));
    /// ```
    pub const fn new(base: Duration, cap: Duration) -> Result<Self, BackoffError> {
        let (base_nanos, cap_nanos) = (base.as_nanos(), cap.as_nanos());
        if base_nanos == 0 {
            return Err(BackoffError::ZeroBase);
        }
        if base_nanos > cap_nanos {
            return Err(BackoffError::BaseAboveCap { base, cap });
        }
        if cap_nanos > u64::MAX as u128 {
            return Err(BackoffError::CapTooLong { cap });
        }
        // Loses nothing: both are at most 2^64 - 1.
        let (base, cap) = (base_nanos as u64, cap_nanos as u64);
        Ok(Self { base, cap, jitter: Jitter::Full, attempts: None, within: None, patience: Wait::MAX })
    }

    /// The same for a `const`, where bad settings fail the build.
    ///
    /// # Panics
    ///
    /// Where [`new`](Backoff::new) gives an error, if called at run time.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::client::Backoff;
    /// const RULE: Backoff = Backoff::constant(Duration::from_millis(100), Duration::from_secs(10));
    /// ```
    ///
    /// ```compile_fail,E0080
    /// # use core::time::Duration;
    /// # use tollgate::client::Backoff;
    /// const RULE: Backoff = Backoff::constant(Duration::from_secs(10), Duration::from_secs(1));
    /// ```
    pub const fn constant(base: Duration, cap: Duration) -> Self {
        match Self::new(base, cap) {
            Ok(backoff) => backoff,
            Err(error) => panic!("{}", error.message()),
        }
    }

    /// With another kind of jitter.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::client::{Backoff, Jitter, Next, Retries};
    /// # use tollgate::{Timestamp, Wait};
    /// const RULE: Backoff = Backoff::constant(Duration::from_secs(1), Duration::from_secs(3)).jitter(Jitter::None);
    /// let mut retries = Retries::default();
    /// for secs in [1, 2, 3, 3] {
    ///     let after = Wait::from_secs(secs);
    ///     assert_eq!(RULE.next(&mut retries, None, Timestamp::ZERO, 0), Next::Retry { after });
    /// }
    /// ```
    #[must_use = "this makes a rule, and leaves the one it is made from as it is"]
    pub const fn jitter(self, jitter: Jitter) -> Self {
        Self { jitter, ..self }
    }

    /// With an end after so many attempts, the first one counted.
    ///
    /// ```
    /// # use core::num::NonZeroU32;
    /// # use core::time::Duration;
    /// # use tollgate::Timestamp;
    /// # use tollgate::client::{Backoff, Next, Retries, Spent};
    /// const ONCE: Backoff =
    ///     Backoff::constant(Duration::from_secs(1), Duration::from_secs(3)).attempts(NonZeroU32::new(1).unwrap());
    /// let next = ONCE.next(&mut Retries::default(), None, Timestamp::ZERO, 0);
    /// assert_eq!(next, Next::GiveUp(Spent::Attempts));
    /// ```
    #[must_use = "this makes a rule, and leaves the one it is made from as it is"]
    pub const fn attempts(self, attempts: NonZeroU32) -> Self {
        Self { attempts: Some(attempts), ..self }
    }

    /// With an end to trying so long after the [start](Retries::since), or after the first failure: an attempt that would be later is not made.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{Timestamp, Wait};
    /// # use tollgate::client::{Backoff, Next, Retries, Spent};
    /// const RULE: Backoff = Backoff::constant(Duration::from_secs(1), Duration::from_secs(3)).within(Duration::from_secs(5));
    /// let (start, six) = (Timestamp::from_secs(100), Wait::from_secs(6));
    /// let next = RULE.next(&mut Retries::since(start), Some(six), start, 0);
    /// assert_eq!(next, Next::GiveUp(Spent::Time));
    /// ```
    #[must_use = "this makes a rule, and leaves the one it is made from as it is"]
    pub const fn within(self, time: Duration) -> Self {
        Self { within: Some(Wait::from_duration(time)), ..self }
    }

    /// With the longest wait that a server may ask for. Without one, whatever it asks for is kept to, be it years.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{Timestamp, Wait};
    /// # use tollgate::client::{Backoff, Next, Retries};
    /// const RULE: Backoff = Backoff::constant(Duration::from_secs(1), Duration::from_secs(3)).patience(Duration::from_secs(30));
    /// let wait = Wait::from_nanos(30_000_000_001);
    /// let next = RULE.next(&mut Retries::default(), Some(wait), Timestamp::ZERO, 0);
    /// assert_eq!(next, Next::TooLong { wait });
    /// ```
    #[must_use = "this makes a rule, and leaves the one it is made from as it is"]
    pub const fn patience(self, longest: Duration) -> Self {
        Self { patience: Wait::from_duration(longest), ..self }
    }

    /// How to go on after an attempt that failed at `now`, the server having asked for the wait `told`, or for none.
    ///
    /// `random` is a word of which every bit is by chance; one for each call. `now` is of any clock, the same for all calls.
    ///
    /// In this order: the attempts may be used up, the server's wait may be too long, the time may be over before the next attempt. Whatever
    /// comes out, the attempt is counted.
    ///
    /// # Cost
    ///
    /// One 64-bit multiplication into 128 bits. A handful of instructions else.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{Timestamp, Wait};
    /// # use tollgate::client::{Backoff, Next, Retries};
    /// const RULE: Backoff = Backoff::constant(Duration::from_secs(1), Duration::from_secs(60));
    /// let mut retries = Retries::default();
    /// let (none, half, all) = (0, 1 << 63, u64::MAX);
    /// let mut next = |random| RULE.next(&mut retries, None, Timestamp::ZERO, random);
    /// assert_eq!(next(none), Next::Retry { after: Wait::ZERO });
    /// assert_eq!(next(half), Next::Retry { after: Wait::from_secs(1) }); // of 2 s
    /// assert_eq!(next(all), Next::Retry { after: Wait::from_secs(4) });
    /// ```
    pub const fn next(&self, retries: &mut Retries, told: Option<Wait>, now: Timestamp, random: u64) -> Next {
        retries.attempts = retries.attempts.saturating_add(1);
        let since = match retries.since {
            Some(since) => since,
            None => now,
        };
        retries.since = Some(since);
        if let Some(attempts) = self.attempts {
            if retries.attempts >= attempts.get() {
                return Next::GiveUp(Spent::Attempts);
            }
        }
        let told = match told {
            Some(wait) if wait.as_nanos() > self.patience.as_nanos() => return Next::TooLong { wait },
            Some(wait) => wait.as_nanos(),
            None => 0,
        };
        let range = self.jitter.range(self.base, self.cap, self.doubled(retries.attempts), retries.delay);
        let chance = range.chance(random);
        // Cannot overflow: at most the range's end.
        retries.delay = range.least.saturating_add(chance);
        let least = if told > range.least { told } else { range.least };
        let after = Wait::from_nanos(least.saturating_add(chance));
        if let Some(within) = self.within {
            let passed = since.until(now).as_nanos();
            if passed.saturating_add(after.as_nanos()) > within.as_nanos() {
                return Next::GiveUp(Spent::Time);
            }
        }
        Next::Retry { after }
    }

    /// The base, doubled for each attempt after the first, up to the cap.
    const fn doubled(&self, attempts: u32) -> u64 {
        let doublings = attempts.saturating_sub(1);
        // What has so many zeros in front can be doubled as often; the base is above zero.
        if doublings > self.base.leading_zeros() {
            return self.cap;
        }
        // Cannot overflow: at most 63 places, since the base has a bit.
        let doubled = self.base << doublings;
        if doubled > self.cap { self.cap } else { doubled }
    }
}

/// What is remembered between the failures of one request, or of one server: make a new one (`Retries::default()`) on success.
///
/// ```
/// use core::time::Duration;
/// use tollgate::Timestamp;
/// use tollgate::client::{Backoff, Retries};
///
/// const RULE: Backoff = Backoff::constant(Duration::from_secs(1), Duration::from_secs(60));
/// let mut retries = Retries::default();
/// let _ = RULE.next(&mut retries, None, Timestamp::ZERO, 0);
/// assert_eq!(retries.attempts(), 1);
///
/// retries = Retries::default(); // it went well
/// assert_eq!(retries.attempts(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Retries {
    attempts: u32,
    since: Option<Timestamp>,
    /// The last delay, without what a server asked for. Zero before the first.
    delay: u64,
}

impl Retries {
    /// None yet, of a request that was begun then, so that [the time there is](Backoff::within) counts from there.
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// # use tollgate::client::Retries;
    /// assert_eq!(Retries::since(Timestamp::from_secs(7)).attempts(), 0);
    /// ```
    pub const fn since(start: Timestamp) -> Self {
        Self { attempts: 0, since: Some(start), delay: 0 }
    }

    /// How many attempts have failed; no more are counted than `u32::MAX`.
    ///
    /// ```
    /// # use tollgate::client::Retries;
    /// assert_eq!(Retries::default().attempts(), 0);
    /// ```
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }
}

/// How to go on.
///
/// ```
/// use tollgate::Wait;
/// use tollgate::client::Next;
///
/// let next = Next::Retry { after: Wait::ZERO };
/// assert_ne!(next, Next::TooLong { wait: Wait::ZERO });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "nothing waits by itself"]
pub enum Next {
    /// Try again after this delay.
    Retry {
        /// The delay from now.
        after: Wait,
    },
    /// The server asks for more patience than the caller has. Trying earlier would be of no use.
    TooLong {
        /// What it asks for.
        wait: Wait,
    },
    /// The caller's own bounds are reached.
    GiveUp(Spent),
}

/// What has run out.
///
/// ```
/// use tollgate::client::Spent;
///
/// assert_eq!(Spent::Attempts.to_string(), "no attempts are left");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spent {
    /// The [attempts](Backoff::attempts).
    Attempts,
    /// The [time](Backoff::within).
    Time,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Attempts => "no attempts are left",
            Self::Time => "no time is left for another attempt",
        })
    }
}

/// Why a [`Backoff`] could not be built.
///
/// ```
/// use tollgate::client::BackoffError;
///
/// assert_eq!(BackoffError::ZeroBase.to_string(), "the first delay is 0; it must be at least 1 ns");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BackoffError {
    /// The first delay is zero, and would stay so however often it is doubled.
    ZeroBase,
    /// The first delay is longer than the longest.
    BaseAboveCap {
        /// The first delay that was given.
        base: Duration,
        /// The longest delay that was given.
        cap: Duration,
    },
    /// The longest delay is longer than can be expressed.
    CapTooLong {
        /// The longest delay that was given.
        cap: Duration,
    },
}

impl BackoffError {
    /// The message of a `const` rule that does not build, where nothing can be formatted.
    const fn message(self) -> &'static str {
        match self {
            Self::ZeroBase => "the first delay is 0; it must be at least 1 ns",
            Self::BaseAboveCap { .. } => "the first delay must not be longer than the longest",
            Self::CapTooLong { .. } => "the longest delay must be at most 2^64 - 1 ns (some 584 years)",
        }
    }
}

impl fmt::Display for BackoffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroBase => f.write_str(self.message()),
            Self::BaseAboveCap { base, cap } => {
                write!(f, "the first delay is {base:?} and the longest {cap:?}; the first must not be longer")
            }
            Self::CapTooLong { cap } => {
                write!(f, "the longest delay is {cap:?}; it must be at most 2^64 - 1 ns (some 584 years)")
            }
        }
    }
}

impl Error for BackoffError {}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Backoff = Backoff::constant(Duration::from_nanos(3), Duration::from_secs(1_000)).jitter(Jitter::None);

    #[test]
    fn attempts_stop_counting_at_the_largest_number() {
        let mut retries = Retries { attempts: u32::MAX - 1, ..Retries::default() };
        for _ in 0..3 {
            let next = RULE.next(&mut retries, None, Timestamp::ZERO, 0);
            assert_eq!(next, Next::Retry { after: Wait::from_secs(1_000) });
            assert_eq!(retries.attempts, u32::MAX);
        }
        let last = RULE.attempts(NonZeroU32::MAX);
        assert_eq!(last.next(&mut retries, None, Timestamp::ZERO, 0), Next::GiveUp(Spent::Attempts));
    }

    #[test]
    fn every_doubling_is_that_of_wider_numbers() {
        for base in [1, 3, 5, 1 << 20, (1 << 31) - 1, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX] {
            for cap in [base, u64::MAX] {
                let rule = Backoff { base, cap, ..RULE };
                for attempts in (0..200).chain([u32::MAX - 1, u32::MAX]) {
                    let doublings = attempts.saturating_sub(1).min(64);
                    let expected = (u128::from(base) << doublings).min(u128::from(cap));
                    assert_eq!(u128::from(rule.doubled(attempts)), expected, "{base} after {attempts}");
                }
            }
        }
    }
}

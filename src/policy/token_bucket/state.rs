//! [`TokenBucketState`]: when a bucket is full, to a fraction.

use core::fmt;

use crate::decision::Decision;
use crate::error::OutOfRange;
use crate::state::State;
use crate::time::{LONGEST, Timestamp};

/// What a [`TokenBucket`](super::TokenBucket) remembers of a key: 24 bytes.
///
/// When the bucket is full again, and the time of the last admission.
///
/// ```
/// use tollgate::{State, Timestamp, TokenBucketState};
///
/// assert!(TokenBucketState::default().is_expired(Timestamp::ZERO));
/// ```
///
/// # Invariant
///
/// `last <= full_at <= last + 2^62`; a fraction is below what it is a fraction of; nothing is left of it in a bucket that is full at `last`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokenBucketState {
    /// A deadline, rounded up to a nanosecond.
    pub(super) full_at: u64,
    /// The time read of the last admission or charge.
    pub(super) last: u64,
    pub(super) fraction: Fraction,
}

const _: () = assert!(size_of::<TokenBucketState>() <= 24);

impl TokenBucketState {
    /// The state of a key that was never seen, for a `static`.
    ///
    /// ```
    /// # use tollgate::TokenBucketState;
    /// const FRESH: TokenBucketState = TokenBucketState::new();
    /// assert_eq!(FRESH, TokenBucketState::default());
    /// ```
    #[inline]
    pub const fn new() -> Self {
        Self { full_at: 0, last: 0, fraction: Fraction::new(0, 0) }
    }

    /// The time to judge by: never before the last admission.
    #[inline]
    pub(super) fn read(&self, now: Timestamp) -> u64 {
        now.as_nanos().max(self.last)
    }

    /// Becomes what a judgement makes of it; or else it is denied until then.
    #[inline]
    pub(super) fn settle(&mut self, judged: Result<Self, u64>, now: Timestamp) -> Decision {
        match judged {
            Ok(taken) => {
                *self = taken;
                Decision::Allow
            }
            Err(allowed_at) => Decision::Deny { retry_after: now.until_deadline(allowed_at) },
        }
    }

    /// `last`, `full_at`, `slack` and `of`, for [`from_parts`](Self::from_parts).
    pub(crate) fn parts(&self) -> (u64, u64, u32, u32) {
        (self.last, self.full_at, self.fraction.slack(), self.fraction.of())
    }

    /// A state from what was kept of one, if it can have been one.
    pub(crate) fn from_parts(last: u64, full_at: u64, slack: u32, of: u32) -> Result<Self, OutOfRange> {
        OutOfRange::test("last", last, 0, Timestamp::MAX.as_nanos())?;
        // Cannot overflow: a deadline.
        OutOfRange::test("full_at", full_at, last, last + LONGEST)?;
        let most = match of {
            _ if full_at == last => 0,
            // Less than some quota.
            0 => u32::MAX - 1,
            of => of - 1,
        };
        OutOfRange::test("slack", slack.into(), 0, most.into())?;
        Ok(Self { full_at, last, fraction: Fraction::new(slack, of) })
    }
}

impl State for TokenBucketState {
    #[inline]
    fn is_expired(&self, now: Timestamp) -> bool {
        now.as_nanos() >= self.full_at
    }

    fn expires_at(&self) -> Timestamp {
        Timestamp::from_nanos(self.full_at)
    }
}

/// What a time of so many nanoseconds is too long by, or a refill too much: a part, and what it is a part of.
///
/// Continuous: how much earlier than `full_at` the bucket is full, in units of `1 / of` ns, where `of` is the quota. By interval: how many
/// tokens beyond full the refill at `full_at` would bring, where `of` is zero. In one word, so that both are compared at once.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Fraction(pub(super) u64);

impl Fraction {
    #[inline]
    pub(super) const fn new(slack: u32, of: u32) -> Self {
        Self((of as u64) << 32 | slack as u64)
    }

    #[inline]
    pub(super) const fn slack(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(super) const fn of(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

impl fmt::Debug for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.slack(), self.of())
    }
}

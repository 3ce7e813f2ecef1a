//! Continuous refill: the time at which the bucket is full, as an exact fraction.
//!
//! A token takes `window / quota` ns to come back. With the bucket full at the time `F`, it misses `(F - t) x quota / window` tokens at
//! an earlier `t`, so that a cost of `c` may pass where `F + c x window / quota <= t + burst x window / quota`, and then moves `F` by its share.
//!
//! `F` is kept as `whole - slack / quota` ns with `slack < quota`: rounded up to a whole number, since whole nanoseconds are all that a timestamp can
//! tell apart, and what that added, so that nothing is lost. A bucket that is full at `F <= t` is full at `t`. Lengths of time are kept likewise.
//!
//! # Why no sum overflows
//!
//! An admission at `t` leaves `F <= t + burst x window / quota <= t + 2^62`, which the constructor has checked; a charge is cut off there. So
//! `full_at <= last + 2^62` always, below 2^63 + 2^62, and there is room for another 2^62.

use core::num::{NonZeroU32, NonZeroU64, NonZeroU128};

use super::TokenBucketState;
use crate::error::PolicyError;
use crate::time::LONGEST;

/// A time, or a length of time, of `whole - slack / quota` ns, with `slack < quota`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Exact {
    whole: u64,
    slack: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Continuous {
    quota: NonZeroU32,
    /// In which one token comes back.
    token: Exact,
    /// In which all tokens but one come back: how far ahead of `t` the bucket may be full for one more token to be there.
    all_but_one: Exact,
}

impl Continuous {
    pub(super) const fn new(quota: NonZeroU32, window: u64, burst: NonZeroU32) -> Result<Self, PolicyError> {
        let fill = (burst.get() as u128 * window as u128).div_ceil(quota.get() as u128);
        if fill > LONGEST as u128 {
            return Err(PolicyError::Fill { nanos: fill });
        }
        let whole = window.div_ceil(quota.get() as u64);
        // Cannot overflow: less than a quota above the window. The slack is below the quota.
        let token = Exact { whole, slack: (whole * quota.get() as u64 - window) as u32 };
        Ok(Self { quota, token, all_but_one: Self::times(token, burst.get() - 1, quota) })
    }

    /// The time in which `tokens` come back, saturating beyond all that fits.
    ///
    /// Cannot overflow: the product of the slacks is below 2^64, and its quotient below `tokens`, which the whole part is not.
    #[inline]
    const fn times(token: Exact, tokens: u32, quota: NonZeroU32) -> Exact {
        let slacks = token.slack as u64 * tokens as u64;
        let quota = quota.get() as u64;
        Exact { whole: token.whole.saturating_mul(tokens as u64) - slacks / quota, slack: (slacks % quota) as u32 }
    }

    /// In which so many tokens come back. One is known, without a division.
    #[inline]
    fn tokens(&self, tokens: u32) -> Exact {
        if tokens == 1 { self.token } else { Self::times(self.token, tokens, self.quota) }
    }

    /// When a bucket is full, in this quota's fractions; without the fraction where it is in another's, which rounds against the key.
    #[inline]
    fn full(&self, state: &TokenBucketState) -> Exact {
        Exact { whole: state.full_at, slack: if state.of == self.quota.get() { state.slack } else { 0 } }
    }

    /// Cannot overflow for a deadline and at most 2^62 ns.
    #[inline]
    fn sum(&self, time: Exact, span: Exact) -> Exact {
        let whole = time.whole + span.whole;
        match time.slack.checked_sub(self.quota.get() - span.slack) {
            None => Exact { whole, slack: time.slack + span.slack },
            // Cannot overflow: where there is slack, the whole part is at least 1.
            Some(slack) => Exact { whole: whole - 1, slack },
        }
    }

    /// Zero where `span` is longer.
    #[inline]
    fn difference(&self, time: Exact, span: Exact) -> Exact {
        let (carry, slack) = match time.slack.checked_sub(span.slack) {
            Some(slack) => (0, slack),
            // Cannot overflow: below the quota.
            None => (1, time.slack + (self.quota.get() - span.slack)),
        };
        // Cannot overflow: a deadline.
        match (time.whole + carry).checked_sub(span.whole) {
            Some(whole) if whole > 0 => Exact { whole, slack },
            _ => Exact { whole: 0, slack: 0 },
        }
    }

    #[inline]
    fn state(&self, full: Exact, last: u64) -> TokenBucketState {
        TokenBucketState { full_at: full.whole, last, slack: full.slack, of: self.quota.get() }
    }

    /// What becomes of a bucket from which one token is taken; or else when it may be.
    #[inline]
    pub(super) fn judged_one(&self, state: &TokenBucketState, now: u64) -> Result<TokenBucketState, u64> {
        self.judged_span(state, self.token, self.all_but_one, now)
    }

    /// The same for a cost of at most the burst.
    #[inline]
    pub(super) fn judged(&self, state: &TokenBucketState, cost: u32, now: u64) -> Result<TokenBucketState, u64> {
        let span = self.tokens(cost);
        self.judged_span(state, span, self.difference(self.sum(self.all_but_one, self.token), span), now)
    }

    /// The same for the tokens that come back in `span`, while all others come back in `others`.
    #[inline]
    fn judged_span(
        &self,
        state: &TokenBucketState,
        span: Exact,
        others: Exact,
        now: u64,
    ) -> Result<TokenBucketState, u64> {
        // No need for the time of the last admission, at which it may have been full at the earliest.
        if state.full_at <= now {
            return Ok(self.state(Exact { whole: now + span.whole, slack: span.slack }, now));
        }
        let read = state.last.max(now);
        let full = self.full(state);
        // The whole parts, and one nanosecond more where the fractions do not cancel. Cannot overflow: a deadline.
        let allowed_at = (full.whole + u64::from(full.slack < others.slack)).saturating_sub(others.whole);
        if allowed_at > read {
            return Err(allowed_at);
        }
        Ok(self.state(self.sum(full, span), read))
    }

    /// The tokens that a bucket misses at `read`, rounded up, saturating; it must not be full.
    #[inline]
    pub(super) fn missing(&self, state: &TokenBucketState, read: u64, window: NonZeroU64) -> u32 {
        let full = self.full(state);
        // Cannot overflow: below 2^62 x 2^32. Nor below zero: it is at least 1 x quota, and the slack less than that.
        let ahead = u128::from(full.whole - read) * u128::from(self.quota.get()) - u128::from(full.slack);
        // Cannot overflow, for the same reason. By a number that is not zero by its type, which needs no test.
        let missing = (ahead + u128::from(window.get() - 1)) / NonZeroU128::from(window);
        u32::try_from(missing).unwrap_or(u32::MAX)
    }

    #[inline]
    pub(super) fn taken(&self, state: &TokenBucketState, cost: u32, read: u64) -> TokenBucketState {
        let span = self.tokens(cost);
        // Cannot overflow: `read` is a timestamp.
        let longest = read + LONGEST;
        if span.whole <= LONGEST {
            let from = if state.full_at > read { self.full(state) } else { Exact { whole: read, slack: 0 } };
            let full = self.sum(from, span);
            if full.whole <= longest {
                return self.state(full, read);
            }
        }
        self.state(Exact { whole: longest, slack: 0 }, read)
    }

    #[inline]
    pub(super) fn given_back(&self, state: &TokenBucketState, cost: u32) -> TokenBucketState {
        let full = self.difference(self.full(state), self.tokens(cost));
        self.state(if full.whole > state.last { full } else { Exact { whole: state.last, slack: 0 } }, state.last)
    }
}

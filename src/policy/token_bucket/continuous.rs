//! Continuous refill: the time at which the bucket is full, as an exact fraction.
//!
//! A token takes `window / quota` ns to come back. With the bucket full at the time `F`, it misses `(F - t) x quota / window` tokens at
//! an earlier `t`, so that a cost of `c` may pass where `F + c x window / quota <= t + burst x window / quota`, and then moves `F` by its share.
//!
//! `F` is kept as `full_at - slack / quota` ns with `slack < quota`: the whole part rounded up, since whole nanoseconds are all that a
//! timestamp can tell apart, and what was rounded, so that nothing is lost. A bucket that is full at `F <= t` is full at `t`.
//!
//! # Why no sum overflows
//!
//! An admission at `t` leaves `F <= t + burst x window / quota <= t + 2^62`, which the constructor has checked; a charge is cut off there. So
//! `full_at <= last + 2^62` always, below 2^63 + 2^62. A fraction of two parts is below twice the quota, and is summed in 64 bits.

use core::num::NonZeroU32;

use super::TokenBucketState;
use crate::decision::Decision;
use crate::error::PolicyError;
use crate::time::{LONGEST, Timestamp};

/// A length of time of `whole + part / quota` ns, with `part < quota`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Span {
    whole: u64,
    part: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Continuous {
    quota: NonZeroU32,
    /// In which one token comes back.
    token: Span,
    /// In which all tokens but one come back: how far ahead of `t` the bucket may be full for one more token to be there.
    all_but_one: Span,
}

impl Continuous {
    pub(super) const fn new(quota: NonZeroU32, window: u64, burst: NonZeroU32) -> Result<Self, PolicyError> {
        let fill = (burst.get() as u128 * window as u128).div_ceil(quota.get() as u128);
        if fill > LONGEST as u128 {
            return Err(PolicyError::Fill { nanos: fill });
        }
        // The part is below the quota.
        let token = Span { whole: window / quota.get() as u64, part: (window % quota.get() as u64) as u32 };
        let all_but_one = Self::times(token, burst.get() - 1, quota);
        Ok(Self { quota, token, all_but_one })
    }

    /// The time in which `tokens` come back, saturating where the whole part is beyond all that fits.
    ///
    /// Cannot overflow: the product of the parts is below 2^64, and its quotient below 2^32.
    #[inline]
    const fn times(token: Span, tokens: u32, quota: NonZeroU32) -> Span {
        let parts = token.part as u64 * tokens as u64;
        let quota = quota.get() as u64;
        let whole = token.whole.saturating_mul(tokens as u64).saturating_add(parts / quota);
        Span { whole, part: (parts % quota) as u32 }
    }

    /// The slack of a state, in this quota's fractions; none where it is in another's, which rounds against the key.
    #[inline]
    fn slack(&self, state: &TokenBucketState) -> u32 {
        if state.of == self.quota.get() { state.slack } else { 0 }
    }

    /// The first nanosecond at which the bucket is full but for `ahead`. Cannot overflow: a bucket is never fuller than full.
    #[inline]
    fn full_but_for(&self, state: &TokenBucketState, ahead: Span) -> u64 {
        let whole_more = u64::from(self.slack(state)) + u64::from(ahead.part) >= u64::from(self.quota.get());
        state.full_at.saturating_sub(ahead.whole).saturating_sub(u64::from(whole_more))
    }

    /// When the bucket has `spare` tokens less than full, or was going to have.
    #[inline]
    pub(super) fn has_spare_at(&self, state: &TokenBucketState, spare: u32) -> u64 {
        self.full_but_for(state, Self::times(self.token, spare, self.quota))
    }

    /// The tokens that a bucket misses at `read`, rounded up, saturating; it must not be full.
    #[inline]
    pub(super) fn missing(&self, state: &TokenBucketState, read: u64, window: u64) -> u32 {
        // Cannot overflow: below 2^62 x 2^32. Nor below zero: it is at least 1 x quota, and the slack less than that.
        let ahead = u128::from(state.full_at - read) * u128::from(self.quota.get()) - u128::from(self.slack(state));
        u32::try_from(ahead.div_ceil(u128::from(window))).unwrap_or(u32::MAX)
    }

    /// The state with `span` added to the time at which it is full: one that may pass, or is below 2^62 ns.
    #[inline]
    fn later(&self, state: &TokenBucketState, span: Span, read: u64) -> TokenBucketState {
        let (full_at, slack) = if state.full_at > read { (state.full_at, self.slack(state)) } else { (read, 0) };
        let of = self.quota.get();
        // Cannot overflow: the slack is below the part that is larger than it, which is below the quota.
        let (carry, slack) = if slack >= span.part { (0, slack - span.part) } else { (1, slack + (of - span.part)) };
        // Cannot overflow: what may pass leaves it at most 2^62 ns after `read`; else, it is below 2^63 + 2^62, and less than 2^62 is added.
        TokenBucketState { full_at: full_at + span.whole + carry, last: read, slack, of }
    }

    #[inline]
    pub(super) fn taken(&self, state: &TokenBucketState, cost: u32, read: u64) -> TokenBucketState {
        let span = Self::times(self.token, cost, self.quota);
        // Cannot overflow: `read` is a timestamp.
        let longest = read + LONGEST;
        if span.whole < LONGEST {
            let taken = self.later(state, span, read);
            if taken.full_at <= longest {
                return taken;
            }
        }
        TokenBucketState { full_at: longest, last: read, slack: 0, of: self.quota.get() }
    }

    #[inline]
    pub(super) fn given_back(&self, state: &TokenBucketState, cost: u32) -> TokenBucketState {
        let span = Self::times(self.token, cost, self.quota);
        let of = self.quota.get();
        let parts = u64::from(self.slack(state)) + u64::from(span.part);
        let (carry, slack) = if parts >= u64::from(of) { (1, parts - u64::from(of)) } else { (0, parts) };
        let full_at = state.full_at.saturating_sub(span.whole).saturating_sub(carry);
        if full_at <= state.last {
            return TokenBucketState { full_at: state.last, last: state.last, slack: 0, of };
        }
        // Below the quota.
        TokenBucketState { full_at, last: state.last, slack: slack as u32, of }
    }

    #[inline]
    pub(super) fn judge(&self, state: &mut TokenBucketState, now: Timestamp) -> Decision {
        let read = state.read(now);
        // The whole nanoseconds decide, but for one; the fractions only there. Cannot overflow: `read` is a timestamp.
        let latest = read + self.all_but_one.whole;
        if state.full_at > latest {
            let allowed_at = self.full_but_for(state, self.all_but_one);
            if allowed_at > read {
                return Decision::Deny { retry_after: now.until_deadline(allowed_at) };
            }
        }
        *state = self.later(state, self.token, read);
        Decision::Allow
    }
}

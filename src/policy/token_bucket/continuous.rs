//! Continuous refill: the time at which the bucket is full, as an exact fraction.
//!
//! A token takes `window / quota` ns to come back. With the bucket full at the time `F`, it misses `(F - t) x quota / window` tokens at
//! an earlier `t`, so that a cost of `c` may pass where `F + c x window / quota <= t + burst x window / quota`, and then moves `F` by its share.
//!
//! `F` is kept as `whole - slack / quota` ns with `slack < quota`: rounded up to a whole number, since whole nanoseconds are all that a timestamp can
//! tell apart, and what that added, so that nothing is lost. A bucket that is full at `F <= t` is full at `t`. Lengths of time are kept likewise,
//! but for the one that it is compared with: rounded down to `whole`, it is that much and a fraction more. A slack and a fraction are a nanosecond
//! together, or less, so that the comparison is one of whole numbers, of which one is less by 1 where the slack makes up for the fraction.
//!
//! # Why no sum overflows
//!
//! An admission at `t` leaves `F <= t + burst x window / quota <= t + 2^62`, which the constructor has checked; a charge is cut off there. So
//! `full_at <= last + 2^62` always, below 2^63 + 2^62, and there is room for another 2^62.

use core::num::{NonZeroU32, NonZeroU64, NonZeroU128};

use super::{Fraction, TokenBucketState};
use crate::decision::Decision;
use crate::error::PolicyError;
use crate::time::{LONGEST, Timestamp, Wait};

/// A time, or a length of time, less its fraction, which is of this quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Exact {
    whole: u64,
    fraction: Fraction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Continuous {
    quota: NonZeroU32,
    /// In which one token comes back.
    token: Exact,
    /// In which all do.
    burst: Exact,
    /// In which all but one do.
    all_but_one: Reach,
}

/// How far ahead of `t` a bucket may be full for a cost to pass, while all other tokens come back: `whole` ns and a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Reach {
    whole: u64,
    /// The least slack in this quota that makes up for the fraction; none does where that is the quota.
    least: Fraction,
    /// How many numbers, from that of `least` on, are a slack in this quota. Those in another quota are less or more.
    more: u64,
}

impl Reach {
    const fn new(span: Exact, quota: NonZeroU32) -> Self {
        let (whole, least) = match span.fraction.slack() {
            0 => (span.whole, quota.get()),
            slack => (span.whole - 1, slack),
        };
        Self { whole, least: Fraction::new(least, quota.get()), more: (1 << 32) - least as u64 }
    }

    #[inline]
    fn is_made_up(self, fraction: Fraction) -> bool {
        if cfg!(target_pointer_width = "64") {
            self.is_made_up_in_one(fraction)
        } else {
            self.is_made_up_by_halves(fraction)
        }
    }

    /// As one comparison, where a word holds both numbers.
    #[inline]
    fn is_made_up_in_one(self, fraction: Fraction) -> bool {
        fraction.0.wrapping_sub(self.least.0) < self.more
    }

    /// As one for each number, where a word holds one.
    #[inline]
    fn is_made_up_by_halves(self, fraction: Fraction) -> bool {
        fraction.of() == self.least.of() && fraction.slack() >= self.least.slack()
    }
}

impl Continuous {
    pub(super) const fn new(quota: NonZeroU32, window: u64, burst: NonZeroU32) -> Result<Self, PolicyError> {
        let fill = (burst.get() as u128 * window as u128).div_ceil(quota.get() as u128);
        if fill > LONGEST as u128 {
            return Err(PolicyError::Fill { nanos: fill });
        }
        let whole = window.div_ceil(quota.get() as u64);
        // Cannot overflow: less than a quota above the window. The slack is below the quota.
        let slack = (whole * quota.get() as u64 - window) as u32;
        let token = Exact { whole, fraction: Fraction::new(slack, quota.get()) };
        let all_but_one = Reach::new(Self::times(token, burst.get() - 1, quota), quota);
        Ok(Self { quota, token, burst: Self::times(token, burst.get(), quota), all_but_one })
    }

    /// The time in which `tokens` come back, saturating beyond all that fits.
    ///
    /// Cannot overflow: the product of the slacks is below 2^64, and its quotient below `tokens`, which the whole part is not.
    #[inline]
    const fn times(token: Exact, tokens: u32, quota: NonZeroU32) -> Exact {
        let slacks = token.fraction.slack() as u64 * tokens as u64;
        let (more, slack) = (slacks / quota.get() as u64, (slacks % quota.get() as u64) as u32);
        let whole = token.whole.saturating_mul(tokens as u64) - more;
        Exact { whole, fraction: Fraction::new(slack, quota.get()) }
    }

    /// In which so many tokens come back. One is known, without a division.
    #[inline]
    fn tokens(&self, tokens: u32) -> Exact {
        if tokens == 1 { self.token } else { Self::times(self.token, tokens, self.quota) }
    }

    #[inline]
    const fn fraction(&self, slack: u32) -> Fraction {
        Fraction::new(slack, self.quota.get())
    }

    /// A whole time.
    #[inline]
    fn exactly(&self, whole: u64) -> Exact {
        Exact { whole, fraction: self.fraction(0) }
    }

    /// When a bucket is full, in this quota's fractions; without the fraction where it is in another's, which rounds against the key.
    #[inline]
    fn full(&self, state: &TokenBucketState) -> Exact {
        let slack = if state.fraction.of() == self.quota.get() { state.fraction.slack() } else { 0 };
        Exact { whole: state.full_at, fraction: self.fraction(slack) }
    }

    /// Cannot overflow for a deadline and at most 2^62 ns.
    #[inline]
    fn sum(&self, time: Exact, span: Exact) -> Exact {
        let whole = time.whole + span.whole;
        let (slack, rest) = (span.fraction.slack(), self.quota.get() - span.fraction.slack());
        if time.fraction.slack() < rest {
            Exact { whole, fraction: self.fraction(time.fraction.slack() + slack) }
        } else {
            // Cannot overflow: where there is slack, the whole part is at least 1.
            Exact { whole: whole - 1, fraction: self.fraction(time.fraction.slack() - rest) }
        }
    }

    /// Zero where `span` is longer.
    #[inline]
    fn difference(&self, time: Exact, span: Exact) -> Exact {
        let slack = span.fraction.slack();
        let (carry, fraction) = if time.fraction.slack() < slack {
            // Below the quota.
            (1, self.fraction(time.fraction.slack() + (self.quota.get() - slack)))
        } else {
            (0, self.fraction(time.fraction.slack() - slack))
        };
        // Cannot overflow: a deadline.
        match (time.whole + carry).checked_sub(span.whole) {
            Some(whole) if whole > 0 => Exact { whole, fraction },
            _ => self.exactly(0),
        }
    }

    #[inline]
    fn state(&self, full: Exact, last: u64) -> TokenBucketState {
        TokenBucketState { full_at: full.whole, last, fraction: full.fraction }
    }

    /// Whether one token may be taken, taking it if so. That is [`judged_span`](Self::judged_span) for a time that is not late, which makes the
    /// deadline and the wait one difference, and two thirds of the instructions.
    #[inline]
    pub(super) fn judge(&self, state: &mut TokenBucketState, now: Timestamp) -> Decision {
        // Without an operating system, flash is dearer than the instructions that this saves.
        if cfg!(target_os = "none") {
            return state.settle(self.judged_one(state, now), now);
        }
        let read = now.as_nanos();
        if state.full_at <= read {
            *state = self.taken_from_full(self.token, read);
            return Decision::Allow;
        }
        if state.last > read {
            return self.judge_late(state, now);
        }
        // Cannot overflow: `read` is a timestamp.
        let (full_at, latest) = (self.compared(state, self.all_but_one), read + self.all_but_one.whole);
        if full_at > latest {
            return Decision::Deny { retry_after: Wait::from_nanos(full_at - latest) };
        }
        *state = self.state(self.sum(self.full(state), self.token), read);
        Decision::Allow
    }

    /// The same for a time before the last admission.
    #[cold]
    fn judge_late(&self, state: &mut TokenBucketState, now: Timestamp) -> Decision {
        state.settle(self.judged_one(state, now), now)
    }

    #[inline]
    fn judged_one(&self, state: &TokenBucketState, now: Timestamp) -> Result<TokenBucketState, u64> {
        self.judged_span(state, self.token, self.all_but_one, now.as_nanos())
    }

    /// What becomes of a bucket from which a cost of at most the burst is taken; or else when it may be.
    #[inline]
    pub(super) fn judged(&self, state: &TokenBucketState, cost: u32, now: u64) -> Result<TokenBucketState, u64> {
        let span = self.tokens(cost);
        self.judged_span(state, span, Reach::new(self.difference(self.burst, span), self.quota), now)
    }

    /// The same for the tokens that come back in `span`.
    #[inline]
    fn judged_span(
        &self,
        state: &TokenBucketState,
        span: Exact,
        others: Reach,
        now: u64,
    ) -> Result<TokenBucketState, u64> {
        // No need for the time of the last admission, at which it may have been full at the earliest.
        if state.full_at <= now {
            return Ok(self.taken_from_full(span, now));
        }
        let read = state.last.max(now);
        let allowed_at = self.compared(state, others).saturating_sub(others.whole);
        if allowed_at > read {
            return Err(allowed_at);
        }
        Ok(self.state(self.sum(self.full(state), span), read))
    }

    #[inline]
    fn taken_from_full(&self, span: Exact, now: u64) -> TokenBucketState {
        self.state(Exact { whole: now + span.whole, ..span }, now)
    }

    /// When a bucket that is not full is so, compared with so many whole nanoseconds. Cannot fall below zero: that is to come.
    #[inline]
    fn compared(&self, state: &TokenBucketState, others: Reach) -> u64 {
        state.full_at - u64::from(others.is_made_up(state.fraction))
    }

    /// The tokens that a bucket misses at `read`, rounded up, saturating; it must not be full.
    #[inline]
    pub(super) fn missing(&self, state: &TokenBucketState, read: u64, window: NonZeroU64) -> u32 {
        let full = self.full(state);
        // Cannot overflow: below 2^62 x 2^32. Nor below zero: it is at least 1 x quota, and the slack less than that.
        let ahead = u128::from(full.whole - read) * u128::from(self.quota.get()) - u128::from(full.fraction.slack());
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
            let from = if state.full_at > read { self.full(state) } else { self.exactly(read) };
            let full = self.sum(from, span);
            if full.whole <= longest {
                return self.state(full, read);
            }
        }
        self.state(self.exactly(longest), read)
    }

    #[inline]
    pub(super) fn given_back(&self, state: &TokenBucketState, cost: u32) -> TokenBucketState {
        let full = self.difference(self.full(state), self.tokens(cost));
        self.state(if full.whole > state.last { full } else { self.exactly(state.last) }, state.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_made_up_for_alike_in_one_word_and_by_halves() {
        const MOST: u32 = u32::MAX;
        let numbers = [0, 1, 2, 3, 7, 1 << 31, MOST - 2, MOST - 1];
        let mut made_up = [0; 2];
        for quota in numbers.into_iter().chain([MOST]).filter_map(NonZeroU32::new) {
            for slack in numbers.into_iter().filter(|slack| *slack < quota.get()) {
                let reach = Reach::new(Exact { whole: 9, fraction: Fraction::new(slack, quota.get()) }, quota);
                for of in numbers.into_iter().chain([MOST]) {
                    // By interval, where it is of zero, below any quota.
                    for slack in numbers.into_iter().filter(|slack| of == 0 || *slack < of) {
                        let fraction = Fraction::new(slack, of);
                        let expected = of == quota.get() && slack >= reach.least.slack();
                        assert_eq!(reach.is_made_up_in_one(fraction), expected, "{fraction:?} for {reach:?}");
                        assert_eq!(reach.is_made_up_by_halves(fraction), expected, "{fraction:?} for {reach:?}");
                        made_up[usize::from(expected)] += 1;
                    }
                }
            }
        }
        assert!(made_up.iter().all(|times| *times > 20), "{made_up:?}");
    }
}

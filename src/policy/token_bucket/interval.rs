//! Refill by interval: whole quotas at the points of a grid.
//!
//! A bucket that misses `m` tokens at `t` is full at the point of the grid at which `m` have come back; with the last quota, `spare` tokens too
//! many do: with `n` points in `(t, full_at]`, `m = n x quota - spare` and `spare < quota`. So a cost of `c` may pass where
//! `n <= (burst - c + spare) / quota`, which is a comparison of times: the point so many windows before `full_at` is not after `t`.
//!
//! A state of another policy may be full off this grid. From then on it is full for every policy; before, it is read as if its last quota came at the
//! next point, with none to spare. Seeing that takes no division: a number is a multiple of an odd divisor where its product with the divisor's
//! inverse modulo 2^64 is small (Warren, *Hacker's Delight*, 10-17).
//!
//! # Why no sum overflows
//!
//! An admission at `t` leaves `full_at` at most `ceil(burst / quota)` points after `t`, so at most `ceil(burst / quota) x window <= 2^62` ns,
//! which the constructor has checked; a charge is cut off there, or leaves it where it was, and a refund never moves it later. So `full_at <= last + 2^62` always, and
//! the next point is less than a window after that, below 2^64.

use core::num::{NonZeroU32, NonZeroU64};

use super::{Fraction, TokenBucketState};
use crate::decision::Decision;
use crate::error::PolicyError;
use crate::policy::settings::Grid;
use crate::time::{LONGEST, Timestamp, Wait};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Interval {
    quota: NonZeroU32,
    burst: NonZeroU32,
    grid: Grid,
    multiples: Multiples,
    /// In which all tokens but one come back.
    all_but_one: Reach,
}

/// How far ahead of `t` a bucket may be full for a cost to pass, while all other tokens come back: the time of the whole quotas in them, and one
/// quota more where at least so many tokens are to spare, that they make up for those left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Reach {
    time: u64,
    least: u32,
}

/// A bucket that is not full: full at a point of the grid, where so many tokens too many come back.
#[derive(Clone, Copy)]
struct Reading {
    full_at: u64,
    spare: u32,
}

impl Interval {
    pub(super) const fn new(
        quota: NonZeroU32,
        window: NonZeroU64,
        burst: NonZeroU32,
        origin: Timestamp,
    ) -> Result<Self, PolicyError> {
        let fill = burst.get().div_ceil(quota.get()) as u128 * window.get() as u128;
        if fill > LONGEST as u128 {
            return Err(PolicyError::Fill { nanos: fill });
        }
        let all_but_one = Self::reach(burst.get() - 1, quota, window.get());
        Ok(Self { quota, burst, grid: Grid::new(window, origin), multiples: Multiples::of(window.get()), all_but_one })
    }

    pub(super) const fn origin(&self) -> Timestamp {
        self.grid.phase()
    }

    #[inline]
    fn window(&self) -> u64 {
        self.grid.window()
    }

    /// Cannot overflow for tokens below the burst: see the constructor.
    #[inline]
    const fn reach(others: u32, quota: NonZeroU32, window: u64) -> Reach {
        Reach { time: (others / quota.get()) as u64 * window, least: quota.get() - others % quota.get() }
    }

    /// Whether a state was written on this grid, for a bucket that is not full, with no more to spare than this quota allows.
    #[inline]
    fn is_mine(&self, state: &TokenBucketState) -> bool {
        // As one number, a fraction of another kind is greater than any quota.
        state.fraction.0 < u64::from(self.quota.get()) && self.multiples.contains(self.grid.since_first(state.full_at))
    }

    /// What the state of a bucket that is not full means on this grid.
    #[inline]
    fn reading(&self, state: &TokenBucketState) -> Reading {
        if self.is_mine(state) {
            return Reading { full_at: state.full_at, spare: state.fraction.slack() };
        }
        let full_at = self.grid.at_or_after(state.full_at);
        let on_the_grid = state.fraction.of() == 0 && full_at == state.full_at;
        Reading { full_at, spare: if on_the_grid { state.fraction.slack().min(self.quota.get() - 1) } else { 0 } }
    }

    /// How far ahead a bucket with so many tokens to spare may be full. Cannot overflow: at most the time in which all tokens come back.
    #[inline]
    fn time(&self, others: Reach, spare: u32) -> u64 {
        if spare < others.least { others.time } else { others.time + self.window() }
    }

    /// Whether one token may be taken, taking it if so. Out of line, so that judging a continuous bucket is small enough to be inlined.
    #[inline(never)]
    pub(super) fn judge(&self, state: &mut TokenBucketState, now: Timestamp) -> Decision {
        let read = now.as_nanos();
        if state.full_at <= read || state.last > read || !self.is_mine(state) {
            return self.judge_anew(state, now);
        }
        let spare = state.fraction.slack();
        let latest = read + self.time(self.all_but_one, spare);
        if state.full_at > latest {
            return Decision::Deny { retry_after: Wait::from_nanos(state.full_at - latest) };
        }
        state.last = read;
        if spare > 0 {
            state.fraction = Fraction::new(spare - 1, 0);
        } else {
            // Cannot overflow: a deadline plus a window.
            state.full_at += self.window();
            state.fraction = Fraction::new(self.quota.get() - 1, 0);
        }
        Decision::Allow
    }

    /// The same for a bucket that is full, or was written by another policy, seldom more than once a window; and for a time before the last
    /// admission. With a division.
    #[cold]
    #[inline(never)]
    fn judge_anew(&self, state: &mut TokenBucketState, now: Timestamp) -> Decision {
        state.settle(self.judged(state, 1, now.as_nanos()), now)
    }

    /// What becomes of a bucket from which a cost of at most the burst is taken; or else when it may be.
    #[inline]
    pub(super) fn judged(&self, state: &TokenBucketState, cost: u32, now: u64) -> Result<TokenBucketState, u64> {
        let read = state.last.max(now);
        if state.full_at > read {
            let Reading { full_at, spare } = self.reading(state);
            let time = self.time(Self::reach(self.burst.get() - cost, self.quota, self.window()), spare);
            // Cannot overflow: `read` is a timestamp.
            if full_at > read + time {
                // Off the grid, it may be full before that.
                return Err((full_at - time).min(state.full_at));
            }
        }
        Ok(self.taken(state, cost, read))
    }

    /// The tokens that a bucket that is not full misses at `read`, saturating.
    #[inline]
    pub(super) fn missing(&self, state: &TokenBucketState, read: u64) -> u32 {
        let Reading { full_at, spare } = self.reading(state);
        // Cannot overflow: the point is not before the time at which the bucket is full.
        let points = (full_at - read).div_ceil(self.window());
        let tokens = points.saturating_mul(u64::from(self.quota.get())).saturating_sub(u64::from(spare));
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }

    #[inline]
    pub(super) fn taken(&self, state: &TokenBucketState, cost: u32, read: u64) -> TokenBucketState {
        let quota = u64::from(self.quota.get());
        let (full_at, spare) = if state.full_at > read {
            let Reading { full_at, spare } = self.reading(state);
            (full_at, u64::from(spare))
        } else {
            // A full bucket has a whole quota to spare at the next point.
            (self.grid.after(read), quota)
        };
        let beyond = u64::from(cost).saturating_sub(spare);
        let points = beyond.div_ceil(quota);
        let full_at = full_at.saturating_add(points.saturating_mul(self.window()));
        // Cannot overflow: `read` is a timestamp.
        if full_at > read + LONGEST {
            // Under another policy it was perhaps to be full after the last point within reach. It still is.
            let full_at = self.grid.at_or_before(read + LONGEST).max(state.full_at);
            return TokenBucketState { full_at, last: read, fraction: Fraction::new(0, 0) };
        }
        // Below the quota, and cannot overflow: the points are just enough for the cost, which is below 2^32.
        let slack = (spare + points * quota - u64::from(cost)) as u32;
        TokenBucketState { full_at, last: read, fraction: Fraction::new(slack, 0) }
    }

    /// Gives tokens back to a bucket that is not full.
    #[inline]
    pub(super) fn given_back(&self, state: &TokenBucketState, cost: u32) -> TokenBucketState {
        let Reading { full_at, spare } = self.reading(state);
        let quota = u64::from(self.quota.get());
        let spare = u64::from(spare) + u64::from(cost);
        let full_at = full_at.saturating_sub((spare / quota).saturating_mul(self.window()));
        if full_at <= state.last {
            return TokenBucketState { full_at: state.last, last: state.last, fraction: Fraction::new(0, 0) };
        }
        if full_at > state.full_at {
            // On another grid, what is given back may be less than what the reading rounds against the key.
            return state.clone();
        }
        // Below the quota.
        TokenBucketState { full_at, last: state.last, fraction: Fraction::new((spare % quota) as u32, 0) }
    }
}

/// The multiples of a window `odd x 2^twos`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Multiples {
    /// That of `odd`, modulo 2^64.
    inverse: u64,
    /// The bits that are zero in a multiple of `2^twos`, and in its product with the inverse.
    zeros: u64,
    /// The product of the greatest multiple below 2^64 with the inverse.
    greatest: u64,
}

impl Multiples {
    const fn of(window: u64) -> Self {
        let twos = window.trailing_zeros();
        let odd = window >> twos;
        // Newton's iteration doubles the bits that are right, from the 3 that an odd number is of its own inverse.
        let mut inverse = odd;
        let mut right = 3;
        while right < 64 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
            right *= 2;
        }
        Self { inverse, zeros: (1 << twos) - 1, greatest: (u64::MAX / window) << twos }
    }

    #[inline]
    const fn contains(self, number: u64) -> bool {
        number & self.zeros == 0 && number.wrapping_mul(self.inverse) <= self.greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_those_that_a_division_finds() {
        for window in (1..=64).chain([60_000_000_000, 86_400_000_000_000, (1 << 62) - 1, 1 << 62, (1 << 61) + 3]) {
            let multiples = Multiples::of(window);
            for base in [0, window, window.saturating_mul(3), u64::MAX / window * window, u64::MAX, 1 << 63] {
                for number in (0..70).flat_map(|off| [base.saturating_add(off), base.saturating_sub(off)]) {
                    assert_eq!(multiples.contains(number), number % window == 0, "{number} by {window}");
                }
            }
        }
    }
}

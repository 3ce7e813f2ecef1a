//! The token bucket: how many tokens were missing when the time was last read, exactly, and how they come back.
//!
//! A bucket is written under one policy and may be read under another. What stands across such a change is the time at which it is
//! full again: [`Level::restated`] finds the level that has the same.

use crate::grid::Grid;
use crate::policy::{LONGEST_NS, Refill};

/// How tokens come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    quota: u32,
    window_ns: u64,
    /// The points at which whole quotas come back; `None` where they come back steadily.
    grid: Option<Grid>,
}

impl Rate {
    /// A policy's rate.
    pub(crate) fn new(quota: u32, window_ns: u64, refill: Refill) -> Self {
        let grid = match refill {
            Refill::Continuous => None,
            Refill::Interval { origin_ns } => Some(Grid::new(origin_ns, window_ns)),
        };
        Self { quota, window_ns, grid }
    }

    /// So many tokens, in parts. Where they come back steadily, a token is cut into as many parts as the window has nanoseconds, so
    /// that each nanosecond gives back `quota` whole parts. By interval nothing smaller than a token ever moves.
    fn parts(self, tokens: u32) -> u128 {
        let parts_of_one = if self.grid.is_none() { self.window_ns } else { 1 };
        u128::from(tokens) * u128::from(parts_of_one)
    }

    /// The parts that come back in `(from, to]`.
    fn returned(self, from: u64, to: u64) -> u128 {
        let times = self.grid.map_or(to - from, |grid| grid.points(from, to));
        u128::from(times) * u128::from(self.quota)
    }

    /// The first time at which nothing is missing, if so many parts are at `last`.
    fn full_at(self, last: u64, missing: u128) -> u64 {
        let times =
            u64::try_from(missing.div_ceil(u128::from(self.quota))).expect("no wait is longer than the longest");
        match self.grid {
            None => last + times,
            Some(_) if times == 0 => last,
            Some(grid) => grid.nth_after(last, times),
        }
    }
}

/// How full a bucket is, at one time and, by its rate, at every later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// The time last read by an admission or a charge.
    last: u64,
    /// The parts of tokens that were missing then. Above the burst after a charge.
    missing: u128,
    /// How they come back.
    rate: Rate,
    /// The time from which on nothing is missing, whatever the rate. Not before `last`.
    full_at: u64,
}

impl Level {
    /// Whether `cost` more tokens pass at `now`, of a bucket that holds `burst` when full.
    pub(crate) fn allows(&self, burst: u32, cost: u32, now: u64) -> bool {
        cost == 0 || self.missing(now) + self.rate.parts(cost) <= self.rate.parts(burst)
    }

    /// The parts that are missing at `now`.
    ///
    /// None are from `full_at` on, even if the rate alone would not have brought them by then: the key may have been forgotten, and
    /// that must not show.
    fn missing(&self, now: u64) -> u128 {
        let time = self.read(now);
        if time < self.full_at { self.missing.saturating_sub(self.rate.returned(self.last, time)) } else { 0 }
    }

    /// The time that is read at `now`.
    fn read(&self, now: u64) -> u64 {
        now.max(self.last)
    }

    /// A level with nothing missing.
    fn full(rate: Rate) -> Self {
        Self { last: 0, missing: 0, rate, full_at: 0 }
    }

    /// A level with so many parts missing at `last`, but no more than come back within the longest wait.
    fn new(last: u64, missing: u128, rate: Rate) -> Self {
        let missing = missing.min(rate.returned(last, last + LONGEST_NS));
        Self { last, missing, rate, full_at: rate.full_at(last, missing) }
    }

    /// The level under another rate, so that the time at which it is full stands:
    ///
    /// - Steady, of the same quota: exactly, to the fraction of a nanosecond. (At `quota` parts a nanosecond, that is the same number
    ///   of parts.)
    /// - Steady, otherwise: from the first whole nanosecond at which it is full.
    /// - By interval: the tokens that come back at the points before that time, and one quota at that time, as if it were a point. If
    ///   it is one, of both grids, then what the old quota would have brought beyond full is spare still, as far as the new one has as
    ///   much to spare.
    fn restated(self, rate: Rate) -> Self {
        let same_parts =
            self.rate == rate || (self.rate.grid.is_none() && rate.grid.is_none() && self.rate.quota == rate.quota);
        let missing = match rate.grid {
            _ if self.missing == 0 => 0,
            _ if same_parts => self.missing,
            None => rate.returned(self.last, self.full_at),
            Some(grid) => {
                let last_quota = u128::from(rate.quota);
                let spare = if self.rate.grid.is_some_and(|own| own.has(self.full_at)) && grid.has(self.full_at) {
                    self.rate.returned(self.last, self.full_at) - self.missing
                } else {
                    0
                };
                rate.returned(self.last, self.full_at - 1) + last_quota - spare.min(last_quota - 1)
            }
        };
        Self { missing, rate, ..self }
    }
}

/// What is remembered of a key under token buckets: the level, unless nothing was ever taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bucket(Option<Level>);

impl Bucket {
    /// The bucket as a policy of this rate sees it.
    pub(crate) fn read_by(&self, rate: Rate) -> Level {
        self.0.map_or(Level::full(rate), |level| level.restated(rate))
    }

    /// Takes `cost` tokens at `now`, admitted or charged.
    ///
    /// A policy of another grid may have left more missing than comes back by the last point within the longest wait. Then the charge adds
    /// nothing, and moves only the time.
    pub(crate) fn count(&mut self, rate: Rate, cost: u32, now: u64) {
        let level = self.read_by(rate);
        let (last, missing) = (level.read(now), level.missing(now));
        let cut_off = Level::new(last, missing + rate.parts(cost), rate);
        self.0 = Some(if cut_off.missing < missing { Level { last, missing, ..level } } else { cut_off });
    }

    /// Gives back `cost` tokens as of the time last read, but none beyond full, and none at all if the bucket is full at `now`.
    ///
    /// Under another rate than the one it was taken at, what is given back may be less than what restating rounds against the key. A refund
    /// never takes, so the level is left as it was then.
    pub(crate) fn refund(&mut self, rate: Rate, cost: u32, now: u64) {
        let level = self.read_by(rate);
        if level.missing(now) > 0 {
            let missing = level.missing.saturating_sub(rate.parts(cost));
            if rate.full_at(level.last, missing) <= level.full_at {
                self.0 = Some(Level::new(level.last, missing, rate));
            }
        }
    }

    /// From when on the key need not be remembered.
    pub(crate) fn expires_at(&self) -> u64 {
        self.0.map_or(0, |level| level.full_at)
    }
}

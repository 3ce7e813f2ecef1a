//! The time of the simulation, and the doubtful clocks that show it.

use core::num::NonZeroU32;

use tollgate::{Monotonic, Timestamp, Wait, Wrapping32};

use crate::program::Random;

use super::{DAY, HOUR, MINUTE, SECOND};

/// Some time in 2023, as the wall clock has it.
const WALL_AT_START: u64 = 1_700_000_000 * SECOND;
const MILLISECOND: u64 = 1_000_000;
const HZ: NonZeroU32 = NonZeroU32::new(1_000).unwrap();
/// The counter wraps for the first time after some hours, and then every 49.7 days.
const COUNTER_AT_START: u32 = u32::MAX - 20_000_000;

/// Where a key has its time from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// The wall clock, made monotonic.
    Monotonic,
    /// A counter of 32 bits, extended.
    Counter,
    /// The wall clock as it is.
    Wall,
}

/// All that the keys share.
#[derive(Debug)]
pub(super) struct World {
    pub(super) random: Random,
    /// How often the wall clock was set.
    pub(super) clock_steps: u64,
    /// The true time since the start.
    passed: u64,
    /// What the wall clock shows for it.
    wall: u64,
    monotonic: Monotonic,
    counter: Wrapping32,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            random: Random(seed),
            clock_steps: 0,
            passed: 0,
            wall: WALL_AT_START,
            monotonic: Monotonic::new(Wait::from_nanos(50 * MILLISECOND)),
            counter: Wrapping32::starting_at(COUNTER_AT_START),
        }
    }

    pub(super) fn days(&self) -> u64 {
        self.passed / DAY
    }

    pub(super) fn wraps(&self) -> u64 {
        self.ticks() >> 32
    }

    fn ticks(&self) -> u64 {
        u64::from(COUNTER_AT_START) + self.passed / MILLISECOND
    }

    fn pass(&mut self, time: u64) {
        self.passed += time;
        self.wall += time;
    }

    /// Between two bursts: mostly minutes, at times a weekend or a holiday. The clock may be set meanwhile.
    pub(super) fn idle(&mut self) {
        let longest = match self.random.below(20_000) {
            0 => 20 * DAY,
            1..=100 => 6 * HOUR,
            101..=1_600 => HOUR,
            _ => 2 * MINUTE,
        };
        let idle = self.random.below(longest);
        self.pass(idle);
        let furthest = match self.random.below(10_000) {
            0 => DAY,
            1..=10 => HOUR,
            11..=100 => SECOND,
            _ => return,
        };
        self.clock_steps += 1;
        // As far forward as back, so that it does not wander off.
        let step = self.random.below(2 * furthest + 1);
        self.wall = (self.wall + step - furthest).max(WALL_AT_START);
    }

    /// Between two requests of a burst.
    pub(super) fn pause(&mut self) {
        let longest = [1, 3 * MILLISECOND, 200 * MILLISECOND, 2 * SECOND][self.random.below(4) as usize];
        let pause = self.random.below(longest);
        self.pass(pause);
    }

    /// What a clock shows, a little late at times.
    pub(super) fn read(&mut self, clock: Clock) -> u64 {
        let jitter = if self.random.once_in(4) { self.random.below(60 * MILLISECOND) } else { 0 };
        let wall = Timestamp::from_nanos(self.wall - jitter);
        match clock {
            Clock::Wall => wall.as_nanos(),
            Clock::Monotonic => self.monotonic.advance(wall).as_nanos(),
            Clock::Counter => {
                let late = self.ticks() - jitter / MILLISECOND;
                let extended = self.counter.extend(late as u32);
                assert_eq!(extended, late, "the counter has gone round {} times", late >> 32);
                Timestamp::from_ticks(extended, HZ).as_nanos()
            }
        }
    }
}

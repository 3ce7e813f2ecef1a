//! What a device has to bring ([`Board`]), and [`Device`]: time and decisions over it.

use core::fmt::{self, Display};
use core::num::NonZeroU32;

use tollgate::{Decision, Full, Timestamp, Wrapping32};

/// The bytes of a page of flash.
pub const PAGE: usize = 256;

/// What a device has to bring.
pub trait Board {
    /// How fast the counter runs.
    const HZ: NonZeroU32;

    /// The counter, which wraps.
    fn ticks(&mut self) -> u32;

    /// Waits for about so many ticks, fewer than 2^31.
    fn sleep(&mut self, ticks: u32);

    /// Prints a line.
    fn print(&mut self, line: fmt::Arguments<'_>);

    /// A page of flash that survives a reset, all ones where it was never written.
    fn page(&mut self) -> &mut [u8; PAGE];
}

/// A board, and its counter made into time.
pub struct Device<B> {
    /// The board.
    pub board: B,
    ticks: Wrapping32,
}

impl<B: Board> Device<B> {
    /// A device that was switched on just now.
    pub fn new(mut board: B) -> Self {
        let ticks = Wrapping32::starting_at(board.ticks());
        Self { board, ticks }
    }

    /// The time by which to judge. To be called at least once in 2^31 ticks.
    pub fn now(&mut self) -> Timestamp {
        Timestamp::from_ticks(self.count(), B::HZ)
    }

    /// How often the counter has wrapped.
    pub fn wraps(&mut self) -> u64 {
        self.count() >> 32
    }

    fn count(&mut self) -> u64 {
        self.ticks.extend(self.board.ticks())
    }

    /// Sleeps so long that nothing is missed: the counter is read in between.
    pub fn sleep_millis(&mut self, millis: u64) {
        let mut left = millis.saturating_mul(u64::from(B::HZ.get())) / 1000;
        while left > 0 {
            let step = left.min(1 << 30);
            self.board.sleep(step as u32);
            self.count();
            left -= step;
        }
    }

    /// Prints a decision, with all that is needed to take it again.
    pub fn decided(
        &mut self,
        limiter: &str,
        key: impl Display,
        cost: u32,
        now: Timestamp,
        answer: Result<Decision, Full>,
    ) {
        let at = now.as_nanos();
        match answer {
            Ok(Decision::Allow) => self.board.print(format_args!("{limiter} {key} {cost} {at} allow")),
            Ok(Decision::Deny { retry_after }) => {
                self.board.print(format_args!("{limiter} {key} {cost} {at} deny {}", retry_after.as_nanos()));
            }
            Err(Full { .. }) => self.board.print(format_args!("{limiter} {key} {cost} {at} full")),
        }
    }
}

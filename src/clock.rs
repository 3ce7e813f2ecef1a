//! Plain state machines that stand between a doubtful clock and the policies: [`Monotonic`] and [`Wrapping32`].
//!
//! They are separate from the policies because no single state can serve both ends: a denial writes nothing, so a key's state cannot tell a
//! caller who is late from a clock that was a day ahead and has been set right. Keep one per clock, and feed it that clock's samples in turn.

use crate::time::{Timestamp, Wait};

/// Makes a clock that may be set back run forward only.
///
/// The output advances by what the clock advanced. A step back up to the tolerance is jitter: the last output is repeated, and the clock must
/// first catch up. A larger one rebases: the output goes on from where it was. Forward steps pass, and refill what they would refill.
///
/// After a rebase the output is offset from the clock, and so are grids (`aligned`, `interval`) that are laid by it.
///
/// ```
/// use tollgate::{Monotonic, Timestamp, Wait};
///
/// let mut clock = Monotonic::new(Wait::from_nanos(10));
/// let samples = [100, 95, 101, 50, 51].map(|nanos| clock.advance(Timestamp::from_nanos(nanos)).as_nanos());
/// assert_eq!(samples, [100, 100, 101, 101, 102]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monotonic {
    tolerance: Wait,
    /// The latest sample since the start, or since the last rebase.
    peak: Timestamp,
    output: Timestamp,
}

impl Monotonic {
    /// With the largest step back that counts as jitter.
    ///
    /// ```
    /// # use tollgate::{Monotonic, Timestamp, Wait};
    /// let clock = Monotonic::new(Wait::from_nanos(10));
    /// assert_eq!(clock.now(), Timestamp::ZERO);
    /// ```
    #[inline]
    pub const fn new(tolerance: Wait) -> Self {
        Self { tolerance, peak: Timestamp::ZERO, output: Timestamp::ZERO }
    }

    /// Takes the clock's next sample and gives the time to judge by, which is never earlier than the one before.
    ///
    /// It saturates at [`Timestamp::MAX`], **and stays there for good**, since what is never earlier cannot come back: one sample misread as all
    /// ones stops this clock. Refuse a sample that cannot be, such as one years ahead of the last, before it gets here. How far ahead that is, the
    /// caller knows; from here, a device that slept for a year looks the same.
    ///
    /// ```
    /// # use tollgate::{Monotonic, Timestamp, Wait};
    /// let mut clock = Monotonic::new(Wait::ZERO);
    /// assert_eq!(clock.advance(Timestamp::from_secs(9)), Timestamp::from_secs(9));
    /// assert_eq!(clock.advance(Timestamp::from_secs(2)), Timestamp::from_secs(9));
    /// assert_eq!(clock.advance(Timestamp::from_secs(3)), Timestamp::from_secs(10));
    ///
    /// assert_eq!(clock.advance(Timestamp::MAX), Timestamp::MAX);
    /// assert_eq!(clock.advance(Timestamp::from_secs(4)), Timestamp::MAX); // and whatever comes
    /// ```
    #[inline]
    pub const fn advance(&mut self, sample: Timestamp) -> Timestamp {
        let back = sample.until(self.peak);
        if back.is_zero() {
            self.output = self.output.saturating_add(self.peak.until(sample));
            self.peak = sample;
        } else if back.as_nanos() > self.tolerance.as_nanos() {
            self.peak = sample;
        }
        self.output
    }

    /// The last time that was given, [`Timestamp::ZERO`] before the first.
    ///
    /// ```
    /// # use tollgate::{Monotonic, Timestamp, Wait};
    /// let mut clock = Monotonic::new(Wait::ZERO);
    /// let now = clock.advance(Timestamp::from_secs(9));
    /// assert_eq!(clock.now(), now);
    /// ```
    #[inline]
    pub const fn now(&self) -> Timestamp {
        self.output
    }
}

/// Extends a 32-bit tick counter that wraps to 64 bits.
///
/// A sample less than 2^31 ticks ahead of the furthest one seen is forward; any other is late, and gives its own, earlier count. The counter
/// must be sampled at least once in 2^31 ticks: half a wrap, 35 minutes at 1 MHz.
///
/// [`Timestamp::from_ticks`] makes a timestamp of the count.
///
/// ```
/// use tollgate::Wrapping32;
///
/// let mut ticks = Wrapping32::starting_at(0xFFFF_FFFE);
/// assert_eq!(ticks.extend(0xFFFF_FFFF), 0xFFFF_FFFF);
/// assert_eq!(ticks.extend(3), 0x1_0000_0003); // wrapped
/// assert_eq!(ticks.extend(1), 0x1_0000_0001); // late, say from an interrupt
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapping32 {
    furthest: u64,
}

impl Wrapping32 {
    /// With the counter's reading at the start. Counts go on from it: the epoch is where the counter would have been zero.
    ///
    /// ```
    /// # use tollgate::Wrapping32;
    /// assert_eq!(Wrapping32::starting_at(7).extend(9), 9);
    /// ```
    #[inline]
    pub const fn starting_at(reading: u32) -> Self {
        Self { furthest: reading as u64 }
    }

    /// Takes the counter's next reading and gives the extended count. A reading from before the epoch gives zero.
    ///
    /// ```
    /// # use tollgate::Wrapping32;
    /// let mut ticks = Wrapping32::starting_at(5);
    /// assert_eq!(ticks.extend(6), 6);
    /// assert_eq!(ticks.extend(0xFFFF_FFFF), 0); // late by more than there is
    /// assert_eq!(ticks.extend(7), 7);
    /// ```
    #[inline]
    pub const fn extend(&mut self, reading: u32) -> u64 {
        let ahead = reading.wrapping_sub(self.furthest as u32);
        if ahead < 1 << 31 {
            // Saturates after 2^64 ticks, a wrap of which takes 584 years at 1 GHz.
            self.furthest = self.furthest.saturating_add(ahead as u64);
            self.furthest
        } else {
            self.furthest.saturating_sub(ahead.wrapping_neg() as u64)
        }
    }
}

//! [`Timestamp`], a point in time that the caller supplies, and [`Wait`], the time until another.
//!
//! Nothing here reads a clock. Clocks that step back or wrap are put right in [`clock`](crate::clock), before they get here.
//!
//! # Why no sum overflows
//!
//! A timestamp is at most `2^63 - 1` ns. A window, and the time that a bucket takes to fill, is at most `LONGEST`, `2^62` ns. A
//! deadline is a timestamp plus at most one of those, so it is below `2^63 + 2^62`, and one more of those still fits in a `u64`. A deadline
//! may thus lie beyond the last timestamp, and is kept as a plain `u64`; the difference of a deadline and a timestamp is a [`Wait`].

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

const NANOS_PER_MILLI: u64 = 1_000_000;
const NANOS_PER_SEC: u64 = 1_000_000_000;

/// The longest window, and the longest time that a bucket may take to fill: `2^62` ns, some 146 years.
pub(crate) const LONGEST: u64 = 1 << 62;

/// The last deadline: the longest time after the last timestamp.
pub(crate) const LAST_DEADLINE: u64 = Timestamp::MAX.0 + LONGEST;

/// A point in time: nanoseconds since an epoch of the caller's choosing, `0 ..= 2^63 - 1`.
///
/// The epoch may be the Unix epoch, the start of the program or the reset of a device; all timestamps of one store share it.
/// Constructors saturate at [`Timestamp::MAX`], some 292 years after the epoch.
///
/// ```
/// use tollgate::Timestamp;
///
/// assert_eq!(Timestamp::from_secs(2), Timestamp::from_millis(2_000));
/// assert_eq!(Timestamp::from_secs(u64::MAX), Timestamp::MAX);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The epoch itself, the earliest timestamp.
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::ZERO.as_nanos(), 0);
    /// ```
    pub const ZERO: Self = Self(0);

    /// The last timestamp, `2^63 - 1` ns.
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::MAX.as_nanos(), (1 << 63) - 1);
    /// ```
    pub const MAX: Self = Self(i64::MAX as u64);

    /// From nanoseconds since the epoch, saturating at [`Timestamp::MAX`].
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::from_nanos(7).as_nanos(), 7);
    /// ```
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        if nanos > Self::MAX.0 { Self::MAX } else { Self(nanos) }
    }

    /// From microseconds since the epoch, saturating at [`Timestamp::MAX`].
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::from_micros(7).as_nanos(), 7_000);
    /// ```
    #[inline]
    pub const fn from_micros(micros: u64) -> Self {
        Self::from_nanos(micros.saturating_mul(1_000))
    }

    /// From milliseconds since the epoch, saturating at [`Timestamp::MAX`].
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::from_millis(7).as_nanos(), 7_000_000);
    /// ```
    #[inline]
    pub const fn from_millis(millis: u64) -> Self {
        Self::from_nanos(millis.saturating_mul(NANOS_PER_MILLI))
    }

    /// From seconds since the epoch, saturating at [`Timestamp::MAX`].
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::from_secs(7).as_nanos(), 7_000_000_000);
    /// ```
    #[inline]
    pub const fn from_secs(secs: u64) -> Self {
        Self::from_nanos(secs.saturating_mul(NANOS_PER_SEC))
    }

    /// From the ticks of a counter that runs at `hz`, rounded down to a nanosecond and saturating at [`Timestamp::MAX`].
    ///
    /// Exact for rates that are no whole number of nanoseconds, such as the 32,768 Hz of a watch crystal: the rounding is done on the whole
    /// count, so it does not add up. A counter of 32 bits is extended by [`Wrapping32`](crate::Wrapping32) first.
    ///
    /// # Cost
    ///
    /// Two 64-bit divisions.
    ///
    /// ```
    /// # use core::num::NonZeroU32;
    /// # use tollgate::Timestamp;
    /// let hz = NonZeroU32::new(32_768).unwrap();
    /// assert_eq!(Timestamp::from_ticks(1, hz).as_nanos(), 30_517); // 30,517.578125
    /// assert_eq!(Timestamp::from_ticks(32_768_000, hz), Timestamp::from_secs(1_000));
    /// ```
    #[inline]
    pub const fn from_ticks(ticks: u64, hz: NonZeroU32) -> Self {
        let hz = hz.get() as u64;
        // Cannot overflow: the remainder is below 2^32, and 2^32 * 10^9 < 2^62.
        let fraction = (ticks % hz) * NANOS_PER_SEC / hz;
        Self::from_nanos((ticks / hz).saturating_mul(NANOS_PER_SEC).saturating_add(fraction))
    }

    /// From the time since the epoch, saturating at [`Timestamp::MAX`]: with `std`'s monotonic clock, `start.elapsed()`.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::since_epoch(Duration::from_millis(7)), Timestamp::from_millis(7));
    /// assert_eq!(Timestamp::since_epoch(Duration::MAX), Timestamp::MAX);
    /// ```
    #[inline]
    pub const fn since_epoch(elapsed: Duration) -> Self {
        Self::from_nanos(saturating_nanos(elapsed))
    }

    /// Nanoseconds since the epoch.
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::from_micros(3).as_nanos(), 3_000);
    /// ```
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Milliseconds since the epoch, rounded up: for a [deadline](crate::State::expires_at), which must not come early.
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::from_micros(7_000).as_millis_ceil(), 7);
    /// assert_eq!(Timestamp::from_micros(7_001).as_millis_ceil(), 8);
    /// ```
    #[inline]
    pub const fn as_millis_ceil(self) -> u64 {
        self.0.div_ceil(NANOS_PER_MILLI)
    }

    /// Seconds since the epoch, rounded up: for a [deadline](crate::State::expires_at), which must not come early.
    ///
    /// ```
    /// # use tollgate::Timestamp;
    /// assert_eq!(Timestamp::from_millis(7_000).as_secs_ceil(), 7);
    /// assert_eq!(Timestamp::from_millis(7_001).as_secs_ceil(), 8);
    /// ```
    #[inline]
    pub const fn as_secs_ceil(self) -> u64 {
        self.0.div_ceil(NANOS_PER_SEC)
    }

    /// The timestamp `wait` later, saturating at [`Timestamp::MAX`].
    ///
    /// ```
    /// # use tollgate::{Timestamp, Wait};
    /// assert_eq!(Timestamp::from_nanos(5).saturating_add(Wait::from_nanos(2)), Timestamp::from_nanos(7));
    /// assert_eq!(Timestamp::MAX.saturating_add(Wait::from_nanos(1)), Timestamp::MAX);
    /// ```
    #[inline]
    pub const fn saturating_add(self, wait: Wait) -> Self {
        Self::from_nanos(self.0.saturating_add(wait.0))
    }

    /// The wait from `self` until `deadline`, zero where that has passed.
    ///
    /// ```
    /// # use tollgate::{Timestamp, Wait};
    /// let (early, late) = (Timestamp::from_secs(1), Timestamp::from_secs(3));
    /// assert_eq!(early.until(late), Wait::from_secs(2));
    /// assert_eq!(late.until(early), Wait::ZERO);
    /// ```
    #[inline]
    pub const fn until(self, deadline: Self) -> Wait {
        Wait(deadline.0.saturating_sub(self.0))
    }

    /// The wait until a deadline that is to come, which may lie beyond the last timestamp.
    ///
    /// Cannot overflow: what is denied is so until later than now.
    #[inline]
    pub(crate) const fn until_deadline(self, deadline: u64) -> Wait {
        Wait(deadline - self.0)
    }
}

/// The time since the Unix epoch; a time before it is the epoch.
///
/// The wall clock may be set back: see [`Monotonic`](crate::Monotonic).
///
/// ```
/// # use std::time::{Duration, UNIX_EPOCH};
/// # use tollgate::Timestamp;
/// assert_eq!(Timestamp::from(UNIX_EPOCH + Duration::from_secs(9)), Timestamp::from_secs(9));
/// assert_eq!(Timestamp::from(UNIX_EPOCH - Duration::from_secs(9)), Timestamp::ZERO);
/// ```
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
impl From<std::time::SystemTime> for Timestamp {
    fn from(time: std::time::SystemTime) -> Self {
        Self::since_epoch(time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default())
    }
}

/// A length of time to wait, in whole nanoseconds.
///
/// Not a [`Duration`], because `Duration::as_secs` rounds down, and a client told to come back in "0" seconds after a denial comes back too
/// early; here every coarser unit rounds **up**, and its name says so. It also costs no division to make, where a `Duration` takes one by 10^9.
///
/// ```
/// use tollgate::Wait;
///
/// let wait = Wait::from_millis(1_001);
/// assert_eq!(wait.as_secs_ceil(), 2);
/// assert_eq!(core::time::Duration::from(wait).as_secs(), 1); // rounds down
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait(u64);

impl Wait {
    /// No wait.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert!(Wait::ZERO.is_zero());
    /// ```
    pub const ZERO: Self = Self(0);

    /// The longest wait that can be expressed, `2^64 - 1` ns. No policy asks for it.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert_eq!(Wait::MAX.as_nanos(), u64::MAX);
    /// ```
    pub const MAX: Self = Self(u64::MAX);

    /// A wait of so many nanoseconds.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert_eq!(Wait::from_nanos(7).as_nanos(), 7);
    /// ```
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A wait of so many milliseconds, saturating at [`Wait::MAX`].
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert_eq!(Wait::from_millis(7).as_nanos(), 7_000_000);
    /// ```
    #[inline]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(NANOS_PER_MILLI))
    }

    /// A wait of so many seconds, saturating at [`Wait::MAX`].
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert_eq!(Wait::from_secs(34).as_nanos(), 34_000_000_000);
    /// ```
    #[inline]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(NANOS_PER_SEC))
    }

    /// A wait as long as the [`Duration`], saturating at [`Wait::MAX`]: what `From` gives, for a `const`.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::Wait;
    /// assert_eq!(Wait::from_duration(Duration::from_millis(7)), Wait::from_millis(7));
    /// assert_eq!(Wait::from_duration(Duration::MAX), Wait::MAX);
    /// ```
    #[inline]
    pub const fn from_duration(duration: Duration) -> Self {
        Self(saturating_nanos(duration))
    }

    /// Whole nanoseconds, exact.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert_eq!(Wait::from_nanos(7).as_nanos(), 7);
    /// ```
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Milliseconds, rounded up.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert_eq!(Wait::from_nanos(1).as_millis_ceil(), 1);
    /// assert_eq!(Wait::ZERO.as_millis_ceil(), 0);
    /// ```
    #[inline]
    pub const fn as_millis_ceil(self) -> u64 {
        self.0.div_ceil(NANOS_PER_MILLI)
    }

    /// Seconds, rounded up: the number for `Retry-After` (RFC 9110, section 10.2.3).
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert_eq!(Wait::from_millis(1_000).as_secs_ceil(), 1);
    /// assert_eq!(Wait::from_millis(1_001).as_secs_ceil(), 2);
    /// ```
    #[inline]
    pub const fn as_secs_ceil(self) -> u64 {
        self.0.div_ceil(NANOS_PER_SEC)
    }

    /// The same wait, judged at `read`, as it counts from an earlier `now`; saturates at [`Wait::MAX`]. No wait stays none.
    ///
    /// For those who judge by hand inside [`Store::update`](crate::Store::update), and have a wait from that: see
    /// [`Decision::counted_from`](crate::Decision::counted_from).
    ///
    /// ```
    /// # use tollgate::{Timestamp, Wait};
    /// let (now, read) = (Timestamp::from_secs(3), Timestamp::from_secs(5));
    /// assert_eq!(Wait::from_secs(10).counted_from(now, read), Wait::from_secs(12));
    /// assert_eq!(Wait::ZERO.counted_from(now, read), Wait::ZERO);
    /// ```
    #[inline]
    #[must_use = "this makes a wait, and leaves the one it is made from as it is"]
    pub const fn counted_from(self, now: Timestamp, read: Timestamp) -> Self {
        if self.is_zero() { self } else { Self(self.0.saturating_add(now.until(read).0)) }
    }

    /// Whether there is nothing to wait for.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// assert!(!Wait::from_nanos(1).is_zero());
    /// ```
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// Exact, but for more than 584 years, which are [`Wait::MAX`].
impl From<Duration> for Wait {
    #[inline]
    fn from(duration: Duration) -> Self {
        Self::from_duration(duration)
    }
}

/// Exact.
impl From<Wait> for Duration {
    #[inline]
    fn from(wait: Wait) -> Self {
        Duration::from_nanos(wait.0)
    }
}

/// As a [`Duration`] is printed in debug form, for people: `1.5s`, `20ms`.
impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&Duration::from(*self), f)
    }
}

/// All of its nanoseconds, or as many as there can be.
const fn saturating_nanos(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(NANOS_PER_SEC).saturating_add(duration.subsec_nanos() as u64)
}

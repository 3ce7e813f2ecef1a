//! What the policies' settings have in common: their checks, in `const`, and the grid of equal windows.

use core::num::{NonZeroU32, NonZeroU64};
use core::time::Duration;

use crate::error::PolicyError;
use crate::time::{LONGEST, Timestamp};

/// The quota, if it is one.
pub(crate) const fn quota(quota: u32) -> Result<NonZeroU32, PolicyError> {
    match NonZeroU32::new(quota) {
        Some(quota) => Ok(quota),
        None => Err(PolicyError::ZeroQuota),
    }
}

/// The window in nanoseconds, `1 ..= 2^62`.
pub(crate) const fn window(window: Duration) -> Result<NonZeroU64, PolicyError> {
    let nanos = window.as_nanos();
    match NonZeroU64::new(nanos as u64) {
        Some(window) if nanos <= LONGEST as u128 => Ok(window),
        _ => Err(PolicyError::Window { nanos }),
    }
}

/// Makes a value of a result in a `const`, where an error fails the build.
macro_rules! built {
    ($result:expr) => {
        match $result {
            Ok(policy) => policy,
            Err(error) => panic!("{}", error.message()),
        }
    };
}
pub(crate) use built;

/// The points `origin + k x window`, for every whole `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Grid {
    window: NonZeroU64,
    /// From the last point before time zero to time zero: at least 1, at most the window.
    lead: u64,
}

impl Grid {
    pub(crate) const fn new(window: NonZeroU64, origin: Timestamp) -> Self {
        Self { window, lead: window.get() - origin.as_nanos() % window.get() }
    }

    #[inline]
    pub(crate) const fn window(self) -> u64 {
        self.window.get()
    }

    /// The first point at or after time zero, below the window.
    pub(crate) const fn phase(self) -> Timestamp {
        Timestamp::from_nanos(self.window.get() - self.lead)
    }

    /// How far `at` lies beyond the last point before time zero.
    ///
    /// Cannot overflow: `at` is a deadline, below 2^63 + 2^62, and the window at most 2^62.
    #[inline]
    pub(crate) const fn since_first(self, at: u64) -> u64 {
        at + self.lead
    }

    /// How far `at` lies beyond the last point at or before it.
    #[inline]
    fn beyond(self, at: u64) -> u64 {
        self.since_first(at) % self.window
    }

    /// The first point after `at`. Cannot overflow, for the same reason.
    #[inline]
    pub(crate) fn after(self, at: u64) -> u64 {
        at + (self.window() - self.beyond(at))
    }

    /// The first point at or after `at`.
    #[inline]
    pub(crate) fn at_or_after(self, at: u64) -> u64 {
        let beyond = self.beyond(at);
        if beyond == 0 { at } else { at + (self.window() - beyond) }
    }

    /// The last point at or before `at`, which must be at least one window after time zero, so that there is one.
    #[inline]
    pub(crate) fn at_or_before(self, at: u64) -> u64 {
        at.saturating_sub(self.beyond(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_points_on_both_sides_of_its_origin() {
        let grid = Grid::new(NonZeroU64::new(10).unwrap(), Timestamp::from_nanos(23));
        assert_eq!(grid.phase().as_nanos(), 3);
        assert_eq!([0, 2, 3, 12, 13].map(|at| grid.after(at)), [3, 3, 13, 13, 23]);
        assert_eq!([0, 3, 4, 13].map(|at| grid.at_or_after(at)), [3, 3, 13, 13]);
        assert_eq!([10, 12, 13, 22].map(|at| grid.at_or_before(at)), [3, 3, 13, 13]);
    }

    #[test]
    fn the_grid_reaches_the_last_deadline() {
        let last = i64::MAX as u64 + LONGEST;
        for (window, origin) in [(1, 0), (LONGEST, 0), (LONGEST, LONGEST - 1), (LONGEST - 1, 5)] {
            let grid = Grid::new(NonZeroU64::new(window).unwrap(), Timestamp::from_nanos(origin));
            let wide =
                |at: u64| (u128::from(at) + u128::from(window) - u128::from(origin % window)) % u128::from(window);
            assert_eq!(u128::from(grid.beyond(last)), wide(last));
            assert!(grid.at_or_before(last) <= last && grid.at_or_after(last) >= last);
        }
    }
}

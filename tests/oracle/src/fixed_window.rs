//! The fixed window: how many units are used, and when they are forgotten all at once.

use crate::grid::Grid;

/// What is remembered of a key under fixed windows.
///
/// The time last read needs no place of its own: it lies before `ends_at`, and within one window nothing depends on the time. So a
/// `now` before it changes nothing while the window is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    ends_at: u64,
    used: u32,
}

impl Window {
    /// The units that count at `now`.
    pub(crate) fn used(&self, now: u64) -> u32 {
        if now < self.ends_at { self.used } else { 0 }
    }

    /// Whether `cost` more units pass at `now`.
    pub(crate) fn allows(&self, quota: u32, cost: u32, now: u64) -> bool {
        cost == 0 || u64::from(self.used(now)) + u64::from(cost) <= u64::from(quota)
    }

    /// Counts `cost` units at `now`, admitted or charged. The end of an open window stands, whatever the policy that opened it.
    ///
    /// A window that was refunded to nothing is not open, but its end stands as well, as the earliest end of the next: the key's time
    /// may have been read at any point before it.
    pub(crate) fn count(&mut self, window_ns: u64, grid: Option<u64>, cost: u32, now: u64) {
        if self.used(now) == 0 {
            let end = match grid {
                None => now + window_ns,
                Some(origin) => Grid::new(origin, window_ns).next_after(now),
            };
            self.ends_at = end.max(self.ends_at);
            self.used = 0;
        }
        self.used = self.used.saturating_add(cost);
    }

    /// Gives back `cost` units, if that many are used and count at `now`.
    pub(crate) fn refund(&mut self, cost: u32, now: u64) {
        if now < self.ends_at {
            self.used = self.used.saturating_sub(cost);
        }
    }

    /// From when on the key need not be remembered.
    pub(crate) fn expires_at(&self) -> u64 {
        self.ends_at
    }
}

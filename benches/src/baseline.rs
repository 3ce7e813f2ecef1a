//! What everything is compared with: the least that a limiter can do.

/// GCRA over nanoseconds in one word: a comparison and a sum. Its rate is that of a whole number of nanoseconds a unit.
#[derive(Clone, Copy)]
pub struct Naive {
    unit: u64,
    burst: u64,
}

impl Naive {
    /// So many units a second, with a burst of as many.
    pub const fn a_second(units: u64) -> Self {
        let unit = 1_000_000_000 / units;
        Self { unit, burst: unit * (units - 1) }
    }

    #[inline]
    pub fn allows(self, full_at: &mut u64, now: u64) -> bool {
        let at = (*full_at).max(now);
        if at > now + self.burst {
            return false;
        }
        *full_at = at + self.unit;
        true
    }

    /// The same with how long to wait.
    #[inline]
    pub fn wait(self, full_at: &mut u64, now: u64) -> Option<u64> {
        let at = (*full_at).max(now);
        if at > now + self.burst {
            return Some(at - now - self.burst);
        }
        *full_at = at + self.unit;
        None
    }
}

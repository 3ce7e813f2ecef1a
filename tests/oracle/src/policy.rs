//! The three policies, as the numbers that they are made of.

/// The last timestamp.
pub const LAST_TIMESTAMP: u64 = (1 << 63) - 1;

/// The longest window, the longest time that a bucket may take to fill, and the longest that a charge can make it wait.
pub const LONGEST_NS: u64 = 1 << 62;

/// What may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// At most `quota` in one window.
    FixedWindow {
        /// Units in a window.
        quota: u32,
        /// Length of a window.
        window_ns: u64,
        /// `None`: a window opens with the first admission. Else: windows lie between the points `origin + k * window`.
        grid: Option<u64>,
    },
    /// At most `quota` in every half-open interval one window long.
    SlidingLog {
        /// Units in any interval.
        quota: u32,
        /// Length of the intervals.
        window_ns: u64,
    },
    /// `quota` tokens come back in each window, at most `burst` are there at once.
    TokenBucket {
        /// Tokens for each window.
        quota: u32,
        /// Time in which they come back.
        window_ns: u64,
        /// Tokens in a full bucket.
        burst: u32,
        /// When they come back.
        refill: Refill,
    },
}

/// When the tokens of a bucket come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refill {
    /// Steadily, in fractions of a token.
    Continuous,
    /// The whole quota at each point `origin + k * window`.
    Interval {
        /// Any one of the points.
        origin_ns: u64,
    },
}

impl Policy {
    /// The largest cost that can ever pass.
    pub fn limit(&self) -> u32 {
        match *self {
            Policy::FixedWindow { quota, .. } | Policy::SlidingLog { quota, .. } => quota,
            Policy::TokenBucket { burst, .. } => burst,
        }
    }

    /// Units in a window.
    pub fn quota(&self) -> u32 {
        match *self {
            Policy::FixedWindow { quota, .. }
            | Policy::SlidingLog { quota, .. }
            | Policy::TokenBucket { quota, .. } => quota,
        }
    }

    /// The length of the window.
    pub fn window_ns(&self) -> u64 {
        match *self {
            Policy::FixedWindow { window_ns, .. }
            | Policy::SlidingLog { window_ns, .. }
            | Policy::TokenBucket { window_ns, .. } => window_ns,
        }
    }

    /// Whether the policy can be built: nothing is zero, the window is at most [`LONGEST_NS`], and an empty bucket is full again within
    /// that time.
    pub fn is_valid(&self) -> bool {
        let fills = match *self {
            Policy::FixedWindow { .. } | Policy::SlidingLog { .. } => true,
            Policy::TokenBucket { quota, window_ns, burst, refill } => {
                let (quota, window, burst) = (u128::from(quota), u128::from(window_ns), u128::from(burst));
                let longest = u128::from(LONGEST_NS);
                match refill {
                    // burst * window / quota <= longest, without the fraction
                    Refill::Continuous => burst * window <= longest * quota,
                    Refill::Interval { .. } => quota > 0 && burst.div_ceil(quota) * window <= longest,
                }
            }
        };
        self.quota() > 0 && self.limit() > 0 && (1..=LONGEST_NS).contains(&self.window_ns()) && fills
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTINUOUS: Refill = Refill::Continuous;
    const INTERVAL: Refill = Refill::Interval { origin_ns: 0 };

    fn bucket(quota: u32, window_ns: u64, burst: u32, refill: Refill) -> bool {
        Policy::TokenBucket { quota, window_ns, burst, refill }.is_valid()
    }

    #[test]
    fn windows_and_logs_need_a_quota_and_a_window_in_range() {
        for (quota, window_ns, valid) in
            [(1, 1, true), (0, 1, false), (1, 0, false), (u32::MAX, LONGEST_NS, true), (1, LONGEST_NS + 1, false)]
        {
            assert_eq!(Policy::FixedWindow { quota, window_ns, grid: None }.is_valid(), valid);
            assert_eq!(Policy::FixedWindow { quota, window_ns, grid: Some(u64::MAX) }.is_valid(), valid);
            assert_eq!(Policy::SlidingLog { quota, window_ns }.is_valid(), valid);
        }
    }

    #[test]
    fn buckets_fill_in_time() {
        for refill in [CONTINUOUS, INTERVAL] {
            assert!(bucket(1, LONGEST_NS, 1, refill));
            assert!(!bucket(1, LONGEST_NS, 2, refill));
            assert!(!bucket(1, 1, 0, refill));
            assert!(!bucket(0, 1, 1, refill));
            assert!(bucket(u32::MAX, LONGEST_NS, u32::MAX, refill));
        }
        // 3 tokens at 2 in each window take a window and a half steadily, two windows by interval.
        let window = LONGEST_NS / 3 * 2;
        assert!(bucket(2, window, 3, CONTINUOUS));
        assert!(!bucket(2, window + 1, 3, CONTINUOUS));
        assert!(!bucket(2, window, 3, INTERVAL));
        assert!(bucket(2, LONGEST_NS / 2, 3, INTERVAL));
    }

    #[test]
    fn the_limit_is_the_burst_of_a_bucket_and_else_the_quota() {
        assert_eq!(Policy::FixedWindow { quota: 3, window_ns: 1, grid: None }.limit(), 3);
        assert_eq!(Policy::SlidingLog { quota: 3, window_ns: 1 }.limit(), 3);
        assert_eq!(Policy::TokenBucket { quota: 3, window_ns: 1, burst: 7, refill: CONTINUOUS }.limit(), 7);
    }
}

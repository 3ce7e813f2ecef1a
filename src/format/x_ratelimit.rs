//! `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, which many services send and no document describes.
//!
//! What the third means differs: with some it is the seconds from now, with others a Unix time. Here these are two types, and the second
//! is only to be had for a wall time, which a policy's timestamps need not be.
//!
//! ```
//! use tollgate::format::x_ratelimit::XRateLimit;
//! use tollgate::{Decision, Status, Timestamp, Wait};
//!
//! let full_in = Wait::from_millis(4_200);
//! let limit = XRateLimit::new(Decision::Allow, &Status::new(100, 50, full_in, full_in));
//! assert_eq!((limit.limit().to_string(), limit.remaining().to_string()), ("100".to_string(), "50".to_string()));
//! assert_eq!(limit.reset_after().to_string(), "5");
//!
//! let unix_now = Timestamp::from_millis(1_700_000_000_700); // from the wall clock
//! assert_eq!(limit.reset_at(unix_now).to_string(), "1700000005");
//! ```

use core::fmt::{self, Display};

use super::expiring::Expiring;
use crate::decision::{Decision, Status};
use crate::header_names;
use crate::time::{Timestamp, Wait};

/// The name of the field that holds [`XRateLimit::limit`].
///
/// ```
/// # use tollgate::format::x_ratelimit;
/// assert_eq!(x_ratelimit::X_RATELIMIT_LIMIT, "x-ratelimit-limit");
/// ```
pub const X_RATELIMIT_LIMIT: &str = "x-ratelimit-limit";

/// The name of the field that holds [`XRateLimit::remaining`].
///
/// ```
/// # use tollgate::format::x_ratelimit;
/// assert_eq!(x_ratelimit::X_RATELIMIT_REMAINING, "x-ratelimit-remaining");
/// ```
pub const X_RATELIMIT_REMAINING: &str = header_names::X_RATELIMIT_REMAINING;

/// The name of the field that holds a [`ResetAfter`] or a [`ResetAt`].
///
/// ```
/// # use tollgate::format::x_ratelimit;
/// assert_eq!(x_ratelimit::X_RATELIMIT_RESET, "x-ratelimit-reset");
/// ```
pub const X_RATELIMIT_RESET: &str = header_names::X_RATELIMIT_RESET;

/// The names of the fields of this module.
///
/// ```
/// # use tollgate::format::x_ratelimit;
/// assert!(x_ratelimit::HEADERS.contains(&x_ratelimit::X_RATELIMIT_LIMIT));
/// ```
pub const HEADERS: [&str; 3] = [X_RATELIMIT_LIMIT, X_RATELIMIT_REMAINING, X_RATELIMIT_RESET];

/// How a client stands with the policy that it is closest to exhausting, in three fields.
///
/// The reset is when the policy's quota is all there again or, where none remains, when any is; where the request was denied, when that
/// request can pass, which is what `Retry-After` says.
///
/// ```
/// use tollgate::format::x_ratelimit::XRateLimit;
/// use tollgate::{Decision, Status, Wait};
///
/// let (more, all) = (Wait::from_secs(6), Wait::from_secs(60));
/// let limit = XRateLimit::new(Decision::Deny { retry_after: more }, &Status::new(10, 0, more, all));
/// assert_eq!((limit.limit(), limit.remaining(), limit.reset_after().secs()), (10, 0, 6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct XRateLimit(Expiring);

impl XRateLimit {
    /// The answer, and how the key stands after it.
    ///
    /// ```
    /// # use tollgate::format::x_ratelimit::XRateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(XRateLimit::new(Decision::Allow, &untouched).reset_after().to_string(), "0");
    /// ```
    pub const fn new(decision: Decision, status: &Status) -> Self {
        Self(Expiring::new(decision, status))
    }

    /// With another policy that the request is subject to. The one with the least remaining is told; of equals, the one that takes
    /// longest to be full.
    ///
    /// ```
    /// # use tollgate::format::x_ratelimit::XRateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let (minute, day) = (Wait::from_secs(60), Wait::from_secs(86_400));
    /// let (burst, daily) = (Status::new(100, 50, minute, minute), Status::new(1000, 7, day, day));
    /// assert_eq!(XRateLimit::new(Decision::Allow, &burst).and(&daily).limit(), 1000);
    /// ```
    #[must_use = "this makes a value, and leaves the one it is made from as it is"]
    pub const fn and(self, status: &Status) -> Self {
        Self(self.0.or(status))
    }

    /// The value of [`X_RATELIMIT_LIMIT`].
    ///
    /// ```
    /// # use tollgate::format::x_ratelimit::XRateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(XRateLimit::new(Decision::Allow, &untouched).limit(), 100);
    /// ```
    pub const fn limit(self) -> u32 {
        self.0.limit()
    }

    /// The value of [`X_RATELIMIT_REMAINING`].
    ///
    /// ```
    /// # use tollgate::format::x_ratelimit::XRateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(XRateLimit::new(Decision::Allow, &untouched).remaining(), 100);
    /// ```
    pub const fn remaining(self) -> u32 {
        self.0.remaining()
    }

    /// The value of [`X_RATELIMIT_RESET`] as seconds from now.
    ///
    /// ```
    /// # use tollgate::format::x_ratelimit::XRateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// let wait = Wait::from_nanos(1);
    /// assert_eq!(XRateLimit::new(Decision::Allow, &Status::new(10, 9, wait, wait)).reset_after().secs(), 1);
    /// ```
    pub const fn reset_after(self) -> ResetAfter {
        ResetAfter(self.0.reset_secs())
    }

    /// The value of [`X_RATELIMIT_RESET`] as a Unix time, given the wall time as a timestamp since the Unix epoch.
    ///
    /// ```
    /// # use tollgate::format::x_ratelimit::XRateLimit;
    /// # use tollgate::{Decision, Status, Timestamp, Wait};
    /// let wait = Wait::from_nanos(1);
    /// let limit = XRateLimit::new(Decision::Allow, &Status::new(10, 9, wait, wait));
    /// assert_eq!(limit.reset_at(Timestamp::from_secs(1_700_000_000)).unix_secs(), 1_700_000_001);
    /// ```
    pub const fn reset_at(self, unix_now: Timestamp) -> ResetAt {
        let reset = unix_now.as_nanos().saturating_add(self.0.reset().as_nanos());
        ResetAt(Wait::from_nanos(reset).as_secs_ceil())
    }
}

/// The seconds from now until the reset, rounded up.
///
/// ```
/// use tollgate::format::x_ratelimit::XRateLimit;
/// use tollgate::{Decision, Status, Wait};
///
/// let wait = Wait::from_millis(999);
/// assert_eq!(XRateLimit::new(Decision::Allow, &Status::new(10, 9, wait, wait)).reset_after().to_string(), "1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResetAfter(u64);

impl ResetAfter {
    /// The seconds.
    ///
    /// ```
    /// # use tollgate::format::x_ratelimit::XRateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(XRateLimit::new(Decision::Allow, &untouched).reset_after().secs(), 0);
    /// ```
    pub const fn secs(self) -> u64 {
        self.0
    }
}

impl Display for ResetAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

/// The reset as seconds since the Unix epoch, rounded up.
///
/// ```
/// use tollgate::format::x_ratelimit::XRateLimit;
/// use tollgate::{Decision, Status, Timestamp, Wait};
///
/// let wait = Wait::from_millis(500);
/// let limit = XRateLimit::new(Decision::Allow, &Status::new(10, 9, wait, wait));
/// assert_eq!(limit.reset_at(Timestamp::from_millis(1_700_000_000_500)).to_string(), "1700000001");
/// assert_eq!(limit.reset_at(Timestamp::from_millis(1_700_000_000_501)).to_string(), "1700000002");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResetAt(u64);

impl ResetAt {
    /// The seconds since the Unix epoch.
    ///
    /// ```
    /// # use tollgate::format::x_ratelimit::XRateLimit;
    /// # use tollgate::{Decision, Status, Timestamp, Wait};
    /// # let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(XRateLimit::new(Decision::Allow, &untouched).reset_at(Timestamp::from_secs(7)).unix_secs(), 7);
    /// ```
    pub const fn unix_secs(self) -> u64 {
        self.0
    }
}

impl Display for ResetAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

//! draft-ietf-httpapi-ratelimit-headers-07, of June 2023: one `RateLimit` with three keys, and `RateLimit-Policy`.
//!
//! ```
//! use core::time::Duration;
//! use tollgate::format::Quota;
//! use tollgate::format::draft_07::{QuotaPolicies, RateLimit};
//! use tollgate::{Decision, Status, Wait};
//!
//! let full_in = Wait::from_millis(4_200);
//! let status = Status::new(100, 50, full_in, full_in);
//! assert_eq!(RateLimit::new(Decision::Allow, &status).to_string(), "limit=100, remaining=50, reset=5");
//!
//! let quotas = [Quota::new(100, Duration::from_secs(60))];
//! assert_eq!(QuotaPolicies::new(&quotas)?.to_string(), "100;w=60");
//! # Ok::<(), tollgate::format::draft_07::QuotaPoliciesError>(())
//! ```

use core::fmt::{self, Display};

use super::expiring::Expiring;
pub use super::quota_policies::{QuotaPolicies, QuotaPoliciesError};
use super::sf::Integer;
use crate::decision::{Decision, Status};
use crate::header_names;

/// The name of the field that holds a [`RateLimit`].
///
/// ```
/// # use tollgate::format::draft_07;
/// assert_eq!(draft_07::RATELIMIT, "ratelimit");
/// ```
pub const RATELIMIT: &str = header_names::RATELIMIT;

/// The name of the field that holds [`QuotaPolicies`].
///
/// ```
/// # use tollgate::format::draft_07;
/// assert_eq!(draft_07::RATELIMIT_POLICY, "ratelimit-policy");
/// ```
pub const RATELIMIT_POLICY: &str = "ratelimit-policy";

/// The names of the fields of this module.
///
/// ```
/// # use tollgate::format::draft_07;
/// assert!(draft_07::HEADERS.contains(&draft_07::RATELIMIT));
/// ```
pub const HEADERS: [&str; 2] = [RATELIMIT, RATELIMIT_POLICY];

/// How a client stands with the policy that it is closest to exhausting (section 3.1): `limit=100, remaining=50, reset=5`.
///
/// - `limit` is the largest cost that the policy can ever admit, so that `remaining` is never more: for a bucket its burst.
/// - `reset` is the wait until all of it is there again or, where none remains, until any is; in whole seconds, rounded up. Where the
///   request was denied it is the number in `Retry-After`, since the two "SHOULD reference the same point in time" (section 4).
///
/// ```
/// use tollgate::format::draft_07::RateLimit;
/// use tollgate::{Decision, Status, Wait};
///
/// let secs = Wait::from_secs;
/// let allowed = RateLimit::new(Decision::Allow, &Status::new(10, 2, secs(6), secs(48)));
/// assert_eq!(allowed.to_string(), "limit=10, remaining=2, reset=48");
///
/// let last = RateLimit::new(Decision::Allow, &Status::new(10, 0, secs(6), secs(60)));
/// assert_eq!(last.to_string(), "limit=10, remaining=0, reset=6");
///
/// let denied = Decision::Deny { retry_after: secs(18) }; // a cost of 5
/// let denied = RateLimit::new(denied, &Status::new(10, 2, secs(6), secs(48)));
/// assert_eq!(denied.to_string(), "limit=10, remaining=2, reset=18");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RateLimit(Expiring);

impl RateLimit {
    /// The answer, and how the key stands after it.
    ///
    /// ```
    /// # use tollgate::format::draft_07::RateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(RateLimit::new(Decision::Allow, &untouched).to_string(), "limit=100, remaining=100, reset=0");
    /// ```
    pub const fn new(decision: Decision, status: &Status) -> Self {
        Self(Expiring::new(decision, status))
    }

    /// With another policy that the request is subject to. The one with the least remaining is told; of equals, the one that takes
    /// longest to be full.
    ///
    /// ```
    /// # use tollgate::format::draft_07::RateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let (minute, day) = (Wait::from_secs(60), Wait::from_secs(86_400));
    /// let (burst, daily) = (Status::new(100, 50, minute, minute), Status::new(1000, 7, day, day));
    /// let told = RateLimit::new(Decision::Allow, &burst).and(&daily);
    /// assert_eq!(told.to_string(), "limit=1000, remaining=7, reset=86400");
    /// ```
    #[must_use = "this makes a value, and leaves the one it is made from as it is"]
    pub const fn and(self, status: &Status) -> Self {
        Self(self.0.or(status))
    }
}

impl Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(limit) = self;
        write!(f, "limit={}, remaining={}, reset={}", limit.limit(), limit.remaining(), Integer(limit.reset_secs()))
    }
}

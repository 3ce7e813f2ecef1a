//! draft-ietf-httpapi-ratelimit-headers-06, of December 2022: four fields of one number or list each.
//!
//! ```
//! use core::time::Duration;
//! use tollgate::format::Quota;
//! use tollgate::format::draft_06::{QuotaPolicies, RATELIMIT_POLICY, RateLimit};
//! use tollgate::{Decision, Status, Wait};
//!
//! let full_in = Wait::from_millis(4_200);
//! let limit = RateLimit::new(Decision::Allow, &Status::new(100, 50, full_in, full_in));
//! let fields = limit.fields().map(|(name, value)| format!("{name}: {value}"));
//! assert_eq!(fields, ["ratelimit-limit: 100", "ratelimit-remaining: 50", "ratelimit-reset: 5"]);
//!
//! let quotas = [Quota::new(100, Duration::from_secs(60))];
//! assert_eq!((RATELIMIT_POLICY, QuotaPolicies::new(&quotas)?.to_string()), ("ratelimit-policy", "100;w=60".to_string()));
//! # Ok::<(), tollgate::format::draft_06::QuotaPoliciesError>(())
//! ```

use super::expiring::Expiring;
pub use super::quota_policies::{QuotaPolicies, QuotaPoliciesError};
use super::sf::Integer;
use crate::decision::{Decision, Status};
use crate::header_names;

/// The name of the field that holds [`RateLimit::limit`].
///
/// ```
/// # use tollgate::format::draft_06;
/// assert_eq!(draft_06::RATELIMIT_LIMIT, "ratelimit-limit");
/// ```
pub const RATELIMIT_LIMIT: &str = "ratelimit-limit";

/// The name of the field that holds [`RateLimit::remaining`].
///
/// ```
/// # use tollgate::format::draft_06;
/// assert_eq!(draft_06::RATELIMIT_REMAINING, "ratelimit-remaining");
/// ```
pub const RATELIMIT_REMAINING: &str = header_names::RATELIMIT_REMAINING;

/// The name of the field that holds [`RateLimit::reset`].
///
/// ```
/// # use tollgate::format::draft_06;
/// assert_eq!(draft_06::RATELIMIT_RESET, "ratelimit-reset");
/// ```
pub const RATELIMIT_RESET: &str = header_names::RATELIMIT_RESET;

/// The name of the field that holds [`QuotaPolicies`].
///
/// ```
/// # use tollgate::format::draft_06;
/// assert_eq!(draft_06::RATELIMIT_POLICY, "ratelimit-policy");
/// ```
pub const RATELIMIT_POLICY: &str = "ratelimit-policy";

/// The names of the fields of this module.
///
/// ```
/// # use tollgate::format::draft_06;
/// assert!(draft_06::HEADERS.contains(&draft_06::RATELIMIT_LIMIT));
/// ```
pub const HEADERS: [&str; 4] = [RATELIMIT_LIMIT, RATELIMIT_REMAINING, RATELIMIT_RESET, RATELIMIT_POLICY];

/// How a client stands with the policy that it is closest to exhausting, in three fields.
///
/// The numbers mean what they mean in [draft 07](super::draft_07::RateLimit).
///
/// ```
/// use tollgate::format::draft_06::RateLimit;
/// use tollgate::{Decision, Status, Wait};
///
/// let (more, all) = (Wait::from_secs(6), Wait::from_secs(60));
/// let limit = RateLimit::new(Decision::Deny { retry_after: more }, &Status::new(10, 0, more, all));
/// assert_eq!((limit.limit().0, limit.remaining().0, limit.reset().0), (10, 0, 6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RateLimit(Expiring);

impl RateLimit {
    /// The answer, and how the key stands after it.
    ///
    /// ```
    /// # use tollgate::format::draft_06::RateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(RateLimit::new(Decision::Allow, &untouched).reset().to_string(), "0");
    /// ```
    pub const fn new(decision: Decision, status: &Status) -> Self {
        Self(Expiring::new(decision, status))
    }

    /// With another policy that the request is subject to. The one with the least remaining is told; of equals, the one that takes
    /// longest to be full.
    ///
    /// ```
    /// # use tollgate::format::draft_06::RateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let (minute, day) = (Wait::from_secs(60), Wait::from_secs(86_400));
    /// let (burst, daily) = (Status::new(100, 50, minute, minute), Status::new(1000, 7, day, day));
    /// assert_eq!(RateLimit::new(Decision::Allow, &burst).and(&daily).limit().0, 1000);
    /// ```
    #[must_use = "this makes a value, and leaves the one it is made from as it is"]
    pub const fn and(self, status: &Status) -> Self {
        Self(self.0.or(status))
    }

    /// The value of [`RATELIMIT_LIMIT`].
    ///
    /// ```
    /// # use tollgate::format::draft_06::RateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(RateLimit::new(Decision::Allow, &untouched).limit().to_string(), "100");
    /// ```
    pub const fn limit(self) -> Integer {
        Integer(self.0.limit() as u64)
    }

    /// The value of [`RATELIMIT_REMAINING`].
    ///
    /// ```
    /// # use tollgate::format::draft_06::RateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(RateLimit::new(Decision::Allow, &untouched).remaining().to_string(), "100");
    /// ```
    pub const fn remaining(self) -> Integer {
        Integer(self.0.remaining() as u64)
    }

    /// The value of [`RATELIMIT_RESET`].
    ///
    /// ```
    /// # use tollgate::format::draft_06::RateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(RateLimit::new(Decision::Allow, &untouched).reset().to_string(), "0");
    /// ```
    pub const fn reset(self) -> Integer {
        Integer(self.0.reset_secs())
    }

    /// The three fields with their names, to be added to a response in a loop.
    ///
    /// ```
    /// # use tollgate::format::draft_06::RateLimit;
    /// # use tollgate::{Decision, Status, Wait};
    /// # let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// let names = RateLimit::new(Decision::Allow, &untouched).fields().map(|(name, _)| name);
    /// assert_eq!(names, ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]);
    /// ```
    pub const fn fields(self) -> [(&'static str, Integer); 3] {
        [(RATELIMIT_LIMIT, self.limit()), (RATELIMIT_REMAINING, self.remaining()), (RATELIMIT_RESET, self.reset())]
    }
}

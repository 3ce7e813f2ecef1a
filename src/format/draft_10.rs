//! draft-ietf-httpapi-ratelimit-headers-10, of September 2025: `RateLimit-Policy` and `RateLimit`.
//!
//! The first says what the policies are and may be sent with every response, the second how the client stands with them. Both are lists
//! of items that carry a policy's name: one item is a value of its own, several are a [`List`](super::sf::List).
//!
//! ```
//! use core::time::Duration;
//! use tollgate::format::draft_10::{Limit, Policy};
//! use tollgate::format::sf::List;
//! use tollgate::format::{Name, Quota};
//! use tollgate::{Status, Wait};
//!
//! const BURST: Name = Name::constant("burst");
//! const DAILY: Name = Name::constant("daily");
//! const POLICIES: [Policy; 2] = [
//!     Policy::new(BURST, Quota::new(100, Duration::from_secs(60))),
//!     Policy::new(DAILY, Quota::new(1000, Duration::from_secs(86_400))),
//! ];
//! let list = List::new(&POLICIES).unwrap();
//! assert_eq!(list.to_string(), r#""burst";q=100;w=60, "daily";q=1000;w=86400"#);
//!
//! let secs = Wait::from_secs;
//! let limits = [
//!     Limit::new(BURST, &Status::new(100, 50, secs(30), secs(30))),
//!     Limit::new(DAILY, &Status::new(1000, 1000, secs(0), secs(0))),
//! ];
//! assert_eq!(List::new(&limits).unwrap().to_string(), r#""burst";r=50;t=30, "daily";r=1000"#);
//! ```

use core::fmt::{self, Display};

use super::quota::Quota;
use super::retry_after::RetryAfter;
use super::sf::{Bytes, Integer, Name, Quoted};
use crate::decision::{Decision, Status};
use crate::header_names;
use crate::time::Wait;

/// The name of the field that holds [`Limit`]s.
///
/// ```
/// # use tollgate::format::draft_10;
/// assert_eq!(draft_10::RATELIMIT, "ratelimit");
/// ```
pub const RATELIMIT: &str = header_names::RATELIMIT;

/// The name of the field that holds [`Policy`] items.
///
/// ```
/// # use tollgate::format::draft_10;
/// assert_eq!(draft_10::RATELIMIT_POLICY, "ratelimit-policy");
/// ```
pub const RATELIMIT_POLICY: &str = "ratelimit-policy";

/// The names of the fields of this module.
///
/// ```
/// # use tollgate::format::draft_10;
/// assert!(draft_10::HEADERS.contains(&draft_10::RATELIMIT));
/// ```
pub const HEADERS: [&str; 2] = [RATELIMIT, RATELIMIT_POLICY];

/// A policy, for `RateLimit-Policy` (section 3.1): `"burst";q=100;w=60`.
///
/// `q` is the quota of the window, also for a bucket that holds more or less than that at once.
///
/// ```
/// use core::time::Duration;
/// use tollgate::format::draft_10::{Policy, QuotaUnit};
/// use tollgate::format::{Name, Quota};
///
/// const TRAFFIC: Policy =
///     Policy::new(Name::constant("peruser"), Quota::new(65_535, Duration::from_secs(10))).unit(QuotaUnit::ContentBytes);
/// let policy = TRAFFIC.partition_key(b"App-999");
/// assert_eq!(policy.to_string(), r#""peruser";q=65535;qu="content-bytes";w=10;pk=:QXBwLTk5OQ==:"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy<'a> {
    name: Name<'a>,
    quota: Quota,
    scale: u32,
    unit: Option<QuotaUnit<'a>>,
    has_window: bool,
    partition_key: Option<&'a [u8]>,
}

impl<'a> Policy<'a> {
    /// The policy of this name, in requests.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::draft_10::Policy;
    /// # use tollgate::format::{Name, Quota};
    /// let policy = Policy::new(Name::constant("default"), Quota::new(100, Duration::from_secs(10)));
    /// assert_eq!(policy.to_string(), r#""default";q=100;w=10"#);
    /// ```
    pub const fn new(name: Name<'a>, quota: Quota) -> Self {
        Self { name, quota, scale: 1, unit: None, has_window: true, partition_key: None }
    }

    /// With `qu`, what is counted; requests where nothing is said.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::draft_10::{Policy, QuotaUnit};
    /// # use tollgate::format::{Name, Quota};
    /// let policy = Policy::new(Name::constant("default"), Quota::new(100, Duration::from_secs(10)));
    /// assert_eq!(policy.unit(QuotaUnit::Requests).to_string(), r#""default";q=100;qu="requests";w=10"#);
    /// ```
    #[must_use = "this makes an item, and leaves the one it is made from as it is"]
    pub const fn unit(self, unit: QuotaUnit<'a>) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// With a quota of `scale` units for each that the policy counts: 1024 where it counts KiB and the unit is bytes.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::draft_10::{Policy, QuotaUnit};
    /// # use tollgate::format::{Name, Quota};
    /// let kib = Policy::new(Name::constant("traffic"), Quota::new(100, Duration::from_secs(10)));
    /// let bytes = kib.unit(QuotaUnit::ContentBytes).scaled(1024);
    /// assert_eq!(bytes.to_string(), r#""traffic";q=102400;qu="content-bytes";w=10"#);
    /// ```
    #[must_use = "this makes an item, and leaves the one it is made from as it is"]
    pub const fn scaled(self, scale: u32) -> Self {
        Self { scale, ..self }
    }

    /// Without `w`, which is optional: for a window that [whole seconds](Quota#windows-of-less-than-a-second) would misrepresent.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::draft_10::Policy;
    /// # use tollgate::format::{Name, Quota};
    /// let policy = Policy::new(Name::constant("burst"), Quota::new(5, Duration::from_millis(200)));
    /// assert_eq!(policy.to_string(), r#""burst";q=5;w=1"#);
    /// assert_eq!(policy.without_window().to_string(), r#""burst";q=5"#);
    /// ```
    #[must_use = "this makes an item, and leaves the one it is made from as it is"]
    pub const fn without_window(self) -> Self {
        Self { has_window: false, ..self }
    }

    /// With `pk`, the key that the quota belongs to, as bytes of the server's choosing. Nothing secret: whoever sees the response, sees it.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::draft_10::Policy;
    /// # use tollgate::format::{Name, Quota};
    /// let policy = Policy::new(Name::constant("peruser"), Quota::new(100, Duration::from_secs(60)));
    /// assert_eq!(policy.partition_key(b"trial121323").to_string(), r#""peruser";q=100;w=60;pk=:dHJpYWwxMjEzMjM=:"#);
    /// ```
    #[must_use = "this makes an item, and leaves the one it is made from as it is"]
    pub const fn partition_key(self, key: &'a [u8]) -> Self {
        Self { partition_key: Some(key), ..self }
    }
}

impl Display for Policy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};q={}", Quoted(self.name), scaled(self.quota.units(), self.scale))?;
        if let Some(unit) = self.unit {
            write!(f, ";qu={}", Quoted(unit.name()))?;
        }
        if self.has_window {
            write!(f, ";w={}", Integer(self.quota.window_secs()))?;
        }
        write_partition_key(f, self.partition_key)
    }
}

/// What a quota counts, by the names of the draft's registry (section 10.3).
///
/// ```
/// use tollgate::format::Name;
/// use tollgate::format::draft_10::QuotaUnit;
///
/// assert_eq!(QuotaUnit::ContentBytes.name().as_str(), "content-bytes");
/// assert_eq!(QuotaUnit::Other(Name::constant("model-tokens")).name().as_str(), "model-tokens");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuotaUnit<'a> {
    /// Requests, which is what is meant where nothing is said.
    Requests,
    /// Bytes of content.
    ContentBytes,
    /// Requests that are served at the same time.
    ConcurrentRequests,
    /// A unit that was registered later, or of the server's own.
    Other(Name<'a>),
}

impl<'a> QuotaUnit<'a> {
    /// The unit's name in the registry.
    ///
    /// ```
    /// # use tollgate::format::draft_10::QuotaUnit;
    /// assert_eq!(QuotaUnit::Requests.name().as_str(), "requests");
    /// ```
    pub const fn name(self) -> Name<'a> {
        match self {
            Self::Requests => const { Name::constant("requests") },
            Self::ContentBytes => const { Name::constant("content-bytes") },
            Self::ConcurrentRequests => const { Name::constant("concurrent-requests") },
            Self::Other(name) => name,
        }
    }
}

/// How a client stands with a policy, for `RateLimit` (section 4.1): `"default";r=50;t=30`.
///
/// `r` is what remains. `t` is the wait until more is there, in whole seconds, rounded up; where everything is there, no more will come,
/// and there is no `t`, which the draft makes optional.
///
/// ```
/// use tollgate::format::Name;
/// use tollgate::format::draft_10::Limit;
/// use tollgate::{Status, Wait};
///
/// let (more, all) = (Wait::from_nanos(29_000_000_001), Wait::from_secs(60));
/// let limit = Limit::new(Name::constant("default"), &Status::new(100, 50, more, all));
/// assert_eq!(limit.to_string(), r#""default";r=50;t=30"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limit<'a> {
    name: Name<'a>,
    remaining: u32,
    scale: u32,
    grows_in: Wait,
    partition_key: Option<&'a [u8]>,
}

impl<'a> Limit<'a> {
    /// The status of the policy of this name.
    ///
    /// ```
    /// # use tollgate::format::Name;
    /// # use tollgate::format::draft_10::Limit;
    /// # use tollgate::{Status, Wait};
    /// let untouched = Status::new(100, 100, Wait::ZERO, Wait::ZERO);
    /// assert_eq!(Limit::new(Name::constant("default"), &untouched).to_string(), r#""default";r=100"#);
    /// ```
    pub const fn new(name: Name<'a>, status: &Status) -> Self {
        Self { name, remaining: status.remaining, scale: 1, grows_in: status.grows_in, partition_key: None }
    }

    /// With `scale` units for each that the policy counts, as in [`Policy::scaled`].
    ///
    /// ```
    /// # use tollgate::format::Name;
    /// # use tollgate::format::draft_10::Limit;
    /// # use tollgate::{Status, Wait};
    /// let kib = Limit::new(Name::constant("traffic"), &Status::new(100, 100, Wait::ZERO, Wait::ZERO));
    /// assert_eq!(kib.scaled(1024).to_string(), r#""traffic";r=102400"#);
    /// ```
    #[must_use = "this makes an item, and leaves the one it is made from as it is"]
    pub const fn scaled(self, scale: u32) -> Self {
        Self { scale, ..self }
    }

    /// With `pk`, the same as in [`Policy::partition_key`].
    ///
    /// ```
    /// # use tollgate::format::Name;
    /// # use tollgate::format::draft_10::Limit;
    /// # use tollgate::{Status, Wait};
    /// let limit = Limit::new(Name::constant("default"), &Status::new(1000, 1000, Wait::ZERO, Wait::ZERO));
    /// assert_eq!(limit.partition_key(b"trial121323").to_string(), r#""default";r=1000;pk=:dHJpYWwxMjEzMjM=:"#);
    /// ```
    #[must_use = "this makes an item, and leaves the one it is made from as it is"]
    pub const fn partition_key(self, key: &'a [u8]) -> Self {
        Self { partition_key: Some(key), ..self }
    }
}

impl Display for Limit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};r={}", Quoted(self.name), scaled(self.remaining, self.scale))?;
        if !self.grows_in.is_zero() {
            write!(f, ";t={}", Integer(self.grows_in.as_secs_ceil()))?;
        }
        write_partition_key(f, self.partition_key)
    }
}

/// The `Retry-After` to send with these limits: never earlier than the `t` of any that has nothing left (section 6).
///
/// With a decision and statuses of one judgement that is [`RetryAfter::new`]. This holds also where they were taken at different times,
/// or some limit was not asked. A limit that has something left does not delay: its `t` tells when there will be more than that.
///
/// ```
/// use tollgate::format::{Name, RetryAfter, draft_10};
/// use tollgate::{Decision, Status, Wait};
///
/// let secs = Wait::from_secs;
/// let limits = [
///     draft_10::Limit::new(Name::constant("burst"), &Status::new(100, 0, secs(30), secs(60))),
///     draft_10::Limit::new(Name::constant("daily"), &Status::new(1000, 7, secs(4000), secs(4000))),
/// ];
/// let denied = Decision::Deny { retry_after: secs(29) };
/// assert_eq!(draft_10::retry_after(denied, &limits).map(RetryAfter::secs), Some(30));
/// assert_eq!(draft_10::retry_after(Decision::Allow, &limits), None);
/// ```
pub fn retry_after(decision: Decision, limits: &[Limit<'_>]) -> Option<RetryAfter> {
    let retry_after = RetryAfter::new(decision)?;
    let exhausted = limits.iter().filter(|limit| limit.remaining == 0);
    Some(exhausted.fold(retry_after, |latest, limit| latest.no_earlier_than(limit.grows_in)))
}

/// Units of the header for units of the policy.
const fn scaled(units: u32, scale: u32) -> Integer {
    // Cannot overflow: the product of two numbers below 2^32.
    Integer(units as u64 * scale as u64)
}

fn write_partition_key(f: &mut fmt::Formatter<'_>, key: Option<&[u8]>) -> fmt::Result {
    match key {
        Some(key) => write!(f, ";pk={}", Bytes(key)),
        None => Ok(()),
    }
}

//! draft-ietf-httpapi-ratelimit-headers-10: `RateLimit` and `RateLimit-Policy`, lists of items that carry a policy's name.
//!
//! ```
//! use tollgate::Wait;
//! use tollgate::client::draft_10;
//!
//! let mut limits = draft_10::limits([r#""burst";r=50;t=30,"daily";r=1000"#]).unwrap(); // `RateLimit`
//! let burst = limits.next().unwrap();
//! assert_eq!((burst.remaining, burst.grows_in), (50, Some(Wait::from_secs(30))));
//!
//! let policies = draft_10::policies([r#""burst";q=100;w=60"#, r#""daily";q=1000;w=86400"#]).unwrap(); // `RateLimit-Policy`, in two lines
//! assert!(policies.map(|policy| policy.quota).eq([100, 1000]));
//! ```
//!
//! "Malformed RateLimit header fields MUST be ignored" (section 7): a line that is no list, a member that is no string, a parameter of this
//! draft that has another type, or that must be there and is not, and the whole field is. Parameters of other names are passed over.

use super::sf::{self, Bytes, Member, Text, Value};
use crate::time::Wait;

/// How the client stands with a policy (section 4.1).
///
/// ```
/// use tollgate::client::draft_10;
///
/// let limit = draft_10::limits([r#""burst";r=0;t=7"#]).and_then(|mut limits| limits.next()).unwrap();
/// assert_eq!(limit.name, "burst");
/// assert_eq!(limit.grows_in.map(|wait| wait.as_secs_ceil()), Some(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit<'a> {
    /// The policy's name.
    pub name: Text<'a>,
    /// `r`: what remains, in the policy's unit.
    pub remaining: u64,
    /// `t`: for so long, no more than that may be used.
    pub grows_in: Option<Wait>,
    /// `pk`: what the quota belongs to.
    pub partition_key: Option<Bytes<'a>>,
}

/// A policy (section 3.1).
///
/// ```
/// use tollgate::client::draft_10;
///
/// let policy = draft_10::policies([r#""traffic";q=65535;qu="content-bytes";w=10"#]).and_then(|mut policies| policies.next()).unwrap();
/// assert_eq!(policy.name, "traffic");
/// assert_eq!((policy.quota, policy.window_secs), (65_535, Some(10)));
/// assert!(policy.unit.is_some_and(|unit| unit == "content-bytes"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy<'a> {
    /// The policy's name.
    pub name: Text<'a>,
    /// `q`: what may be used in a window.
    pub quota: u64,
    /// `qu`: what is counted; requests where nothing is said.
    pub unit: Option<Text<'a>>,
    /// `w`: the window in seconds, at least 1.
    pub window_secs: Option<u64>,
    /// `pk`: what the quota belongs to.
    pub partition_key: Option<Bytes<'a>>,
}

/// The limits that a `RateLimit` in so many lines tells of. None where there are none, or anything is malformed.
///
/// The lines are gone through twice, hence `Clone`: an array will do, or a reference to what holds the values, such as
/// `&headers.get_all("ratelimit")` of the crate http, kept in a variable while the limits are read.
///
/// # Cost
///
/// Twice over the bytes, first to see that all of it is well-formed.
///
/// ```
/// use tollgate::client::draft_10;
///
/// assert!(draft_10::limits([r#""burst";r=50"#, r#""daily";r=7;t=3600;unknown=?1"#]).is_some());
/// for malformed in ["", "burst;r=50", r#""burst""#, r#""burst";r=-1"#, r#""burst";r=5;t="soon""#, r#""burst";r=5,"#] {
///     assert!(draft_10::limits([malformed]).is_none(), "{malformed}");
/// }
/// ```
pub fn limits<'a, L, V>(lines: L) -> Option<impl Iterator<Item = Limit<'a>>>
where
    L: IntoIterator<Item = &'a V> + Clone,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    sf::field(lines, limit)
}

/// The policies that a `RateLimit-Policy` in so many lines tells of. None where there are none, or anything is malformed.
///
/// The lines are as for [`limits`].
///
/// # Cost
///
/// As for `limits`.
///
/// ```
/// use tollgate::client::draft_10;
///
/// assert!(draft_10::policies([r#""burst";q=100"#]).is_some());
/// for malformed in [r#""burst""#, r#""burst";q=1.5"#, r#""burst";q=5;w=0"#, "100;w=60"] {
///     assert!(draft_10::policies([malformed]).is_none(), "{malformed}");
/// }
/// ```
pub fn policies<'a, L, V>(lines: L) -> Option<impl Iterator<Item = Policy<'a>>>
where
    L: IntoIterator<Item = &'a V> + Clone,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    sf::field(lines, policy)
}

pub(super) fn limit(member: Member<'_>) -> Option<Limit<'_>> {
    Some(Limit {
        name: name(member)?,
        remaining: member.params.get(b"r")?.count()?,
        grows_in: optional(member, b"t", Value::count)?.map(Wait::from_secs),
        partition_key: partition_key(member)?,
    })
}

fn policy(member: Member<'_>) -> Option<Policy<'_>> {
    let window_secs = optional(member, b"w", Value::count)?;
    if window_secs == Some(0) {
        return None;
    }
    Some(Policy {
        name: name(member)?,
        quota: member.params.get(b"q")?.count()?,
        unit: optional(member, b"qu", text)?,
        window_secs,
        partition_key: partition_key(member)?,
    })
}

fn name(member: Member<'_>) -> Option<Text<'_>> {
    member.value.and_then(text)
}

fn text(value: Value<'_>) -> Option<Text<'_>> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn partition_key(member: Member<'_>) -> Option<Option<Bytes<'_>>> {
    optional(member, b"pk", |value| match value {
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    })
}

/// A parameter that may be missing. None where it is there and cannot be read.
pub(super) fn optional<'a, T>(
    member: Member<'a>,
    name: &[u8],
    read: impl FnOnce(Value<'a>) -> Option<T>,
) -> Option<Option<T>> {
    match member.params.get(name) {
        Some(value) => read(value).map(Some),
        None => Some(None),
    }
}

//! [`QuotaPolicy`]: the items of `RateLimit-Policy` as drafts 06 and 07 both have it.

use super::draft_10::optional;
use super::sf::{self, Member, Value};

/// A policy of drafts 06 and 07, which have no names for them: `100;w=60`.
///
/// ```
/// use tollgate::client::draft_07;
///
/// let policy = draft_07::policies(["10;w=60;burst=5"]).and_then(|mut policies| policies.next()).unwrap();
/// assert_eq!((policy.quota, policy.window_secs, policy.burst), (10, 60, Some(5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct QuotaPolicy {
    /// What may be used in a window.
    pub quota: u64,
    /// `w`: the window in seconds.
    pub window_secs: u64,
    /// `burst`: what may be used at once, as an example of the drafts has it.
    pub burst: Option<u64>,
}

/// The policies that a `RateLimit-Policy` of draft 06 or 07 in so many lines tells of. None where there are none, or anything is malformed.
///
/// The lines are as for [`draft_10::limits`](super::draft_10::limits), and so is the cost.
///
/// ```
/// use tollgate::client::draft_07;
///
/// assert!(draft_07::policies(["100;w=60, 1000;w=86400;comment=\"day\""]).is_some());
/// for malformed in ["100", "100;w=60,", "-1;w=60", "100;w=?1", r#""burst";q=100;w=60"#] {
///     assert!(draft_07::policies([malformed]).is_none(), "{malformed}");
/// }
/// ```
pub fn policies<'a, L, V>(lines: L) -> Option<impl Iterator<Item = QuotaPolicy>>
where
    L: IntoIterator<Item = &'a V> + Clone,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    sf::field(lines, policy)
}

fn policy(member: Member<'_>) -> Option<QuotaPolicy> {
    Some(QuotaPolicy {
        quota: member.value?.count()?,
        window_secs: member.params.get(b"w")?.count()?,
        burst: optional(member, b"burst", Value::count)?,
    })
}

//! draft-ietf-httpapi-ratelimit-headers-07: `RateLimit` with three keys, of the one policy that is closest to being exhausted.
//!
//! `RateLimit` has the name that it has in [draft 10](super::draft_10), and no value is both: there it is a list of strings, here a dictionary.
//!
//! ```
//! use tollgate::Wait;
//! use tollgate::client::draft_07;
//!
//! let limit = draft_07::limit(["limit=100, remaining=50, reset=5"]).unwrap();
//! assert_eq!((limit.limit, limit.remaining, limit.reset), (100, 50, Wait::from_secs(5)));
//!
//! let policies = draft_07::policies(["100;w=60, 1000;w=86400"]).unwrap();
//! assert!(policies.map(|policy| (policy.quota, policy.window_secs)).eq([(100, 60), (1000, 86_400)]));
//! ```

use super::sf::{Field, Member, Shape, Value};
use crate::time::Wait;

pub use super::quota_policy::{QuotaPolicy, policies};

/// How the client stands with the policy that it is closest to exhausting.
///
/// ```
/// # use tollgate::client::draft_07;
/// let limit = draft_07::limit(["reset=5, limit=10, more=?0, remaining=2"]).unwrap();
/// assert_eq!((limit.limit, limit.remaining), (10, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limit {
    /// What may be used in a window.
    pub limit: u64,
    /// What remains of it.
    pub remaining: u64,
    /// When it is reset.
    pub reset: Wait,
}

/// The limit that a `RateLimit` in so many lines tells of. None where one of the three is missing, or anything is malformed.
///
/// ```
/// # use tollgate::client::draft_07;
/// assert!(draft_07::limit(["limit=100, remaining=50", "reset=5"]).is_some());
/// for malformed in ["limit=100, remaining=50", "limit=100, remaining=-1, reset=5", "limit=100 remaining=50 reset=5"] {
///     assert!(draft_07::limit([malformed]).is_none(), "{malformed}");
/// }
/// ```
pub fn limit<'a, L, V>(lines: L) -> Option<Limit>
where
    L: IntoIterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    let mut limit = Reading::default();
    lines.into_iter().for_each(|line| limit.line(line.as_ref()));
    limit.finish()
}

/// The lines of a `RateLimit`, read one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    field: Field,
    limit: Option<u64>,
    remaining: Option<u64>,
    reset: Option<u64>,
}

impl Reading {
    pub(super) fn line(&mut self, line: &[u8]) {
        let Self { field, limit, remaining, reset } = self;
        field.line(line, Shape::Dictionary, |Member { key, value, .. }| {
            let place = match key {
                b"limit" => &mut *limit,
                b"remaining" => &mut *remaining,
                b"reset" => &mut *reset,
                _ => return Ok(()),
            };
            // Of several with one key, the last counts (RFC 9651, section 4.2.2), and is the one that must be well-typed.
            *place = value.and_then(Value::count);
            Ok(())
        });
    }

    pub(super) fn finish(self) -> Option<Limit> {
        let Self { field, limit, remaining, reset } = self;
        let whole = Limit { limit: limit?, remaining: remaining?, reset: Wait::from_secs(reset?) };
        field.is_well_formed().then_some(whole)
    }
}

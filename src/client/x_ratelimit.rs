//! `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, which no document describes.
//!
//! They are digits, with blanks around them or not. What the third means differs from service to service, by factors of a thousand and by a
//! whole epoch; so the caller says which it is ([`Reset`]), and it is never guessed from the number.

use super::date::Moment;
use super::text::digits;
use crate::header_lines::trim;
use crate::time::{Timestamp, Wait};

/// What a service means by its `X-RateLimit-Reset`: look it up in its documentation.
///
/// ```
/// use tollgate::client::x_ratelimit::{Reset, reset};
/// use tollgate::{Timestamp, Wait};
///
/// let unix_now = Some(Timestamp::from_secs(1_700_000_000));
/// let five = Some(Wait::from_secs(5));
/// assert_eq!(reset("5", Reset::InSeconds, None), five);
/// assert_eq!(reset("1700000005", Reset::AtUnixSeconds, unix_now), five);
/// assert_eq!(reset("1700000005000", Reset::AtUnixMillis, unix_now), five);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reset {
    /// The seconds from now.
    InSeconds,
    /// The milliseconds from now.
    InMillis,
    /// A Unix time in seconds.
    AtUnixSeconds,
    /// A Unix time in milliseconds.
    AtUnixMillis,
}

/// The number that such a field holds. More than can be expressed is the most that can.
///
/// ```
/// use tollgate::client::x_ratelimit::number;
///
/// assert_eq!(number(" 100 "), Some(100));
/// for malformed in ["", "-1", "+1", "1.5", "100, 100", "100;w=60", "ten"] {
///     assert_eq!(number(malformed), None, "{malformed}");
/// }
/// ```
pub fn number(value: impl AsRef<[u8]>) -> Option<u64> {
    digits(trim(value.as_ref()))
}

/// The wait that an `X-RateLimit-Reset` means: zero where it has passed. `now` is the wall time since the Unix epoch, and a Unix time means
/// nothing without it.
///
/// ```
/// use tollgate::client::x_ratelimit::{Reset, reset};
/// use tollgate::{Timestamp, Wait};
///
/// assert_eq!(reset("1700000005", Reset::AtUnixSeconds, None), None);
/// assert_eq!(reset("1700000005", Reset::AtUnixSeconds, Some(Timestamp::from_secs(1_800_000_000))), Some(Wait::ZERO));
/// ```
pub fn reset(value: impl AsRef<[u8]>, meaning: Reset, now: Option<Timestamp>) -> Option<Wait> {
    number(value).and_then(|number| meaning.wait(number, now.map(Moment::from_timestamp)))
}

impl Reset {
    pub(super) fn wait(self, number: u64, answered: Option<Moment>) -> Option<Wait> {
        match self {
            Self::InSeconds => Some(Wait::from_secs(number)),
            Self::InMillis => Some(Wait::from_millis(number)),
            Self::AtUnixSeconds => answered.map(|from| from.until(Moment::from_unix_secs(number))),
            Self::AtUnixMillis => answered.map(|from| from.until(Moment::from_unix_millis(number))),
        }
    }
}

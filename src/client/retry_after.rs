//! [`RetryAfter`]: the field of that name, as RFC 9110, section 10.2.3 has it.

use super::date::{HttpDate, Moment};
use super::text::digits;
use crate::header_lines::trim;
use crate::time::{Timestamp, Wait};

/// What a `Retry-After` says: for how long to wait, or until when.
///
/// ```
/// use tollgate::client::{HttpDate, RetryAfter};
/// use tollgate::{Timestamp, Wait};
///
/// let two_minutes = Some(Wait::from_secs(120));
/// let delay = RetryAfter::read("120").unwrap();
/// assert_eq!(delay.wait(None, None), two_minutes);
///
/// // A date counts from the response's own `Date`, so that the server's clock alone matters ...
/// let until = RetryAfter::read("Wed, 21 Oct 2026 07:28:00 GMT").unwrap();
/// let date = HttpDate::read("Wed, 21 Oct 2026 07:26:00 GMT");
/// assert_eq!(until.wait(date, None), two_minutes);
///
/// // ... or from the caller's wall time, where there is none.
/// let unix_now = Timestamp::from_millis(1_792_567_679_750);
/// assert_eq!(until.wait(None, Some(unix_now)), Some(Wait::from_millis(250)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// For so long.
    Delay(Wait),
    /// Until then.
    Until(HttpDate),
}

impl RetryAfter {
    /// What the field's value says: digits alone, or a date in one of three forms; with blanks around it or not.
    ///
    /// Digits that are more than can be expressed are the longest wait there is. Whatever else it is (a sign, a fraction, a unit, a word,
    /// digits of another script, a date that does not exist), none is returned, and there is nothing to honour.
    ///
    /// ```
    /// use tollgate::Wait;
    /// use tollgate::client::RetryAfter;
    ///
    /// assert_eq!(RetryAfter::read(" 0 "), Some(RetryAfter::Delay(Wait::ZERO)));
    /// assert_eq!(RetryAfter::read("99999999999999999999999"), Some(RetryAfter::Delay(Wait::MAX)));
    /// for malformed in ["", "-5", "+5", "1.5", "120s", "nan", "1e3", "٣", "5, 5"] {
    ///     assert_eq!(RetryAfter::read(malformed), None, "{malformed}");
    /// }
    /// ```
    pub fn read(value: impl AsRef<[u8]>) -> Option<Self> {
        let value = trim(value.as_ref());
        match digits(value) {
            Some(secs) => Some(Self::Delay(Wait::from_secs(secs))),
            None => HttpDate::read(value).map(Self::Until),
        }
    }

    /// The wait from when the response was made: its `Date`, or else `now`, the wall time since the Unix epoch. Zero where that has passed.
    ///
    /// None for a date where neither is known, and where a year of two digits makes a date of neither that exists.
    ///
    /// ```
    /// use tollgate::client::RetryAfter;
    /// use tollgate::{Timestamp, Wait};
    ///
    /// let until = RetryAfter::read("Wednesday, 21-Oct-26 07:28:00 GMT").unwrap();
    /// assert_eq!(until.wait(None, None), None);
    /// assert_eq!(until.wait(None, Some(Timestamp::from_secs(1_800_000_000))), Some(Wait::ZERO));
    /// ```
    pub fn wait(self, date: Option<HttpDate>, now: Option<Timestamp>) -> Option<Wait> {
        self.wait_from(answered_at(date, now))
    }

    pub(super) fn wait_from(self, answered: Option<Moment>) -> Option<Wait> {
        match self {
            Self::Delay(wait) => Some(wait),
            Self::Until(date) => {
                let from = answered?;
                date.near(Some(from)).map(|until| from.until(until))
            }
        }
    }
}

/// When a response was made, by its `Date` if that can be used, else by the caller's wall time.
pub(super) fn answered_at(date: Option<HttpDate>, now: Option<Timestamp>) -> Option<Moment> {
    let now = now.map(Moment::from_timestamp);
    date.and_then(|date| date.near(now)).or(now)
}

//! [`Reader`] and [`Reading`]: all that an answer says about when to come back, put together.

use super::date::{HttpDate, Moment};
use super::retry_after::{RetryAfter, answered_at};
use super::sf::{Field, Malformed, Shape};
use super::text::digits;
use super::x_ratelimit::Reset;
use super::{draft_06, draft_07, draft_10, x_ratelimit};
use crate::header_lines::{named, trim};
use crate::header_names::{
    RATELIMIT, RATELIMIT_REMAINING, RATELIMIT_RESET, RETRY_AFTER, X_RATELIMIT_REMAINING, X_RATELIMIT_RESET,
};
use crate::time::{Timestamp, Wait};

const DATE: &str = "date";
const AGE: &str = "age";

/// Reads answers. What it has to be told is what no answer says of itself: the caller's wall time, and what `X-RateLimit-Reset` means.
///
/// ```
/// use tollgate::Wait;
/// use tollgate::client::{Advice, Reader};
///
/// let headers = [("Content-Type", "text/plain"), ("Retry-After", "34")];
/// let reading = Reader::new().read(429, headers);
/// assert_eq!(reading.advice(), Advice::Wait(Wait::from_secs(34)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reader {
    now: Option<Timestamp>,
    x_reset: Option<Reset>,
}

impl Reader {
    /// One that knows no wall time, and so reads a date only where the answer has a `Date`; and that passes over `X-RateLimit` fields.
    ///
    /// ```
    /// # use tollgate::client::{Advice, Reader};
    /// let until = ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
    /// assert_eq!(Reader::new().read(503, [until]).advice(), Advice::BackOff);
    /// ```
    pub const fn new() -> Self {
        Self { now: None, x_reset: None }
    }

    /// With the wall time since the Unix epoch, for dates in answers without a `Date`.
    ///
    /// ```
    /// # use tollgate::client::{Advice, Reader};
    /// # use tollgate::{Timestamp, Wait};
    /// let until = ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
    /// let reader = Reader::new().at(Timestamp::from_secs(1_792_567_560));
    /// assert_eq!(reader.read(503, [until]).advice(), Advice::Wait(Wait::from_secs(120)));
    /// ```
    #[must_use = "this makes a reader, and leaves the one it is made from as it is"]
    pub const fn at(self, unix_now: Timestamp) -> Self {
        Self { now: Some(unix_now), ..self }
    }

    /// With `X-RateLimit` fields, and what this service means by the reset.
    ///
    /// ```
    /// # use tollgate::client::{Advice, Reader, x_ratelimit::Reset};
    /// # use tollgate::Wait;
    /// let headers = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "5")];
    /// let reader = Reader::new().x_ratelimit(Reset::InSeconds);
    /// assert_eq!(reader.read(429, headers).advice(), Advice::Wait(Wait::from_secs(5)));
    /// assert_eq!(Reader::new().read(429, headers).advice(), Advice::BackOff);
    /// ```
    #[must_use = "this makes a reader, and leaves the one it is made from as it is"]
    pub const fn x_ratelimit(self, reset: Reset) -> Self {
        Self { x_reset: Some(reset), ..self }
    }

    /// What an answer with this status and these header lines says.
    ///
    /// Names are found in either case; names and values may be any bytes. A reference to a header map will do, or an iterator over a slice: the
    /// lines are gone through more than once, hence `Clone`.
    ///
    /// | field | as it is read |
    /// | --- | --- |
    /// | `Retry-After` | of several, which no server should send, the longest that can be read |
    /// | `RateLimit` | of [draft 10](super::draft_10) or [draft 07](super::draft_07), which no value is at once |
    /// | `RateLimit-Remaining` and `-Reset` | of [draft 06](super::draft_06), where there is no `RateLimit` |
    /// | `X-RateLimit-Remaining` and `-Reset` | as [told](Reader::x_ratelimit), where there is none of these |
    /// | `Date` | what dates and Unix times are relative to; else the [wall time](Reader::at) |
    /// | `Age` | above zero, the answer is a cache's, and its limits are out of date (draft 10, section 7.2): they are passed over |
    ///
    /// # Cost
    ///
    /// Three times over the lines, and a few times over the bytes of those that matter.
    ///
    /// ```
    /// # use tollgate::client::Reader;
    /// let reading = Reader::new().read(200, [("RateLimit", r#""burst";r=0;t=30, "daily";r=700"#)]);
    /// assert_eq!((reading.refused, reading.remaining), (false, Some(0)));
    /// assert_eq!(reading.exhausted.map(|wait| wait.as_secs_ceil()), Some(30));
    /// ```
    pub fn read<H, N, V>(&self, status: u16, headers: H) -> Reading
    where
        H: IntoIterator<Item = (N, V)> + Clone,
        N: AsRef<[u8]>,
        V: AsRef<[u8]>,
    {
        let date = named(&headers, DATE).find_map(HttpDate::read);
        let cached = named(&headers, AGE).any(|age| digits(trim(age.as_ref())).is_some_and(|age| age > 0));
        let answered = answered_at(date, self.now);
        let mut told = Told::default();
        headers.clone().into_iter().for_each(|(name, value)| told.line(name.as_ref(), value.as_ref(), answered));
        let standing = if cached { None } else { told.standing(self.x_reset, answered) };
        Reading {
            refused: matches!(status, 429 | 503),
            retry_after: told.retry_after,
            remaining: standing.map(|standing| standing.remaining),
            exhausted: standing.and_then(|standing| standing.exhausted),
        }
    }
}

/// What an answer says about when to come back.
///
/// The fields are there for those who want more than [`advice`](Reading::advice).
///
/// ```
/// use tollgate::client::Reader;
///
/// let reading = Reader::new().read(200, [("ratelimit-remaining", "7"), ("ratelimit-reset", "30")]);
/// assert_eq!((reading.remaining, reading.exhausted, reading.retry_after), (Some(7), None, None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Reading {
    /// Whether the request was refused for now: 429 Too Many Requests (RFC 6585) or 503 Service Unavailable (RFC 9110).
    pub refused: bool,
    /// The wait of `Retry-After`.
    pub retry_after: Option<Wait>,
    /// The least that remains of any limit.
    pub remaining: Option<u64>,
    /// The longest wait of any limit of which nothing remains, if it says how long.
    pub exhausted: Option<Wait>,
}

impl Reading {
    /// With the seconds that a body tells, such as the member `retry_after_seconds`, where there is no `Retry-After`.
    ///
    /// For services that tell the wait in the body alone, which the caller has parsed.
    ///
    /// ```
    /// use tollgate::Wait;
    /// use tollgate::client::{Advice, Reader};
    ///
    /// let headers = [("content-type", "application/json")];
    /// let reading = Reader::new().read(429, headers).told_in_body(34);
    /// assert_eq!(reading.advice(), Advice::Wait(Wait::from_secs(34)));
    /// ```
    #[must_use = "this makes a reading, and leaves the one it is made from as it is"]
    pub const fn told_in_body(self, secs: u64) -> Self {
        let retry_after = match self.retry_after {
            Some(wait) => wait,
            None => Wait::from_secs(secs),
        };
        Self { retry_after: Some(retry_after), ..self }
    }

    /// What to do next. `Retry-After` takes precedence over the limits (draft-ietf-httpapi-ratelimit-headers-10, section 7).
    ///
    /// ```
    /// use tollgate::Wait;
    /// use tollgate::client::{Advice, Reader};
    ///
    /// let limit = ("ratelimit", r#""burst";r=0;t=30"#);
    /// let advice = |status, headers: &[_]| Reader::new().read(status, headers.iter().copied()).advice();
    /// assert_eq!(advice(429, &[limit, ("retry-after", "31")]), Advice::Wait(Wait::from_secs(31)));
    /// assert_eq!(advice(200, &[limit]), Advice::Wait(Wait::from_secs(30))); // the next would be refused
    /// assert_eq!(advice(200, &[]), Advice::Proceed);
    /// assert_eq!(advice(429, &[]), Advice::BackOff);
    /// ```
    pub const fn advice(self) -> Advice {
        let told = match self.retry_after {
            Some(wait) => Some(wait),
            None => self.exhausted,
        };
        match told {
            Some(wait) if self.refused || !wait.is_zero() => Advice::Wait(wait),
            None if self.refused => Advice::BackOff,
            _ => Advice::Proceed,
        }
    }
}

/// What an answer comes down to.
///
/// ```
/// use tollgate::client::Reader;
///
/// let headers = [("content-type", "text/html")];
/// assert_eq!(Reader::new().read(503, headers).advice().wait(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Advice {
    /// The request was not refused, and nothing is said against the next.
    Proceed,
    /// Send nothing for so long: the request was refused, or the next would be.
    Wait(Wait),
    /// The request was refused, and nothing that can be read says for how long: back off by a rule of your own.
    BackOff,
}

impl Advice {
    /// The wait that was told, for a [`Backoff`](super::Backoff).
    ///
    /// ```
    /// use tollgate::Wait;
    /// use tollgate::client::Advice;
    ///
    /// assert_eq!(Advice::Wait(Wait::ZERO).wait(), Some(Wait::ZERO));
    /// assert_eq!(Advice::BackOff.wait(), None);
    /// ```
    pub const fn wait(self) -> Option<Wait> {
        match self {
            Self::Wait(wait) => Some(wait),
            Self::Proceed | Self::BackOff => None,
        }
    }
}

/// What the lines have told so far, in whatever order they come.
#[derive(Default)]
struct Told {
    retry_after: Option<Wait>,
    draft_10: Limits,
    draft_07: draft_07::Reading,
    draft_06: [draft_06::Reading; 2],
    x: [Single; 2],
}

/// How the client stands with the limits of one specification.
#[derive(Clone, Copy)]
struct Standing {
    remaining: u64,
    exhausted: Option<Wait>,
}

impl Told {
    fn line(&mut self, name: &[u8], value: &[u8], answered: Option<Moment>) {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        let [remaining, reset] = &mut self.draft_06;
        let [x_remaining, x_reset] = &mut self.x;
        if is(RETRY_AFTER) {
            let wait = RetryAfter::read(value).and_then(|told| told.wait_from(answered));
            self.retry_after = self.retry_after.max(wait);
        } else if is(RATELIMIT) {
            self.draft_10.line(value);
            self.draft_07.line(value);
        } else if is(RATELIMIT_REMAINING) {
            remaining.line(value);
        } else if is(RATELIMIT_RESET) {
            reset.line(value);
        } else if is(X_RATELIMIT_REMAINING) {
            x_remaining.line(value);
        } else if is(X_RATELIMIT_RESET) {
            x_reset.line(value);
        }
    }

    /// The limits of the latest specification of those that are told.
    fn standing(&self, x_reset: Option<Reset>, answered: Option<Moment>) -> Option<Standing> {
        let draft_07 = || self.draft_07.finish().map(|limit| Standing::new(limit.remaining, Some(limit.reset)));
        let draft_06 = || {
            let [remaining, reset] = self.draft_06.map(draft_06::Reading::finish);
            Some(Standing::new(remaining?, reset.map(Wait::from_secs)))
        };
        let x = || {
            let [remaining, reset] = self.x.map(Single::number);
            Some(Standing::new(remaining?, x_reset?.wait(reset?, answered)))
        };
        self.draft_10.finish().or_else(draft_07).or_else(draft_06).or_else(x)
    }
}

impl Standing {
    fn new(remaining: u64, reset: Option<Wait>) -> Self {
        Self { remaining, exhausted: reset.filter(|_| remaining == 0) }
    }

    fn and(self, other: Self) -> Self {
        Self { remaining: self.remaining.min(other.remaining), exhausted: self.exhausted.max(other.exhausted) }
    }
}

/// The lines of a `RateLimit` of draft 10.
#[derive(Default)]
struct Limits {
    field: Field,
    standing: Option<Standing>,
}

impl Limits {
    fn line(&mut self, line: &[u8]) {
        let Self { field, standing } = self;
        field.line(line, Shape::List, |member| {
            let limit = draft_10::limit(member).ok_or(Malformed)?;
            let told = Standing::new(limit.remaining, limit.grows_in);
            *standing = Some(standing.map_or(told, |others| others.and(told)));
            Ok(())
        });
    }

    fn finish(&self) -> Option<Standing> {
        self.standing.filter(|_| self.field.is_well_formed())
    }
}

/// The lines of a field that is a number. Two of them are none: they do not say which is meant.
#[derive(Clone, Copy, Default)]
enum Single {
    #[default]
    Absent,
    Number(u64),
    Malformed,
}

impl Single {
    fn line(&mut self, line: &[u8]) {
        *self = match (*self, x_ratelimit::number(line)) {
            (Self::Absent, Some(number)) => Self::Number(number),
            _ => Self::Malformed,
        };
    }

    const fn number(self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Absent | Self::Malformed => None,
        }
    }
}

//! [`Denial`]: what the log keeps of a denial.

use core::fmt::{self, Display, Write};

use super::json::{self, Escape, Escaped};
use super::retry_after::RetryAfter;
use crate::time::Timestamp;

/// The record of a denial, for a log: rendered as a line of `key=value` pairs, or as [JSON](Denial::json) on one line.
///
/// Endpoint and key come from the request, so they may hold anything. Both forms are safe against forged lines: every control character
/// is escaped, and so is whatever else a reader takes for a line break (U+0085, U+2028, U+2029) or shows in another order. In the line a
/// value is in quotes, escaped as in JSON, unless it is one word of printable ASCII without `"`, `\` and `=`.
///
/// ```
/// use core::net::Ipv4Addr;
/// use tollgate::format::{Denial, RetryAfter};
/// use tollgate::{Decision, Timestamp, Wait};
///
/// let decision = Decision::Deny { retry_after: Wait::from_millis(33_400) };
/// if let Some(retry_after) = RetryAfter::new(decision) {
///     let denial = Denial {
///         endpoint: "/api/intel",
///         key: Ipv4Addr::new(203, 0, 113, 9),
///         policy: "edge",
///         retry_after,
///         at: Timestamp::from_millis(1_700_000_000_123),
///     };
///     assert_eq!(
///         denial.to_string(),
///         "error=rate_limited endpoint=/api/intel key=203.0.113.9 policy=edge \
///          retry_after_seconds=34 time_ms=1700000000123"
///     );
/// }
/// ```
///
/// A key that is a secret does not belong in a log: give its public name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Denial<'a, K> {
    /// What was asked for, such as the path of the request.
    pub endpoint: &'a str,
    /// Who asked.
    pub key: K,
    /// The name of the policy that denied.
    pub policy: &'a str,
    /// How long to wait. Only a denial has it.
    pub retry_after: RetryAfter,
    /// When the request was judged. Rendered in milliseconds since the epoch of the timestamps, rounded down.
    pub at: Timestamp,
}

impl<K: Display> Denial<'_, K> {
    /// The error class, by which denials are found in a log.
    ///
    /// ```
    /// # use tollgate::format::Denial;
    /// assert_eq!(Denial::<&str>::ERROR, "rate_limited");
    /// ```
    pub const ERROR: &'static str = "rate_limited";

    /// The record as one line of JSON.
    ///
    /// ```
    /// # use tollgate::format::{Denial, RetryAfter};
    /// # use tollgate::{Timestamp, Wait};
    /// let (retry_after, at) = (RetryAfter::after(Wait::ZERO), Timestamp::from_secs(7));
    /// let denial = Denial { endpoint: "/\nerror=none", key: "a \"b\"", policy: "edge", retry_after, at };
    /// assert_eq!(
    ///     denial.json().to_string(),
    ///     concat!(
    ///         r#"{"error":"rate_limited","endpoint":"/\nerror=none","key":"a \"b\"","policy":"edge","#,
    ///         r#""retry_after_seconds":1,"time_ms":7000}"#
    ///     )
    /// );
    /// ```
    pub const fn json(&self) -> DenialJson<'_, K> {
        DenialJson(self)
    }

    const fn millis(&self) -> u64 {
        self.at.as_nanos() / 1_000_000
    }
}

/// One line of `key=value` pairs.
impl<K: Display> Display for Denial<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error={} endpoint={}", Self::ERROR, Field(self.endpoint))?;
        write!(f, " key={} policy={}", Field(&self.key), Field(self.policy))?;
        write!(f, " retry_after_seconds={} time_ms={}", self.retry_after, self.millis())
    }
}

/// A [`Denial`] as one line of JSON. Made by [`Denial::json`].
///
/// ```
/// # use tollgate::format::{Denial, RetryAfter};
/// # use tollgate::{Timestamp, Wait};
/// let (retry_after, at) = (RetryAfter::after(Wait::ZERO), Timestamp::ZERO);
/// let denial = Denial { endpoint: "/a", key: "b", policy: "c", retry_after, at };
/// assert!(denial.json().to_string().starts_with(r#"{"error":"rate_limited","endpoint":"/a""#));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DenialJson<'a, K>(&'a Denial<'a, K>);

impl<K: Display> Display for DenialJson<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(denial) = self;
        let object = json::object(|record| {
            record.member("error").string(Denial::<K>::ERROR);
            record.member("endpoint").string(denial.endpoint);
            record.member("key").string(&denial.key);
            record.member("policy").string(denial.policy);
            record.member("retry_after_seconds").integer(denial.retry_after.secs());
            record.member("time_ms").integer(denial.millis());
        });
        object.on_one_line().fmt(f)
    }
}

/// A value of the line, in quotes where it needs them.
struct Field<K>(K);

impl<K: Display> Display for Field<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = self;
        let mut word = Word { bare: false };
        // Fails at the first piece that is no word, and where the value itself fails, which it then does again below.
        let quote = if write!(word, "{value}").is_ok() && word.bare { "" } else { "\"" };
        f.write_str(quote)?;
        write!(Escaped { out: f, escape: Escape::OnOneLine }, "{value}")?;
        f.write_str(quote)
    }
}

/// Takes text as long as it is one word that needs no quotes.
struct Word {
    /// Whether there was any text.
    bare: bool,
}

impl Write for Word {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bare |= !text.is_empty();
        if text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b'=')) {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

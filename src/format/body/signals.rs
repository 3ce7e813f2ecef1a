//! Three shapes that each tell the delay in seconds: of an edge throttle, of an endpoint family, and of an evaluation.

use core::fmt::{self, Display};

use crate::format::RetryAfter;
use crate::format::json;

/// What the edge throttle answers: how much an address may do, when it may again, and which it is.
///
/// ```
/// use core::net::Ipv4Addr;
/// use tollgate::Wait;
/// use tollgate::format::RetryAfter;
/// use tollgate::format::body::signals::EdgeThrottle;
///
/// let retry_after = RetryAfter::after(Wait::from_millis(33_400));
/// let body = EdgeThrottle::new(100, retry_after, Ipv4Addr::new(203, 0, 113, 9));
/// assert_eq!(
///     body.to_string(),
///     concat!(
///         r#"{"error":"rate_limited","message":"Too many requests — 100 per minute per IP.","#,
///         r#""retry_after_seconds":34,"ip":"203.0.113.9"}"#
///     )
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EdgeThrottle<K> {
    per_minute: u32,
    retry_after: RetryAfter,
    ip: K,
}

impl<K: Display> EdgeThrottle<K> {
    /// For an address, as text or as an address, of which so many requests are let through in a minute.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// # use tollgate::format::body::signals::EdgeThrottle;
    /// let body = EdgeThrottle::new(100, RetryAfter::after(Wait::ZERO), "2001:db8::1");
    /// assert!(body.to_string().ends_with(r#""retry_after_seconds":1,"ip":"2001:db8::1"}"#));
    /// ```
    pub const fn new(per_minute: u32, retry_after: RetryAfter, ip: K) -> Self {
        Self { per_minute, retry_after, ip }
    }
}

impl<K: Display> Display for EdgeThrottle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = json::object(|body| {
            body.member("error").string("rate_limited");
            body.member("message").string(format_args!("Too many requests — {} per minute per IP.", self.per_minute));
            body.member("retry_after_seconds").integer(self.retry_after.secs());
            body.member("ip").string(&self.ip);
        });
        object.fmt(f)
    }
}

/// What an endpoint family answers where the bucket of a key is empty: an error by name, and when to come back.
///
/// ```
/// use tollgate::Wait;
/// use tollgate::format::RetryAfter;
/// use tollgate::format::body::signals::Family;
///
/// let body = Family::rest(RetryAfter::after(Wait::from_millis(33_400)));
/// assert_eq!(body.to_string(), r#"{"ok":false,"error":"rate_limit_exceeded","retry_after_seconds":34}"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Family<'a> {
    error: &'a str,
    retry_after: RetryAfter,
}

impl<'a> Family<'a> {
    /// With an error of your own.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// # use tollgate::format::body::signals::Family;
    /// let body = Family::new("export_limit_exceeded", RetryAfter::after(Wait::ZERO));
    /// assert_eq!(body.to_string(), r#"{"ok":false,"error":"export_limit_exceeded","retry_after_seconds":1}"#);
    /// ```
    pub const fn new(error: &'a str, retry_after: RetryAfter) -> Self {
        Self { error, retry_after }
    }
}

impl Family<'static> {
    /// Of the REST endpoints: `rate_limit_exceeded`.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// # use tollgate::format::body::signals::Family;
    /// let body = Family::rest(RetryAfter::after(Wait::ZERO));
    /// assert_eq!(body.to_string(), r#"{"ok":false,"error":"rate_limit_exceeded","retry_after_seconds":1}"#);
    /// ```
    pub const fn rest(retry_after: RetryAfter) -> Self {
        Self::new("rate_limit_exceeded", retry_after)
    }

    /// Of the issuance of keys: `issuance_rate_limit_exceeded`.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// # use tollgate::format::body::signals::Family;
    /// let body = Family::issuance(RetryAfter::after(Wait::ZERO));
    /// assert_eq!(body.to_string(), r#"{"ok":false,"error":"issuance_rate_limit_exceeded","retry_after_seconds":1}"#);
    /// ```
    pub const fn issuance(retry_after: RetryAfter) -> Self {
        Self::new("issuance_rate_limit_exceeded", retry_after)
    }

    /// Of the quota of a day: `daily_quota_exceeded`.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// # use tollgate::format::body::signals::Family;
    /// let body = Family::daily(RetryAfter::after(Wait::ZERO));
    /// assert_eq!(body.to_string(), r#"{"ok":false,"error":"daily_quota_exceeded","retry_after_seconds":1}"#);
    /// ```
    pub const fn daily(retry_after: RetryAfter) -> Self {
        Self::new("daily_quota_exceeded", retry_after)
    }
}

impl Display for Family<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = json::object(|body| {
            body.member("ok").boolean(false);
            body.member("error").string(self.error);
            body.member("retry_after_seconds").integer(self.retry_after.secs());
        });
        object.fmt(f)
    }
}

/// What an evaluation answers: the request's id, and the delay once for people and once for programs. It goes without `Retry-After`.
///
/// ```
/// use tollgate::Wait;
/// use tollgate::format::RetryAfter;
/// use tollgate::format::body::signals::Evaluation;
///
/// let body = Evaluation::new("req_9f2c", RetryAfter::after(Wait::from_millis(33_400)));
/// assert_eq!(
///     body.to_string(),
///     concat!(
///         r#"{"request_id":"req_9f2c","ok":false,"error":"rate_limited","#,
///         r#""message":"Rate limit exceeded; retry in 34s.","retry_after_seconds":34}"#
///     )
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Evaluation<'a> {
    request_id: &'a str,
    retry_after: RetryAfter,
}

impl<'a> Evaluation<'a> {
    /// For the request of this id.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// # use tollgate::format::body::signals::Evaluation;
    /// let body = Evaluation::new("req_1", RetryAfter::after(Wait::ZERO));
    /// assert!(body.to_string().starts_with(r#"{"request_id":"req_1","ok":false"#));
    /// ```
    pub const fn new(request_id: &'a str, retry_after: RetryAfter) -> Self {
        Self { request_id, retry_after }
    }
}

impl Display for Evaluation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = json::object(|body| {
            body.member("request_id").string(self.request_id);
            body.member("ok").boolean(false);
            body.member("error").string("rate_limited");
            body.member("message").string(format_args!("Rate limit exceeded; retry in {}s.", self.retry_after));
            body.member("retry_after_seconds").integer(self.retry_after.secs());
        });
        object.fmt(f)
    }
}

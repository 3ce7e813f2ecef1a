//! One error object with a code and a message, the same for whoever is denied and for how long.

use core::fmt::{self, Display};

use crate::format::json;

/// What a client is told that exceeds the limit of its address.
///
/// ```
/// use tollgate::format::body::survey;
///
/// assert_eq!(survey::PER_CLIENT.to_string(), r#"{"error":{"code":"rate_limited","message":"Too many requests"}}"#);
/// ```
pub const PER_CLIENT: RateLimited<'static> = RateLimited::new("Too many requests");

/// What is told where an API key exceeds its limit.
///
/// ```
/// use tollgate::format::body::survey;
///
/// assert_eq!(
///     survey::PER_API_KEY.to_string(),
///     r#"{"error":{"code":"rate_limited","message":"API key rate limit exceeded"}}"#
/// );
/// ```
pub const PER_API_KEY: RateLimited<'static> = RateLimited::new("API key rate limit exceeded");

/// The error `rate_limited` with a message.
///
/// ```
/// use tollgate::format::body::survey::RateLimited;
///
/// let body = RateLimited::new("Slow down");
/// assert_eq!(body.to_string(), r#"{"error":{"code":"rate_limited","message":"Slow down"}}"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RateLimited<'a> {
    message: &'a str,
}

impl<'a> RateLimited<'a> {
    /// With a message for people.
    ///
    /// ```
    /// # use tollgate::format::body::survey::{PER_CLIENT, RateLimited};
    /// assert_eq!(RateLimited::new("Too many requests"), PER_CLIENT);
    /// ```
    pub const fn new(message: &'a str) -> Self {
        Self { message }
    }
}

impl Display for RateLimited<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = json::object(|body| {
            body.member("error").object(|error| {
                error.member("code").string("rate_limited");
                error.member("message").string(self.message);
            });
        });
        object.fmt(f)
    }
}

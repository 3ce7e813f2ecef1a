//! A sentence, for clients that show the body to a person.

use core::fmt::{self, Display};

use crate::format::RetryAfter;

/// The content type of a [`TooManyRequests`].
///
/// ```
/// # use tollgate::format::body::text;
/// assert_eq!(text::CONTENT_TYPE, "text/plain; charset=utf-8");
/// ```
pub const CONTENT_TYPE: &str = "text/plain; charset=utf-8";

/// `Too many requests. Retry in 34 seconds.`
///
/// ```
/// use tollgate::Wait;
/// use tollgate::format::RetryAfter;
/// use tollgate::format::body::text::TooManyRequests;
///
/// let secs = |secs: u64| RetryAfter::after(Wait::from_secs(secs));
/// assert_eq!(TooManyRequests(secs(34)).to_string(), "Too many requests. Retry in 34 seconds.");
/// assert_eq!(TooManyRequests(secs(1)).to_string(), "Too many requests. Retry in 1 second.");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TooManyRequests(pub RetryAfter);

impl Display for TooManyRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(retry_after) = self;
        let plural = if retry_after.secs() == 1 { "" } else { "s" };
        write!(f, "Too many requests. Retry in {retry_after} second{plural}.")
    }
}

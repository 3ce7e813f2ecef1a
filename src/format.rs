//! What the caller is told: header fields, bodies, and the record of a denial for the logs.
//!
//! A formatter renders an answer that is already there; it decides nothing, reads no clock and allocates nothing. Each is a plain value
//! that implements [`Display`](core::fmt::Display): with an allocator call `to_string`, without one give it to [`render`](fn@render) and a buffer.
//!
//! Each specification is a module, called by its name and number and never "latest": a later draft will be one more module, and those
//! who send an older one change nothing.
//!
//! | module | header fields |
//! | --- | --- |
//! | [`retry_after`] | `Retry-After`, of RFC 9110 |
//! | [`draft_10`] | `RateLimit` and `RateLimit-Policy`, of draft-ietf-httpapi-ratelimit-headers-10 |
//! | [`draft_07`] | the same two, as number 07 of that draft had them |
//! | [`draft_06`] | `RateLimit-Limit`, `-Remaining`, `-Reset` and `-Policy`, of number 06 |
//! | [`x_ratelimit`] | `X-RateLimit-Limit`, `-Remaining` and `-Reset`, which no document describes |
//!
//! Send one of the last four; two of them in one response may contradict each other. What they share is [`sf`], the structured fields of
//! RFC 9651, and [`Quota`], a policy's figures.
//!
//! Bodies are in [`body`], problem details of RFC 9457 in [`problem`]; for a shape of your own there is the JSON writer that these are
//! built on, [`json`]. [`Denial`] is the line for the log.
//!
//! ```
//! use core::time::Duration;
//! use std::collections::HashMap;
//! use tollgate::format::{Name, Quota, RetryAfter, draft_10, render};
//! use tollgate::{FixedWindow, FixedWindowState, Timestamp};
//!
//! const MINUTE: Name = Name::constant("minute");
//! const LIMIT: FixedWindow = FixedWindow::constant(100, Duration::from_secs(60));
//! const TOLD: draft_10::Policy = draft_10::Policy::new(MINUTE, Quota::of_window(LIMIT));
//!
//! let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
//! assert!(LIMIT.check_n(&mut clients, &7, 100, Timestamp::ZERO)?.is_allow());
//! let (decision, status) = LIMIT.check_with_status(&mut clients, &7, 1, Timestamp::from_millis(26_600))?;
//!
//! let mut buffer = [0; 64];
//! assert_eq!(render(&TOLD, &mut buffer), Ok(r#""minute";q=100;w=60"#));
//! assert_eq!(render(&draft_10::Limit::new(MINUTE, &status), &mut buffer), Ok(r#""minute";r=0;t=34"#));
//! if let Some(retry_after) = RetryAfter::new(decision) {
//!     assert_eq!(render(&retry_after, &mut buffer), Ok("34"));
//! }
//! # Ok::<(), tollgate::CheckError<core::convert::Infallible>>(())
//! ```
//!
//! # What rounds up
//!
//! Every wait: a client told to come back in 0 seconds after a denial comes back too early. A wait of 1 ns is `1`, one of
//! 1,000,000,001 ns is `2`.
//!
//! # Nothing empty is sent
//!
//! A field without a value is not a field: `Retry-After` of an allowed request, or a list of no policies. Where that can be, a
//! constructor gives an `Option`, and the type of what it holds has always something to say.
//!
//! # gRPC
//!
//! `google.rpc.RetryInfo` needs no formatter. Its `retry_delay` is a [`Duration`](core::time::Duration) in seconds and nanoseconds:
//!
//! ```
//! # use core::time::Duration;
//! # let retry_after = tollgate::Wait::from_millis(33_400);
//! let delay = Duration::from(retry_after);
//! let (seconds, nanos) = (delay.as_secs(), delay.subsec_nanos());
//! assert_eq!((seconds, nanos), (33, 400_000_000));
//! ```

pub mod body;
mod denial;
pub mod draft_06;
pub mod draft_07;
pub mod draft_10;
mod expiring;
pub mod json;
pub mod problem;
mod quota;
mod quota_policies;
mod render;
pub mod retry_after;
pub mod sf;
pub mod x_ratelimit;

pub use denial::{Denial, DenialJson};
pub use quota::Quota;
pub use render::{RenderError, render};
pub use retry_after::RetryAfter;
pub use sf::{Name, NameError};

/// The name of every header field that a formatter here renders, in lower case, as HTTP/2 and later send them.
///
/// Each module has a list of its own.
///
/// ```
/// use tollgate::format::{HEADERS, draft_10, retry_after};
///
/// assert!(HEADERS.contains(&retry_after::RETRY_AFTER));
/// assert!(draft_10::HEADERS.iter().all(|name| HEADERS.contains(name)));
/// ```
pub const HEADERS: [&str; 9] = [
    retry_after::RETRY_AFTER,
    draft_10::RATELIMIT,
    draft_10::RATELIMIT_POLICY,
    draft_06::RATELIMIT_LIMIT,
    draft_06::RATELIMIT_REMAINING,
    draft_06::RATELIMIT_RESET,
    x_ratelimit::X_RATELIMIT_LIMIT,
    x_ratelimit::X_RATELIMIT_REMAINING,
    x_ratelimit::X_RATELIMIT_RESET,
];

/// The name of the field by which a server lets scripts of another origin read the fields that it names.
///
/// A browser shows such a script no other field of [`HEADERS`], `Retry-After` included (Fetch standard, "CORS-safelisted
/// response-header name").
///
/// ```
/// use tollgate::format::{ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED};
///
/// let field = (ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
/// assert_eq!(field.0, "access-control-expose-headers");
/// ```
pub const ACCESS_CONTROL_EXPOSE_HEADERS: &str = "access-control-expose-headers";

/// All of [`HEADERS`] as one value, for [`ACCESS_CONTROL_EXPOSE_HEADERS`]. To name fields that are not sent does no harm.
///
/// ```
/// use tollgate::format::{EXPOSED, HEADERS};
///
/// assert_eq!(EXPOSED, HEADERS.join(", "));
/// ```
pub const EXPOSED: &str = "retry-after, ratelimit, ratelimit-policy, ratelimit-limit, ratelimit-remaining, \
    ratelimit-reset, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset";

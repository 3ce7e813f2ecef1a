//! The other side: what a client reads in an answer, and how it tries again.
//!
//! Sans-IO, as all of the crate: nothing here sleeps, reads a clock, or draws random numbers. A [`Reader`] takes the status and the header lines
//! of an answer and gives a [`Reading`], which comes down to an [`Advice`]: go on, wait for so long, or back off. A [`Backoff`] says for how long.
//!
//! ```
//! use core::time::Duration;
//! use tollgate::client::{Advice, Backoff, Next, Reader, Retries};
//! use tollgate::{Timestamp, Wait};
//!
//! const RULE: Backoff = Backoff::constant(Duration::from_millis(250), Duration::from_secs(30)).patience(Duration::from_secs(120));
//! let mut retries = Retries::default();
//!
//! // An answer with the status 429; any iterator over pairs will do, such as a reference to a header map.
//! let headers = [("RateLimit", r#""edge";r=0;t=34"#), ("Retry-After", "34")];
//! let advice = Reader::new().read(429, headers).advice();
//! assert_eq!(advice, Advice::Wait(Wait::from_secs(34)));
//!
//! let (now, random) = (Timestamp::from_secs(1_700_000_000), 0x8000_0000_0000_0000); // yours
//! match RULE.next(&mut retries, advice.wait(), now, random) {
//!     Next::Retry { after } => assert_eq!(after, Wait::from_millis(34_125)), // never less than was asked for
//!     Next::TooLong { .. } | Next::GiveUp(_) => { /* tell whoever asked */ }
//! }
//! ```
//!
//! | field | read by | specification |
//! | --- | --- | --- |
//! | `Retry-After`, `Date` | [`RetryAfter`], [`HttpDate`] | RFC 9110 |
//! | `RateLimit`, `RateLimit-Policy` | [`draft_10`] | draft-ietf-httpapi-ratelimit-headers-10 |
//! | the same two | [`draft_07`] | number 07 of that draft |
//! | `RateLimit-Limit`, `-Remaining`, `-Reset`, `-Policy` | [`draft_06`] | number 06 |
//! | `X-RateLimit-Limit`, `-Remaining`, `-Reset` | [`x_ratelimit`] | none |
//!
//! Each can be used by itself; `Reader` knows which takes precedence. What [`format`](mod@crate::format) writes, these read back.
//!
//! # Strict
//!
//! A number that is almost one, a list with a comma too many, a date with the wrong day of the week: they are not repaired, and are as if they
//! were not there. The caller then falls back to a `Backoff`, which is always right, if slower.
//!
//! # Before the first refusal
//!
//! Who knows the limit need not run into it: a policy of this crate, asked before each request is sent, paces a client just as it limits one.
//!
//! ```
//! use core::time::Duration;
//! use tollgate::{Decision, SlidingLog, SlidingLogState, Timestamp, Wait};
//!
//! const TWO_A_SECOND: SlidingLog = SlidingLog::constant(2, Duration::from_secs(1));
//! let (mut sent, now) = (SlidingLogState::default(), Timestamp::from_millis(700));
//! let answers = [(); 3].map(|()| TWO_A_SECOND.judge(&mut sent, now));
//! let wait = Decision::Deny { retry_after: Wait::from_secs(1) };
//! assert_eq!(answers, [Decision::Allow, Decision::Allow, wait]);
//! ```
//!
//! # Not here
//!
//! Bodies: parse them with what parses JSON for you, and [say](Reading::told_in_body) what they told. Requests, connections and sleeping.

mod backoff;
mod date;
pub mod draft_06;
pub mod draft_07;
pub mod draft_10;
mod jitter;
mod quota_policy;
mod reading;
mod retry_after;
mod sf;
mod text;
pub mod x_ratelimit;

pub use backoff::{Backoff, BackoffError, Next, Retries, Spent};
pub use date::HttpDate;
pub use jitter::Jitter;
pub use reading::{Advice, Reader, Reading};
pub use retry_after::RetryAfter;
pub use sf::{Bytes, Text};

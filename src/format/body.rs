//! Bodies of a refusal: those of two deployed systems, to the byte, and plain text.
//!
//! - [`survey`]: `{"error":{"code":"rate_limited","message":"Too many requests"}}`
//! - [`signals`]: `{"ok":false,"error":"rate_limit_exceeded","retry_after_seconds":34}`, and two more
//! - [`text`]: a sentence
//!
//! [Problem details](super::problem) are a module of their own, and a shape of your own is made with [`json`](super::json).
//!
//! Those that tell a delay take a [`RetryAfter`](super::RetryAfter), which only a denial has: so the number in the body is the one in
//! the header.

pub mod signals;
pub mod survey;
pub mod text;

/// The content type of the bodies in JSON. It has no `charset`: JSON is UTF-8 (RFC 8259, sections 8.1 and 11).
///
/// ```
/// # use tollgate::format::body;
/// assert_eq!(body::CONTENT_TYPE, "application/json");
/// ```
pub const CONTENT_TYPE: &str = "application/json";

/// The status code of a refusal, 429 Too Many Requests (RFC 6585, section 4).
///
/// ```
/// # use tollgate::format::body;
/// assert_eq!(body::STATUS, 429);
/// ```
pub const STATUS: u16 = 429;

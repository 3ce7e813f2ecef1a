//! The names of header fields, in lower case, that [`format`](crate::format) writes and [`client`](crate::client) reads. Those that only one of
//! them needs are there.

pub(crate) const RETRY_AFTER: &str = "retry-after";
pub(crate) const RATELIMIT: &str = "ratelimit";
pub(crate) const RATELIMIT_REMAINING: &str = "ratelimit-remaining";
pub(crate) const RATELIMIT_RESET: &str = "ratelimit-reset";
pub(crate) const X_RATELIMIT_REMAINING: &str = "x-ratelimit-remaining";
pub(crate) const X_RATELIMIT_RESET: &str = "x-ratelimit-reset";

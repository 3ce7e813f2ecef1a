//! What a client reads, and how it backs off: one file a topic.

#![cfg(feature = "client")]

mod answers;
mod backoff;
#[cfg(feature = "format")]
mod round_trip;
mod vectors;

use tollgate::Wait;

/// A wait of whole seconds.
fn secs(secs: u64) -> Wait {
    Wait::from_nanos(secs * 1_000_000_000)
}

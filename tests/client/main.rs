//! What a client reads, and how it backs off: one file a topic.

#![cfg(feature = "client")]

mod answers;
mod backoff;
#[cfg(feature = "format")]
mod round_trip;
mod vectors;

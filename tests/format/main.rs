//! What the formatters render, byte for byte, and what others read in it: one file a topic.

#![cfg(feature = "format")]

mod bodies;
mod denial;
mod fixed_buffer;
mod headers;
mod json;
mod policies;
mod structured_fields;
mod vectors;

use tollgate::{Decision, Status, Wait};

fn denied(retry_after: Wait) -> Decision {
    Decision::Deny { retry_after }
}

/// A status of a policy whose quota comes back all at once.
fn status(limit: u32, remaining: u32, reset: Wait) -> Status {
    Status::new(limit, remaining, reset, reset)
}

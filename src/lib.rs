//! Exact, sans-IO rate limiting.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod clock;
mod decision;
mod error;
pub mod layers;
pub mod policy;
pub mod store;
mod time;

pub use clock::{Monotonic, Wrapping32};
pub use decision::{Decision, Status};
pub use error::{CheckError, CostExceedsLimit, Full, PolicyError};
pub use policy::text::ParsePolicyError;
pub use policy::{
    Both, FixedWindow, FixedWindowState, InPlace, LogMemory, LogState, Policy, Refill, SlidingLog, SlidingLogArray,
    State, TokenBucket, TokenBucketState,
};
#[cfg(feature = "alloc")]
pub use policy::{Growing, SlidingLogState};
pub use store::{Slot, Slots, Store};
pub use time::{Timestamp, Wait};

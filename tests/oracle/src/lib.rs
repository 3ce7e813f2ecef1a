//! The naive, exact model of the three policies, written to be read as the specification.
//!
//! Tests, fuzzers and programs run it beside the crate, step by step, and every answer has to be the same. It therefore shares nothing
//! with the crate, neither code nor encodings. It remembers **levels**: how much is used, which admissions count, how many tokens
//! were missing at the last one. What the crate derives, it searches for: the earliest time of a denied request is found by bisecting
//! time on the model's own "would it pass then", and `remaining` by bisecting the cost. Both are right by definition, if that one
//! question is.
//!
//! | where | what |
//! | --- | --- |
//! | `policy.rs` | the three policies, and what makes them valid |
//! | `fixed_window.rs`, `sliding_log.rs`, `token_bucket.rs` | what is remembered of a key, and what passes |
//! | `model.rs` | one key: the answers, the same for every kind of policy |
//! | `store.rs` | many keys, and what forgetting one leaves behind |
//! | `layers.rs` | several policies, one answer |
//! | `bound.rs` | how much may pass at all, from the list of admissions alone, without a model |
//!
//! ```
//! use tollgate_oracle::{Answer, Model, Policy, Refill};
//!
//! // 3 tokens in 10 ns, 5 at most: one comes back in 3 1/3 ns.
//! let policy = Policy::TokenBucket { quota: 3, window_ns: 10, burst: 5, refill: Refill::Continuous };
//! let mut key = Model::of(&policy);
//! assert_eq!(key.check(&policy, 5, 100), Answer::Allow);
//! assert_eq!(key.check(&policy, 1, 100), Answer::Deny { retry_after_ns: 4 });
//! assert_eq!(key.remaining(&policy, 104), 1);
//! ```
//!
//! # Words
//!
//! Times are `u64` nanoseconds, timestamps at most `2^63 - 1`; deadlines may lie beyond. Costs and quotas are `u32` units. Intervals
//! are half-open: what was admitted at `t` counts while `now < t + window`.
//!
//! A judgement **reads** the time `max(now, last)`, where `last` is the time read by the key's last admission or charge. Waits count
//! from the caller's `now`.
//!
//! A policy may change at every call. A misuse (a policy that cannot be built, a log read by the policy of a bucket) is a mistake in
//! the test, and panics.

pub mod bound;
mod fixed_window;
mod grid;
pub mod layers;
mod model;
pub mod policy;
mod search;
mod sliding_log;
pub mod store;
mod token_bucket;

pub use model::{Answer, Kind, Model, Status};
pub use policy::{Policy, Refill};
pub use store::StoreModel;

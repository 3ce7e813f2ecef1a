//! Exact, sans-IO rate limiting: fixed window, sliding log and token bucket as `no_std` state machines.
//!
//! tollgate decides whether a request may pass. It has no clock, no I/O, no threads and no allocation of its own: the caller brings the time, the
//! key and the memory; the crate brings the arithmetic. Headers, bodies and client identity are thin, optional modules around that.
//!
//! ```
//! use core::time::Duration;
//! use std::collections::HashMap;
//! use tollgate::{Decision, SlidingLog, SlidingLogState, Timestamp};
//!
//! const EDGE: SlidingLog = SlidingLog::constant(100, Duration::from_secs(60)); // a bad policy does not compile
//!
//! let mut clients: HashMap<String, SlidingLogState> = HashMap::new(); // the store is the caller's own map
//! let now_ms = 0;
//! let Ok(decision) = EDGE.check(&mut clients, "203.0.113.9", Timestamp::from_millis(now_ms));
//! match decision {
//!     Decision::Allow => { /* go on */ }
//!     Decision::Deny { retry_after } => println!("429, Retry-After: {}", retry_after.as_secs_ceil()),
//! }
//! ```
//!
//! # One request's way
//!
//! ```text
//!  request ──▶ key ──▶ policy.check ──▶ store.update ──▶ policy.judge ──▶ Decision ──▶ header, body ──▶ caller
//!              │       │  ▲             │                │               │            │                 │
//!              identity  │  clock       store            policy          decision     format            client
//!                        │              Slots, Table,    FixedWindow,    Allow,       RateLimit,        Retry-After,
//!                  layers: several      HashMap, yours   SlidingLog,     Deny         JSON              Backoff
//!                  of these at once     wire: as bytes   TokenBucket
//! ```
//!
//! One look-up finds the key's state in the caller's store, the policy judges it there, and a decision comes out. No callback, no second
//! look-up, no shared state. With a state in hand and no key, start at [`judge`](FixedWindow::judge).
//!
//! | policy | promises | memory a key | cost |
//! | --- | --- | --- | --- |
//! | [`FixedWindow`] | a quota in each window; a double burst across a boundary | 16 bytes | O(1) |
//! | [`SlidingLog`] | a quota in *every* interval one window long | in place 24 bytes, and 12 an entry; growing 40, and 12 to 24 an admission, up to 48 after a burst | amortised O(1), at most O(log n) |
//! | [`TokenBucket`] | a steady rate, and a burst; exact rationals | 24 bytes | O(1) |
//! | [`Both`] | two of them on one key, all or none | both | both |
//!
//! # How to drive it
//!
//! 1. Build a policy: `constant` in a `const`, `new` from numbers read at run time, or [parse](policy::text) it.
//! 2. Keep states where they suit you: a `HashMap` or `BTreeMap`, a [`Table`] of fixed capacity, [`Slots`] without an allocator, [your own](Store#a-store-of-your-own), or one
//!    state in a variable. A database that machines share keeps them as [bytes](wire), and each takes a [step](wire::step) against it.
//! 3. Read your clock and give it as a [`Timestamp`]: nanoseconds since an epoch of your choosing, the same for all of a store. In one process that is
//!    `Timestamp::since_epoch(start.elapsed())`. A clock that may be
//!    set back goes through [`Monotonic`], a 32-bit counter that wraps through [`Wrapping32`].
//! 4. Ask `check`, or `check_n` with a cost. An [`Allow`](Decision::Allow) has been counted when you see it; a
//!    [`Deny`](Decision::Deny) has changed nothing, so whoever retries too early is no worse off.
//! 5. Tell the caller when to come back: `retry_after` is exact, and [`as_secs_ceil`](Wait::as_secs_ceil) is what a `Retry-After` takes.
//!    [`check_with_status`](SlidingLog::check_with_status) also says how the key stands, which is what the other fields are made of.
//! 6. [Prune](store::prune) a map that grows, now and then. Only what has expired goes, so when you do it changes no answer.
//!
//! The [guide] has a chapter for each question that comes up on the way: which policy, how large, by what key, what a flood does.
//!
//! # Laws
//!
//! What holds of every policy, store and composition; each is a named property test.
//!
//! 1. **Bound.** No more is admitted than the policy says, for any order of timestamps. (Net of refunds.)
//! 2. **No needless denial.** A request is denied only if admitting it would break the bound: the answers are those of exact fractions.
//! 3. **Purity.** A denial, an error, a look and a cost of zero change nothing, add no key and reclaim nothing.
//! 4. **Exact retry.** The same request is allowed at `now + retry_after`, and denied a nanosecond earlier.
//! 5. **No drift.** Polling often, or seldom, or for years, changes nothing. There is no float in the crate.
//! 6. **Time never runs backwards**, per key: a `now` before a key's last admission is read as that.
//! 7. **Forgetting is invisible.** From its expiry on, a state cannot be told from none at all; a store drops no other.
//! 8. **Totality.** No panic, no overflow and no wrong answer, for any input, and for any policy over any live state.
//! 9. **Shift.** A constant added to every timestamp changes no answer, where no grid is involved.
//! 10. **All or none.** Policies judged [together](layers) admit together or change nothing, in any order.
//!
//! Law 2 gives way where something was traded for it, and each says so: an in-place log that is [full](SlidingLog), a policy that is
//! [changed](TokenBucket#changing-it) over a live state, and a window that a [refund](FixedWindow#refunds) has emptied.
//!
//! # Features
//!
//! | feature | brings | default |
//! | --- | --- | --- |
//! | `std` | `HashMap` as a store, `Sharded` for many threads, timestamps from `SystemTime`; implies `alloc` | yes |
//! | `alloc` | `BTreeMap` as a store, a `Table`'s memory on the heap, sliding logs that grow | with `std` |
//! | `format` | [`format`](mod@format): headers and bodies | yes |
//! | `identity` | [`identity`]: who is calling, behind proxies | no |
//! | `client` | [`client`]: the other side, which reads answers and backs off | no |
//! | `serde` | [`serde`](mod@serde): states, policies, times and answers in documents | no |
//! | `heapless` | the maps of the crate heapless as stores, in [`Bounded`](store::Bounded); needs Rust 1.88 | no |
//! | `conformance` | [`conformance`]: the laws, held against stores and policies of your own; implies `std` | no |
//!
//! Without features it needs `core` alone. Only the two that are named after a crate bring a dependency, that crate. None changes what another does.
//!
//! # Not here
//!
//! No clock, no runtime, no background sweeper, no middleware, no approximate counters, no ban lists, and no penalty that grows with hammering.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// What is off is named without a link.
#![cfg_attr(
    not(all(feature = "client", feature = "conformance", feature = "identity", feature = "serde")),
    allow(rustdoc::broken_intra_doc_links)
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "client")]
#[cfg_attr(docsrs, doc(cfg(feature = "client")))]
pub mod client;
mod clock;
#[cfg(feature = "conformance")]
#[cfg_attr(docsrs, doc(cfg(feature = "conformance")))]
pub mod conformance;
mod decision;
mod error;
#[cfg(feature = "format")]
#[cfg_attr(docsrs, doc(cfg(feature = "format")))]
pub mod format;
// The guide is prose: it is part of the documentation, and of nothing that is built.
#[cfg(all(any(doc, doctest), feature = "std", feature = "format"))]
pub mod guide;
#[cfg(any(feature = "client", feature = "identity"))]
mod header_lines;
#[cfg(any(feature = "client", feature = "format"))]
mod header_names;
#[cfg(feature = "identity")]
#[cfg_attr(docsrs, doc(cfg(feature = "identity")))]
pub mod identity;
pub mod layers;
pub mod policy;
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub mod serde;
mod state;
pub mod store;
mod time;
pub mod wire;

pub use clock::{Monotonic, Wrapping32};
pub use decision::{Decision, Status};
pub use error::{CheckError, CostExceedsLimit, Full, PolicyError};
pub use policy::text::ParsePolicyError;
pub use policy::{
    Both, FixedWindow, FixedWindowState, InPlace, LogMemory, LogState, Policy, Refill, SlidingLog, SlidingLogArray,
    TokenBucket, TokenBucketState,
};
#[cfg(feature = "alloc")]
pub use policy::{Growing, SlidingLogState};
pub use state::State;
#[cfg(feature = "std")]
pub use store::Sharded;
pub use store::{Slot, Slots, Store, Table};
pub use time::{Timestamp, Wait};

/// The README's example runs too.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

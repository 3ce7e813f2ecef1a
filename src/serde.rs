//! The crate's values in documents of your own, by the crate serde: states, policies, times and answers.
//!
//! For bytes in a shared store take [`wire`](crate::wire), which is canonical and versioned. This is for a document that holds more than a state, such as
//! a settings file, a snapshot or a log line.
//!
//! | value | in JSON |
//! | --- | --- |
//! | a policy | its [text form](crate::policy::text): `"10/60s,burst=5"` |
//! | [`Both`](crate::Both) | both: `["10/1s", "1000/1d,aligned"]` |
//! | [`Timestamp`](crate::Timestamp), [`Wait`](crate::Wait) | nanoseconds: `1500000000` |
//! | [`Decision`](crate::Decision) | `"allow"`, or `{"deny": {"retry_after_ns": 1500000000}}` |
//! | [`Status`](crate::Status) | `{"limit": 10, "remaining": 9, "grows_in_ns": 600, "full_in_ns": 600}` |
//! | [`FixedWindowState`](crate::FixedWindowState) | `{"ends_at_ns": 61000000000, "used": 2}` |
//! | [`LogState`](crate::LogState) | `{"last_ns": 1, "entries": [{"expires_ns": 60000000001, "units": 2}]}` |
//! | [`TokenBucketState`](crate::TokenBucketState) | `{"last_ns": 0, "full_at_ns": 142857143, "slack": 1, "of": 7}` |
//! | a pair of states | `[.., ..]` |
//!
//! A format that does without names, such as postcard, has the same numbers in the same order. What is read is validated as in `wire`, by the same
//! code, and fields that are not known are refused, so a state that came from a document keeps every law.
//!
//! JSON leaves the range of numbers to its reader, and nanoseconds need 64 bits: JavaScript's `JSON.parse` rounds them.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use tollgate::{Timestamp, TokenBucket, TokenBucketState};
//!
//! let policy: TokenBucket = serde_json::from_str(r#""7/1s""#).unwrap();
//! let mut state = TokenBucketState::default();
//! assert!(policy.judge(&mut state, Timestamp::ZERO).is_allow());
//! let text = serde_json::to_string(&state).unwrap();
//! assert_eq!(text, r#"{"last_ns":0,"full_at_ns":142857143,"slack":1,"of":7}"#);
//! assert_eq!(serde_json::from_str::<TokenBucketState>(&text).unwrap(), state);
//!
//! let error = serde_json::from_str::<TokenBucket>(r#""0/1s""#).unwrap_err();
//! assert!(error.to_string().starts_with("the quota is 0; it must be 1 to 4294967295"));
//! # }
//! ```
//!
//! The implementations are written by hand, on `serde_core`: a derive would bring a compiler of macros into every build that enables this, and could
//! not validate.

mod answers;
mod fields;
mod policies;
mod states;

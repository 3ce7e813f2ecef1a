//! The laws of the contract, each a named property (`law_1_bound` to `law_10_all_or_none`), for every policy and every state it can judge
//! (`keys`), through every store (`stores`) and for several policies together (`layers`).
//!
//! Everything is compared with the oracle, step by step; `exhaustive.rs`, beside this folder, tries every small trace.

mod keys;
mod layers;
mod stores;
mod traces;

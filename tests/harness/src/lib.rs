//! Runs lists of operations through the crate and through the oracle, and panics at the first step at which they differ.
//!
//! Property tests, exhaustive tests, fuzzing and the soak differ only in where the operations come from; what has to hold of them is
//! written here, once.
//!
//! | module | what |
//! | --- | --- |
//! | [`subject`] | what is tested: each policy with each state that it can judge |
//! | [`key`], [`both`] | one key, under one policy at a time or under a pair |
//! | [`keyed`] | a store of keys |
//! | [`layers`] | several policies, one answer |
//! | [`clocks`], [`policy_text`] | the clocks and the text form, against their definitions |
//! | [`json`] | the JSON writer, against another one |
//! | [`wire`] | states as bytes, of any origin |
//! | [`bodies`] | what the fuzz targets do with an input |
//! | [`soak`] | simulated years of traffic |
//! | [`program`] | what the programs in `bin` share |

pub mod bodies;
pub mod both;
pub mod clocks;
pub mod json;
pub mod key;
pub mod keyed;
pub mod layers;
pub mod policy_text;
pub mod program;
pub mod soak;
pub mod subject;
pub mod wire;

pub use tollgate_oracle as oracle;

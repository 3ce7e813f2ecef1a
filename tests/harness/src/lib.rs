//! Runs lists of operations through the crate and through the oracle, and panics at the first step at which they differ.
//!
//! Property tests, exhaustive tests, fuzzing and the soak differ only in where the operations come from; what has to hold of them is
//! written here, once. [`subject`] says what is tested, [`key`] runs one key, [`keyed`] a store of them.

pub mod bodies;
pub mod both;
pub mod clocks;
pub mod key;
pub mod keyed;
pub mod layers;
pub mod policy_text;
pub mod soak;
pub mod subject;

pub use tollgate_oracle as oracle;

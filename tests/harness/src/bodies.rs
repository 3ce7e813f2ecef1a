//! What the fuzz targets do with an input: its bytes are read as a case, and the case is run.
//!
//! They stand here, and not in the targets, so that stable builds them and `cargo test` replays the corpus. `input.rs` says how bytes are read;
//! each module has one target, by its name, and says what its cases hold.

pub mod clocks;
pub mod formatters;
mod input;
pub mod layers;
pub mod parsers;
pub mod policies;
pub mod stores;

/// A body runs one case, and panics where something does not hold.
pub type Body = fn(&[u8]);

/// All of them, by the names of their targets.
pub const BODIES: [(&str, Body); 6] = [
    ("policies", policies::run),
    ("stores", stores::run),
    ("layers", layers::run),
    ("clocks", clocks::run),
    ("parsers", parsers::run),
    ("formatters", formatters::run),
];

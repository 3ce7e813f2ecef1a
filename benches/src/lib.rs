//! What `tollgate` costs, beside its peers and beside the least that a limiter can do.
//!
//! - [`baseline`]: naive GCRA in one word, and the bare map; [`peers`]: other crates, one state each.
//! - [`one_state`], [`keyed`], [`threads`]: the groups that are timed; [`heap`]: bytes a key; [`latency`]: how long the slowest checks take.
//! - [`measure`] times contenders in turn, and [`table`] writes what came out.
//!
//! `cargo run --release --bin report` runs all of it. `./instructions` counts instructions instead, which do not wobble.

pub mod baseline;
pub mod clock;
pub mod heap;
pub mod keyed;
pub mod latency;
pub mod measure;
pub mod one_state;
pub mod peers;
pub mod random;
pub mod table;
pub mod threads;

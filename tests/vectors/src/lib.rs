//! The cases of `policies.json` and `layers.json`: read, answered by the oracle, and written.
//!
//! README.md in this directory specifies the schema, for readers in any language. This is the reader in Rust, for the tests of the crate
//! and for the program in `examples/oracle`. Nothing here knows the crate.
//!
//! | where | what |
//! | --- | --- |
//! | `policy.rs` | a policy, and why it may not be one |
//! | `step.rs`, `step/flat.rs` | what is asked of one policy, and what is answered; the form that both have in a file |
//! | `reply.rs` | what a step says is answered: in part, wrongly, or as the oracle does |
//! | `case.rs` | cases, of one policy and of layers, and files of them |
//! | `model.rs` | the oracle, as what a step is asked of |
//! | `number.rs`, `layout.rs` | how integers are read, how values are written |

pub mod case;
mod layout;
pub mod model;
mod number;
pub mod policy;
pub mod reply;
pub mod step;

pub use case::{Case, File, LayeredCase, SingleCase};
pub use layout::{Integers, to_layout, to_line};
pub use policy::{Policy, PolicyError};
pub use reply::{Answered, Reply};
pub use step::{Act, Answer, Step};

/// `policies.json`, as it is in this directory.
pub const POLICIES: &str = include_str!("../policies.json");

/// `layers.json`, as it is in this directory.
pub const LAYERS: &str = include_str!("../layers.json");

//! The guide: what to know beyond the reference, a chapter a question. Nothing but prose and examples, which are compiled and run.
//!
//! | if you ask | read |
//! | --- | --- |
//! | which of the policies suits me | [`choosing`] |
//! | how large a limit should be | [`sizing`] |
//! | by what to count, and whom to believe | [`keys`] |
//! | what memory it takes, and what a flood of callers does | [`memory`] |
//! | which clock to read, and what if it is wrong | [`clocks`] |
//! | how several limits work together on one request | [`several`] |
//! | how to have tiers, and change limits while they are in use | [`tiers`] |
//! | how processes and machines share a limit | [`shared`] |
//! | how to deny nothing at first, and see what would be | [`shadow`] |
//! | what if the cost is known only afterwards | [`usage`] |
//! | how to limit guesses at a password | [`login`] |
//! | how to run it in a worker, as WebAssembly | [`worker`] |
//! | how to run it in firmware, without an allocator | [`firmware`] |
//! | what a check costs | [`speed`] |
//! | how to call an API that limits me | [`client`] |
//! | how to write a policy, a store or a formatter | [`extending`] |
//! | how to test what I have built | [`testing`] |

#[doc = include_str!("guide/choosing.md")]
pub mod choosing {}

#[doc = include_str!("guide/sizing.md")]
pub mod sizing {}

#[cfg(feature = "identity")]
#[doc = include_str!("guide/keys.md")]
pub mod keys {}

#[doc = include_str!("guide/memory.md")]
pub mod memory {}

#[doc = include_str!("guide/clocks.md")]
pub mod clocks {}

#[doc = include_str!("guide/several.md")]
pub mod several {}

#[doc = include_str!("guide/tiers.md")]
pub mod tiers {}

#[doc = include_str!("guide/shared.md")]
pub mod shared {}

#[doc = include_str!("guide/shadow.md")]
pub mod shadow {}

#[doc = include_str!("guide/usage.md")]
pub mod usage {}

#[doc = include_str!("guide/login.md")]
pub mod login {}

#[doc = include_str!("guide/worker.md")]
pub mod worker {}

#[doc = include_str!("guide/firmware.md")]
pub mod firmware {}

#[doc = include_str!("guide/speed.md")]
pub mod speed {}

#[doc = include_str!("guide/client.md")]
pub mod client {}

#[doc = include_str!("guide/extending.md")]
pub mod extending {}

#[doc = include_str!("guide/testing.md")]
pub mod testing {}

//! The guide: what to know beyond the reference, a chapter a question. Nothing but prose and examples, which are compiled and run.
//!
//! | if you ask | read |
//! | --- | --- |
//! | which of the policies suits me | [`choosing`] |
//! | how I deny nothing at first, and see what would be | [`shadow`] |
//! | what if the cost is known only afterwards | [`usage`] |

#[doc = include_str!("guide/choosing.md")]
pub mod choosing {}

#[doc = include_str!("guide/shadow.md")]
pub mod shadow {}

#[doc = include_str!("guide/usage.md")]
pub mod usage {}

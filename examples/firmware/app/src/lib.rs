//! Four limiters in a device, and a day in its life.
//!
//! | where | what |
//! | --- | --- |
//! | [`board`] | what a device has to bring: a 32-bit tick counter, a console, a page of flash; and [`Device`], time and decisions over it |
//! | [`throttle`] | a log that does not flood its UART: one `static` per call site, and a count of what was suppressed |
//! | [`radio`] | 36 s of airtime in any hour: a weighted sliding log in a fixed ring |
//! | [`publish`] | messages by topic, in [`Slots`](tollgate::Slots) |
//! | [`login`] | attempts to log in, whose count survives a reset in a page of flash |
//! | [`day`] | what happens to them, and what must come of it |
//!
//! It runs without an operating system and without an allocator (`../bare/program`), and on a board that is simulated (`../check`), which
//! also compares what it prints with the specification.

#![no_std]
#![forbid(unsafe_code)]

pub mod board;
pub mod day;
pub mod login;
pub mod publish;
pub mod radio;
pub mod throttle;

pub use board::{Board, Device};

//! The memory that JavaScript and the module both see.
//!
//! Its bytes are atomics, since that is how a static may change without `unsafe`. A module without threads has them as plain bytes.

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Room for a policy and the longest state, and for any answer.
pub(crate) const LEN: usize = 16 * 1024;

static BUFFER: [AtomicU8; LEN] = [const { AtomicU8::new(0) }; LEN];

pub(crate) fn address() -> *const u8 {
    BUFFER.as_ptr().cast()
}

/// Copies the buffer's start.
pub(crate) fn read(bytes: &mut [u8]) {
    bytes.iter_mut().zip(&BUFFER).for_each(|(byte, place)| *byte = place.load(Relaxed));
}

/// Fills the buffer from its start, with one after the other.
pub(crate) fn write(one: &[u8], other: &[u8]) {
    one.iter().chain(other).zip(&BUFFER).for_each(|(byte, place)| place.store(*byte, Relaxed));
}

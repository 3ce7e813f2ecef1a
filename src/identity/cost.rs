//! Counts the bytes of headers that are looked at, in tests: that the cost is linear is a promise, and this is how it is kept.
//!
//! Every loop over bytes that a client may have sent calls [`bytes`]. Outside of the tests it does nothing.

#[cfg(test)]
pub(super) use counted::{add as bytes, take};

/// Takes down that so many bytes are looked at.
#[cfg(not(test))]
#[inline(always)]
pub(super) fn bytes(_: usize) {}

#[cfg(test)]
mod counted {
    extern crate std;

    use core::cell::Cell;

    std::thread_local! {
        static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    pub(in crate::identity) fn add(count: usize) {
        LOOKED_AT.set(LOOKED_AT.get() + count);
    }

    pub(in crate::identity) fn take() -> usize {
        LOOKED_AT.take()
    }
}

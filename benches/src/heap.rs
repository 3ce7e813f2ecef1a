//! The bytes that are allocated, counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, and how much of it is in use.
pub struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: it hands everything to the system's, and counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }
}

/// The bytes a key that remain allocated when so many keys have been checked once.
pub fn bytes_a_key<L>(keys: usize, make: impl FnOnce() -> L) -> f64 {
    let before = LIVE.load(Relaxed);
    let limiter = make();
    let bytes = LIVE.load(Relaxed) - before;
    drop(limiter);
    bytes as f64 / keys as f64
}

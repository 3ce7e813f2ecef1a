//! Calls all of tollgate that firmware calls, with numbers that the compiler knows nothing of, and does not link if any of it can panic.
//!
//! The panic handler calls a function that is nowhere defined. What cannot be reached is not linked, so the handler is left out, and the
//! linker asks for that function only if a panic is left. It is never run.

#![no_std]
#![no_main]

mod calls;

use core::panic::PanicInfo;

unsafe extern "C" {
    fn a_panic_can_be_reached() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is no such function, so what has this call in it is never run.
    unsafe { a_panic_can_be_reached() }
}

// SAFETY: no other function here is called so.
#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    loop {
        calls::all();
        #[cfg(feature = "planted")]
        assert!(calls::any::<u32>(0) != 7, "planted");
    }
}

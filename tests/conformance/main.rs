//! The suites that others hold their stores and policies against (feature `conformance`): the crate's own pass them, and faults that were
//! planted in plain ones are found, by their law's name and by a shortest trace.
#![cfg(feature = "conformance")]

mod faulty_overrides;
mod faulty_policies;
mod faulty_stores;
mod policies;
mod stores;

use core::panic::UnwindSafe;

use tollgate::conformance::{Breach, Law};

/// What a call panics with.
fn panic_of(call: impl FnOnce() + UnwindSafe) -> String {
    let payload = std::panic::catch_unwind(call).expect_err("it does not panic");
    payload.downcast_ref::<String>().expect("a text with arguments").clone()
}

/// That this law was found broken, by a trace of so many steps, and that it reads so.
fn assert_breach(found: Result<usize, Breach>, law: Law, steps: usize) -> String {
    let breach = found.expect_err("a fault is planted, and none is found");
    let shown = breach.to_string();
    assert_eq!((breach.law, breach.trace.len()), (law, steps), "{shown}");
    assert!(shown.starts_with(&format!("{law}, is broken\n  {}\n", law.sentence())), "{shown}");
    shown
}

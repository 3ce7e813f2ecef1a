//! tollgate as a WebAssembly module that imports nothing and remembers nothing: a policy, a state and a time go in, an answer comes out.
//!
//! This file is the interface to JavaScript, whose other side is `tollgate.mjs`. The judging is in `judge`, header fields and bodies are in
//! `tell`, the memory that both sides see is in `buffer`, and what they write there in `reply`.
//!
//! # A call
//!
//! JavaScript writes into the [`buffer`]: the policy's text form, and after it the state's bytes (none for a key that is new) or the policy's
//! name. Then it calls [`check`] or another with their lengths. Times are nanoseconds in 64 bits without a sign, `BigInt`s on the other side. The number
//! returned is an [`Outcome`], and the buffer then holds, from its start and little-endian:
//!
//! | at | bytes | what |
//! | --- | --- | --- |
//! | 0 | 8 | after a denial: nanoseconds until the same request passes |
//! | 8, 16 | 8, 8 | nanoseconds until more remains, and until everything does |
//! | 24 | 8 | when the state expires |
//! | 32, 36 | 4, 4 | the limit, and what remains of it |
//! | 40 | 4 | whether the state has expired: 1 if so |
//! | 44 | 4 | how many bytes follow |
//! | 48 | | the state's new bytes, none where it has not changed; or text: what was asked for, or why there is no answer |
//!
//! So one instance serves any number of objects, and nothing in it is lost when the runtime drops it.
//!
//! Nothing here panics, whatever it is given. What is left in `core` of panics ends in a trap without a text, so that nothing of their machinery
//! is linked.
#![cfg_attr(target_arch = "wasm32", no_std)]

mod buffer;
mod judge;
mod reply;
mod tell;

use judge::{Ask, Call};
use reply::reply;
use tollgate::{Timestamp, Wait};

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Outcome {
    /// The request passes; or what was asked for has been done.
    Allow = 0,
    /// It does not pass now.
    Deny = 1,
    /// Its cost is above the limit, so it never passes.
    Never = 2,
    /// No answer: the policy, its kind or its name is none. Text says why.
    BadPolicy = 3,
    /// No answer: the state's bytes are none. Text says why.
    BadState = 4,
    /// No answer: it takes more room than the buffer has, or the question does.
    BadLength = 5,
}

/// Where the buffer is in the module's memory.
#[expect(unsafe_code, reason = "the attribute is called unsafe, because two names could clash; nothing else here is")]
#[unsafe(no_mangle)]
pub extern "C" fn buffer() -> *const u8 {
    buffer::address()
}

/// How many bytes it has.
#[expect(unsafe_code, reason = "the attribute, as above")]
#[unsafe(no_mangle)]
pub extern "C" fn buffer_len() -> usize {
    buffer::LEN
}

macro_rules! asks {
    ($($(#[$doc:meta])* $name:ident: $ask:expr;)*) => { $(
        $(#[$doc])*
        #[expect(unsafe_code, reason = "the attribute, as above")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(kind: u32, policy_len: usize, state_len: usize, cost: u32, now: u64) -> Outcome {
            let call = Call { ask: $ask, cost, now: Timestamp::from_nanos(now) };
            reply(policy_len, state_len, &|policy, state, reply| call.judged(kind, policy, state, reply))
        }
    )* };
}

asks! {
    /// Judges a request, and counts it if it passes.
    check: Ask::Check;
    /// Says what a check would, and changes nothing. With a cost of 0, how the key stands.
    peek: Ask::Peek;
    /// Counts usage without asking.
    charge: Ask::Charge;
    /// Gives units back.
    refund: Ask::Refund;
}

/// Renders the header fields that tell an answer, a line each, from its numbers; `retry_after` is 0 if it was no denial.
#[expect(unsafe_code, reason = "the attribute, as above")]
#[unsafe(no_mangle)]
pub extern "C" fn fields(
    kind: u32,
    policy_len: usize,
    name_len: usize,
    retry_after: u64,
    remaining: u32,
    grows_in: u64,
) -> Outcome {
    let [retry_after, grows_in] = [retry_after, grows_in].map(Wait::from_nanos);
    reply(policy_len, name_len, &|policy, name, reply| {
        tell::fields(kind, policy, name, retry_after, remaining, grows_in, reply)
    })
}

/// Renders the body of a refusal, problem details in JSON, for the policy of a name.
#[expect(unsafe_code, reason = "the attribute, as above")]
#[unsafe(no_mangle)]
pub extern "C" fn problem(name_len: usize) -> Outcome {
    reply(0, name_len, &|_, name, reply| tell::problem(name, reply))
}

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

//! What is measured: a check of each policy, as firmware would have it. The policies are constants, and the functions are kept whole.
//!
//! Each has a program of its own in `flash`, in which nothing else is linked, so that the program's size is the check's; `measure` runs them all.

#![no_std]

use core::time::Duration;

use tollgate::{
    Decision, FixedWindow, FixedWindowState, Full, Refill, SlidingLog, SlidingLogArray, Slot, Slots, Timestamp,
    TokenBucket, TokenBucketState,
};

const SECOND: Duration = Duration::from_secs(1);

pub const WINDOW: FixedWindow = FixedWindow::constant(1_000_000, SECOND);
pub const ALIGNED: FixedWindow = WINDOW.aligned(Timestamp::ZERO);
pub const BUCKET: TokenBucket = TokenBucket::constant(1_000_000, SECOND);
pub const INTERVAL: TokenBucket =
    TokenBucket::constant_with(1_000_000, SECOND, 1_000_000, Refill::Interval { origin: Timestamp::ZERO });
pub const LOG: SlidingLog = SlidingLog::constant(16, SECOND);

/// A log with room for all of its quota.
pub type Log = SlidingLogArray<16>;

/// Room for eight keys.
pub type Eight<S> = Slots<[Slot<u32, S>; 8]>;

macro_rules! checks {
    ($($name:ident: $policy:ident over $state:ty;)*) => { $(
        #[inline(never)]
        pub fn $name(state: &mut $state, now: Timestamp) -> Decision {
            $policy.judge(state, now)
        }
    )* };
}

checks! {
    window: WINDOW over FixedWindowState;
    aligned: ALIGNED over FixedWindowState;
    bucket: BUCKET over TokenBucketState;
    interval: INTERVAL over TokenBucketState;
    log: LOG over Log;
}

/// A store for each of three policies.
#[derive(Default)]
pub struct Stores {
    pub windows: Eight<FixedWindowState>,
    pub buckets: Eight<TokenBucketState>,
    pub logs: Eight<Log>,
}

/// A check of each, one after another.
#[inline(never)]
pub fn slots(stores: &mut Stores, now: Timestamp) -> [Result<Decision, Full>; 3] {
    let key = &7;
    [
        WINDOW.check(&mut stores.windows, key, now),
        BUCKET.check(&mut stores.buckets, key, now),
        LOG.check(&mut stores.logs, key, now),
    ]
}

/// A program in which a check is all there is, to be linked and never run.
#[macro_export]
macro_rules! alone {
    ($check:path) => {
        use core::hint::black_box;

        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            loop {}
        }

        // SAFETY: no other function here is called so.
        #[unsafe(no_mangle)]
        extern "C" fn _start() -> ! {
            loop {
                // SAFETY: there is no such state, so this is never run.
                let state = unsafe { &mut *black_box(0x2000_0000 as *mut _) };
                let _ = black_box($check(state, black_box(tollgate::Timestamp::ZERO)));
            }
        }
    };
}

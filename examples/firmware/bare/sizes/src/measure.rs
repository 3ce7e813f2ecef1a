//! Runs each check where instructions are what a hardware timer counts: QEMU with `-icount shift=0`, 1 ns an instruction.
//!
//! Prints a line for each: what it is, instructions where it allows and where it denies, stack, and RAM for a key.

#![no_std]
#![no_main]

use core::arch::asm;
use core::hint::black_box;
use core::panic::PanicInfo;
use core::ptr;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use sizes::{BUCKET, INTERVAL, LOG, Log, Stores, WINDOW, aligned, bucket, interval, log, slots, window};
use tollgate::{Decision, FixedWindowState, Slot, Timestamp, TokenBucketState, Wait};

/// The first of the board's CMSDK timers, which counts down at 25 MHz: a tick is 40 ns, and so 40 instructions.
const TIMER: *mut u32 = 0x4000_0000 as *mut u32;
const INSTRUCTIONS_A_TICK: u32 = 40;

/// So many that a tick is less than a tenth of an instruction in each.
const CALLS: u32 = 4000;

/// Before the first call, so that no state is at its epoch.
const START: Timestamp = Timestamp::from_secs(1_000_000);

/// Of the window of the log.
const SIXTEENTH: Wait = Wait::from_nanos(62_500_000);

fn ticks() -> u32 {
    // SAFETY: the timer's VALUE register.
    !unsafe { TIMER.add(1).read_volatile() }
}

#[inline(never)]
fn nothing<S>(state: &mut S, now: Timestamp) -> Decision {
    black_box((state, now));
    Decision::Allow
}

/// Tenths of an instruction for each call.
#[inline(never)]
fn time<S, A>(check: fn(&mut S, Timestamp) -> A, state: &mut S, step: Wait, agrees: fn(A) -> bool) -> u32 {
    let mut now = START;
    let mut wrong = 0;
    let start = ticks();
    for _ in 0..CALLS {
        let answer = black_box(check)(black_box(state), now);
        wrong += u32::from(!agrees(answer));
        now = now.saturating_add(step);
    }
    let taken = ticks().wrapping_sub(start);
    assert!(wrong == 0, "{wrong} answers are not those that are to be timed");
    taken * INSTRUCTIONS_A_TICK / (CALLS / 10)
}

/// Bytes of stack below the caller that a call writes to.
#[inline(never)]
fn stack<S, A>(check: fn(&mut S, Timestamp) -> A, state: &mut S) -> usize {
    const PAINTED: usize = 2048;
    const PAINT: u8 = 0xA5;
    let top: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) top) };
    for below in 1..=PAINTED {
        // SAFETY: stack that is not in use, in a program without interrupts.
        unsafe { ptr::write_volatile((top - below) as *mut u8, PAINT) };
    }
    black_box(black_box(check)(black_box(state), START));
    // SAFETY: as above.
    let untouched = |below: &usize| unsafe { ptr::read_volatile((top - below) as *const u8) } != PAINT;
    (1..=PAINTED).rev().find(untouched).unwrap_or(0)
}

struct Subject<S, A> {
    name: &'static str,
    check: fn(&mut S, Timestamp) -> A,
    fresh: fn() -> S,
    /// A state that denies.
    used: fn() -> S,
    /// Between two requests, of which all are allowed.
    step: Wait,
    is_allow: fn(A) -> bool,
    is_deny: fn(A) -> bool,
    ram: usize,
}

impl<S, A> Subject<S, A> {
    fn print(self) {
        let of_a_call = |state: &mut S, step| time(nothing::<S>, state, step, Decision::is_allow);
        let (mut fresh, mut used) = ((self.fresh)(), (self.used)());
        let still = Wait::ZERO;
        let bare = of_a_call(&mut fresh, self.step);
        let allow = time(self.check, &mut fresh, self.step, self.is_allow).saturating_sub(bare);
        let bare = of_a_call(&mut used, still);
        let deny = time(self.check, &mut used, still, self.is_deny).saturating_sub(bare);
        let depth = |state: &mut S| stack(self.check, state).saturating_sub(stack(nothing::<S>, state));
        let stack = depth(&mut (self.fresh)()).max(depth(&mut (self.used)()));
        hprintln!("{} {} {} {} {}", self.name, (allow + 5) / 10, (deny + 5) / 10, stack, self.ram);
    }
}

fn of_one<S>(
    name: &'static str,
    check: fn(&mut S, Timestamp) -> Decision,
    fresh: fn() -> S,
    used: fn() -> S,
    step: Wait,
) -> Subject<S, Decision> {
    let (is_allow, is_deny): (fn(Decision) -> bool, fn(Decision) -> bool) =
        (Decision::is_allow, |answer| !answer.is_allow());
    Subject { name, check, fresh, used, step, is_allow, is_deny, ram: size_of::<S>() }
}

fn of_window(charge: u32) -> FixedWindowState {
    let mut state = FixedWindowState::default();
    WINDOW.charge_to(&mut state, charge, START);
    state
}

fn of_bucket(charge: u32) -> TokenBucketState {
    let mut state = TokenBucketState::default();
    BUCKET.charge_to(&mut state, charge, START);
    state
}

fn of_interval(charge: u32) -> TokenBucketState {
    let mut state = TokenBucketState::default();
    INTERVAL.charge_to(&mut state, charge, START);
    state
}

/// A log of sixteen admissions, a sixteenth of a window apart, the last of them so many of these before the start.
fn of_log(before: u64) -> Log {
    let mut state = Log::default();
    for entry in (before..before + 16).rev() {
        LOG.charge_to(&mut state, 1, Timestamp::from_nanos(START.as_nanos() - entry * SIXTEENTH.as_nanos()));
    }
    state
}

fn of_stores(used: bool) -> Stores {
    let mut stores = Stores::default();
    if used {
        let _ = WINDOW.charge(&mut stores.windows, &7, 1_000_000, START);
        let _ = BUCKET.charge(&mut stores.buckets, &7, 1_000_000, START);
        let _ = LOG.charge(&mut stores.logs, &7, 16, START);
    }
    stores
}

#[entry]
fn main() -> ! {
    // SAFETY: the timer's RELOAD, VALUE and CTRL registers; bit 0 of the last lets it run.
    unsafe {
        TIMER.add(2).write_volatile(u32::MAX);
        TIMER.add(1).write_volatile(u32::MAX);
        TIMER.write_volatile(1);
    }
    let still = Wait::ZERO;
    let second = Wait::from_secs(1);
    of_one("window", window, || of_window(1), || of_window(1_000_000), still).print();
    of_one("window-opens", window, || of_window(1), || of_window(1_000_000), second).print();
    of_one("aligned-opens", aligned, || of_window(1), || of_window(1_000_000), second).print();
    of_one("bucket", bucket, || of_bucket(1), || of_bucket(1_000_000), still).print();
    of_one("bucket-full", bucket, || of_bucket(1), || of_bucket(1_000_000), second).print();
    of_one("interval", interval, || of_interval(1), || of_interval(1_000_000), still).print();
    of_one("log", log, || of_log(1), || of_log(0), SIXTEENTH).print();
    Subject {
        name: "slots",
        check: slots,
        fresh: || of_stores(false),
        used: || of_stores(true),
        step: SIXTEENTH,
        is_allow: |answers| answers.iter().all(|answer| answer.is_ok_and(Decision::is_allow)),
        is_deny: |answers| answers.iter().all(|answer| answer.is_ok_and(|decision| !decision.is_allow())),
        ram: size_of::<Slot<u32, FixedWindowState>>()
            + size_of::<Slot<u32, TokenBucketState>>()
            + size_of::<Slot<u32, Log>>(),
    }
    .print();
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}

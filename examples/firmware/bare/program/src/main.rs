//! The firmware on a board MPS2 with the FPGA image AN385, which QEMU has: a Cortex-M3, and a 32-bit timer at 25 MHz that wraps every 172 s.
//!
//! It prints by semihosting, and its exit status is its verdict: 0 where all was decided as it must be.

#![no_std]
#![no_main]

use core::fmt::Arguments;
use core::num::NonZeroU32;
use core::panic::PanicInfo;

use cortex_m::asm::wfi;
use cortex_m::interrupt::{self, InterruptNumber};
use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use firmware::board::PAGE;
use firmware::{Board, Device, day};

/// The registers of a CMSDK timer, which counts down from VALUE, and goes on from RELOAD.
#[derive(Clone, Copy)]
struct Timer(*mut u32);

/// Counts on for ever.
const CLOCK: Timer = Timer(0x4000_0000 as *mut u32);

/// Wakes the core.
const ALARM: Timer = Timer(0x4000_1000 as *mut u32);

impl Timer {
    const RUN: u32 = 1;
    const INTERRUPT: u32 = 8;

    fn start(self, value: u32, reload: u32, control: u32) {
        // SAFETY: CTRL, VALUE and RELOAD, which nothing else writes to at the same time: there are no threads, and no interrupts.
        unsafe {
            self.0.write_volatile(0);
            self.0.add(2).write_volatile(reload);
            self.0.add(1).write_volatile(value);
            self.0.write_volatile(control);
        }
    }

    fn value(self) -> u32 {
        // SAFETY: VALUE, which may be read at any time.
        unsafe { self.0.add(1).read_volatile() }
    }

    fn acknowledge(self) {
        // SAFETY: CTRL and INTCLEAR, as above.
        unsafe {
            self.0.write_volatile(0);
            self.0.add(3).write_volatile(1);
        }
    }
}

/// The alarm's interrupt. It is enabled and never taken: that it is pending wakes the core.
#[derive(Clone, Copy)]
struct Alarm;

// SAFETY: the board's number of it.
unsafe impl InterruptNumber for Alarm {
    fn number(self) -> u16 {
        9
    }
}

/// Ticks to the first wrap, two seconds: the log is being throttled then.
const BEFORE_WRAP: u32 = 50_000_000;

struct Mps2 {
    page: [u8; PAGE],
}

impl Board for Mps2 {
    const HZ: NonZeroU32 = NonZeroU32::new(25_000_000).unwrap();

    fn ticks(&mut self) -> u32 {
        !CLOCK.value()
    }

    fn sleep(&mut self, ticks: u32) {
        let start = self.ticks();
        loop {
            let left = ticks.saturating_sub(self.ticks().wrapping_sub(start));
            if left == 0 {
                return;
            }
            ALARM.start(left, 0, Timer::RUN | Timer::INTERRUPT);
            wfi();
            ALARM.acknowledge();
            NVIC::unpend(Alarm);
        }
    }

    fn print(&mut self, line: Arguments<'_>) {
        hprintln!("{}", line);
    }

    fn page(&mut self) -> &mut [u8; PAGE] {
        &mut self.page
    }
}

#[entry]
fn main() -> ! {
    interrupt::disable();
    // SAFETY: interrupts are disabled, so that no critical section is broken.
    unsafe { NVIC::unmask(Alarm) };
    CLOCK.start(BEFORE_WRAP, u32::MAX, Timer::RUN);
    let mut device = Device::new(Mps2 { page: [0xFF; PAGE] });
    match day::run(&mut device) {
        Ok(()) => exit(true),
        Err(unexpected) => {
            hprintln!("# {}", unexpected);
            exit(false)
        }
    }
}

fn exit(well: bool) -> ! {
    debug::exit(if well { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {}
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("# {}", info);
    exit(false)
}

//! The firmware on simulated boards: what it decides is what the specification says.

use core::fmt::{Arguments, Write};
use core::num::NonZeroU32;

use firmware::board::PAGE;
use firmware::login::Login;
use firmware::{Board, Device, day};
use firmware_check::replay;

// It is what the macro's critical section is on a host.
use critical_section as _;

/// A board whose counter goes on by a few ticks at each reading.
struct Simulated<const HZ: u32> {
    ticks: u32,
    printed: String,
    page: [u8; PAGE],
}

impl<const HZ: u32> Board for Simulated<HZ> {
    const HZ: NonZeroU32 = NonZeroU32::new(HZ).unwrap();

    fn ticks(&mut self) -> u32 {
        self.ticks = self.ticks.wrapping_add(3);
        self.ticks
    }

    fn sleep(&mut self, ticks: u32) {
        self.ticks = self.ticks.wrapping_add(ticks).wrapping_add(2);
    }

    fn print(&mut self, line: Arguments<'_>) {
        writeln!(self.printed, "{line}").expect("a string takes all");
    }

    fn page(&mut self) -> &mut [u8; PAGE] {
        &mut self.page
    }
}

/// A board that was switched on so many ticks before its counter wraps.
fn board<const HZ: u32>(before: u32) -> Device<Simulated<HZ>> {
    Device::new(Simulated { ticks: u32::MAX - before, printed: String::new(), page: [0xFF; PAGE] })
}

/// A day of a board.
fn day<const HZ: u32>(before: u32) -> Device<Simulated<HZ>> {
    let mut device = board::<HZ>(before);
    let outcome = day::run(&mut device);
    assert_eq!(outcome, Ok(()), "{}", outcome.map_or_else(|unexpected| unexpected.to_string(), |()| String::new()));
    device
}

// The call sites are statics, as on a board, so a process has one day.
#[test]
fn a_day_on_any_board_is_as_it_must_be_and_as_the_specification_says() {
    let mut device = day::<25_000_000>(50_000_000);
    let counts = replay(&device.board.printed).unwrap_or_else(|mistake| panic!("{mistake}"));
    assert_eq!(counts["radio"], [48, 222]);
    assert_eq!(counts["publish"], [11, 15]);
    assert_eq!(counts["login"], [6, 2]);
    assert_eq!(device.wraps(), 38, "after 2 s, and then every 172 s of 6,440");
    assert!(device.board.printed.contains("supply voltage is low"));
    assert!(device.board.printed.contains("(17 suppressed before)"), "{}", device.board.printed);
}

#[test]
fn a_login_survives_resets_full_pages_and_torn_records() {
    // 32,768 Hz, of which a tick is no whole number of nanoseconds.
    let mut device = board::<32_768>(1_000);
    for _ in 0..10 {
        for attempt in 0..8 {
            let decision = Login::restored(&mut device).attempt(&mut device);
            assert_eq!(decision.is_allow(), attempt < 5, "{attempt}");
            device.sleep_millis(1_000);
        }
        device.sleep_millis(900_000);
    }

    let mut login = Login::restored(&mut device);
    assert!(login.attempt(&mut device).is_allow());
    let whole = device.board.page;
    assert!(login.attempt(&mut device).is_allow());
    let torn = device.board.page.iter().zip(whole).rposition(|(after, before)| *after != before).expect("written");
    device.board.page[torn] = whole[torn];
    let mut login = Login::restored(&mut device);
    let left = (0..5).filter(|_| login.attempt(&mut device).is_allow()).count();
    assert_eq!(left, 4, "of five, one was written whole");
}

#[test]
fn what_the_specification_does_not_say_is_found() {
    let mistake = |printed| replay(printed).expect_err(printed).to_string();
    assert!(mistake("log a 1 5 deny 7").contains("says \"allow\""));
    assert!(mistake("log a 1 5 allow\nlog a 1 5 allow\nlog a 1 5 allow\nlog a 1 5 allow").starts_with("line 4: "));
    assert!(mistake("log a 1 5 allow").contains("shows little"));
    assert!(mistake("log a 1").contains("there is no time"));
    assert!(mistake("log a one 5 allow").contains("no number"));
    assert!(mistake("log a 1 9223372036854775808 allow").contains("beyond the last"));
    assert!(mistake("door a 1 5 allow").contains("no limiter"));
    assert!(mistake("radio 868MHz 36001 5 allow").contains("says \"never\""));
}

//! A log that does not flood its UART: at most three lines at once from a call site, then one in two seconds, and a count of what was suppressed.

use core::cell::Cell;
use core::fmt::Arguments;
use core::time::Duration;

use critical_section::Mutex;
use tollgate::{Decision, Refill, TokenBucket, TokenBucketState};

use crate::{Board, Device};

/// One line in two seconds, three at once.
pub const LINES: TokenBucket = TokenBucket::constant_with(1, Duration::from_secs(2), 3, Refill::Continuous);

/// A call site's state: 28 bytes in RAM. The policy is in flash.
///
/// An interrupt may log too, so it is held in a critical section, which lasts for one decision: some fifty instructions.
pub struct Site {
    name: &'static str,
    state: Mutex<Cell<(TokenBucketState, u32)>>,
}

impl Site {
    /// A call site that has logged nothing yet.
    pub const fn new(name: &'static str) -> Self {
        Self { name, state: Mutex::new(Cell::new((TokenBucketState::new(), 0))) }
    }

    /// Prints a line, or counts it as suppressed. Whether it was printed.
    pub fn log<B: Board>(&self, device: &mut Device<B>, line: Arguments<'_>) -> bool {
        let now = device.now();
        let (decision, suppressed) = critical_section::with(|section| {
            let state = self.state.borrow(section);
            let (mut bucket, suppressed) = state.take();
            let decision = LINES.judge(&mut bucket, now);
            let left = if decision.is_allow() { 0 } else { suppressed.saturating_add(1) };
            state.set((bucket, left));
            (decision, suppressed)
        });
        device.decided("log", self.name, 1, now, Ok(decision));
        match decision {
            Decision::Allow if suppressed > 0 => {
                device.board.print(format_args!("# {line} ({suppressed} suppressed before)"))
            }
            Decision::Allow => device.board.print(format_args!("# {line}")),
            Decision::Deny { .. } => {}
        }
        decision.is_allow()
    }
}

/// Logs a line, throttled for itself: each place in the source that this stands at has a state of its own.
#[macro_export]
macro_rules! throttled {
    ($device:expr, $name:literal, $($line:tt)+) => {{
        static SITE: $crate::throttle::Site = $crate::throttle::Site::new($name);
        SITE.log($device, format_args!($($line)+))
    }};
}

//! A radio's duty cycle: in any hour, at most 36 s on the air, as the 868 MHz band's rules ask (1 %).

use core::time::Duration;

use tollgate::{CostExceedsLimit, Decision, SlidingLog, SlidingLogArray};

use crate::{Board, Device};

/// 36 s of airtime in any hour, counted in milliseconds. A window would let twice that pass around its end.
pub const AIRTIME: SlidingLog = SlidingLog::constant(36_000, Duration::from_secs(60 * 60));

/// Transmissions that are remembered. More, and shorter ones, wait for the oldest to be an hour old though there is airtime left.
pub const RING: usize = 32;

/// What was on the air in the last hour: 408 bytes.
#[derive(Default)]
pub struct Radio {
    airtime: SlidingLogArray<RING>,
}

impl Radio {
    /// Whether a message of so many milliseconds may be sent.
    ///
    /// # Errors
    ///
    /// Where it is longer than an hour's airtime.
    pub fn send<B: Board>(&mut self, device: &mut Device<B>, millis: u32) -> Result<Decision, CostExceedsLimit> {
        let now = device.now();
        let decision = AIRTIME.judge_n(&mut self.airtime, millis, now)?;
        device.decided("radio", "868MHz", millis, now, Ok(decision));
        Ok(decision)
    }
}

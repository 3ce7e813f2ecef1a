//! Attempts to log in: five in a quarter of an hour. A reset gives no new ones, since each attempt is written to flash before it is judged good or bad.
//!
//! The page is a journal: records of a fixed length, of which the last one that was written whole is the state. A record is its check
//! and the state's bytes. A page that is full is erased, in one step with the next record here; a device with two pages would
//! write to the other one first.
//!
//! The clock goes on over the reset here, as a real-time clock does. A device that counts ticks from its start keeps the count with the record:
//! else a window that was open at the reset stays so until the device has run as long as it had then.

use core::time::Duration;

use tollgate::wire::Wire;
use tollgate::{Decision, FixedWindow, FixedWindowState};

use crate::board::PAGE;
use crate::{Board, Device};

/// Five attempts in a quarter of an hour.
pub const ATTEMPTS: FixedWindow = FixedWindow::constant(5, Duration::from_secs(15 * 60));

/// A check of four bytes, and the state.
const RECORD: usize = 4 + FixedWindowState::MAX_LEN;

/// What is remembered of the attempts, in RAM and in flash.
pub struct Login {
    state: FixedWindowState,
    /// The records in the page.
    written: usize,
}

impl Login {
    /// What the page remembers. One that holds no record that can be read is a new one.
    pub fn restored<B: Board>(device: &mut Device<B>) -> Self {
        let mut restored = Self { state: FixedWindowState::new(), written: 0 };
        for (index, record) in device.board.page().chunks_exact(RECORD).enumerate() {
            if record.iter().any(|byte| *byte != 0xFF) {
                // Also of a record that was torn: what lies there cannot be written again.
                restored.written = index + 1;
            }
            if let Some(state) = read(record) {
                restored.state = state;
            }
        }
        restored
    }

    /// Whether there may be another attempt.
    pub fn attempt<B: Board>(&mut self, device: &mut Device<B>) -> Decision {
        let now = device.now();
        let decision = ATTEMPTS.judge(&mut self.state, now);
        if decision.is_allow() {
            self.keep(device.board.page());
        }
        device.decided("login", "admin", 1, now, Ok(decision));
        decision
    }

    /// Writes the state behind the last record.
    fn keep(&mut self, page: &mut [u8; PAGE]) {
        if self.written >= PAGE / RECORD {
            page.fill(0xFF);
            self.written = 0;
        }
        if let Some((check, state)) =
            page.chunks_exact_mut(RECORD).nth(self.written).and_then(|record| record.split_first_chunk_mut())
        {
            // A state is never longer than its greatest length.
            if let Ok(bytes) = self.state.encode(state) {
                *check = checksum(bytes);
            }
        }
        self.written += 1;
    }
}

/// The state in a record, if it was written whole.
fn read(record: &[u8]) -> Option<FixedWindowState> {
    let (check, state) = record.split_first_chunk()?;
    if *check == checksum(state) { FixedWindowState::decode(state).ok() } else { None }
}

/// FNV-1a, which a page of zeros or ones does not pass.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    bytes.iter().fold(0x811C_9DC5_u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193)).to_le_bytes()
}

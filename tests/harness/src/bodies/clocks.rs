//! Samples of clocks that step back, and readings of counters that wrap.
//!
//! The first byte chooses:
//!
//! - `00` a monotonic clock: its tolerance as a time, then its samples as times;
//! - `01` a counter of 32 bits: where it starts, its ticks a second, then how far each reading is from the one before it, round the
//!   whole wrap (`E0`: one back);
//! - `02` the same counter: where it starts, then how far it goes forward each time.
//!
//! What is no time is read as a cost is, with a limit of half a wrap.

use core::num::NonZeroU32;

use super::input::Input;
use crate::clocks::{run_monotonic, run_true_counts, run_wrapping};

const HALF_A_WRAP: u32 = 1 << 31;

/// Runs a case.
///
/// # Panics
///
/// Where a clock differs from its definition.
pub fn run(case: &[u8]) {
    let mut input = Input::new(case);
    match input.choice(3) {
        0 => {
            let tolerance = input.time(&mut 0);
            let mut latest = 0;
            run_monotonic(tolerance, &input.steps(64, |input| input.time(&mut latest)));
        }
        1 => {
            let (start, hz) = (input.cost(HALF_A_WRAP), input.cost(HALF_A_WRAP));
            let mut reading = start;
            let readings = input.steps(64, |input| {
                reading = reading.wrapping_add(input.cost(HALF_A_WRAP));
                reading
            });
            run_wrapping(start, NonZeroU32::new(hz).unwrap_or(NonZeroU32::MIN), &readings);
        }
        _ => {
            let start = input.cost(HALF_A_WRAP);
            run_true_counts(start, &input.steps(64, |input| input.cost(HALF_A_WRAP)));
        }
    }
}

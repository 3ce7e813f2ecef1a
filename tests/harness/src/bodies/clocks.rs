//! Samples of clocks that step back, and readings of counters that wrap.
//!
//! The first byte chooses: `00` a monotonic clock, then its tolerance as a time, then its samples as times; `01` a counter of 32 bits, then where it
//! starts and its ticks a second, then its readings; `02` the same counter, then where it starts, then how far it goes each time. Those are
//! units as costs are, relative to the one before.

use core::num::NonZeroU32;

use super::input::Input;
use crate::clocks::{run_monotonic, run_true_counts, run_wrapping};

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
            run_monotonic(tolerance, &input.steps(|input| input.time(&mut latest)));
        }
        1 => {
            let (start, hz) = (input.cost(0), input.cost(0));
            let mut before = start;
            let readings = input.steps(|input| {
                before = input.cost(before);
                before
            });
            run_wrapping(start, NonZeroU32::new(hz).unwrap_or(NonZeroU32::MIN), &readings);
        }
        _ => {
            let start = input.cost(0);
            run_true_counts(start, &input.steps(|input| input.cost(1 << 31)));
        }
    }
}

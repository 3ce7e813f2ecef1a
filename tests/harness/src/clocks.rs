//! The clocks against their definitions, which here look at all samples from the first on and keep no state.

use core::num::NonZeroU32;

use tollgate::{Monotonic, Timestamp, Wait, Wrapping32};

use crate::oracle::policy::LAST_TIMESTAMP;

/// What [`Monotonic`] gives for the last of these samples: the time that the clock has run forward.
///
/// A sample further behind the furthest one than the tolerance starts a new run; any other belongs to the run before it. In each run the
/// clock went forward from its first sample, the very first from zero, to its furthest.
pub fn monotonic(tolerance: u64, samples: &[u64]) -> u64 {
    let mut runs = vec![vec![0]];
    for sample in samples {
        let run = runs.last_mut().expect("there is one from the start");
        match furthest(run).checked_sub(*sample) {
            Some(back) if back > tolerance => runs.push(vec![*sample]),
            _ => run.push(*sample),
        }
    }
    let forward: u128 = runs.iter().map(|run| u128::from(furthest(run) - run[0])).sum();
    forward.min(LAST_TIMESTAMP.into()) as u64
}

fn furthest(run: &[u64]) -> u64 {
    run.iter().copied().max().expect("a run has a first sample")
}

/// What [`Wrapping32`] gives for the last of these readings: of all counts that a counter of 32 bits shows so, the one from 2^31 before the
/// furthest to just below 2^31 after it; or zero, if that is before the epoch.
///
/// # Panics
///
/// Without readings.
pub fn wrapping(start: u32, readings: &[u32]) -> u64 {
    let mut furthest = i128::from(start);
    let mut count = furthest;
    for reading in readings {
        let wraps = (furthest - i128::from(*reading)) >> 32;
        let shown = [wraps - 1, wraps, wraps + 1].map(|wraps| (wraps << 32) + i128::from(*reading));
        let near = furthest - (1 << 31)..furthest + (1 << 31);
        count = shown.into_iter().find(|count| near.contains(count)).expect("as long as a whole wrap");
        furthest = furthest.max(count);
    }
    count.max(0) as u64
}

/// What a counter at `hz` that shows `ticks` stands for, rounded down.
pub fn ticks(ticks: u64, hz: u32) -> u64 {
    (u128::from(ticks) * 1_000_000_000 / u128::from(hz)).min(LAST_TIMESTAMP.into()) as u64
}

/// Feeds samples to a [`Monotonic`].
///
/// # Panics
///
/// Where it differs from its definition, or goes back.
pub fn run_monotonic(tolerance: u64, samples: &[u64]) {
    let mut clock = Monotonic::new(Wait::from_nanos(tolerance));
    let mut before = 0;
    for (index, sample) in samples.iter().enumerate() {
        let seen = &samples[..=index];
        let output = clock.advance(Timestamp::from_nanos(*sample)).as_nanos();
        assert_eq!(output, monotonic(tolerance, seen), "with tolerance {tolerance}, of {seen:?}");
        assert!(output >= before, "with tolerance {tolerance}, back to {output} by {seen:?}");
        assert_eq!(clock.now().as_nanos(), output, "the last output");
        before = output;
    }
}

/// Feeds readings to a [`Wrapping32`], and its counts to a timestamp at `hz`.
///
/// # Panics
///
/// Where they differ from their definitions.
pub fn run_wrapping(start: u32, hz: NonZeroU32, readings: &[u32]) {
    let mut counter = Wrapping32::starting_at(start);
    for (index, reading) in readings.iter().enumerate() {
        let seen = &readings[..=index];
        let count = counter.extend(*reading);
        assert_eq!(count, wrapping(start, seen), "from {start}, of {seen:?}");
        let time = Timestamp::from_ticks(count, hz).as_nanos();
        assert_eq!(time, ticks(count, hz.get()), "{count} ticks at {hz} Hz");
    }
}

/// Shows a [`Wrapping32`] a counter that has gone forward by each of `steps`, less than half a wrap each, and that it has wrapped is not seen.
///
/// # Panics
///
/// Where a count is not the true one.
pub fn run_true_counts(start: u32, steps: &[u32]) {
    let mut counter = Wrapping32::starting_at(start);
    let mut truth = u64::from(start);
    for step in steps {
        truth += u64::from(step % (1 << 31));
        assert_eq!(counter.extend(truth as u32), truth, "from {start}, by {steps:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_gives_what_the_contract_says() {
        let samples = [100, 95, 101, 50, 51];
        let outputs = [1, 2, 3, 4, 5].map(|seen| monotonic(10, &samples[..seen]));
        assert_eq!(outputs, [100, 100, 101, 101, 102]);
        assert_eq!(monotonic(0, &[LAST_TIMESTAMP, 0, 5]), LAST_TIMESTAMP);
    }

    #[test]
    fn half_a_wrap_is_late_and_less_is_forward() {
        assert_eq!(wrapping(0xFFFF_FFFE, &[3]), 0x1_0000_0003);
        assert_eq!(wrapping(0xFFFF_FFFE, &[3, 1]), 0x1_0000_0001);
        assert_eq!(wrapping(5, &[5 + (1 << 31) - 1]), 5 + (1 << 31) - 1);
        assert_eq!(wrapping(5, &[5 + (1 << 31)]), 0);
        assert_eq!(wrapping(5, &[1 << 31, 5]), 5);
    }

    #[test]
    fn ticks_round_down() {
        assert_eq!(ticks(1, 32_768), 30_517);
        assert_eq!(ticks(u64::MAX, 1), LAST_TIMESTAMP);
    }
}

//! Cases of the clocks.

use serde::Deserialize;
use tollgate::{Monotonic, Timestamp, Wait, Wrapping32};

/// `clocks.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clocks {
    #[serde(rename = "about")]
    _about: String,
    monotonic: Vec<MonotonicCase>,
    wrapping32: Vec<WrappingCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MonotonicCase {
    name: String,
    why: String,
    tolerance_ns: u64,
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    clock_ns: u64,
    now_ns: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrappingCase {
    name: String,
    why: String,
    start: u32,
    readings: Vec<Reading>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    reading: u32,
    count: u64,
}

#[test]
fn clocks_answer_as_the_vectors_say() {
    let clocks: Clocks = serde_json::from_str(include_str!("../clocks.json")).unwrap();
    for MonotonicCase { name, why, tolerance_ns, samples } in clocks.monotonic {
        let mut clock = Monotonic::new(Wait::from_nanos(tolerance_ns));
        for (index, Sample { clock_ns, now_ns }) in samples.into_iter().enumerate() {
            let output = clock.advance(Timestamp::from_nanos(clock_ns)).as_nanos();
            assert_eq!(output, now_ns, "{name:?} ({why}): sample {index}, {clock_ns}");
        }
    }
    for WrappingCase { name, why, start, readings } in clocks.wrapping32 {
        let mut counter = Wrapping32::starting_at(start);
        for (index, Reading { reading, count }) in readings.into_iter().enumerate() {
            assert_eq!(counter.extend(reading), count, "{name:?} ({why}): reading {index}, {reading}");
        }
    }
}

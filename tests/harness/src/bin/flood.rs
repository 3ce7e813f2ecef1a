//! A flood of new keys against a `Table` with some keys that are known: what it costs, and that those are not forgotten.
//!
//! ```text
//! cargo run --release -p tollgate-harness --bin flood -- --keys 10000000 --slots 65536
//! ```
//!
//! Half of the slots hold known keys, whose quota of one a year is used up. Then new keys come, a million in a second of the timestamps, each once, and live for
//! 100 ms: more than there is room for. After every 100 of them a known key tries again.

use core::time::Duration;
use std::process::ExitCode;
use std::time::Instant;

use tollgate::store::{HeapBuckets, Table};
use tollgate::{Decision, Timestamp, TokenBucket, TokenBucketState};
use tollgate_harness::program::{Number, numbers};

const KNOWN: TokenBucket = TokenBucket::constant(1, Duration::from_secs(365 * 24 * 3600));
const NEW: TokenBucket = TokenBucket::constant(1, Duration::from_millis(100));

fn main() -> ExitCode {
    let keys = Number { name: "--keys", default: 10_000_000, least: 1 };
    match numbers([keys, Number { name: "--slots", default: 65_536, least: 1 }]) {
        Ok([keys, slots]) => flood(keys, slots as usize),
        Err(why) => {
            eprintln!("flood: {why}");
            ExitCode::from(2)
        }
    }
}

fn flood(keys: u64, slots: usize) -> ExitCode {
    let mut table = Table::new(HeapBuckets::<u64, TokenBucketState>::new(slots, 0));
    // New keys are below 2^63.
    let known = |number: u64| number | 1 << 63;
    let remembered = (0..slots as u64 / 2)
        .filter(|&number| KNOWN.check(&mut table, &known(number), Timestamp::ZERO) == Ok(Decision::Allow))
        .count() as u64;
    let (mut admitted, mut full, mut forgotten) = (0_u64, 0_u64, 0_u64);
    let start = Instant::now();
    for key in 0..keys {
        let now = Timestamp::from_micros(key);
        match NEW.check(&mut table, &key, now) {
            Ok(_) => admitted += 1,
            Err(_) => full += 1,
        }
        if key % 100 == 0 && remembered > 0 {
            let again = KNOWN.check(&mut table, &known(key / 100 % remembered), now);
            forgotten += u64::from(again == Ok(Decision::Allow));
        }
    }
    let elapsed = start.elapsed();
    println!(
        "{keys} new keys, {slots} slots of which {remembered} hold known keys: {admitted} admitted, {full} found it full"
    );
    println!("{} slots and {} keys after it; {forgotten} known keys were forgotten", table.capacity(), table.len());
    println!("{:.0} ns a key", elapsed.as_nanos() as f64 / keys as f64);
    if forgotten == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

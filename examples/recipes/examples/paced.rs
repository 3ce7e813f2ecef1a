//! A command line that calls somebody else's API exactly as fast as it allows: five at once, then two a second.
use std::thread::sleep;
use std::time::{Duration, Instant};

use tollgate::{Decision, Refill, Timestamp, TokenBucket, TokenBucketState};

const ALLOWED: TokenBucket = TokenBucket::constant_with(2, Duration::from_secs(1), 5, Refill::Continuous);

fn main() {
    let start = Instant::now();
    let mut state = TokenBucketState::default();
    for page in 1..=12 {
        // Their clock is not ours: whoever must never see a 429 takes a rate a little below what is allowed.
        while let Decision::Deny { retry_after } = ALLOWED.judge(&mut state, Timestamp::since_epoch(start.elapsed())) {
            sleep(retry_after.into());
        }
        println!("{:>5} ms  GET /pages/{page}", start.elapsed().as_millis());
    }
}

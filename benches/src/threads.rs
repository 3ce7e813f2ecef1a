//! Stores that many threads share, by one thread and by two.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::thread;
use std::time::Duration;

use foldhash::fast::FixedState;
use tollgate::store::Sharded;
use tollgate::{Timestamp, TokenBucket, TokenBucketState};

use crate::clock::Told;
use crate::measure::Contender;

/// The checks of all threads together.
pub const CHECKS: usize = 200_000;
/// So many a second that all are allowed.
const PLENTY: u32 = 1_000_000_000;

/// The keys that each thread checks.
#[derive(Clone, Copy)]
pub enum Keys {
    /// Ten thousand of its own.
    Own,
    /// One, the same for all.
    OneForAll,
}

impl Keys {
    fn key(self, thread: usize, check: usize) -> u64 {
        match self {
            Self::Own => (thread * 10_000 + check % 10_000) as u64,
            Self::OneForAll => 7,
        }
    }
}

fn contender<'a>(
    name: &str,
    threads: usize,
    keys: Keys,
    allows: impl Fn(u64, Timestamp) -> bool + Sync + 'a,
) -> Contender<'a> {
    let plural = if threads == 1 { "thread" } else { "threads" };
    Contender::new(format!("{name}, {threads} {plural}"), move || {
        let run = |thread| {
            let checks = 0..CHECKS / threads;
            checks.filter(|check| allows(keys.key(thread, *check), Timestamp::from_nanos(*check as u64))).count()
        };
        let allowed: usize = thread::scope(|scope| {
            let run = &run;
            let started: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
            started.into_iter().map(|thread| thread.join().expect("no thread panics")).sum()
        });
        assert_eq!(allowed, CHECKS, "a contender that does not do what the others do");
    })
}

pub fn contenders(keys: Keys) -> Vec<Contender<'static>> {
    [1, 2].into_iter().flat_map(|threads| [ours(threads, keys), governor(threads, keys)]).collect()
}

fn ours(threads: usize, keys: Keys) -> Contender<'static> {
    const POLICY: TokenBucket = TokenBucket::constant(PLENTY, Duration::from_secs(1));
    let make = || HashMap::<u64, TokenBucketState, FixedState>::with_hasher(FixedState::with_seed(1));
    let shared = Sharded::with_shards(64, FixedState::with_seed(2), make);
    contender("**Sharded** `HashMap`", threads, keys, move |key, now| {
        let Ok(decision) = POLICY.check(&shared, &key, now);
        decision.is_allow()
    })
}

fn governor(threads: usize, keys: Keys) -> Contender<'static> {
    let quota = governor::Quota::per_second(NonZeroU32::new(PLENTY).expect("not zero"));
    let hasher = FixedState::with_seed(1);
    // Its clock stands: to set it from two threads would be what is measured.
    let limiter = governor::RateLimiter::dashmap_with_clock_and_hasher(quota, Told::default(), hasher);
    contender("governor, same hasher", threads, keys, move |key, _| limiter.check_key(&key).is_ok())
}

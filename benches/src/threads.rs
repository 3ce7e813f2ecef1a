//! Stores that many threads share, by one thread and by two.

use std::collections::HashMap;
use std::hint::spin_loop;
use std::num::NonZeroU32;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;
use std::time::Duration;

use foldhash::fast::FixedState;
use tollgate::store::Sharded;
use tollgate::{Timestamp, TokenBucket, TokenBucketState};

use crate::clock::Told;
use crate::measure::Contender;

/// The checks of all threads together: so many that starting the threads is no part of it.
pub const CHECKS: usize = 1_000_000;
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

/// So many threads as there are states, each with its own.
fn contender<T: Send + 'static>(
    name: &str,
    keys: Keys,
    mut states: Vec<T>,
    allows: impl Fn(&mut T, u64, Timestamp) -> bool + Sync + 'static,
) -> Contender<'static> {
    let threads = states.len();
    Contender::new(named(name, threads), move || {
        let run = |thread, state: &mut T| {
            let checks = 0..CHECKS / threads;
            checks.filter(|check| allows(state, keys.key(thread, *check), Timestamp::from_nanos(*check as u64))).count()
        };
        let allowed: usize = thread::scope(|scope| {
            let run = &run;
            let states = states.iter_mut().enumerate();
            let started: Vec<_> = states.map(|(thread, state)| scope.spawn(move || run(thread, state))).collect();
            started.into_iter().map(|thread| thread.join().expect("no thread panics")).sum()
        });
        assert_eq!(allowed, CHECKS, "a contender that does not do what the others do");
    })
}

fn named(name: &str, threads: usize) -> String {
    let plural = if threads == 1 { "thread" } else { "threads" };
    format!("{name}, {threads} {plural}")
}

/// With keys of their own, beside what shares nothing: so it shows what two threads could do here, and what a cache line takes from one to the other.
pub fn contenders(keys: Keys) -> Vec<Contender<'static>> {
    let one_for_all = [1, 2].into_iter().flat_map(|threads| [ours(threads, keys), governor(threads, keys)]);
    let one_for_each = [1, 2].into_iter().flat_map(|threads| [maps(threads, keys), stores(threads, keys)]);
    match keys {
        Keys::Own => one_for_all.chain(one_for_each).chain([handed_over()]).collect(),
        Keys::OneForAll => one_for_all.collect(),
    }
}

const POLICY: TokenBucket = TokenBucket::constant(PLENTY, Duration::from_secs(1));

type Map = HashMap<u64, TokenBucketState, FixedState>;

fn map() -> Map {
    Map::with_hasher(FixedState::with_seed(1))
}

fn sharded() -> Sharded<Map, FixedState> {
    Sharded::with_shards(64, FixedState::with_seed(2), map)
}

fn ours(threads: usize, keys: Keys) -> Contender<'static> {
    let shared = sharded();
    contender("**Sharded** `HashMap`", keys, vec![(); threads], move |(), key, now| {
        let Ok(decision) = POLICY.check(&shared, &key, now);
        decision.is_allow()
    })
}

fn governor(threads: usize, keys: Keys) -> Contender<'static> {
    let quota = governor::Quota::per_second(NonZeroU32::new(PLENTY).expect("not zero"));
    let hasher = FixedState::with_seed(1);
    // Its clock stands: to set it from two threads would be what is measured.
    let limiter = governor::RateLimiter::dashmap_with_clock_and_hasher(quota, Told::default(), hasher);
    contender("governor, same hasher", keys, vec![(); threads], move |(), key, _| limiter.check_key(&key).is_ok())
}

fn maps(threads: usize, keys: Keys) -> Contender<'static> {
    let maps = (0..threads).map(|_| map()).collect();
    contender("a `HashMap` for each thread, no lock", keys, maps, |map, key, now| {
        let Ok(decision) = POLICY.check(map, &key, now);
        decision.is_allow()
    })
}

fn stores(threads: usize, keys: Keys) -> Contender<'static> {
    let stores = (0..threads).map(|_| sharded()).collect();
    contender("a `Sharded` for each thread", keys, stores, |store, key, now| {
        let Ok(decision) = POLICY.check(&*store, &key, now);
        decision.is_allow()
    })
}

/// A word that each of two threads writes in turn.
fn handed_over() -> Contender<'static> {
    let turn = AtomicUsize::new(0);
    Contender::new("a cache line, from one thread to the other", move || {
        turn.store(0, Relaxed);
        let run = |thread| {
            for mine in (thread..CHECKS).step_by(2) {
                while turn.load(Acquire) != mine {
                    spin_loop();
                }
                turn.store(mine + 1, Release);
            }
        };
        thread::scope(|scope| {
            let run = &run;
            scope.spawn(move || run(1));
            run(0);
        });
    })
}

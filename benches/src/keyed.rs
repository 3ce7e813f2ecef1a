//! One state a key, in a map: random keys, all of them there, and all checks allowed.
//!
//! A key that comes again has recovered in full: no row takes another branch than the others, nor one that cannot be foretold.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::future::Future;
use std::hash::{BuildHasher, Hash};
use std::hint::black_box;
use std::net::Ipv6Addr;
use std::num::NonZeroU32;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime};

use foldhash::fast::FixedState;
use tollgate::store::{HeapBuckets, Table};
use tollgate::{FixedWindow, FixedWindowState, Policy, State, Timestamp, TokenBucket, TokenBucketState};

use crate::baseline::Naive;
use crate::clock::Told;
use crate::measure::Contender;
use crate::random::SplitMix;

/// All policies: so many a second for each key.
pub const QUOTA: u32 = 1_000;
const SECOND: Duration = Duration::from_secs(1);
/// Between two checks, in which a token is refilled and a window ends.
const STEP: u64 = 1_000_000;

/// Of a round. The next one goes on where it ended.
pub const CHECKS: usize = 100_000;
/// All the rounds before they begin again, so that of a million keys no cache holds those that will come.
const ORDER: usize = 20 * CHECKS;

/// Whether a check may begin before the one before it has ended, as it may on any modern processor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    OneAtATime,
    BackToBack,
}

/// The bare map's values: as many words as the states that it is compared with, of which one is used.
pub type Words<const N: usize> = [u64; N];

pub fn bare<K, Q, const N: usize>() -> (String, impl FnMut(&Q, Timestamp) -> bool)
where
    K: Borrow<Q> + From<Q::Owned> + Hash + Eq,
    Q: ?Sized + ToOwned + Hash + Eq,
{
    let naive = black_box(Naive::a_second(QUOTA.into()));
    let mut map: HashMap<K, Words<N>, FixedState> = HashMap::with_hasher(FixedState::with_seed(1));
    let allows = move |key: &Q, now: Timestamp| match map.get_mut(key) {
        Some(words) => naive.allows(&mut words[0], now.as_nanos()),
        None => map.insert(K::from(key.to_owned()), [now.as_nanos(); N]).is_none(),
    };
    (format!("bare map, {} bytes a value", size_of::<Words<N>>()), allows)
}

pub fn ours<K, Q, S: State>(name: &str, policy: impl Policy<S>) -> (String, impl FnMut(&Q, Timestamp) -> bool)
where
    K: Borrow<Q> + From<Q::Owned> + Hash + Eq,
    Q: ?Sized + ToOwned + Hash + Eq,
{
    let policy = black_box(policy);
    let mut map: HashMap<K, S, FixedState> = HashMap::with_hasher(FixedState::with_seed(1));
    (name.into(), move |key: &Q, now| {
        let Ok(decision) = policy.check(&mut map, key, now);
        decision.is_allow()
    })
}

/// In a table for so many keys, which is given a key to fill its vacant slots with.
pub fn in_table<K: Clone + Hash + Eq>(keys: usize, vacant: K) -> (String, impl FnMut(&K, Timestamp) -> bool) {
    let policy = black_box(bucket());
    let memory = HeapBuckets::<K, TokenBucketState>::for_keys(keys, vacant);
    let mut table = Table::with_hasher(memory, FixedState::with_seed(1));
    let allows = move |key: &K, now| policy.check(&mut table, key, now).is_ok_and(|decision| decision.is_allow());
    ("**TokenBucket** in a `Table`".into(), allows)
}

/// As short as a step: with a second, each other key of a thousand would find its window open.
pub fn window() -> FixedWindow {
    FixedWindow::constant(QUOTA, Duration::from_nanos(STEP))
}

pub fn bucket() -> TokenBucket {
    TokenBucket::constant(QUOTA, SECOND)
}

/// A keyed governor over its default map, with a hasher.
pub fn governor<K, Q>(
    name: &str,
    hasher: impl BuildHasher + Clone + Default,
) -> (String, impl FnMut(&Q, Timestamp) -> bool)
where
    K: From<Q::Owned> + Hash + Eq + Clone,
    Q: ?Sized + ToOwned,
{
    let quota = governor::Quota::per_second(NonZeroU32::new(QUOTA).expect("not zero"));
    let clock = Told::default();
    let limiter = governor::RateLimiter::dashmap_with_clock_and_hasher(quota, clock.clone(), hasher);
    (name.into(), move |key: &Q, now: Timestamp| {
        clock.set(now.as_nanos());
        // It takes a `&K`, which is a clone where the caller has something that a `K` is found by.
        limiter.check_key(&K::from(key.to_owned())).is_ok()
    })
}

pub fn gcra<K, Q>() -> (String, impl FnMut(&Q, Timestamp) -> bool)
where
    K: From<Q::Owned> + Hash + Eq + Clone + Send + std::fmt::Display + 'static,
    Q: ?Sized + ToOwned,
{
    let limit = gcra::RateLimit::new(QUOTA, SECOND);
    let limiter: gcra::RateLimiter<K> = gcra::RateLimiter::with_clock(gcra::clock::InstantClock);
    let start = Instant::now();
    ("gcra".into(), move |key: &Q, now: Timestamp| {
        let now = start + Duration::from_nanos(now.as_nanos());
        let check = pin!(limiter.check_at(K::from(key.to_owned()), &limit, 1, now));
        // It never waits.
        matches!(check.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(_)))
    })
}

/// It reads its own clock: so many a second that it always allows.
pub fn rate_net<Q: ?Sized>(key: impl Fn(&Q) -> rate_net::Key) -> (String, impl FnMut(&Q, Timestamp) -> bool) {
    let limiter = rate_net::RateLimiter::per_second(1_000_000_000);
    ("rate-net, its own clock".into(), move |named: &Q, _| limiter.check(key(named)).is_allow())
}

/// It takes strings alone.
pub fn throttlecrab() -> (String, impl FnMut(&str, Timestamp) -> bool) {
    let mut limiter = throttlecrab::RateLimiter::new(throttlecrab::PeriodicStore::with_capacity(1 << 20));
    let quota = i64::from(QUOTA);
    ("throttlecrab".into(), move |key: &str, now: Timestamp| {
        let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(now.as_nanos());
        limiter.rate_limit(key, quota, quota, 1, 1, now).is_ok_and(|(allowed, _)| allowed)
    })
}

/// A contender over those keys, all of which are in its map from the start.
pub fn contender<'a, Q: ?Sized, K: Borrow<Q>>(
    (name, mut allows): (String, impl FnMut(&Q, Timestamp) -> bool + 'a),
    keys: &'a [K],
    order: &'a [u32],
    pace: Pace,
) -> Contender<'a> {
    let mut now = STEP;
    for key in keys {
        assert!(allows(key.borrow(), Timestamp::from_nanos(now)));
    }
    let mut rounds = order.chunks(CHECKS).cycle();
    Contender::new(name, move || {
        let mut allowed = 0;
        let round = rounds.next().expect("an order is not empty");
        for index in round {
            now += STEP;
            let key = &keys[*index as usize];
            allowed += usize::from(allows(black_box(key).borrow(), Timestamp::from_nanos(now)));
            if pace == Pace::OneAtATime {
                wait_for_all_before();
            }
        }
        assert_eq!(allowed, round.len(), "a contender that does not do what the others do");
    })
}

/// Nothing after this begins until all before it has ended.
#[inline]
fn wait_for_all_before() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has SSE2.
    #[allow(unused_unsafe)]
    unsafe {
        core::arch::x86_64::_mm_lfence();
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

/// Keys in random order, for some rounds of checks.
pub fn order(keys: usize) -> Vec<u32> {
    let mut random = SplitMix(2);
    (0..ORDER).map(|_| random.below(keys) as u32).collect()
}

pub fn numbers(count: usize) -> Vec<u64> {
    let mut random = SplitMix(1);
    (0..count).map(|_| random.next_u64()).collect()
}

pub fn addresses(count: usize) -> Vec<Ipv6Addr> {
    let mut random = SplitMix(1);
    (0..count).map(|_| Ipv6Addr::from((u128::from(random.next_u64()) << 64) | u128::from(random.next_u64()))).collect()
}

pub fn names(count: usize) -> Vec<String> {
    let mut random = SplitMix(1);
    (0..count).map(|_| format!("user:{:016x}", random.next_u64())).collect()
}

/// All contenders over `u64` keys, whose states are of 24 bytes; governor's are of 8, so there is a bare map with such, too.
pub fn by_number<'a>(keys: &'a [u64], order: &'a [u32], pace: Pace) -> Vec<Contender<'a>> {
    vec![
        contender(bare::<u64, u64, 3>(), keys, order, pace),
        contender(ours::<u64, u64, TokenBucketState>("**TokenBucket**", bucket()), keys, order, pace),
        contender(in_table(keys.len(), 0), keys, order, pace),
        contender(bare::<u64, u64, 1>(), keys, order, pace),
        contender(governor::<u64, u64>("governor, same hasher", FixedState::with_seed(1)), keys, order, pace),
        contender(governor::<u64, u64>("governor", std::hash::RandomState::new()), keys, order, pace),
        contender(gcra::<u64, u64>(), keys, order, pace),
        contender(rate_net(|key: &u64| rate_net::Key::id(*key)), keys, order, pace),
    ]
}

/// The policy whose states are of 16 bytes, beside a bare map with such.
pub fn by_number_and_window<'a>(keys: &'a [u64], order: &'a [u32], pace: Pace) -> Vec<Contender<'a>> {
    vec![
        contender(bare::<u64, u64, 2>(), keys, order, pace),
        contender(ours::<u64, u64, FixedWindowState>("**FixedWindow**", window()), keys, order, pace),
    ]
}

/// Fewer, over IPv6 addresses.
pub fn by_address<'a>(keys: &'a [Ipv6Addr], order: &'a [u32], pace: Pace) -> Vec<Contender<'a>> {
    vec![
        contender(bare::<Ipv6Addr, Ipv6Addr, 3>(), keys, order, pace),
        contender(ours::<Ipv6Addr, Ipv6Addr, TokenBucketState>("**TokenBucket**", bucket()), keys, order, pace),
        contender(in_table(keys.len(), Ipv6Addr::UNSPECIFIED), keys, order, pace),
        contender(governor::<Ipv6Addr, Ipv6Addr>("governor, same hasher", FixedState::with_seed(1)), keys, order, pace),
        contender(rate_net(|key: &Ipv6Addr| rate_net::Key::ip((*key).into())), keys, order, pace),
    ]
}

/// And over strings.
pub fn by_name<'a>(keys: &'a [String], order: &'a [u32], pace: Pace) -> Vec<Contender<'a>> {
    vec![
        contender::<str, _>(bare::<String, str, 3>(), keys, order, pace),
        contender::<str, _>(ours::<String, str, TokenBucketState>("**TokenBucket**", bucket()), keys, order, pace),
        contender::<str, _>(
            governor::<String, str>("governor, same hasher", FixedState::with_seed(1)),
            keys,
            order,
            pace,
        ),
        contender::<str, _>(throttlecrab(), keys, order, pace),
    ]
}

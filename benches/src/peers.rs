//! Other crates, each with one state and at its best supported use: the time supplied where it can be.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant, SystemTime};

use better_bucket::{BucketConfig, BucketCore};
use burster::Limiter as _;
use governor::middleware::NoOpMiddleware;
use governor::{Quota, RateLimiter};

use crate::clock::Told;
use crate::measure::Contender;
use crate::one_state::{QUOTA, SECOND, all_allowed};
use tollgate::Timestamp;

/// All of them, on their allow path: so many a second.
pub fn allow(times: &[Timestamp]) -> Vec<Contender<'_>> {
    vec![
        governor(times),
        reliakit(times),
        rate_net(times),
        better_bucket(times),
        gcra(times),
        ratelimit(times),
        burster(times),
        throttlecrab(times),
        quota(times),
        leaky_bucket(times),
    ]
}

fn quota_of_governor() -> Quota {
    Quota::per_second(NonZeroU32::new(QUOTA).expect("not zero"))
}

fn governor(times: &[Timestamp]) -> Contender<'_> {
    let clock = Told::default();
    let make = move || {
        clock.set(0);
        let limiter = RateLimiter::<_, _, _, NoOpMiddleware<_>>::direct_with_clock(quota_of_governor(), clock.clone());
        (limiter, clock.clone())
    };
    all_allowed("governor, with a fake clock", times, make, |(limiter, clock), now| {
        clock.set(now.as_nanos());
        limiter.check().is_ok()
    })
}

fn reliakit(times: &[Timestamp]) -> Contender<'_> {
    let (quota, each) = (u64::from(QUOTA), SECOND.as_nanos() as u64 / u64::from(QUOTA));
    let make = move || reliakit_ratelimit::RateLimiter::new(quota, 1, each);
    all_allowed("reliakit-ratelimit", times, make, |limiter, now| limiter.try_acquire_one(now.as_nanos()))
}

fn rate_net(times: &[Timestamp]) -> Contender<'_> {
    let params = rate_net::GcraParams::new(rate_net::Quota::per_second(QUOTA));
    all_allowed(
        "rate-net `GcraParams`",
        times,
        || AtomicU64::new(0),
        move |state, now| params.check_at(state, Duration::from_nanos(now.as_nanos())).is_allow(),
    )
}

fn better_bucket(times: &[Timestamp]) -> Contender<'_> {
    let config = BucketConfig::new(QUOTA, QUOTA, SECOND, QUOTA).expect("a fair bucket");
    let make = move || BucketCore::new(config, Duration::ZERO);
    all_allowed("better-bucket", times, make, |bucket, now| {
        bucket.try_acquire_at(1, Duration::from_nanos(now.as_nanos()))
    })
}

fn gcra(times: &[Timestamp]) -> Contender<'_> {
    let limit = gcra::RateLimit::new(QUOTA, SECOND);
    let start = Instant::now();
    all_allowed("gcra", times, gcra::GcraState::default, move |state, now| {
        state.check_and_modify_at(&limit, start + Duration::from_nanos(now.as_nanos()), 1).is_ok()
    })
}

fn ratelimit(times: &[Timestamp]) -> Contender<'_> {
    let quota = u64::from(QUOTA);
    let clock = Told::default();
    let make = move || {
        clock.set(0);
        let limiter = ratelimit::Builder::with_clock(quota, clock.clone()).max_tokens(quota).initial_available(quota);
        (limiter.build().expect("a fair bucket"), clock.clone())
    };
    all_allowed("ratelimit", times, make, |(limiter, clock), now| {
        clock.set(now.as_nanos());
        limiter.try_wait().is_ok()
    })
}

fn burster(times: &[Timestamp]) -> Contender<'_> {
    let clock = Told::default();
    let make = move || {
        clock.set(0);
        let told = clock.clone();
        let bucket = burster::TokenBucket::new_with_time_provider(QUOTA.into(), QUOTA.into(), move || told.elapsed());
        (bucket, clock.clone())
    };
    all_allowed("burster", times, make, |(bucket, clock), now| {
        clock.set(now.as_nanos());
        bucket.try_consume_one().is_ok()
    })
}

/// It has no limiter without keys, so this is a look-up of the only one.
fn throttlecrab(times: &[Timestamp]) -> Contender<'_> {
    let make = || throttlecrab::RateLimiter::new(throttlecrab::PeriodicStore::new());
    let quota = i64::from(QUOTA);
    all_allowed("throttlecrab, one key", times, make, move |limiter, now| {
        let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(now.as_nanos());
        limiter.rate_limit("key", quota, quota, 1, 1, now).is_ok_and(|(allowed, _)| allowed)
    })
}

/// It has no limiter without keys, and reads its own clock: so many a second that it always allows.
fn quota(times: &[Timestamp]) -> Contender<'_> {
    let make = || {
        let policy = quota::QuotaPolicy::new().set_capacity(1e9).set_refill_rate(quota::RefillRate::per_sec(1e9));
        let pool = quota::QuotaPool::<u64>::with_key_type(policy, 1_000_000_000);
        pool.insert_key(&7);
        pool
    };
    all_allowed("quota, one key, its own clock", times, make, |pool, _| pool.check(&7, 1))
}

/// It reads its own clock: so full that it always allows.
fn leaky_bucket(times: &[Timestamp]) -> Contender<'_> {
    let plenty = 1_000_000_000;
    let make =
        move || leaky_bucket::RateLimiter::builder().max(plenty).initial(plenty).refill(1).interval(SECOND).build();
    all_allowed("leaky-bucket, its own clock", times, make, |limiter, _| limiter.try_acquire(1))
}

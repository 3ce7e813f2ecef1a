//! What limiters answer where it is easy to be nearly right: the same questions put to this crate and to its peers, as a Markdown table.
//!
//! Time is supplied to all. What cannot be asked without a runtime or by a run alone (leaky-bucket, which waits and tells no times; Bucket4j, which is Java) is
//! read in the source instead, and says so where the table is shown.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use governor::clock::Clock as _;
use governor::middleware::NoOpMiddleware;
use tollgate::{Decision, Monotonic, Timestamp, TokenBucket, TokenBucketState, Wait};
use tollgate_benches::clock::Told;

const DAY: u64 = 86_400_000_000_000;

/// What a limiter answers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    Allow,
    /// With the wait in nanoseconds.
    Deny(u64),
    /// The request can never pass.
    Never,
}

/// A limiter with one state, asked at a time in nanoseconds for a cost.
type Limiter = Box<dyn FnMut(u64, u32) -> Answer>;

/// `quota` a period, with a burst.
type Make = fn(quota: u32, period: Duration, burst: u32) -> Limiter;

/// What is asked of a limiter, and what it answers in words.
type Question = (&'static str, fn(Make) -> String);

const LIMITERS: [(&str, Make); 4] = [
    ("tollgate, behind `Monotonic`", tollgate),
    ("governor 0.10", governor),
    ("rate-net 2.1", rate_net),
    ("ratelimit 2.0", ratelimit),
];

fn tollgate(quota: u32, period: Duration, burst: u32) -> Limiter {
    let policy = TokenBucket::new_with(quota, period, burst, Default::default()).expect("a fair policy");
    let (mut clock, mut state) = (Monotonic::new(Wait::ZERO), TokenBucketState::default());
    Box::new(move |now, cost| match policy.judge_n(&mut state, cost, clock.advance(Timestamp::from_nanos(now))) {
        Ok(Decision::Allow) => Answer::Allow,
        Ok(Decision::Deny { retry_after }) => Answer::Deny(retry_after.as_nanos()),
        Err(_) => Answer::Never,
    })
}

fn governor(quota: u32, period: Duration, burst: u32) -> Limiter {
    // So a rate is given to it where it is not in whole units a second: the time of one.
    let quota = governor::Quota::with_period(period / quota).expect("a period").allow_burst(some(burst));
    let clock = Told::default();
    let limiter = governor::RateLimiter::<_, _, _, NoOpMiddleware<_>>::direct_with_clock(quota, clock.clone());
    Box::new(move |now, cost| {
        clock.set(now);
        match limiter.check_n(some(cost)) {
            Ok(Ok(())) => Answer::Allow,
            Ok(Err(denied)) => Answer::Deny(denied.wait_time_from(clock.now()).as_nanos() as u64),
            Err(_) => Answer::Never,
        }
    })
}

fn rate_net(quota: u32, period: Duration, burst: u32) -> Limiter {
    let params =
        rate_net::GcraParams::new(rate_net::Quota::rate(quota, period).expect("a fair quota").with_burst(burst));
    let state = AtomicU64::new(0);
    Box::new(move |now, cost| match params.check_n_at(&state, cost, Duration::from_nanos(now)) {
        rate_net::Decision::Deny { retry_after } if retry_after == Duration::MAX => Answer::Never,
        rate_net::Decision::Deny { retry_after } => Answer::Deny(retry_after.as_nanos() as u64),
        _ => Answer::Allow,
    })
}

fn ratelimit(quota: u32, period: Duration, burst: u32) -> Limiter {
    let clock = Told::default();
    let builder = ratelimit::Builder::with_clock(quota.into(), clock.clone()).period(period);
    let limiter = builder.max_tokens(burst.into()).initial_available(burst.into()).build().expect("a fair bucket");
    Box::new(move |now, cost| {
        clock.set(now);
        match limiter.try_wait_n(cost.into()) {
            Ok(()) => Answer::Allow,
            Err(ratelimit::TryWaitError::Insufficient(wait)) => Answer::Deny(wait.as_nanos() as u64),
            Err(_) => Answer::Never,
        }
    })
}

fn some(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("not zero")
}

/// How many of requests at these times pass.
fn admitted(mut limiter: Limiter, times: impl Iterator<Item = u64>) -> String {
    let count = times.filter(|now| limiter(*now, 1) == Answer::Allow).count();
    format!("{count}")
}

fn a_fast_rate(make: Make) -> String {
    admitted(make(600_000_000, Duration::from_secs(1), 10), 1_000..1_001_000)
}

fn a_slow_rate_polled(make: Make) -> String {
    let minute = 60_000_000_000;
    admitted(make(1, Duration::from_secs(60), 1), (minute..11 * minute).step_by(119_000))
}

fn an_honoured_wait(make: Make) -> String {
    let (start, mut kept, mut exact) = (1_000_000_000, 0, 0);
    let tries = 1000;
    for try_at in 0..tries {
        let mut limiter = make(3, Duration::from_secs(1), 3);
        let now = start + try_at;
        while limiter(now, 1) == Answer::Allow {}
        let Answer::Deny(wait) = limiter(now, 1) else { continue };
        exact += u32::from(limiter(now + wait - 1, 1) != Answer::Allow);
        kept += u32::from(limiter(now + wait, 1) == Answer::Allow);
    }
    match (kept == tries as u32, exact == tries as u32) {
        (true, true) => "passes, and not a nanosecond before".into(),
        (true, false) => "passes, and would have before".into(),
        (false, _) => format!("is denied in {} of {tries}", tries as u32 - kept),
    }
}

fn a_full_burst(make: Make) -> String {
    admitted(make(7, Duration::from_secs(10), 5), std::iter::repeat_n(5_000_000_000, 100))
}

/// The largest cost that passes at once, of one in five hours with a burst of ten, and what is said of one more than ten.
fn a_large_cost(make: Make) -> String {
    let largest = (0..32)
        .map(|bits| 1_u32 << bits)
        .chain([11, 1_024_821, u32::MAX])
        .filter(|cost| make(1, Duration::from_secs(5 * 3600), 10)(DAY, *cost) == Answer::Allow);
    match (largest.max(), make(1, Duration::from_secs(5 * 3600), 10)(DAY, 11)) {
        (Some(most), _) if most > 10 => format!("passes, up to {most}"),
        (_, Answer::Never) => "an error".into(),
        (_, Answer::Deny(_)) => "denied, with a wait".into(),
        (_, Answer::Allow) => "passes".into(),
    }
}

fn a_clock_a_day_ahead(make: Make) -> String {
    let mut limiter = make(1, Duration::from_secs(1), 1);
    limiter(2 * DAY, 1);
    admitted(limiter, (0..100).map(|second| DAY + 1_000_000_000 * second))
}

fn main() {
    let questions: [Question; 6] = [
        (
            "600,000,000 a second, with a burst of 10, asked each nanosecond of a millisecond: admits (600,009 is right)",
            a_fast_rate,
        ),
        ("1 a minute, asked every 119 µs for ten minutes: admits (10 is right)", a_slow_rate_polled),
        ("3 a second: a request after the wait that it was told", an_honoured_wait),
        ("7 in 10 s with a burst of 5, all at once: admits (5 is right)", a_full_burst),
        ("1 in 5 hours with a burst of 10: a cost above 10, which can never pass", a_large_cost),
        (
            "1 a second, after one request with a clock a day ahead: of 100, a second apart, admits (99 at least)",
            a_clock_a_day_ahead,
        ),
    ];
    print!("| |");
    LIMITERS.iter().for_each(|(name, _)| print!(" {name} |"));
    print!("\n| --- |");
    LIMITERS.iter().for_each(|_| print!(" --- |"));
    println!();
    for (question, ask) in questions {
        print!("| {question} |");
        LIMITERS.iter().for_each(|(_, make)| print!(" {} |", ask(*make)));
        println!();
    }
}

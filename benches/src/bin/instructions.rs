//! One case, so many times: `instructions CASE CHECKS`, for a tool that counts instructions. Without arguments it lists the cases.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use tollgate::{
    FixedWindow, FixedWindowState, Policy, Refill, SlidingLog, SlidingLogArray, SlidingLogState, State, Timestamp,
    TokenBucket, TokenBucketState,
};
use tollgate_benches::baseline::Naive;
use tollgate_benches::keyed;

const QUOTA: u32 = 100;
const SECOND: Duration = Duration::from_secs(1);
/// Between two checks that are allowed.
const ALLOWED: u64 = 10_000_000;
/// And that are denied, after a burst.
const DENIED: u64 = 1;
/// Of a map, all there from the start: adding them is in the long run and the short one alike.
const KEYS: usize = 1_000;

type Case = (&'static str, fn(u64));

const CASES: [Case; 16] = [
    ("loop", empty),
    ("naive, allow", |checks| naive(checks, ALLOWED)),
    ("naive, deny", |checks| naive(checks, DENIED)),
    ("FixedWindow, allow", |checks| ours::<FixedWindowState>(window(), checks, ALLOWED)),
    ("FixedWindow, deny", |checks| ours::<FixedWindowState>(window(), checks, DENIED)),
    ("TokenBucket, allow", |checks| ours::<TokenBucketState>(bucket(Refill::Continuous), checks, ALLOWED)),
    ("TokenBucket, deny", |checks| ours::<TokenBucketState>(bucket(Refill::Continuous), checks, DENIED)),
    ("TokenBucket by interval, allow", |checks| ours::<TokenBucketState>(bucket(BY_INTERVAL), checks, ALLOWED)),
    ("TokenBucket by interval, deny", |checks| ours::<TokenBucketState>(bucket(BY_INTERVAL), checks, DENIED)),
    ("SlidingLog of 100, in place, allow", |checks| ours::<SlidingLogArray<100>>(log(), checks, ALLOWED)),
    ("SlidingLog of 100, in place, deny", |checks| ours::<SlidingLogArray<100>>(log(), checks, DENIED)),
    ("SlidingLog of 100, growing, allow", |checks| ours::<SlidingLogState>(log(), checks, ALLOWED)),
    ("SlidingLog of 100, growing, deny", |checks| ours::<SlidingLogState>(log(), checks, DENIED)),
    ("by key, bare map", |checks| by_key(keyed::bare::<u64, u64, 3>(), checks)),
    ("by key, TokenBucket in a HashMap", |checks| {
        by_key(keyed::ours::<u64, u64, TokenBucketState>("", keyed::bucket()), checks);
    }),
    ("by key, TokenBucket in a Table", |checks| by_key(keyed::in_table(KEYS, 0), checks)),
];

fn main() -> ExitCode {
    let arguments: Vec<String> =
        env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let case = |name: &str| CASES.iter().find(|(mine, _)| *mine == name).map(|(_, run)| run);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => CASES.iter().for_each(|(name, _)| println!("{name}")),
        [name, checks] => match (case(name), checks.parse()) {
            (Some(run), Ok(checks)) => run(checks),
            _ => return usage(),
        },
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: instructions [CASE CHECKS], where CASE is one of those that it lists without arguments");
    ExitCode::from(2)
}

fn times(checks: u64, step: u64) -> impl Iterator<Item = Timestamp> {
    (1..=checks).map(move |check| black_box(Timestamp::from_nanos(check * step)))
}

fn empty(checks: u64) {
    times(checks, ALLOWED).for_each(drop);
}

fn naive(checks: u64, step: u64) {
    let policy = black_box(Naive::a_second(QUOTA.into()));
    let mut state = 0;
    for now in times(checks, step) {
        black_box(policy.wait(black_box(&mut state), now.as_nanos()));
    }
}

fn ours<S: State>(policy: impl Policy<S>, checks: u64, step: u64) {
    let policy = black_box(policy);
    let mut state = S::default();
    for now in times(checks, step) {
        let _ = black_box(policy.judge(black_box(&mut state), now));
    }
}

fn by_key((_, mut allows): (String, impl FnMut(&u64, Timestamp) -> bool), checks: u64) {
    let keys = keyed::numbers(KEYS);
    for key in &keys {
        allows(key, Timestamp::ZERO);
    }
    for (key, now) in keys.iter().cycle().zip(times(checks, ALLOWED)) {
        black_box(allows(black_box(key), now));
    }
}

const BY_INTERVAL: Refill = Refill::Interval { origin: Timestamp::ZERO };

fn window() -> FixedWindow {
    FixedWindow::constant(QUOTA, SECOND)
}

fn bucket(refill: Refill) -> TokenBucket {
    TokenBucket::constant_with(QUOTA, SECOND, QUOTA, refill)
}

fn log() -> SlidingLog {
    SlidingLog::constant(QUOTA, SECOND)
}

//! Runs everything in one go, and writes `target/bench.md` and `target/latency.svg`; elsewhere if a directory is given.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write;
use std::net::Ipv6Addr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use foldhash::fast::FixedState;
use tollgate::store::{HeapBuckets, Table};
use tollgate::{Timestamp, TokenBucketState};
use tollgate_benches::heap::{Counting, bytes_a_key};
use tollgate_benches::keyed::{self, Pace};
use tollgate_benches::latency::{self, Histogram};
use tollgate_benches::measure::{Contender, compare};
use tollgate_benches::random::SplitMix;
use tollgate_benches::threads::{self, Keys};
use tollgate_benches::{one_state, peers, table};

#[global_allocator]
static HEAP: Counting = Counting;

const MILLION: usize = 1_000_000;

fn main() -> ExitCode {
    let directory = match env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] => PathBuf::from("target"),
        [directory] if !directory.starts_with('-') => PathBuf::from(directory),
        _ => {
            eprintln!("usage: report [DIRECTORY]");
            return ExitCode::from(2);
        }
    };
    match report(&directory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {}: {error}", directory.display());
            ExitCode::FAILURE
        }
    }
}

fn report(directory: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let mut text = format!(
        "# Measured\n\n{}. By `cargo run --release --manifest-path benches/Cargo.toml --bin report`, all in one run.\n",
        table::machine()
    );
    text += "\nRatios are to the first row of each table: those of the quickest rounds, and the median of those of each round.\n";
    let path = directory.join("bench.md");
    for groups in [one_state_groups, thread_groups, heap, keyed_groups] {
        groups(&mut text);
        // What there is already, should the rest be given up.
        fs::write(&path, &text)?;
    }
    tails(&mut text, &directory.join("latency.svg"))?;
    fs::write(&path, text)?;
    println!("wrote {}", path.display());
    Ok(())
}

fn group(text: &mut String, title: &str, mut contenders: Vec<Contender>, rounds: usize, operations: usize) {
    eprintln!("{title}");
    *text += &table::ratios(title, &compare(&mut contenders, rounds, operations));
}

fn one_state_groups(text: &mut String) {
    *text += "\n## One state\n";
    let (steady, hasty) = (one_state::steady(), one_state::hasty());
    let mut allow = one_state::allow(&steady);
    allow.extend(peers::allow(&steady));
    group(text, "Allow", allow, 400, one_state::CHECKS);
    group(text, "Deny, with the wait", one_state::deny(&hasty), 400, one_state::CHECKS);
    let [allow, deny] = one_state::long_logs();
    group(text, "Long logs, allow", allow, 400, one_state::CHECKS);
    group(text, "Long logs, deny", deny, 400, one_state::CHECKS);
}

fn thread_groups(text: &mut String) {
    *text += "\n## Shared by threads\n\nThe time of one check of all, so that two threads that do not wait for each other halve it.\n";
    group(text, "Each thread its own keys", threads::contenders(Keys::Own), 30, threads::CHECKS);
    group(text, "One key for all", threads::contenders(Keys::OneForAll), 30, threads::CHECKS);
}

fn keyed_groups(text: &mut String) {
    *text += "\n## By key, over a `HashMap`\n";
    for (keys, named) in [(1_000, "1k"), (100_000, "100k"), (MILLION, "1M")] {
        let order = keyed::order(keys);
        let (numbers, addresses, names) = (keyed::numbers(keys), keyed::addresses(keys), keyed::names(keys));
        for (pace, how) in [(Pace::OneAtATime, "one at a time"), (Pace::BackToBack, "back to back")] {
            let title = |kind| format!("{named} keys, {kind}, {how}");
            let rounds = if keys == MILLION { 10 } else { 20 };
            group(text, &title("`u64`"), keyed::by_number(&numbers, &order, pace), rounds, keyed::CHECKS);
            let window = keyed::by_number_and_window(&numbers, &order, pace);
            group(text, &title("`u64`, windows"), window, rounds, keyed::CHECKS);
            group(text, &title("IPv6"), keyed::by_address(&addresses, &order, pace), rounds, keyed::CHECKS);
            group(text, &title("`&str`"), keyed::by_name(&names, &order, pace), rounds, keyed::CHECKS);
        }
    }
}

fn heap(text: &mut String) {
    /// A limiter that has seen a million keys.
    fn seen<Q, L: FnMut(&Q, Timestamp) -> bool>(keys: &[Q], make: impl FnOnce() -> (String, L)) -> (String, f64) {
        let mut name = String::new();
        let bytes = bytes_a_key(keys.len(), || {
            let (its, mut allows) = make();
            name = its;
            assert!(keys.iter().all(|key| allows(key, Timestamp::from_secs(1))));
            allows
        });
        (name, bytes)
    }
    eprintln!("heap");
    *text += "\n## Live heap, a million keys\n";
    let numbers = keyed::numbers(MILLION);
    let rows = [
        seen(&numbers, || keyed::ours::<u64, u64, TokenBucketState>("**TokenBucket** in a `HashMap`", keyed::bucket())),
        seen(&numbers, || keyed::in_table(MILLION, 0)),
        seen(&numbers, || keyed::governor::<u64, u64>("governor", FixedState::with_seed(1))),
        seen(&numbers, keyed::gcra::<u64, u64>),
        seen(&numbers, || keyed::rate_net(|key: &u64| rate_net::Key::id(*key))),
    ];
    *text += &table::bytes("`u64` keys", &rows);
    let addresses = keyed::addresses(MILLION);
    let rows = [
        seen(&addresses, || keyed::in_table(MILLION, Ipv6Addr::UNSPECIFIED)),
        seen(&addresses, || keyed::governor::<Ipv6Addr, Ipv6Addr>("governor", FixedState::with_seed(1))),
    ];
    *text += &table::bytes("IPv6 keys", &rows);
}

/// Ten million checks of a million keys in random order, from an empty store.
fn timed(mut allows: impl FnMut(&u64, Timestamp, u64)) -> Histogram {
    let keys = keyed::numbers(MILLION);
    let mut random = SplitMix(3);
    latency::time_each(10_000_000, |check| {
        allows(&keys[random.below(keys.len())], Timestamp::from_micros(check), check);
    })
}

fn tails(text: &mut String, plot: &Path) -> Result<(), Box<dyn Error>> {
    eprintln!("latency");
    let ours = {
        let mut map: HashMap<u64, TokenBucketState, FixedState> =
            HashMap::with_capacity_and_hasher(MILLION, FixedState::with_seed(1));
        timed(|key, now, _| assert!(keyed::bucket().check(&mut map, key, now).is_ok()))
    };
    let table = {
        let memory = HeapBuckets::<u64, TokenBucketState>::for_keys(MILLION, 0);
        let mut table = Table::with_hasher(memory, FixedState::with_seed(1));
        timed(|key, now, _| assert!(keyed::bucket().check(&mut table, key, now).is_ok()))
    };
    let governor = {
        let quota = governor::Quota::per_second(keyed::QUOTA.try_into()?);
        let clock = tollgate_benches::clock::Told::default();
        let hasher = FixedState::with_seed(1);
        let limiter =
            governor::RateLimiter::<u64, _, _, governor::middleware::NoOpMiddleware<_>>::dashmap_with_clock_and_hasher(
                quota,
                clock.clone(),
                hasher,
            );
        timed(|key, now, check| {
            clock.set(now.as_nanos());
            let _ = limiter.check_key(key);
            // Its sweep, in the request that is due, since there is no other time.
            if check % 1_000_000 == 999_999 {
                limiter.retain_recent();
            }
        })
    };
    let all = [
        ("tollgate, `HashMap` of a capacity".to_string(), ours),
        ("tollgate, `Table`".to_string(), table),
        ("governor, with its sweep".to_string(), governor),
    ];
    *text += "\n## How long the slowest checks take\n\nTen million checks of a million keys, with reading the clock; nanoseconds. The plot is `latency.svg`.\n";
    *text += "\n| | p50 | p99 | p99.99 | most |\n| --- | --- | --- | --- | --- |\n";
    for (name, histogram) in &all {
        let [half, most, nearly] = [0.5, 0.99, 0.9999].map(|share| Histogram::quantile(histogram, share));
        writeln!(text, "| {name} | {half} | {most} | {nearly} | {} |", histogram.most())?;
    }
    latency::plot(plot, "Ten million checks of a million keys", &all)
}

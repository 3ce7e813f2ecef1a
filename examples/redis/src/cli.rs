//! The command line, and the settings it comes down to.

use std::ffi::OsString;
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use command_line::{Parsed, parsed};
use tollgate::{FixedWindow, SlidingLog, TokenBucket, Wait};

use crate::address::{Address, BadAddress};
use crate::error::Error;
use crate::policy::Policy;

/// What a run does, in the first process and in each worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) address: Address,
    pub(crate) policy: Policy,
    pub(crate) key: String,
    /// How many other keys there are.
    pub(crate) spread: usize,
    pub(crate) processes: usize,
    /// Of each process.
    pub(crate) tasks: usize,
    pub(crate) time: Duration,
    pub(crate) guess: bool,
    pub(crate) clock: Clock,
    pub(crate) skew: Duration,
    /// By how much each process's clock is ahead of the one before.
    pub(crate) apart: Wait,
    pub(crate) limit: Duration,
    pub(crate) attempts: NonZeroU32,
    pub(crate) when_unjudged: WhenUnjudged,
    /// Which of the workers this process is.
    pub(crate) worker: Option<usize>,
}

/// Whose time requests are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// That of the process that asks
    Caller,
    /// The server's, which comes with the value
    Server,
}

/// What becomes of a request on which there is no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhenUnjudged {
    /// It passes, and nobody counts it
    Open,
    /// It is refused
    Closed,
}

/// One limit for a fleet: processes that share their keys in a Redis or Valkey server
///
/// Starts processes that check one key, and many others, as fast as they can for some seconds, and reports what was admitted, and by how much that
/// was too much.
#[derive(Debug, Parser)]
#[command(name = "redis-fleet", version, max_term_width = 100, after_long_help = REPORT)]
#[command(override_usage = "redis-fleet --redis URL POLICY [OPTIONS]")]
struct Args {
    /// The server, as redis://HOST:PORT (or valkey://), where needed with USER:PASSWORD@ before and /DB after, or as unix:///PATH (or redis+unix://,
    /// valkey+unix://), where needed with ?db=DB&user=USER&pass=PASSWORD after; it must be trusted not to forget (see the README)
    #[arg(long, value_name = "URL")]
    redis: String,

    #[command(flatten)]
    policy: PolicyArgs,

    /// The key that all processes want; in the server it is `tollgate:NAME`, and is deleted at the start
    #[arg(long, value_name = "NAME", default_value = "demo", value_parser = name)]
    key: String,

    /// How many other keys there are, `tollgate:NAME:0` and on, which get every other request
    #[arg(long, value_name = "N", default_value = "100", value_parser = up_to_a_million)]
    spread: usize,

    /// How many processes to start
    #[arg(long, value_name = "N", default_value = "4", value_parser = processes)]
    processes: NonZeroUsize,

    /// How many requests each process has under way
    #[arg(long, value_name = "N", default_value = "8", value_parser = tasks)]
    tasks: NonZeroUsize,

    /// For how long
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,

    /// Guess that a key still holds what was seen of it last: an admission then takes one round trip if so, and else two as ever
    #[arg(long)]
    guess: bool,

    /// Whose time requests are judged by
    #[arg(long, value_name = "WHOSE", value_enum, default_value = "caller")]
    clock: Clock,

    /// By how much clocks may differ: states are kept so much longer
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u64).range(..=86_400_000))]
    skew_ms: u64,

    /// For a trial: the clock of each process is so far ahead of that of the one before
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u64).range(..=86_400_000))]
    apart_ms: u64,

    /// The longest that a check may take, connecting and all attempts included
    #[arg(long, value_name = "N", default_value = "500", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    timeout_ms: u64,

    /// How often to swap, where others are quicker
    #[arg(long, value_name = "N", default_value = "64", value_parser = attempts)]
    attempts: NonZeroU32,

    /// What becomes of a request on which there is no decision
    #[arg(long, value_name = "HOW", value_enum, default_value = "closed")]
    when_unjudged: WhenUnjudged,

    #[arg(long, hide = true)]
    worker: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct PolicyArgs {
    /// At most QUOTA in a window that opens at a key's first request, or with `aligned` at multiples of WINDOW since 1970
    #[arg(long, value_name = "QUOTA/WINDOW[,aligned]", help_heading = POLICY)]
    fixed_window: Option<FixedWindow>,

    /// At most QUOTA in any interval as long as WINDOW
    #[arg(long, value_name = "QUOTA/WINDOW", help_heading = POLICY)]
    sliding_log: Option<SlidingLog>,

    /// At most N at once (QUOTA unless given), refilled steadily at QUOTA per WINDOW, or with `interval` by QUOTA at the end of each
    #[arg(long, value_name = "QUOTA/WINDOW[,burst=N][,interval]", help_heading = POLICY)]
    token_bucket: Option<TokenBucket>,
}

const POLICY: &str = "Policy, one of";

const REPORT: &str = "\
WINDOW: a whole number and a unit, 250ns 5us 60ms 60s 1m 1h 1d.

Report, a figure a line on standard output:
  checks N       requests that were made
  admitted N     of them, on all keys; `denied N` and `unjudged N` are the rest
  overshot N     by how many units the record of admissions breaks the
                 policy's bound, over all keys
  conflicts N    how often a key had changed in between, or was not as guessed
  round_trips N  how often the server was asked
  checks/s N
  slowest_ms N   the longest that a check took
  restarts N     how often the server was met anew. It forgets what it has not
                 saved, so each restart may admit the bound once more; then
  overshot_in_one_life N  is by how much the bound is broken between restarts
  unreachable N, timed_out N, in_doubt N, refused N, contended N, corrupt N
                 why requests were unjudged; `passed_unjudged N` of them passed

Exit status: 0; 1 if `overshot` is above 0; 2 with a line on standard error for
bad usage, or if the run could not be made.";

/// Reads the command line, of which the first argument is the program.
///
/// # Errors
///
/// [`Error::Usage`], on one line.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed<Settings>, Error> {
    parsed(Args::try_parse_from(args)).map_err(Error::Usage)?.and_then(settings)
}

fn settings(args: Args) -> Result<Settings, Error> {
    // Here, and not by clap, which would repeat the password.
    let address =
        args.redis.parse().map_err(|error: BadAddress| Error::Usage(format!("--redis: {error}; see --help")))?;
    let PolicyArgs { fixed_window, sliding_log, token_bucket } = args.policy;
    let window = fixed_window.map(Policy::FixedWindow);
    let log = sliding_log.map(Policy::SlidingLog);
    let Some(policy) = window.or(log).or(token_bucket.map(Policy::TokenBucket)) else {
        return Err(Error::Usage("expected --fixed-window, --sliding-log or --token-bucket; see --help".to_owned()));
    };
    if args.clock == Clock::Server && args.apart_ms > 0 {
        let text = "--apart-ms moves the clocks of callers: expected --clock caller with it; see --help";
        return Err(Error::Usage(text.to_owned()));
    }
    Ok(Settings {
        address,
        policy,
        key: args.key,
        spread: args.spread,
        processes: args.processes.get(),
        tasks: args.tasks.get(),
        time: Duration::from_secs(args.seconds),
        guess: args.guess,
        clock: args.clock,
        skew: Duration::from_millis(args.skew_ms),
        apart: Wait::from_millis(args.apart_ms),
        limit: Duration::from_millis(args.timeout_ms),
        attempts: args.attempts,
        when_unjudged: args.when_unjudged,
        worker: args.worker,
    })
}

fn name(text: &str) -> Result<String, &'static str> {
    if text.is_empty() { Err("expected a name") } else { Ok(text.to_owned()) }
}

fn up_to_a_million(text: &str) -> Result<usize, &'static str> {
    let number = text.parse().ok().filter(|&number| number <= 1_000_000);
    number.ok_or("expected a whole number up to 1000000")
}

fn processes(text: &str) -> Result<NonZeroUsize, &'static str> {
    let number = text.parse().ok().filter(|&number: &NonZeroUsize| number.get() <= 256);
    number.ok_or("expected a whole number from 1 to 256")
}

fn tasks(text: &str) -> Result<NonZeroUsize, &'static str> {
    let number = text.parse().ok().filter(|&number: &NonZeroUsize| number.get() <= 4_096);
    number.ok_or("expected a whole number from 1 to 4096")
}

fn attempts(text: &str) -> Result<NonZeroU32, &'static str> {
    text.parse().map_err(|_| "expected a whole number from 1 to 4294967295")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Settings, String> {
        match parse(format!("redis-fleet {line}").split_whitespace().map(OsString::from)) {
            Ok(Parsed::Run(settings)) => Ok(settings),
            Ok(Parsed::Print(text)) => panic!("{text}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_server_and_a_policy_are_enough() {
        let settings = parsed("--redis redis://127.0.0.1:6379 --sliding-log 100/60s").unwrap();
        assert_eq!(settings.policy, Policy::SlidingLog("100/60s".parse().unwrap()));
        assert_eq!((settings.key.as_str(), settings.processes, settings.worker), ("demo", 4, None));
        assert_eq!((settings.clock, settings.guess), (Clock::Caller, false));
        assert_eq!(settings.skew, Duration::from_secs(1));
    }

    #[test]
    fn every_scheme_that_is_named_is_accepted() {
        for url in ["redis://me:secret@x:1/2", "valkey://x", "unix:///x?db=2", "redis+unix:///x", "valkey+unix:///x"] {
            assert!(parsed(&format!("--redis {url} --sliding-log 1/1s")).is_ok(), "{url}");
        }
    }

    #[test]
    fn what_is_wrong_is_one_line_that_says_what_was_expected() {
        for (line, expected) in [
            ("", "the following required arguments were not provided"),
            ("--redis redis://x", "--fixed-window <QUOTA/WINDOW[,aligned]>|--sliding-log"),
            ("--sliding-log 1/1s", "--redis <URL>"),
            ("--redis redis://x --sliding-log 1/1s --token-bucket 1/1s", "cannot be used with"),
            ("--redis redis://x --sliding-log 0/1s", "the quota is 0"),
            ("--redis redis://x --sliding-log 1/1s --processes 0", "from 1 to 256"),
            ("--redis redis://x --sliding-log 1/1s --processes 257", "from 1 to 256"),
            ("--redis redis://x --sliding-log 1/1s --tasks many", "from 1 to 4096"),
            ("--redis redis://x --sliding-log 1/1s --spread=-1", "up to 1000000"),
            ("--redis redis://x --sliding-log 1/1s --seconds 0", "0 is not in 1..=86400"),
            ("--redis redis://x --sliding-log 1/1s --timeout-ms 0", "0 is not in 1..=60000"),
            ("--redis redis://x --sliding-log 1/1s --attempts 0", "from 1 to 4294967295"),
            ("--redis redis://x --sliding-log 1/1s --attempts 4294967296", "from 1 to 4294967295"),
            ("--redis redis://x --sliding-log 1/1s --key=", "expected a name"),
            ("--redis redis://x --sliding-log 1/1s --clock mine", "possible values: caller, server"),
            ("--redis redis://x --sliding-log 1/1s --when-unjudged ajar", "possible values: open, closed"),
            ("--redis redis://x --sliding-log 1/1s --clock server --apart-ms 5", "expected --clock caller"),
            ("--redis nowhere --sliding-log 1/1s", "--redis: Redis URL did not parse"),
            ("--redis rediss://me:secret@x --sliding-log 1/1s", "expected redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]"),
            ("--redis http://x --sliding-log 1/1s", "or unix:///PATH["),
            ("--redis redis://x --sliding-log 1/1s demo", "unexpected argument 'demo'"),
        ] {
            let error = parsed(line).unwrap_err();
            assert!(error.contains(expected) && !error.contains('\n') && !error.contains("secret"), "{line}: {error}");
        }
    }

    #[test]
    fn help_and_version_are_printed() {
        for (option, expected) in
            [("--help", "Exit status"), ("-h", "Usage: redis-fleet"), ("--version", "redis-fleet ")]
        {
            match parse(["redis-fleet", option].map(OsString::from)) {
                Ok(Parsed::Print(text)) => assert!(text.contains(expected), "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }
}

//! The command line, and the settings it comes down to. What does not go together is found here, before anything is read; only what
//! depends on the input's format is left to [`input`](crate::input).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use command_line::{Parsed, parsed};
use jiff::{Span, SpanRelativeTo};
use tollgate::{FixedWindow, SlidingLog, TokenBucket, Wait};

use crate::error::Error;
use crate::input::{ClfKey, Format};
use crate::judge::{Compose, Policy};
use crate::suggest::Share;
use crate::text::shown;

/// What a run does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// At least one.
    pub(crate) policies: Vec<Policy>,
    pub(crate) compose: Compose,
    pub(crate) source: Source,
    /// If not told from the input.
    pub(crate) format: Option<Format>,
    /// If not the usual one of the format.
    pub(crate) key: Option<String>,
    pub(crate) order: Order,
    pub(crate) decisions: Option<Destination>,
    pub(crate) plot: Option<Destination>,
    pub(crate) html: Option<Destination>,
    /// The key that is drawn, if not the one denied most.
    pub(crate) plot_key: Option<String>,
    pub(crate) suggest: Option<Share>,
    pub(crate) top: usize,
}

impl Settings {
    /// Whether requests are judged more than once, and so are held.
    pub(crate) fn looks_back(&self) -> bool {
        self.plot.is_some() || self.html.is_some() || self.suggest.is_some()
    }

    /// Whether something other than the report goes to standard output.
    pub(crate) fn takes_stdout(&self) -> bool {
        [&self.decisions, &self.plot, &self.html].into_iter().any(|to| *to == Some(Destination::Stdout))
    }
}

/// Where requests come from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Sample,
    Stdin,
    File(PathBuf),
}

/// Where decisions, a picture or a page go.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Stdout,
    File(PathBuf),
}

/// The order in which requests are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    ByTime,
    /// With a tolerance, their times are those of a clock that may be set back.
    AsItComes {
        tolerance: Option<Wait>,
    },
}

/// What would this rate limit have done to my traffic?
///
/// Reads a log of requests that already happened, judges each by one or more policies per key, and reports what would have been denied.
#[derive(Debug, Parser)]
#[command(name = "replay", version, max_term_width = 100, after_long_help = SEMANTICS)]
#[command(override_usage = "replay [POLICY]... [OPTIONS] [FILE]")]
struct Args {
    /// The log; `-` is standard input, and without it a bundled sample is read
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// At most QUOTA in a window that opens at a key's first request, or with `aligned` at multiples of WINDOW since 1970
    #[arg(long, value_name = "QUOTA/WINDOW[,aligned]", help_heading = POLICIES)]
    fixed_window: Vec<FixedWindow>,

    /// At most QUOTA in any interval as long as WINDOW
    #[arg(long, value_name = "QUOTA/WINDOW", help_heading = POLICIES)]
    sliding_log: Vec<SlidingLog>,

    /// At most N at once (QUOTA unless given), refilled steadily at QUOTA per WINDOW, or with `interval` by QUOTA at the end of each
    #[arg(long, value_name = "QUOTA/WINDOW[,burst=N][,interval]", help_heading = POLICIES)]
    token_bucket: Vec<TokenBucket>,

    /// The input's format; told from its first line unless given
    #[arg(long)]
    format: Option<Format>,

    /// What requests are counted by: for clf ip (the usual), ip/PREFIX, path or user-agent; for csv and jsonl a column, `key` unless given
    #[arg(long, value_name = "NAME")]
    key: Option<String>,

    /// How several policies work together; `each` unless given
    #[arg(long)]
    compose: Option<Compose>,

    /// Judge in file order, not in the order of time
    #[arg(long)]
    keep_order: bool,

    /// With --keep-order: read the times as a clock's that may be set back, of which steps back up to DURATION are jitter
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    monotonic: Option<Wait>,

    /// Write each decision to FILE as a line of JSON; `-` is standard output, and the report then goes to standard error
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,

    /// Draw the traffic of the key denied most to FILE as SVG: what each policy allowed and denied over time, what remained, and the bound
    #[arg(long, value_name = "FILE", help_heading = PICTURES)]
    plot: Option<PathBuf>,

    /// Write all of the report to FILE as one page of HTML, with pictures
    #[arg(long, value_name = "FILE", help_heading = PICTURES)]
    html: Option<PathBuf>,

    /// With --plot or --html: draw the traffic of KEY
    #[arg(long, value_name = "KEY", help_heading = PICTURES, allow_hyphen_values = true)]
    plot_key: Option<String>,

    /// Find for each policy the smallest quota that, alone, would have refused at most PERCENT of all requests
    #[arg(long, value_name = "PERCENT", help_heading = PICTURES, allow_negative_numbers = true)]
    suggest: Option<Share>,

    /// How many of the keys denied most to list
    #[arg(long, value_name = "N", default_value = "10", value_parser = count, allow_negative_numbers = true)]
    top: usize,
}

const PICTURES: &str = "Pictures and suggestions";

const POLICIES: &str = "Policies, each as often as wanted; they are numbered from 0 in the order given";

/// More would be a mistake, and policies that judge together take stack.
const MOST_POLICIES: usize = 64;

const SEMANTICS: &str = "\
WINDOW and DURATION: a whole number and a unit, 250ns 5us 60ms 60s 1m 1h 1d.
Without a policy, the three kinds are compared at 60/60s.

Input:
  clf    Common or combined log format. Addresses are written one way as keys
         (::ffff:192.0.2.1 is 192.0.2.1). ip/PREFIX masks IPv6 addresses to so
         many bits (2001:db8::/64), and leaves IPv4 addresses and names whole.
         A path is without its query.
  csv    A header, then rows. The column at_ns, at_us, at_ms or at_s is the
         time, a whole number since 1970 or any other start; of several the
         finest counts. The column `cost` is in units of the quota, and 1 where
         it is missing or empty. A quoted field may hold line breaks.
  jsonl  An object a line, with members as csv has columns.

  Bytes that are not UTF-8 are replaced in keys. Blank lines are passed over.
  Lines that cannot be parsed are named on standard error and end nothing:
  among them lines above 1 MiB, times before 1970 or after 2262, and costs
  below zero. An input without any request is an error.

Order:
  Requests are judged by time, those of one time in file order. --keep-order
  judges them as they come: a time before the last admission of its key is read
  as that admission's, and only keys are kept in memory, not requests.

Answers:
  allow, with what remains; deny, with the wait after which the same request
  would pass; never, for a cost above the limit, which no wait can help. A cost
  of 0 is always allowed and counts nothing. A key is limited if one of its
  requests is denied or can never pass. With --compose all, `never` comes
  before `deny`, and of several denials the longest wait counts.

Pictures and suggestions:
  Requests are then held in memory, 40 bytes each and at most 50 million, in
  either order. A picture or a page is written whole or not at all; `-` is
  standard output for one of them, or for the decisions. Times are drawn as
  policies read them. A picture counts units: what was admitted in the window
  that ends at each moment, and what remains, beside the quota and the bound,
  which is the most that the policy can admit in any interval of one window
  (a fixed window 2 x QUOTA, a token bucket its burst and QUOTA).

  A suggested quota keeps the window and the options; a burst equal to the
  quota goes with it, another stands. Refused is what is denied or can never
  pass. A greater quota never refuses more where a key's requests cost the
  same and its times do not go back; where they do not, it can, and each quota
  is tried in turn. A search that would take minutes is given up, and a quota is
  shown that is enough, and below which none is known to be.

Exit status: 0, or 2 with a line on standard error that says what was expected.";

/// Reads the command line, of which the first argument is the program.
///
/// # Errors
///
/// [`Error::Usage`], on one line.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed<Settings>, Error> {
    let read = Args::command().try_get_matches_from(args).and_then(|matches| {
        let args = Args::from_arg_matches(&matches)?;
        Ok((in_order(&args, &matches), args))
    });
    parsed(read).map_err(Error::Usage)?.and_then(|(policies, args)| settings(policies, args))
}

/// The policies in the order in which they stand on the command line, across the three options.
fn in_order(args: &Args, matches: &ArgMatches) -> Vec<Policy> {
    let at = |option| matches.indices_of(option).into_iter().flatten();
    let mut policies: Vec<(usize, Policy)> = Vec::new();
    policies.extend(at("fixed_window").zip(args.fixed_window.iter().copied().map(Policy::FixedWindow)));
    policies.extend(at("sliding_log").zip(args.sliding_log.iter().copied().map(Policy::SlidingLog)));
    policies.extend(at("token_bucket").zip(args.token_bucket.iter().copied().map(Policy::TokenBucket)));
    policies.sort_unstable_by_key(|&(index, _)| index);
    policies.into_iter().map(|(_, policy)| policy).collect()
}

fn settings(mut policies: Vec<Policy>, args: Args) -> Result<Settings, Error> {
    let usage = |text: String| Err(Error::Usage(text));
    let compose = match args.compose {
        Some(compose @ (Compose::Each | Compose::All)) if policies.is_empty() => {
            let compose = if compose == Compose::All { "all" } else { "each" };
            let expected = "expected --fixed-window, --sliding-log or --token-bucket with it";
            return usage(format!("--compose {compose} is for policies of your own: {expected}"));
        }
        Some(compose) => compose,
        None if policies.is_empty() => Compose::Independent,
        None => Compose::Each,
    };
    if policies.len() > MOST_POLICIES {
        return usage(format!("{} policies: expected at most {MOST_POLICIES}", policies.len()));
    }
    if policies.is_empty() {
        policies = COMPARED.to_vec();
    }
    if args.monotonic.is_some() && !args.keep_order {
        return usage("--monotonic is for times in file order: expected --keep-order with it".to_owned());
    }
    let source = match args.file {
        None => Source::Sample,
        Some(path) if path == Path::new("-") => Source::Stdin,
        Some(path) => Source::File(path),
    };
    let format = match (args.format, &source) {
        (Some(format @ (Format::Csv | Format::Jsonl)), Source::Sample) => {
            return usage(format!(
                "--format {format} is for an input: expected a FILE with it (the bundled sample is clf)"
            ));
        }
        (None, Source::Sample) => Some(Format::Clf),
        (format, _) => format,
    };
    match (format, &args.key) {
        (Some(Format::Clf), Some(key)) if ClfKey::parse(key).is_none() => {
            return Err(Error::UnknownKey { key: shown(key, 60), hint: "" });
        }
        _ => {}
    }
    let destination =
        |path: PathBuf| if path == Path::new("-") { Destination::Stdout } else { Destination::File(path) };
    let (decisions, plot, html) =
        (args.decisions.map(destination), args.plot.map(destination), args.html.map(destination));
    apart([("--decisions", &decisions), ("--plot", &plot), ("--html", &html)])?;
    if args.plot_key.is_some() && plot.is_none() && html.is_none() {
        return usage("--plot-key is for a picture: expected --plot or --html with it".to_owned());
    }
    Ok(Settings {
        policies,
        compose,
        source,
        format,
        key: args.key,
        order: if args.keep_order { Order::AsItComes { tolerance: args.monotonic } } else { Order::ByTime },
        decisions,
        plot,
        html,
        plot_key: args.plot_key,
        suggest: args.suggest,
        top: args.top,
    })
}

/// Refuses to write two things to one place.
fn apart(outputs: [(&str, &Option<Destination>); 3]) -> Result<(), Error> {
    let place = |to: &Option<Destination>| match to {
        Some(Destination::File(path)) => {
            Some(path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or(path.clone()))
        }
        Some(Destination::Stdout) => Some(PathBuf::from("-")),
        None => None,
    };
    for (index, (option, to)) in outputs.iter().enumerate() {
        let taken = outputs[..index].iter().find(|(_, before)| to.is_some() && place(before) == place(to));
        if let Some((before, _)) = taken {
            return Err(Error::Usage(format!(
                "{before} and {option} would write to one place: expected another for one of them"
            )));
        }
    }
    Ok(())
}

/// The three kinds at one rate, for who names no policy.
const COMPARED: [Policy; 3] = [
    Policy::FixedWindow(FixedWindow::constant(60, Duration::from_secs(60))),
    Policy::SlidingLog(SlidingLog::constant(60, Duration::from_secs(60))),
    Policy::TokenBucket(TokenBucket::constant(60, Duration::from_secs(60))),
];

fn count(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "expected a whole number from 0 on")
}

/// A length of time, written as windows are (and as `jiff` reads it: `1m 30s`). Unlike a window it may be zero.
fn duration(text: &str) -> Result<Wait, &'static str> {
    let length = text.parse::<Span>().and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()));
    let nanos = length.ok().and_then(|length| u64::try_from(length.as_nanos()).ok());
    nanos.map(Wait::from_nanos).ok_or("expected a number and a unit, as 250ns 5us 60ms 60s 1m 1h 1d")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Settings, String> {
        match parse(format!("replay {line}").split_whitespace().map(OsString::from)) {
            Ok(Parsed::Run(settings)) => Ok(settings),
            Ok(Parsed::Print(text)) => panic!("{text}"),
            Err(error) => Err(error.to_string()),
        }
    }

    fn policies(line: &str) -> Vec<String> {
        parsed(line).unwrap().policies.iter().map(Policy::to_string).collect()
    }

    #[test]
    fn without_arguments_the_kinds_are_compared_on_the_sample() {
        let settings = parsed("").unwrap();
        assert_eq!((settings.source, settings.compose), (Source::Sample, Compose::Independent));
        assert_eq!(policies(""), ["fixed-window 60/1m", "sliding-log 60/1m", "token-bucket 60/1m"]);
        assert_eq!((settings.order, settings.decisions, settings.top), (Order::ByTime, None, 10));
    }

    #[test]
    fn policies_keep_their_order_across_kinds() {
        let line = "--token-bucket 1/1s --fixed-window=2/1s,aligned x.log --token-bucket 3/1s,burst=9,interval --sliding-log 4/1s";
        let expected = [
            "token-bucket 1/1s",
            "fixed-window 2/1s,aligned",
            "token-bucket 3/1s,burst=9,interval",
            "sliding-log 4/1s",
        ];
        assert_eq!(policies(line), expected);
        assert_eq!(parsed(line).unwrap().compose, Compose::Each);
        assert_eq!(parsed(line).unwrap().source, Source::File("x.log".into()));
    }

    #[test]
    fn a_dash_is_standard_input_or_output() {
        let settings = parsed("- --decisions - --format csv").unwrap();
        assert_eq!((settings.source, settings.decisions), (Source::Stdin, Some(Destination::Stdout)));
    }

    #[test]
    fn pictures_and_suggestions_look_back() {
        let settings = parsed("--plot a.svg --html - --plot-key -a --suggest 0.5").unwrap();
        assert_eq!(
            (settings.plot, settings.html),
            (Some(Destination::File("a.svg".into())), Some(Destination::Stdout))
        );
        assert_eq!((settings.plot_key, settings.suggest), (Some("-a".to_owned()), Some("0.5".parse().unwrap())));
        for (line, looks_back, takes_stdout) in [
            ("", false, false),
            ("--decisions -", false, true),
            ("--plot -", true, true),
            ("--html a.html", true, false),
            ("--suggest 1", true, false),
        ] {
            let settings = parsed(line).unwrap();
            assert_eq!((settings.looks_back(), settings.takes_stdout()), (looks_back, takes_stdout), "{line}");
        }
    }

    #[test]
    fn durations_are_written_as_windows_are() {
        for (text, nanos) in [
            ("250ns", 250),
            ("5us", 5_000),
            ("60ms", 60_000_000),
            ("60s", 60_000_000_000),
            ("1m", 60_000_000_000),
            ("1h", 3_600_000_000_000),
            ("1d", 86_400_000_000_000),
            ("0s", 0),
        ] {
            assert_eq!(duration(text), Ok(Wait::from_nanos(nanos)), "{text}");
        }
        for bad in ["", "5", "s", "-5s", "5x", "1mo", "1y", "99999999999999999999s", "300000d 300000d"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_one_line_that_says_what_was_expected() {
        let many = "--sliding-log 1/1s ".repeat(MOST_POLICIES + 1);
        for (line, expected) in [
            ("--monotonic 5s", "expected --keep-order"),
            ("--compose all", "expected --fixed-window"),
            ("--compose each x.log", "expected --fixed-window"),
            ("--format csv", "expected a FILE"),
            ("--format jsonl", "expected a FILE"),
            ("--key host", "expected ip, ip/PREFIX"),
            ("--format clf --key host x.log", "expected ip, ip/PREFIX"),
            ("--fixed-window 0/60s", "the quota is 0"),
            ("--sliding-log 1/0s", "the window is 0 ns"),
            ("--sliding-log 1/1s,aligned", "no options"),
            ("--token-bucket 1/1s,burst=0", "burst"),
            ("--token-bucket", "a value is required"),
            ("--format xml x", "possible values: clf, csv, jsonl"),
            ("--compose some", "possible values: each, all, independent"),
            ("--top -1", "expected a whole number"),
            ("--top many", "expected a whole number"),
            ("--monotonic soon --keep-order", "expected a number and a unit"),
            ("--plot - --html -", "--plot and --html would write to one place"),
            ("--decisions a.x --html ./a.x", "--decisions and --html would write to one place"),
            ("--plot-key a", "expected --plot or --html"),
            ("--plot", "a value is required"),
            ("--suggest 101", "from 0 to 100"),
            ("--suggest -1", "from 0 to 100"),
            ("--suggest few", "from 0 to 100"),
            ("--colour", "unexpected argument '--colour'"),
            ("a b", "unexpected argument 'b'"),
            (&many, "expected at most 64"),
        ] {
            let error = parsed(line).unwrap_err();
            assert!(error.contains(expected) && !error.contains('\n'), "{line}: {error}");
        }
    }

    #[test]
    fn help_and_version_are_printed() {
        for (option, expected) in
            [("--help", "Exit status"), ("-h", "Usage: replay [POLICY]..."), ("--version", "replay ")]
        {
            match parse(["replay", option].map(OsString::from)) {
                Ok(Parsed::Print(text)) => assert!(text.contains(expected), "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }
}

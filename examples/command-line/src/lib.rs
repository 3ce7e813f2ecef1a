//! The manners of the programs beside this: help and a version on request, one line and status 2 for what ends a run, and no complaint about a
//! reader that has seen enough, such as `head`.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;

/// The status of a run that could not be made.
const FAILED: u8 = 2;

/// What a command line asks for.
#[derive(Debug)]
pub enum Parsed<T> {
    /// A run.
    Run(T),
    /// Help, or the version.
    Print(String),
}

impl<T> Parsed<T> {
    /// What remains to be read of a run.
    ///
    /// # Errors
    ///
    /// That of `f`.
    pub fn and_then<U, E>(self, f: impl FnOnce(T) -> Result<U, E>) -> Result<Parsed<U>, E> {
        match self {
            Self::Run(args) => f(args).map(Parsed::Run),
            Self::Print(text) => Ok(Parsed::Print(text)),
        }
    }
}

/// Makes one of what clap says of a command line.
///
/// # Errors
///
/// What is wrong with it, on one line.
pub fn parsed<T>(outcome: Result<T, clap::Error>) -> Result<Parsed<T>, String> {
    match outcome {
        Ok(args) => Ok(Parsed::Run(args)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            Ok(Parsed::Print(error.to_string()))
        }
        Err(error) => Err(one_line(&error.to_string())),
    }
}

/// Of a message of clap's what was wrong and its tips, without the usage.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let lines = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("tip: to pass"));
    let line = lines.collect::<Vec<_>>().join(" ");
    format!("{}; see --help", line.strip_prefix("error: ").unwrap_or(&line))
}

/// Prints it on standard output, at once.
///
/// # Errors
///
/// Where it cannot be written; a reader that has gone away is no error.
pub fn print(text: &dyn Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.to_string().as_bytes()).and_then(|()| out.flush());
    written.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// Says on standard error what went wrong. In one piece, for several processes may share it, and a line that is written in parts mixes with
/// theirs.
pub fn complain(program: &str, said: &dyn Display) {
    // If standard error is gone, the status still tells.
    let _ = io::stderr().write_all(format!("{program}: {said}\n").as_bytes());
}

/// Says what ended a run, and gives the status for it.
pub fn failed(program: &str, why: &dyn Display) -> ExitCode {
    complain(program, why);
    ExitCode::from(FAILED)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// Count
    #[derive(Debug, Parser)]
    #[command(name = "count", version)]
    struct Args {
        #[arg(long, value_parser = clap::value_parser!(u8).range(1..=9))]
        times: u8,
    }

    fn said(line: &str) -> Result<Parsed<Args>, String> {
        parsed(Args::try_parse_from(line.split_whitespace()))
    }

    #[test]
    fn what_is_right_is_run() {
        assert!(matches!(said("count --times 3"), Ok(Parsed::Run(Args { times: 3 }))));
    }

    #[test]
    fn what_is_wrong_is_one_line_that_says_what_was_given_and_what_is_allowed() {
        for (line, expected) in [
            ("count", "the following required arguments were not provided: --times <TIMES>; see --help"),
            ("count --times 10", "invalid value '10' for '--times <TIMES>': 10 is not in 1..=9; see --help"),
            (
                "count --time 1",
                "unexpected argument '--time' found tip: a similar argument exists: '--times'; see --help",
            ),
            ("count --times 1 --x", "unexpected argument '--x' found; see --help"),
        ] {
            assert_eq!(said(line).unwrap_err(), expected);
        }
    }

    #[test]
    fn help_and_the_version_are_printed() {
        for (line, expected) in [("count --help", "Usage: count"), ("count --version", "count 0.1.0")] {
            assert!(matches!(said(line), Ok(Parsed::Print(text)) if text.contains(expected)));
        }
    }
}

//! The command line, and the settings it comes down to.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use command_line::{Parsed, parsed};
use tollgate::{FixedWindow, Wait};

use crate::chance::Chance;
use crate::strategy::{Strategy, TooLong};

/// Get a fixed amount of work through a rate limit, by each of four strategies, and compare
#[derive(Clone, Debug, Parser)]
#[command(name = "polite-client", version, max_term_width = 100)]
pub struct Settings {
    /// How many workers there are
    #[arg(long, value_name = "N", default_value = "40", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub workers: u16,

    /// How many pieces of work there are; each takes one request that is not refused
    #[arg(long, value_name = "N", default_value = "100", value_parser = one_or_more)]
    pub jobs: NonZeroU32,

    /// What is asked: one limit, or one of the gateway's two systems (limits of minutes: take --simulated)
    #[arg(long, value_enum, default_value = "limit")]
    pub target: Target,

    /// For the target `limit`: so many requests in windows of such a length, which open at the first
    #[arg(long, value_name = "QUOTA/WINDOW", default_value = "20/2s")]
    pub limit: FixedWindow,

    /// For the target `limit`: the wait is told in the bodies of refusals alone, and no field tells anything
    #[arg(long)]
    pub only_body: bool,

    /// Only these strategies
    #[arg(long = "strategy", value_enum, value_delimiter = ',', default_values_t = Strategy::ALL)]
    pub strategies: Vec<Strategy>,

    /// In simulated time, which takes a moment, and over the same HTTP
    #[arg(long)]
    pub simulated: bool,

    /// What chance is drawn from
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    /// Draw the arrivals into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// What the workers ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
    /// The gateway's layer around one limit.
    Limit,
    /// Its first system: 30 sign-ups a minute.
    Survey,
    /// Its second: 60 evaluations a minute, refused without a `Retry-After`.
    Signals,
}

impl Settings {
    /// What a client that has read the documentation knows of the limit.
    pub fn known_limit(&self) -> (u32, Duration) {
        match self.target {
            Target::Limit => (self.limit.quota(), self.limit.window()),
            Target::Survey => (30, Duration::from_secs(60)),
            Target::Signals => (60, Duration::from_secs(60)),
        }
    }

    /// A seed for each worker.
    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        let mut chance = Chance::new(self.seed);
        (0..self.workers).map(move |_| chance.word())
    }
}

/// What ends the program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// The server does not start.
    #[error("the server does not start: {0}")]
    Server(io::Error),
    /// It does not answer.
    #[error("no answer: {0}")]
    Link(Box<ureq::Error>),
    /// The limit asks for more patience than there is.
    #[error("the limit asks for a wait of {0}, and patience ends at 10 minutes")]
    TooLong(Wait),
    /// The drawing cannot be made.
    #[error("the drawing cannot be made: {0}")]
    Plot(String),
    /// The drawing cannot be written.
    #[error("--plot {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Nobody can be told.
    #[error("standard output: {0}")]
    Output(io::Error),
}

impl From<TooLong> for Error {
    fn from(TooLong(wait): TooLong) -> Self {
        Self::TooLong(wait)
    }
}

/// Reads the command line, of which the first argument is the program.
///
/// # Errors
///
/// [`Error::Usage`], on one line.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed<Settings>, Error> {
    parsed(Settings::try_parse_from(args)).map_err(Error::Usage)
}

fn one_or_more(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| format!("expected a number from 1 to {}", u32::MAX))
}

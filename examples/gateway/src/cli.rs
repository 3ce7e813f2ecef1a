//! The command line, and the settings it comes down to.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, io};

use clap::{Args, Parser, Subcommand};
use command_line::{Parsed, parsed};
use redis_fleet::{Address, BadAddress};
use tollgate::identity::Prefix;

use crate::arrival::Trusted;
use crate::credentials::{Keys, KeysLineError};
use crate::office::Unjudged;

/// What a run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which of the two.
    pub system: System,
    /// Where.
    pub listen: SocketAddr,
    /// Whose headers are believed.
    pub trust: Trusted,
    /// Whether a request may bring its own time.
    pub time_header: bool,
    /// How many keys each store has room for.
    pub max_keys: NonZeroUsize,
    /// What happens when that is not enough.
    pub when_full: Unjudged,
    /// What happens when a shared store gives no answer.
    pub when_unreachable: Unjudged,
}

/// One of the two systems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum System {
    /// Fixed windows on surfaces.
    Survey,
    /// An edge throttle, and token buckets behind it.
    Signals {
        /// The API keys that there are.
        keys: Arc<Keys>,
        /// Where layer 2 counts.
        store: Store,
    },
}

/// A store for layer 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Store {
    /// There is none, and no layer 2.
    None,
    /// This process's memory.
    Memory,
    /// A server that a fleet shares.
    Redis(Address),
}

/// Two deployed rate limiters, whole, over real HTTP
#[derive(Debug, Parser)]
#[command(name = "gateway", version, max_term_width = 100, arg_required_else_help = false)]
struct CommandLine {
    #[command(subcommand)]
    system: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fixed windows for each client on some surfaces, and for each API key on /v1/*
    Survey {
        #[command(flatten)]
        common: Common,
    },
    /// An edge throttle of 100 a minute for each address, and a token bucket for each family of endpoints behind it
    Signals {
        #[command(flatten)]
        common: Common,

        /// The API keys that there are, a line `id,tier` each; tiers are free, pro and team
        #[arg(long, value_name = "FILE")]
        keys: Option<PathBuf>,

        /// Without a store for the buckets: they are skipped, and the edge throttle stays
        #[arg(long, conflicts_with = "redis")]
        no_store: bool,

        /// Count layer 2 in a Redis or Valkey server, as redis://HOST:PORT, with all gateways that name it
        #[arg(long, value_name = "URL")]
        redis: Option<String>,

        /// What becomes of a request on which that server gives no answer: it passes uncounted, or is refused with 503
        #[arg(long, value_enum, default_value = "allow", requires = "redis")]
        when_unreachable: Unjudged,
    },
}

#[derive(Debug, Args)]
struct Common {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// Whose headers are believed: `first-hop` is everybody's, or the addresses and prefixes of proxies
    #[arg(long, value_name = "first-hop|PREFIX,...", default_value = "first-hop", value_parser = trusted)]
    trust: Trusted,

    /// For tests: a request's time is that of its header x-test-now-ms, milliseconds since 1970, where it has one
    #[arg(long)]
    time_header: bool,

    /// How many keys each store has room for
    #[arg(long, value_name = "N", default_value = "65536", value_parser = one_or_more)]
    max_keys: NonZeroUsize,

    /// What becomes of a request for which there is no room: it passes uncounted, or is refused with 503
    #[arg(long, value_enum, default_value = "allow")]
    when_full: Unjudged,
}

/// What ends the program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// The file of keys is wrong.
    #[error("--keys {}: {error}", path.display())]
    Keys {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: KeysLineError,
    },
    /// The file of keys cannot be read.
    #[error("--keys {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The address is taken, or not ours.
    #[error("--listen {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: io::Error,
    },
    /// Nobody can be told where it listens.
    #[error("standard output: {0}")]
    Output(io::Error),
    /// The system does not let us.
    #[error("{0}")]
    Runtime(io::Error),
}

/// Reads the command line, of which the first argument is the program, and the file that it names.
///
/// # Errors
///
/// [`Error`], on one line.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed<Settings>, Error> {
    parsed(CommandLine::try_parse_from(args)).map_err(Error::Usage)?.and_then(settings)
}

fn settings(CommandLine { system }: CommandLine) -> Result<Settings, Error> {
    match system {
        Command::Survey { common } => Ok(common.settings(System::Survey, Unjudged::Allow)),
        Command::Signals { common, keys, no_store, redis, when_unreachable } => {
            let keys = Arc::new(keys.map_or(Ok(Keys::default()), read_keys)?);
            let store = match redis {
                None if no_store => Store::None,
                None => Store::Memory,
                // Not by clap, which would repeat the password.
                Some(url) => Store::Redis(
                    url.parse().map_err(|error: BadAddress| Error::Usage(format!("--redis: {error}; see --help")))?,
                ),
            };
            Ok(common.settings(System::Signals { keys, store }, when_unreachable))
        }
    }
}

impl Common {
    fn settings(self, system: System, when_unreachable: Unjudged) -> Settings {
        let Self { listen, trust, time_header, max_keys, when_full } = self;
        Settings { system, listen, trust, time_header, max_keys, when_full, when_unreachable }
    }
}

fn read_keys(path: PathBuf) -> Result<Keys, Error> {
    match fs::read_to_string(&path) {
        Ok(text) => text.parse().map_err(|error| Error::Keys { path, error }),
        Err(error) => Err(Error::Read { path, error }),
    }
}

fn trusted(text: &str) -> Result<Trusted, String> {
    if text == "first-hop" {
        return Ok(Trusted::FirstHop);
    }
    let prefix = |text: &str| text.trim().parse::<Prefix>().map_err(|error| format!("{text:?}: {error}"));
    text.split(',').map(prefix).collect::<Result<_, _>>().map(Trusted::Proxies)
}

fn one_or_more(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("expected a number from 1 to {}", usize::MAX))
}

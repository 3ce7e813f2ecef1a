//! The command line.

use std::ffi::OsString;
use std::time::Duration;

use clap::Parser;
use command_line::{Parsed, parsed};
use tollgate::SlidingLog;

use crate::sharing::Settings;
use crate::traffic::Traffic;

/// What to simulate.
#[derive(Debug)]
pub(crate) struct Simulation {
    pub(crate) traffic: Traffic,
    pub(crate) settings: Settings,
    pub(crate) delay: Duration,
    pub(crate) service: Duration,
    pub(crate) seed: u64,
}

/// One limit, many nodes: ways to share it, compared.
///
/// Plays the same requests to a fleet that shares a limit in each of the ways there are, and prints a table of what passed, how long it took
/// and what it cost the server. Time is simulated, so the same arguments always give the same table.
#[derive(Debug, Parser)]
#[command(name = "fleet", version, max_term_width = 100)]
struct Args {
    /// The limit of the whole fleet
    #[arg(long, value_name = "QUOTA/WINDOW", default_value = "1000/1s")]
    sliding_log: SlidingLog,

    /// How many nodes share it
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=1024))]
    nodes: u16,

    /// Requests a second at all nodes together
    #[arg(long, value_name = "N", default_value = "2000", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rate: u32,

    /// How many of 100 requests come to the first node; evenly spread unless given
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    hot: Option<u8>,

    /// How long a message takes on average, one way, in microseconds
    #[arg(long, value_name = "MICROS", default_value = "500", value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    delay: u32,

    /// How long the server takes for a question, in microseconds
    #[arg(long, value_name = "MICROS", default_value = "10", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    service: u32,

    /// How far a node's clock is from the right time at most, in microseconds
    #[arg(long, value_name = "MICROS", default_value = "0", value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    skew: u32,

    /// How often a check is tried before it is given up
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(1..))]
    attempts: u16,

    /// How many units a node leases at once
    #[arg(long, value_name = "UNITS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..))]
    block: u32,

    /// How long a lease lasts, in milliseconds; what is left of it is then given back
    #[arg(long, value_name = "MILLIS", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    lease: u32,

    /// How long to simulate
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = clap::value_parser!(u16).range(1..=600))]
    seconds: u16,

    /// What all chance comes from
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
}

pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed<Simulation>, String> {
    parsed(Args::try_parse_from(args))?.and_then(|args| Ok(simulation(args)))
}

fn simulation(args: Args) -> Simulation {
    let nodes = usize::from(args.nodes);
    Simulation {
        traffic: Traffic {
            nodes,
            rate: f64::from(args.rate),
            hot: args.hot.map_or(1.0 / nodes as f64, |percent| f64::from(percent) / 100.0),
            length: Duration::from_secs(args.seconds.into()),
        },
        settings: Settings {
            policy: args.sliding_log,
            nodes,
            attempts: args.attempts.into(),
            block: args.block.min(args.sliding_log.quota()),
            lease: u64::from(args.lease) * 1_000_000,
            skew: u64::from(args.skew) * 1_000,
        },
        delay: Duration::from_micros(args.delay.into()),
        service: Duration::from_micros(args.service.into()),
        seed: args.seed,
    }
}

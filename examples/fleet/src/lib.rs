//! One limit, many nodes: the ways to share it, compared in a simulation.
//!
//! ```text
//! cli.rs               the command line
//! traffic.rs           the requests, the same for all ways
//! network.rs           simulated time, and messages that take some
//! server.rs            the shared engine: opaque bytes, compared and swapped
//!
//! sharing.rs           what a way to share is, and how a run is played
//! compare_and_swap.rs  one state for all: read, judge, write if unchanged; or guess, and write at once
//! shares.rs            a part of the quota for each node; and one limiter for all, to compare with
//! lease.rs             a block of units for each node, for a while
//!
//! outcome.rs           what became of the requests, and the figures
//! report.rs            the table of them
//! ```

mod cli;
mod compare_and_swap;
mod lease;
mod network;
mod outcome;
mod report;
mod server;
mod shares;
mod sharing;
#[cfg(test)]
mod tests;
mod traffic;

use std::ffi::OsString;
use std::process::ExitCode;

use cli::Simulation;
use command_line::Parsed;
use compare_and_swap::{CompareAndSwap, Start};
use lease::Leases;
use network::Network;
use outcome::Figures;
use report::Row;
use shares::Shares;
use sharing::{Sharing, play};
use traffic::Request;

/// Runs the program on these arguments, of which the first is its own name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_program(args).map_or_else(|error| command_line::failed("fleet", &error), |()| ExitCode::SUCCESS)
}

fn run_program(args: impl IntoIterator<Item = OsString>) -> Result<(), String> {
    let text = match cli::parse(args)? {
        Parsed::Run(simulation) => simulate(&simulation),
        Parsed::Print(text) => text,
    };
    command_line::print(&text).map_err(|error| format!("cannot write to standard output: {error}"))
}

/// The table of a simulation.
fn simulate(simulation: &Simulation) -> String {
    let requests = simulation.traffic.requests(simulation.seed);
    report::table(simulation, requests.len(), &rows(simulation, &requests))
}

fn rows(simulation: &Simulation, requests: &[Request]) -> Vec<Row> {
    let settings = &simulation.settings;
    let row = |name, figures| Row { name, figures };
    vec![
        row("one limiter, no network", run(Shares::one(settings), simulation, requests)),
        row("compare and swap", run(CompareAndSwap::new(settings, Start::Read), simulation, requests)),
        row("compare and swap, guessing", run(CompareAndSwap::new(settings, Start::Guess), simulation, requests)),
        row("lease", run(Leases::new(settings), simulation, requests)),
        row("equal shares", run(Shares::equal(settings), simulation, requests)),
    ]
}

fn run<S: Sharing>(sharing: S, simulation: &Simulation, requests: &[Request]) -> Figures {
    let nanos = |time: std::time::Duration| time.as_nanos() as u64;
    let network = Network::new(nanos(simulation.delay), nanos(simulation.service), simulation.seed);
    play(sharing, requests, &simulation.settings, network)
}

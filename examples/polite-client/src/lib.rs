//! Workers that get a fixed amount of work through a rate limit, by four strategies, so that they can be compared: how many requests it takes,
//! how many of them are refused, how long it takes, and how the requests are spread.
//!
//! ```text
//! cli.rs        the command line
//! server.rs     what the workers ask: the gateway on the loopback, or one limit of its parts
//! answer.rs     an answer, and what `tollgate::client` reads in it
//! link.rs       from a request to an answer, over HTTP
//!
//! strategy.rs   when a worker sends, and what it makes of an answer: no clock, no I/O
//! gate.rs       what workers that share a limit know together
//! chance.rs     random words from a seed
//!
//! live.rs       a thread for each worker, and the real clock
//! simulated.rs  the same workers in simulated time, over the same HTTP
//! tally.rs      what a run comes down to
//! plot.rs       the arrivals of all runs, drawn
//! ```
//!
//! A worker's way: it asks its strategy whether to send, sends, and gives it the answer. Whoever drives it brings the time. So the same code
//! is run by threads that sleep and by tests that do not.

pub mod answer;
pub mod chance;
pub mod cli;
pub mod gate;
pub mod link;
pub mod live;
pub mod plot;
pub mod server;
pub mod simulated;
pub mod strategy;
pub mod tally;

use std::ffi::OsString;
use std::fmt::Display;
use std::process::ExitCode;

use cli::{Error, Settings};
use command_line::Parsed;
use server::Server;
use tally::Run;

/// Runs the program on these arguments, of which the first is its own name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_program(args).map_or_else(|error| command_line::failed("polite-client", &error), |()| ExitCode::SUCCESS)
}

fn run_program(args: impl IntoIterator<Item = OsString>) -> Result<(), Error> {
    match cli::parse(args)? {
        Parsed::Run(settings) => compare(&settings),
        Parsed::Print(text) => print(&text),
    }
}

fn print(text: &dyn Display) -> Result<(), Error> {
    command_line::print(text).map_err(Error::Output)
}

/// Runs each strategy against a server of its own, and prints a line for each.
fn compare(settings: &Settings) -> Result<(), Error> {
    settings.plot.as_deref().map_or(Ok(()), plot::can_write)?;
    let mut runs = Vec::new();
    print(&format_args!("{}\n", tally::HEAD))?;
    for &strategy in &settings.strategies {
        let run = run(settings, strategy)?;
        print(&format_args!("{run}\n"))?;
        runs.push(run);
    }
    match &settings.plot {
        Some(path) => plot::write(path, &runs),
        None => Ok(()),
    }
}

/// One strategy, from the first request to the last answer.
///
/// # Errors
///
/// Where the server cannot be started or reached, or the limit asks for more patience than there is.
pub fn run(settings: &Settings, strategy: strategy::Strategy) -> Result<Run, Error> {
    let server = Server::start(settings)?;
    if settings.simulated {
        simulated::run(settings, strategy, &server)
    } else {
        live::run(settings, strategy, &server)
    }
}

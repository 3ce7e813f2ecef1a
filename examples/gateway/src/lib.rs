//! Two deployed rate limiters, whole, over real HTTP: axum and tower in front of `tollgate`.
//!
//! ```text
//! cli.rs         the command line, and the settings it comes down to
//! server.rs      a listener, the router, and a graceful stop
//!
//! layer.rs       the limiter's place: a tower layer around a route or a router. Made to be copied
//! arrival.rs     who is calling, and when: what every limiter asks of a request
//! rule.rs        policies with names on one key, their joint answer, and its `RateLimit` fields
//! counters.rs    where states are kept: the seam, the store in memory, and the one that a fleet shares
//! office.rs      from an answer to a verdict: fields, a refusal, a line in the log
//! denials.rs     the log of denials, and the readout of them
//! log.rs         standard error, by a writer that makes no request wait
//! credentials.rs what a caller shows: API keys and sessions
//!
//! survey.rs      the first system: fixed windows on some surfaces
//! signals.rs     the second: an edge throttle, and token buckets behind it
//! answer.rs      responses in JSON
//! ```
//!
//! A request's way: axum's router finds the route, so what is limited is what is served, and not a path that was parsed twice. The limiter
//! around the route takes the [`Arrival`](arrival::Arrival), asks the [`Counters`](counters::Counters) to judge a [rule](rule::Judge), and
//! gives the layer a [`Verdict`](layer::Verdict): go on, with fields for the answer, or stop with a 429.

pub mod answer;
pub mod arrival;
pub mod cli;
pub mod counters;
pub mod credentials;
pub mod denials;
pub mod layer;
mod log;
pub mod office;
pub mod rule;
pub mod server;
pub mod signals;
pub mod survey;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use axum::Router;

use arrival::Reception;
use cli::{Settings, Store, System};
use command_line::Parsed;
use counters::{Memory, Redis};
use office::Office;
use rule::Usage;

/// Runs the program on these arguments, of which the first is its own name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    run(args).map_or_else(|error| command_line::failed("gateway", &error), |()| ExitCode::SUCCESS)
}

fn run(args: impl IntoIterator<Item = OsString>) -> Result<(), cli::Error> {
    match cli::parse(args)? {
        Parsed::Run(settings) => server::run(&settings),
        Parsed::Print(text) => command_line::print(&text).map_err(cli::Error::Output),
    }
}

/// The system that was asked for, as a router.
///
/// Here is chosen where counters are kept; nothing behind this line knows.
pub fn app(settings: &Settings) -> Router {
    let sources = match settings.system {
        System::Survey => survey::sources(&settings.trust),
        System::Signals { .. } => signals::SOURCES,
    };
    let reception = Reception::new(sources, settings.trust.clone(), settings.time_header);
    let office = Arc::new(Office::new(reception, settings.when_full, settings.when_unreachable));
    match &settings.system {
        System::Survey => survey::router(&office, &Arc::new(Memory::new(settings.max_keys))),
        System::Signals { keys, store } => {
            let edge = Memory::new(settings.max_keys);
            match store {
                Store::None => signals::router(&office, keys, edge, None::<Arc<Memory<Usage>>>),
                Store::Memory => signals::router(&office, keys, edge, Some(Arc::new(Memory::new(settings.max_keys)))),
                Store::Redis(address) => signals::router(&office, keys, edge, Some(Arc::new(Redis::new(address)))),
            }
        }
    }
}

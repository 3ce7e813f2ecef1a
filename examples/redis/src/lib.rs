//! One limit for a fleet: `tollgate`'s states in a Redis or Valkey server, which compares and swaps bytes that mean nothing to it.
//!
//! ```text
//! shared.rs   the loop: read, step, swap, and again on a conflict. Made to be copied
//! server.rs   the connection, what is asked of it, and its time limits
//! swap.lua    what the server runs
//! address.rs  where it is
//! trouble.rs  why there may be no decision
//! seen.rs     the bytes seen last, for a guess
//!
//! main.rs     the program, which holds a fleet against its bound
//! cli.rs      its command line
//! fleet.rs    the first process: starts workers and gathers what they tell
//! worker.rs   a process of the fleet
//! policy.rs   a policy of any kind
//! tally.rs    what was counted, and the record of what was admitted
//! excess.rs   by how much that breaks the bound
//! report.rs   the figures
//! live.rs     servers for tests (feature `live`)
//! ```
//!
//! A check's way: [`Shared::check`] reads the key and takes a [step](tollgate::wire::step), in which the policy judges its bytes. A denial has
//! changed nothing and is the answer. An admission is new bytes, and the answer once they are swapped in for those that were judged.
//!
//! ```no_run
//! use std::num::NonZeroU32;
//! use std::time::{Duration, SystemTime};
//!
//! use redis_fleet::{Server, Shared};
//! use tollgate::{Decision, TokenBucket};
//!
//! const API: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
//! const SKEW: Duration = Duration::from_secs(1); // by how much the fleet's clocks may differ
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::new(&"redis://127.0.0.1:6379".parse()?, Duration::from_millis(500));
//! let shared = Shared::new(server, SKEW, NonZeroU32::new(16).unwrap());
//! let now = Some(SystemTime::now().into()); // or None, for the server's time
//! match shared.check(b"tenant:7", now, |state, now| API.judge(state, now)).await.outcome {
//!     Ok(Decision::Allow) => { /* go on */ }
//!     Ok(Decision::Deny { retry_after }) => println!("429, Retry-After: {}", retry_after.as_secs_ceil()),
//!     Err(trouble) => println!("open or closed, as you choose: {trouble}"),
//! }
//! # Ok(())
//! # }
//! ```

mod address;
mod cli;
mod error;
pub mod excess;
mod fleet;
#[cfg(feature = "live")]
pub mod live;
mod policy;
mod report;
mod seen;
pub mod server;
pub mod shared;
mod tally;
mod trouble;
mod worker;

pub use address::{Address, BadAddress};
pub use policy::Policy;
pub use server::Server;
pub use shared::{Checked, Shared, Written};
pub use trouble::{Distrust, Trouble};

use std::ffi::OsString;
use std::process::ExitCode;

use command_line::Parsed;
use error::Error;
use report::Report;

/// The ten lines of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The status of a run in which too much was admitted.
const OVERSHOT: u8 = 1;
/// The program's.
const NAME: &str = "redis-fleet";

/// Runs the program on these arguments, of which the first is its own name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    run(&args.into_iter().collect::<Vec<_>>()).unwrap_or_else(|error| command_line::failed(NAME, &error))
}

fn run(args: &[OsString]) -> Result<ExitCode, Error> {
    let settings = match cli::parse(args.iter().cloned())? {
        Parsed::Run(settings) => settings,
        Parsed::Print(text) => {
            command_line::print(&text)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    if let Some(number) = settings.worker {
        worker::run(settings, number)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (tally, took) = fleet::run(&settings, args.get(1..).unwrap_or_default())?;
    let report = Report::new(&settings, tally, took);
    command_line::print(&report)?;
    Ok(if report.overshot == 0 { ExitCode::SUCCESS } else { ExitCode::from(OVERSHOT) })
}

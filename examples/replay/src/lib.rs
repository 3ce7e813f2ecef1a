//! What would this limit have done to my traffic? A log of requests that already happened, judged by the policies of `tollgate`.
//!
//! ```text
//! error.rs       what ends a run            text.rs        text from outside, made fit for a terminal and for markup
//! cli.rs         the command line, and the settings it comes down to
//! input.rs       bytes to requests          input/         lines, the three formats, integers and times
//! judge.rs       the limiter: policies over keys, alone and composed. All of `tollgate` is used here (and its clock in traffic.rs and run.rs)
//! run.rs         one run: input to judge to output, in time order or as it comes
//! traffic.rs     requests held in memory    document.rs    files that are written whole or not at all
//! decisions.rs   a JSON line a decision     tally.rs       what is counted on the way
//! report.rs      the counts, for people     table.rs       rows and columns, times and shares
//! timeline.rs    time cut into bins         progress.rs    a bar on long input
//! overview.rs    everybody, bin by bin      trace.rs       one key, bin by bin, as each policy took it
//! plots.rs       what is drawn of these     figure.rs      how it is drawn, with `plotters`     figure/  axes, colours, SVG
//! page.rs        the report as HTML         suggest.rs     the smallest quota that refuses few enough
//! ```
//!
//! A request's way: `input` turns lines into a time, a cost and a key; `run` gives each key a number and each request, in order, to `judge`;
//! the verdicts go to `decisions`, `tally` and `overview`, and at the end `report` and `page` read the counts. For pictures and suggestions
//! the requests are held, and judged again a key at a time by `trace` and `suggest`: no key has a part in another's answers.

mod cli;
mod decisions;
mod document;
mod error;
mod figure;
mod input;
mod judge;
mod overview;
mod page;
mod plots;
mod progress;
mod report;
mod run;
mod suggest;
mod table;
mod tally;
mod text;
mod timeline;
mod trace;
mod traffic;

use std::ffi::OsString;
use std::process::ExitCode;

use command_line::Parsed;
use error::Error;

/// Runs the program on these arguments, of which the first is its own name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    match run_program(args) {
        // Whoever read the output has seen enough.
        Ok(()) | Err(Error::OutputClosed) => ExitCode::SUCCESS,
        Err(error) => command_line::failed("replay", &error),
    }
}

fn run_program(args: impl IntoIterator<Item = OsString>) -> Result<(), Error> {
    match cli::parse(args)? {
        Parsed::Run(settings) => run::run(&settings),
        Parsed::Print(text) => command_line::print(&text).map_err(Error::writing("standard output")),
    }
}

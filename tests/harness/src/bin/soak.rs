//! Plays simulated years of traffic, compared with the oracle and the bound, and prints what they were made of.
//!
//! ```text
//! cargo run --release -p tollgate-harness --bin soak -- --years 10 --seed 1
//! ```

use std::process::ExitCode;

use tollgate_harness::program::{Number, numbers};
use tollgate_harness::soak::{Plan, run};

fn main() -> ExitCode {
    let years = Number { name: "--years", default: 10, least: 1 };
    match numbers([years, Number { name: "--seed", default: 1, least: 0 }]) {
        Ok([years, seed]) => {
            println!("seed {seed}: {}", run(Plan { days: years.saturating_mul(365), seed }));
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("soak: {why}");
            ExitCode::from(2)
        }
    }
}

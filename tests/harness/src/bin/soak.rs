//! Plays simulated years of traffic, compared with the oracle and the bound, and prints what they were made of.
//!
//! ```text
//! cargo run --release -p tollgate-harness --bin soak -- --years 10 --seed 1
//! ```

use std::process::ExitCode;

use tollgate_harness::soak::{Plan, run};

const USAGE: &str = "usage: soak [--years N] [--seed N]";

fn plan(mut arguments: impl Iterator<Item = String>) -> Option<Plan> {
    let mut plan = Plan { days: 3_650, seed: 1 };
    while let Some(name) = arguments.next() {
        let number: u64 = arguments.next()?.parse().ok()?;
        match name.as_str() {
            "--years" => plan.days = number.checked_mul(365)?,
            "--seed" => plan.seed = number,
            _ => return None,
        }
    }
    Some(plan)
}

fn main() -> ExitCode {
    let Some(plan) = plan(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    println!("seed {}: {}", plan.seed, run(plan));
    ExitCode::SUCCESS
}

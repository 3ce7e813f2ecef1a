//! Reads on standard input what the firmware has printed, and takes each decision again with the specification.
//!
//! Exit status 0: all are right; 1: one is not; 2: called wrongly.

use std::io::{Read, stdin};
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().len() > 1 {
        eprintln!("firmware-check: usage: firmware-check < WHAT_THE_FIRMWARE_PRINTED");
        return ExitCode::from(2);
    }
    let mut printed = String::new();
    if let Err(error) = stdin().read_to_string(&mut printed) {
        eprintln!("firmware-check: standard input cannot be read: {error}");
        return ExitCode::FAILURE;
    }
    match firmware_check::replay(&printed) {
        Ok(counts) => {
            for (limiter, [allowed, refused]) in counts {
                println!("{limiter}: {allowed} allowed, {refused} refused, all as the specification says");
            }
            ExitCode::SUCCESS
        }
        Err(mistake) => {
            eprintln!("firmware-check: {mistake}");
            ExitCode::FAILURE
        }
    }
}

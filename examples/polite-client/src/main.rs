//! See the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    polite_client::main(std::env::args_os())
}

//! The program `gateway`; everything it does is in the library beside it, where it is tested.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway::main(std::env::args_os())
}

//! The program `replay`; everything it does is in the library beside it, where it is tested.

use std::process::ExitCode;

fn main() -> ExitCode {
    replay::main(std::env::args_os())
}

//! The program `redis-fleet`; everything it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    redis_fleet::main(std::env::args_os())
}

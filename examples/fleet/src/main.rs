//! The program `fleet`; all of it is in the library, where tests reach it.

fn main() -> std::process::ExitCode {
    fleet::main(std::env::args_os())
}

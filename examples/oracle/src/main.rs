//! The oracle: reads cases or single events, writes the right answers. README.md describes the protocol.
//!
//! Here: the command line, and how the program ends. What it reads and writes is in `session`, what it says about wrong answers in
//! `verdict`. The answers come from the model in `tests/oracle`, which is the specification; the crate is not asked.

mod session;
mod verdict;

use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use session::{Session, Task};
use tollgate_vectors::Integers;

const USAGE: &str = "\
usage: oracle [--check] [--strings] < CASES

  Reads JSON from standard input: a file of cases, cases, or single events, one after another. Writes each back with the right
  answers in it.

  --check    write instead where the answers that are given differ from the right ones; exit status 1 if any do
  --strings  write integers of 64 bits as strings, for readers whose numbers are floats
  --help     write this

  Exit status 2: what was read is no case. One line on standard error says why.
";

enum Command {
    Run { task: Task, integers: Integers },
    Help,
}

fn command(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let (mut task, mut integers) = (Task::Answer, Integers::Numbers);
    for argument in arguments {
        match argument.as_str() {
            "--check" => task = Task::Check,
            "--strings" => integers = Integers::Strings,
            "--help" | "-h" => return Ok(Command::Help),
            other => return Err(format!("there is no option {other:?}; there are --check, --strings and --help")),
        }
    }
    Ok(Command::Run { task, integers })
}

fn run() -> Result<ExitCode, String> {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    match command(arguments)? {
        Command::Help => {
            // A reader that is gone has seen enough.
            let _ = io::stdout().write_all(USAGE.as_bytes());
            Ok(ExitCode::SUCCESS)
        }
        Command::Run { task, integers } => {
            let mut session = Session::new(task, integers, io::stdout().lock());
            session.read(BufReader::new(io::stdin().lock()))?;
            Ok(if session.finish()? { ExitCode::SUCCESS } else { ExitCode::from(1) })
        }
    }
}

fn main() -> ExitCode {
    run().unwrap_or_else(|message| {
        eprintln!("oracle: {message}");
        ExitCode::from(2)
    })
}

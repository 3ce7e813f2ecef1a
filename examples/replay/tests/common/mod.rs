//! Runs the program, and writes its inputs.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// A run to be made.
pub(crate) struct Replay {
    args: Vec<OsString>,
    /// What it is fed, if anything.
    input: Option<Vec<u8>>,
    lines: Option<usize>,
    directory: Option<PathBuf>,
}

/// A run that was made.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Replay {
    /// With these arguments, split at spaces.
    pub(crate) fn new(args: &str) -> Self {
        Self { args: args.split_whitespace().map(OsString::from).collect(), input: None, lines: None, directory: None }
    }

    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(crate) fn input(self, text: &str) -> Self {
        self.input_bytes(text.as_bytes())
    }

    pub(crate) fn input_bytes(mut self, bytes: &[u8]) -> Self {
        self.input = Some(bytes.to_vec());
        self
    }

    /// Closes standard output after so many lines.
    pub(crate) fn stop_reading_after(mut self, lines: usize) -> Self {
        self.lines = Some(lines);
        self
    }

    /// Where it writes files without a path.
    pub(crate) fn in_directory(mut self, directory: &Path) -> Self {
        self.directory = Some(directory.to_owned());
        self
    }

    pub(crate) fn run(self) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_replay"));
        let stdin = if self.input.is_some() { Stdio::piped() } else { Stdio::null() };
        command.args(self.args).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = self.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn().unwrap();
        let fed = child.stdin.take().zip(self.input);
        // It may end before it has read all.
        let writer = thread::spawn(move || drop(fed.map(|(mut stdin, input)| stdin.write_all(&input))));
        let mut error = child.stderr.take().unwrap();
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            error.read_to_end(&mut text).unwrap();
            text
        });
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut stdout = Vec::new();
        for _ in 0..self.lines.unwrap_or(usize::MAX) {
            if output.read_until(b'\n', &mut stdout).unwrap() == 0 {
                break;
            }
        }
        drop(output);
        let status = child.wait().unwrap().code().expect("the program ends by itself");
        writer.join().unwrap();
        let stderr = errors.join().unwrap();
        Run { status, stdout: String::from_utf8(stdout).unwrap(), stderr: String::from_utf8(stderr).unwrap() }
    }
}

impl Run {
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.stdout.lines()
    }

    /// The number beside a name in the report.
    pub(crate) fn count(&self, name: &str) -> u64 {
        let line = self.lines().find(|line| line.trim_start().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no {name}: {}", self.stdout));
        line.split_whitespace().nth(name.split_whitespace().count()).unwrap().parse().unwrap()
    }

    /// That it failed, with one line on standard error that says so.
    #[track_caller]
    pub(crate) fn fails_with(&self, expected: &str) {
        assert_eq!((self.status, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        assert!(self.stderr.contains(expected), "{expected}: {}", self.stderr);
        assert!(self.stderr.starts_with("replay: ") && self.stderr.lines().count() == 1, "{}", self.stderr);
    }
}

/// Rows of seconds, key and cost, under a header; the first is on line 2.
pub(crate) fn csv(rows: &[(u64, &str, &str)]) -> String {
    let rows = rows.iter().map(|(at_s, key, cost)| format!("{at_s},{key},{cost}\n"));
    ["at_s,key,cost\n".to_owned()].into_iter().chain(rows).collect()
}

/// A request of each host, a second apart.
pub(crate) fn clf(hosts: &[&str]) -> String {
    let line = |(second, host)| format!("{host} - - [02/Mar/2026:09:00:{second:02} +0000] \"GET / HTTP/1.1\" 200 5\n");
    hosts.iter().enumerate().map(line).collect()
}

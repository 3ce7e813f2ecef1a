//! The program itself: what it says, its log, and how it ends.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::thread::{self, JoinHandle};

use super::server::{Server, get, post};

/// A gateway in a process of its own, which ends with this.
pub(crate) struct Program {
    child: Child,
    pub(crate) server: Server,
    log: Option<JoinHandle<String>>,
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut program = Self::start_unread(arguments);
        let stderr = program.child.stderr.take().unwrap();
        program.log = Some(thread::spawn(|| io::read_to_string(stderr).unwrap()));
        program
    }

    /// One whose log is a pipe that nobody reads.
    fn start_unread(arguments: &[&str]) -> Self {
        let mut child = command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on http://").unwrap().parse().unwrap();
        Self { child, server: Server::at(address), log: None }
    }

    /// Ends it by a signal; what it logged, as far as that was read.
    pub(crate) fn stop(mut self, signal: &str) -> String {
        let killed = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let status = self.child.wait().unwrap();
        let log = self.log.take().map(|log| log.join().unwrap()).unwrap_or_default();
        assert!(status.success(), "{status}: {log}");
        log
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Neither is an error that matters: it may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
    command.args(arguments);
    command
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_denial_is_one_line_of_the_log_and_a_signal_ends_the_program() {
    let program = Program::start(&["signals", "--listen", "127.0.0.1:0", "--time-header"]);
    program.server.ask_times(12, &get("/api/intel")).await;
    program.server.ask_times(88, &get("/elsewhere")).await;
    assert_eq!(program.server.ask(&post("/api/health")).await.status, 429);
    let log = program.stop("-TERM");
    let denials: Vec<&str> = log.lines().filter(|line| line.contains(r#"error="rate_limited""#)).collect();
    assert_eq!(denials.len(), 3, "{log}");
    let rest =
        r#"endpoint="/api/intel" client="203.0.113.9" policy="rest" retry_after_seconds=34 time_ms=1700000006000"#;
    assert!(denials[..2].iter().all(|line| line.contains(rest)), "{log}");
    let edge =
        r#"endpoint="/api/health" client="203.0.113.9" policy="edge" retry_after_seconds=60 time_ms=1700000006000"#;
    assert!(denials[2].contains(edge), "{log}");
    assert!(log.contains("trust: first-hop"), "{log}");
    assert!(log.contains("x-test-now-ms is believed"), "{log}");
}

const EDGE_BODY: &str = r#"{"error":"rate_limited","message":"Too many requests — 100 per minute per IP.","retry_after_seconds":60,"ip":"203.0.113.9"}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_answers_and_ends_when_the_reader_of_its_log_is_gone() {
    let mut program = Program::start_unread(&["signals", "--listen", "127.0.0.1:0", "--time-header"]);
    drop(program.child.stderr.take());
    program.server.ask_times(100, &get("/")).await;
    for _ in 0..50 {
        let denied = program.server.ask(&get("/")).await;
        assert_eq!((denied.status.as_u16(), &denied.body[..]), (429, EDGE_BODY.as_bytes()));
    }
    program.stop("-TERM");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_answers_and_ends_when_nobody_reads_its_log() {
    let program = Program::start_unread(&["signals", "--listen", "127.0.0.1:0", "--time-header"]);
    program.server.ask_times(100, &get("/")).await;
    // Far more than a pipe holds.
    let statuses = program.server.ask_times(2_000, &get("/")).await;
    assert!(statuses.iter().all(|&status| status == 429));
    program.stop("-TERM");
}

#[test]
fn it_says_at_its_start_whom_it_trusts() {
    let log = Program::start(&["survey", "--listen", "127.0.0.1:0", "--trust", "192.0.2.0/24"]).stop("-INT");
    assert!(log.contains("trust: these proxies") && log.contains("192.0.2.0/24"), "{log}");
    assert!(!log.contains("x-test-now-ms"), "{log}");
}

#[test]
fn bad_usage_is_one_line_and_status_2() {
    for (arguments, expected) in [
        (
            &[][..],
            "gateway: 'gateway' requires a subcommand but one was not provided [subcommands: survey, signals, help]; see --help\n",
        ),
        (
            &["surveys"],
            "gateway: unrecognized subcommand 'surveys' tip: a similar subcommand exists: 'survey'; see --help\n",
        ),
        (&["signals", "--redis", "127.0.0.1:6379"], "; expected redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]"),
        (
            &["signals", "--no-store", "--redis", "redis://127.0.0.1"],
            "gateway: the argument '--no-store' cannot be used with '--redis <URL>'; see --help\n",
        ),
        (&["survey", "--keys", "x"], "gateway: unexpected argument '--keys' found; see --help\n"),
        (
            &["survey", "--listen", "nowhere"],
            "'nowhere' for '--listen <ADDR>': invalid socket address syntax; see --help\n",
        ),
        (
            &["signals", "--trust", "10.0.0.1/8"],
            "write 10.0.0.0/8 for the range, or 10.0.0.1 for the one address; see --help\n",
        ),
        (&["signals", "--trust", ""], "a prefix is written 10.0.0.0/8, 2001:db8::/32 or 192.0.2.1; see --help\n"),
        (
            &["survey", "--max-keys", "0"],
            "gateway: invalid value '0' for '--max-keys <N>': expected a number from 1 to 18446744073709551615; see --help\n",
        ),
        (
            &["signals", "--keys", "no-such-file"],
            "gateway: --keys no-such-file: No such file or directory (os error 2)\n",
        ),
    ] {
        let Output { status, stdout, stderr } = command(arguments).output().unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), stderr.lines().count(), stdout.len()), (Some(2), 1, 0), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

#[test]
fn an_address_that_is_taken_is_said_so() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let Output { status, stderr, .. } = command(&["survey", "--listen", &address]).output().unwrap();
    assert_eq!(status.code(), Some(2));
    assert!(String::from_utf8(stderr).unwrap().contains(&format!("gateway: --listen {address}: ")));
}

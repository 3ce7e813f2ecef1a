//! The program where there is no server: what it says, and that it ends.

use std::net::TcpListener;
use std::process::{Command, Output};

use tokio::net::TcpSocket;

/// The status and the one line that was said.
fn failed(arguments: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redis-fleet"));
    let Output { status, stdout, stderr } = command.args(arguments.split_whitespace()).output().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!((stderr.lines().count(), stdout.len()), (1, 0), "{arguments}: {stderr}");
    (status.code(), stderr)
}

#[test]
fn bad_usage_is_one_line_and_status_2() {
    for (arguments, expected) in [
        ("", "redis-fleet: the following required arguments were not provided:"),
        ("--redis redis://127.0.0.1 --sliding-log 5", "for '--sliding-log <QUOTA/WINDOW>'"),
        ("--redis nowhere --sliding-log 5/1s", "redis-fleet: --redis: "),
    ] {
        let (status, line) = failed(arguments);
        assert_eq!(status, Some(2), "{line}");
        assert!(line.contains(expected), "{line}");
    }
}

#[test]
fn a_server_that_is_not_there_is_said_so() {
    // Bound, so that nobody else listens there, and not listening.
    let held = TcpSocket::new_v4().unwrap();
    held.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = held.local_addr().unwrap();
    let (status, line) = failed(&format!("--redis redis://{address} --sliding-log 5/1s"));
    assert_eq!(status, Some(2), "{line}");
    assert!(line.starts_with(&format!("redis-fleet: --redis {address}: the server cannot be reached: ")), "{line}");
}

#[test]
fn a_server_that_never_answers_is_not_waited_for() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = silent.local_addr().unwrap();
    let (status, line) = failed(&format!("--redis redis://{address} --sliding-log 5/1s --timeout-ms 50"));
    assert_eq!(status, Some(2), "{line}");
    assert!(line.ends_with("the server did not answer within 50ms\n"), "{line}");
}

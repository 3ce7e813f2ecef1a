//! The program, with processes of its own.

use std::collections::HashMap;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use redis::Commands;
use redis_fleet::live::LiveServer;

const HOT: &str = "tollgate:demo";

/// Unless the test says otherwise, for a machine may be busy.
const PATIENT: &str = "--timeout-ms 20000";

struct Fleet(Child);

/// How it ended.
struct Ended {
    status: Option<i32>,
    figures: HashMap<String, u64>,
    stderr: String,
}

impl Fleet {
    fn start(server: &LiveServer, arguments: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redis-fleet"));
        let patience = if arguments.contains("--timeout-ms") { "" } else { PATIENT };
        let arguments = format!("--redis {} {patience} {arguments}", server.url());
        command.args(arguments.split_whitespace());
        Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Starts it, and waits until its workers have admitted so many units of the one key, which is judged by a window.
    fn under_way(server: &LiveServer, units: u32, arguments: &str) -> Self {
        let mut fleet = Self::start(server, arguments);
        let mut behind = server.connection();
        let mut used =
            || behind.get::<_, Vec<u8>>(HOT).unwrap().last_chunk().map_or(0, |used| u32::from_le_bytes(*used));
        while used() < units {
            assert!(fleet.0.try_wait().unwrap().is_none(), "it has ended: {}", fleet.end().stderr);
        }
        fleet
    }

    fn end(mut self) -> Ended {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.0.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        self.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let figure = |line: &str| {
            let (name, number) = line.split_once(' ').unwrap();
            (name.to_owned(), number.parse().unwrap())
        };
        let figures = stdout.lines().map(figure).collect();
        Ended { status: self.0.wait().unwrap().code(), figures, stderr }
    }
}

impl Ended {
    fn get(&self, name: &str) -> u64 {
        self.figures[name]
    }

    fn unjudged(&self) -> u64 {
        let why = ["unreachable", "timed_out", "in_doubt", "refused", "contended", "corrupt"];
        let sum = why.into_iter().map(|name| self.get(name)).sum();
        assert_eq!(self.get("unjudged"), sum);
        assert_eq!(self.get("checks"), self.get("admitted") + self.get("denied") + sum);
        sum
    }
}

#[test]
fn processes_together_admit_the_quota_of_each_key_to_the_unit() {
    let server = LiveServer::start();
    for options in ["", "--guess", "--clock server", "--guess --clock server", "--apart-ms 100"] {
        for policy in ["--fixed-window 40/1h", "--sliding-log 40/1h", "--token-bucket 40/1d"] {
            let ended = Fleet::start(&server, &format!("{policy} --spread 4 --seconds 1 {options}")).end();
            let told = (ended.status, ended.get("overshot"), ended.get("restarts"), ended.unjudged());
            assert_eq!(told, (Some(0), 0, 0, 0), "{policy} {options}: {:?} {}", ended.figures, ended.stderr);
            assert_eq!(ended.get("admitted"), 5 * 40, "{policy} {options}");
        }
    }
}

#[test]
fn limits_that_come_back_are_kept_under_load() {
    let server = LiveServer::start();
    for policy in ["--fixed-window 50/100ms", "--sliding-log 50/100ms", "--token-bucket 1000/1s,burst=10"] {
        for options in ["", "--guess", "--guess --clock server", "--apart-ms 20"] {
            let ended = Fleet::start(&server, &format!("{policy} --spread 1 --seconds 1 {options}")).end();
            let told = (ended.status, ended.get("overshot"), ended.unjudged() - ended.get("contended"));
            assert_eq!(told, (Some(0), 0, 0), "{policy} {options}: {:?} {}", ended.figures, ended.stderr);
        }
    }
}

#[test]
fn a_restart_in_the_middle_admits_the_quota_once_more_and_is_told() {
    let mut server = LiveServer::start();
    let fleet = Fleet::under_way(&server, 5, "--fixed-window 5/1h --spread 0 --seconds 6");
    // Until the answers have arrived too: what is written and not answered is in doubt, and not in the record.
    thread::sleep(Duration::from_millis(300));
    server.restart();
    let ended = fleet.end();
    let told = ["restarts", "admitted", "overshot", "overshot_in_one_life"].map(|name| ended.get(name));
    assert_eq!((ended.status, told), (Some(1), [1, 10, 5, 0]), "{:?} {}", ended.figures, ended.stderr);
    assert!(ended.unjudged() > 0);
}

#[test]
fn a_server_that_hangs_for_a_while_is_no_reason_to_overshoot() {
    let server = LiveServer::start();
    let fleet = Fleet::under_way(&server, 1, "--fixed-window 100/1s --spread 3 --seconds 4 --timeout-ms 500");
    server.pause();
    thread::sleep(Duration::from_secs(2));
    server.resume();
    let ended = fleet.end();
    let told = (ended.status, ended.get("overshot"), ended.get("restarts"));
    assert_eq!(told, (Some(0), 0, 0), "{:?} {}", ended.figures, ended.stderr);
    assert!(ended.unjudged() > 0 && ended.get("timed_out") > 0);
    assert_eq!(ended.get("passed_unjudged"), 0);
}

#[test]
fn a_server_that_is_gone_for_good_ends_nothing() {
    let mut server = LiveServer::start();
    let fleet = Fleet::under_way(&server, 1, "--fixed-window 5/1h --spread 0 --seconds 2 --when-unjudged open");
    server.kill();
    let ended = fleet.end();
    assert_eq!((ended.status, ended.get("overshot")), (Some(0), 0), "{:?} {}", ended.figures, ended.stderr);
    assert!(ended.get("unreachable") > 0);
    assert_eq!(ended.get("passed_unjudged"), ended.unjudged());
}

#[test]
fn a_value_that_was_tampered_with_is_named_once_by_each_process_and_left_alone() {
    let server = LiveServer::start();
    let fleet = Fleet::under_way(&server, 1, "--fixed-window 5/1h --spread 2 --seconds 2 --processes 3");
    server.connection().set::<_, _, ()>(HOT, "garbage").unwrap();
    let ended = fleet.end();
    assert_eq!((ended.status, ended.get("overshot")), (Some(0), 0), "{:?} {}", ended.figures, ended.stderr);
    assert!(ended.get("corrupt") > 0);
    let line = r#"redis-fleet: the value of "tollgate:demo" is not to be trusted: the first byte is "#;
    let named = ended.stderr.lines().filter(|said| said.starts_with(line)).count();
    assert_eq!((named, ended.stderr.lines().count()), (3, 3), "{}", ended.stderr);
    assert_eq!(server.connection().get::<_, String>(HOT).unwrap(), "garbage");
}

#[test]
fn workers_end_with_the_process_that_started_them() {
    let server = LiveServer::start();
    let mut fleet = Fleet::under_way(&server, 1, "--fixed-window 5/1h --spread 0 --seconds 3600 --processes 3");
    fleet.0.kill().unwrap();
    // They hold its standard error too, which is at its end when the last of them is gone.
    let ended = fleet.end();
    assert_eq!((ended.status, ended.figures.len(), ended.stderr.as_str()), (None, 0, ""));
}

//! The program: a line for each strategy, and one line and status 2 for whatever is wrong.

use std::path::Path;
use std::process::{Command, Output};

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polite-client")).args(arguments).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn each_strategy_has_a_line() {
    let output = program(&["--simulated", "--workers", "6", "--jobs", "30"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = printed(&output);
    let names: Vec<_> = text.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ["strategy", "naive", "backoff", "polite", "paced"]);
}

#[test]
fn the_plot_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("arrivals.svg");
    let path = file.to_str().unwrap();
    let output = program(&["--simulated", "--workers=3", "--jobs=5", "--strategy=polite,paced", "--plot", path]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(printed(&output).lines().count(), 3);
    assert!(std::fs::read_to_string(Path::new(path)).unwrap().contains("polite: 5 requests, 0 of them refused"));
}

#[test]
fn whatever_is_wrong_is_one_line_and_status_2() {
    for arguments in [
        &["--no-such-option"][..],
        &["--workers", "0"],
        &["--workers", "1001"],
        &["--workers", "many"],
        &["--jobs", "0"],
        &["--jobs", "-1"],
        &["--limit", "20"],
        &["--limit", "0/2s"],
        &["--limit", "20/0s"],
        &["--strategy", "rude"],
        &["--target", "moon"],
        &["--seed", "x"],
        &["--plot"],
        &["stray"],
        &["--simulated", "--jobs=1", "--workers=1", "--strategy=paced", "--plot", "/nowhere/to/be/found.svg"],
    ] {
        let output = program(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let message = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
        assert!(message.starts_with("polite-client: "), "{arguments:?}: {message}");
    }
}

#[test]
fn no_jobs_are_too_few() {
    let output = program(&["--jobs", "0"]);
    let expected =
        "polite-client: invalid value '0' for '--jobs <N>': expected a number from 1 to 4294967295; see --help\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
}

#[test]
fn help_is_no_error() {
    let output = program(&["--help"]);
    assert!(output.status.success() && printed(&output).contains("--simulated"), "{output:?}");
}

//! The bounds that each way promises, over many seeds; and that the guide shows what the program prints.

use std::time::Duration;

use tollgate::SlidingLog;

use super::*;
use crate::sharing::Settings;
use crate::traffic::Traffic;

const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000 * MICRO;

/// Little enough traffic for no queue to build up at the server, and more than the quota.
fn simulation(seed: u64, skew: u64) -> Simulation {
    Simulation {
        traffic: Traffic { nodes: 4, rate: 60.0, hot: 0.4, length: Duration::from_secs(10) },
        settings: Settings {
            policy: SlidingLog::constant(20, Duration::from_secs(1)),
            nodes: 4,
            attempts: 8,
            block: 5,
            lease: 100 * MILLI,
            skew,
        },
        delay: Duration::from_millis(2),
        service: Duration::from_micros(10),
        seed,
    }
}

/// The most that a way lets pass in an interval that is shorter than the window by `less`.
fn densest<S: Sharing>(sharing: S, simulation: &Simulation, less: u64) -> usize {
    let requests = simulation.traffic.requests(simulation.seed);
    let network = Network::new(2 * MILLI, 10 * MICRO, simulation.seed);
    let outcomes = sharing::outcomes(sharing, &requests, &simulation.settings, network).0;
    assert_eq!(outcomes.len(), requests.len(), "a request was decided twice, or never");
    Figures::of(&outcomes, 1_000 * MILLI - less, 0, 0).densest
}

#[test]
fn shares_keep_the_quota_in_every_window() {
    for seed in 0..20 {
        let simulation = simulation(seed, 0);
        for shares in [Shares::one(&simulation.settings), Shares::equal(&simulation.settings)] {
            assert!(densest(shares, &simulation, 0) <= 20);
        }
    }
}

#[test]
fn compare_and_swap_keeps_the_quota_but_for_skew_and_a_round_trip() {
    // What was judged at one time passes at most a round trip later, and at least none.
    let round_trip = 2 * 3 * MILLI + MILLI;
    let mut reached = false;
    for seed in 0..20 {
        for skew in [0, 100 * MILLI] {
            for start in [Start::Read, Start::Guess] {
                let simulation = simulation(seed, skew);
                let sharing = CompareAndSwap::new(&simulation.settings, start);
                let most = densest(sharing, &simulation, 2 * skew + round_trip);
                assert!(most <= 20, "{most} passed, seed {seed}, skew {skew}");
                reached |= most == 20;
            }
        }
    }
    assert!(reached, "the bound was never in question");
}

#[test]
fn leases_keep_twice_the_quota() {
    for seed in 0..20 {
        let simulation = simulation(seed, 0);
        let most = densest(Leases::new(&simulation.settings), &simulation, 0);
        assert!(most <= 40, "{most} passed, seed {seed}");
    }
}

#[test]
fn what_a_lease_did_not_use_is_given_back() {
    // A node leases ten units, uses one and is silent; another then finds nineteen of twenty.
    let mut simulation = simulation(1, 0);
    simulation.settings.block = 20;
    let requests: Vec<Request> = std::iter::once(Request { at: 0, node: 0 })
        .chain((0..19).map(|n| Request { at: 300 * MILLI + n * MILLI, node: 1 }))
        .collect();
    let figures = run(Leases::new(&simulation.settings), &simulation, &requests);
    assert_eq!((figures.admitted, figures.denied), (20, 0));
}

#[test]
fn the_same_arguments_give_the_same_table() {
    let simulation = simulation(7, MILLI);
    assert_eq!(simulate(&simulation), simulate(&simulation));
}

#[test]
fn bad_arguments_are_one_line() {
    for bad in [&["--nodes", "0"][..], &["--sliding-log", "0/1s"], &["--hot", "101"], &["--bogus"], &["--rate", "x"]] {
        let error = cli::parse(std::iter::once("fleet").chain(bad.iter().copied()).map(Into::into)).unwrap_err();
        assert!(!error.contains('\n') && error.ends_with("see --help"), "{error}");
    }
}

/// The guide's tables, each after the command that makes it.
#[test]
fn the_guide_shows_what_the_program_prints() {
    let guide = include_str!("../../../src/guide/shared.md");
    let mut found = 0;
    for (command, rest) in guide.split("cargo run --release -p fleet").skip(1).filter_map(|part| part.split_once('\n'))
    {
        let arguments = command.trim_start_matches(" -- ").split_whitespace();
        let Ok(Parsed::Run(simulation)) = cli::parse(std::iter::once("fleet").chain(arguments).map(Into::into)) else {
            panic!("the guide's command is none: {command}");
        };
        for row in simulate(&simulation).lines().filter(|line| line.starts_with("| ")) {
            assert!(rest.contains(row), "`fleet{command}` prints a row that the guide has not:\n{row}");
        }
        found += 1;
    }
    assert!(found >= 2, "the guide names no command");
}

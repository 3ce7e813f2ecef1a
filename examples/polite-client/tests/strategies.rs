//! The strategies against real servers on the loopback, in simulated time: nothing here depends on how fast the machine is.

use std::ffi::OsString;

use command_line::Parsed;
use polite_client::cli::{self, Settings};
use polite_client::plot;
use polite_client::strategy::Strategy;
use polite_client::tally::Run;

fn settings(arguments: &str) -> Settings {
    let line = format!("polite-client --simulated {arguments}");
    match cli::parse(line.split_whitespace().map(OsString::from)).unwrap() {
        Parsed::Run(settings) => settings,
        Parsed::Print(text) => panic!("{text}"),
    }
}

/// A run that got all of its work done.
fn run(arguments: &str, strategy: Strategy) -> Run {
    let settings = settings(arguments);
    let run = polite_client::run(&settings, strategy).unwrap();
    let done = run.arrivals.iter().filter(|arrival| arrival.status == 200).count();
    assert_eq!(done, usize::try_from(settings.jobs.get()).unwrap(), "{strategy:?} with {arguments}");
    assert_eq!(run.arrivals.len(), done + run.refused(), "{strategy:?} with {arguments}");
    run
}

#[test]
fn the_polite_are_refused_less_than_others_and_the_paced_never() {
    for seed in 1..=3 {
        let run = |strategy| run(&format!("--workers 16 --jobs 60 --seed {seed}"), strategy);
        let [naive, backoff, polite, paced] = Strategy::ALL.map(run);
        // Two windows are full before the last begins. What the fields tell makes a refusal needless.
        assert_eq!((polite.refused(), paced.refused()), (0, 0), "seed {seed}");
        assert!(backoff.refused() >= 16 && naive.refused() >= backoff.refused(), "seed {seed}: {naive}, {backoff}");
    }
}

#[test]
fn nobody_comes_back_all_at_once_but_the_naive() {
    let run = |strategy| run("--workers 40 --jobs 100", strategy);
    let [naive, backoff, polite, paced] = Strategy::ALL.map(run);
    assert!(naive.peak() >= 40 && backoff.peak() >= 40, "{naive}\n{backoff}");
    assert!(polite.peak() <= 20, "{polite}");
    assert!(paced.peak() <= 2, "{paced}");
}

#[test]
fn where_only_bodies_tell_one_refusal_a_window_is_enough() {
    let run = |strategy| run("--workers 16 --jobs 60 --only-body", strategy);
    let [naive, _, polite, paced] = Strategy::ALL.map(run);
    // Three windows: the first two end in a refusal, the last in the last job.
    assert!((1..=3).contains(&polite.refused()), "{polite}");
    assert!(naive.refused() > 10 * polite.refused(), "{naive}");
    assert_eq!(paced.refused(), 0, "{paced}");
}

#[test]
fn both_systems_of_the_gateway_are_worked_with_to_the_end() {
    for (target, jobs) in [("survey", 70), ("signals", 130)] {
        let run = |strategy| run(&format!("--workers 8 --jobs {jobs} --target {target}"), strategy);
        let (backoff, polite, paced) = (run(Strategy::Backoff), run(Strategy::Polite), run(Strategy::Paced));
        assert!(polite.refused() <= 1, "{target}: {polite}");
        assert!(paced.refused() <= 1, "{target}: {paced}");
        assert!(backoff.refused() > 8, "{target}: {backoff}");
    }
}

#[test]
fn a_simulation_can_be_repeated() {
    for strategy in Strategy::ALL {
        let [one, other] = [(); 2].map(|()| run("--workers 5 --jobs 25 --limit 10/1s --seed 7", strategy));
        assert_eq!(one, other);
    }
}

#[test]
fn real_time_gets_the_work_done_too() {
    let Parsed::Run(settings) = cli::parse(["polite-client", "--workers=4", "--jobs=12"].map(OsString::from)).unwrap()
    else {
        panic!("no settings");
    };
    // Within one window, so that it does not matter how long this takes.
    for strategy in [Strategy::Polite, Strategy::Backoff] {
        let run = polite_client::run(&settings, strategy).unwrap();
        assert_eq!(run.arrivals.iter().filter(|arrival| arrival.status == 200).count(), 12, "{run}");
    }
}

/// What ends a run in which no work can be done in time.
fn end(settings: &Settings, strategy: Strategy) -> String {
    polite_client::run(settings, strategy).unwrap_err().to_string()
}

#[test]
fn a_wait_beyond_patience_ends_the_run_of_each_strategy_and_says_so() {
    for arguments in ["--limit 1/1h", "--limit 1/1h --only-body", "--limit 1/53375d"] {
        let simulated = settings(&format!("--workers 1 --jobs 2 {arguments}"));
        let live = Settings { simulated: false, ..simulated.clone() };
        for settings in [simulated, live] {
            for strategy in Strategy::ALL {
                let end = end(&settings, strategy);
                let (start, patience) = ("the limit asks for a wait of ", ", and patience ends at 10 minutes");
                assert!(end.starts_with(start) && end.ends_with(patience), "{strategy:?} with {arguments}: {end}");
            }
        }
    }
}

#[test]
fn the_wait_that_ends_a_run_is_told() {
    let settings = settings("--workers 2 --jobs 3 --limit 1/1h --only-body");
    let told = "the limit asks for a wait of 3600s, and patience ends at 10 minutes";
    assert_eq!(end(&settings, Strategy::Polite), told);
}

#[test]
fn a_wait_within_patience_is_waited_for_and_nobody_waits_when_the_work_is_done() {
    for strategy in Strategy::ALL {
        run("--workers 2 --jobs 3 --limit 2/9m", strategy);
    }
    // The last answers tell a wait of an hour, which concerns nobody.
    for strategy in [Strategy::Naive, Strategy::Backoff, Strategy::Polite] {
        run("--workers 4 --jobs 20 --limit 20/1h", strategy);
    }
}

#[test]
fn arrivals_are_drawn() {
    let runs =
        [Strategy::Backoff, Strategy::Paced].map(|strategy| run("--workers 5 --jobs 25 --limit 10/1s", strategy));
    let drawing = plot::draw(&runs).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"));
    for run in &runs {
        let name = format!("{:?}", run.strategy).to_lowercase();
        let caption = format!("{name}: {} requests, {} of them refused", run.arrivals.len(), run.refused());
        assert!(drawing.contains(&caption), "{caption}");
    }
    assert!(plot::draw(&[]).unwrap().contains("</svg>"), "of no run");
}

//! The same workers in simulated time. Requests still go over HTTP, one after the other, each with the time at which it arrives.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use tollgate::{Timestamp, Wait};

use crate::answer::Answer;
use crate::chance::Chance;
use crate::cli::{Error, Settings};
use crate::link::Link;
use crate::server::Server;
use crate::strategy::{Step, Strategy, Team, Worker};
use crate::tally::{Arrival, Run};

/// When a simulation begins: 2023-11-14T22:13:20Z, a whole second.
const START: Timestamp = Timestamp::from_secs(1_700_000_000);

/// A request, and an answer, is on its way from 1 to so many milliseconds.
const SLOWEST: u64 = 5;

/// Runs the workers until the last job is done. With the same settings it is the same run.
///
/// # Errors
///
/// Where the server cannot be reached, or the limit asks for more patience than there is.
pub fn run(settings: &Settings, strategy: Strategy, server: &Server) -> Result<Run, Error> {
    let (quota, window) = settings.known_limit();
    let mut simulation = Simulation {
        link: Link::new(server),
        team: Team::new(strategy, settings.jobs.get(), quota, window),
        workers: settings.seeds().map(Worker::new).collect(),
        answers: settings.seeds().map(|_| None).collect(),
        events: BinaryHeap::new(),
        order: 0,
        latency: Chance::new(settings.seed),
        arrivals: Vec::new(),
    };
    for worker in 0..simulation.workers.len() {
        simulation.at(START, worker, What::Ask);
    }
    let mut now = START;
    while let Some(Reverse(event)) = simulation.events.pop() {
        now = event.at;
        simulation.happens(&event)?;
    }
    Ok(Run::new(strategy, simulation.arrivals, START.until(now).into()))
}

struct Simulation {
    link: Link,
    team: Team,
    workers: Vec<Worker>,
    /// That is on its way to each worker.
    answers: Vec<Option<Answer>>,
    events: BinaryHeap<Reverse<Event>>,
    order: u64,
    latency: Chance,
    arrivals: Vec<Arrival>,
}

/// Of those at the same time, what was planned first happens first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Timestamp,
    order: u64,
    worker: usize,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The worker asks what to do.
    Ask,
    /// Its request arrives at the server.
    Arrive,
    /// The answer arrives at the worker.
    Answer,
}

impl Simulation {
    fn at(&mut self, at: Timestamp, worker: usize, what: What) {
        self.order += 1;
        self.events.push(Reverse(Event { at, order: self.order, worker, what }));
    }

    fn on_its_way(&mut self, now: Timestamp, worker: usize, what: What) {
        let millis = 1 + self.latency.up_to(SLOWEST - 1);
        self.at(now.saturating_add(Wait::from_millis(millis)), worker, what);
    }

    fn happens(&mut self, event: &Event) -> Result<(), Error> {
        let Event { at: now, worker, what, .. } = *event;
        match what {
            What::Ask => match self.team.next(&mut self.workers[worker], now)? {
                Step::Send => self.on_its_way(now, worker, What::Arrive),
                Step::Wait(moment) => self.at(moment, worker, What::Ask),
                Step::Finish => {}
            },
            What::Arrive => {
                let answer = self.link.ask(Some(now))?;
                let since_start = Duration::from(START.until(now));
                self.arrivals.push(Arrival { at: since_start, status: answer.status });
                self.answers[worker] = Some(answer);
                self.on_its_way(now, worker, What::Answer);
            }
            What::Answer => {
                if let Some(answer) = self.answers[worker].take() {
                    self.team.answered(&mut self.workers[worker], &answer, now)?;
                }
                self.at(now, worker, What::Ask);
            }
        }
        Ok(())
    }
}

//! A thread for each worker, and the real clock.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use tollgate::Timestamp;

use crate::cli::{Error, Settings};
use crate::link::Link;
use crate::server::Server;
use crate::strategy::{Step, Strategy, Team, Worker};
use crate::tally::{Arrival, Run};

/// Runs the workers until the last job is done, or one of them cannot go on.
///
/// # Errors
///
/// What the first of them met.
pub fn run(settings: &Settings, strategy: Strategy, server: &Server) -> Result<Run, Error> {
    let (quota, window) = settings.known_limit();
    let shared = Shared {
        board: Mutex::new(Board {
            team: Team::new(strategy, settings.jobs.get(), quota, window),
            arrivals: Vec::new(),
            failed: None,
        }),
        stopped: Condvar::new(),
        started: Instant::now(),
        unix_start: SystemTime::now().into(),
    };
    thread::scope(|scope| {
        for seed in settings.seeds() {
            let (shared, link) = (&shared, Link::new(server));
            scope.spawn(move || shared.work(&link, Worker::new(seed)));
        }
    });
    let elapsed = shared.started.elapsed();
    let board = shared.board.into_inner().unwrap_or_else(PoisonError::into_inner);
    match board.failed {
        Some(error) => Err(error),
        None => Ok(Run::new(strategy, board.arrivals, elapsed)),
    }
}

struct Shared {
    board: Mutex<Board>,
    /// Told when a worker has failed.
    stopped: Condvar,
    started: Instant,
    unix_start: Timestamp,
}

struct Board {
    team: Team,
    arrivals: Vec<Arrival>,
    failed: Option<Error>,
}

impl Shared {
    fn now(&self) -> Timestamp {
        let elapsed = Timestamp::since_epoch(self.started.elapsed());
        self.unix_start.saturating_add(Timestamp::ZERO.until(elapsed))
    }

    fn work(&self, link: &Link, mut worker: Worker) {
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        while board.failed.is_none() {
            let now = self.now();
            match board.team.next(&mut worker, now) {
                Ok(Step::Finish) => break,
                Ok(Step::Wait(moment)) => {
                    // Nobody sleeps on when another has failed.
                    let waited = self.stopped.wait_timeout(board, Duration::from(now.until(moment)));
                    (board, _) = waited.unwrap_or_else(PoisonError::into_inner);
                }
                Ok(Step::Send) => {
                    drop(board);
                    let sent = self.started.elapsed();
                    let answer = link.ask(None);
                    board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
                    let outcome = answer.and_then(|answer| {
                        board.arrivals.push(Arrival { at: sent, status: answer.status });
                        board.team.answered(&mut worker, &answer, self.now()).map_err(Error::from)
                    });
                    if let Err(error) = outcome {
                        self.fail(&mut board, error);
                    }
                }
                Err(too_long) => self.fail(&mut board, too_long.into()),
            }
        }
    }

    fn fail(&self, board: &mut Board, error: Error) {
        board.failed.get_or_insert(error);
        self.stopped.notify_all();
    }
}

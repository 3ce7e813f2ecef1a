//! A process of the fleet: says that it is ready, waits for the word, checks keys as fast as it can, and tells what came of it.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use std::{process, thread};

use tokio::runtime::Builder;
use tokio::time::{Instant, sleep};
use tollgate::{Decision, Timestamp, Wait};

use crate::cli::{Clock, Settings};
use crate::error::Error;
use crate::server::Server;
use crate::shared::{Checked, Shared};
use crate::tally::Tally;
use crate::trouble::Trouble;

pub(crate) const READY: &str = "ready";
pub(crate) const GO: &str = "go";
pub(crate) const DONE: &str = "done";

/// How long a task rests when there was no decision, as a caller would.
const REST: Duration = Duration::from_millis(10);

/// Runs as the worker of this number.
pub(crate) fn run(settings: Settings, number: usize) -> Result<(), Error> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let server = settings.server();
    runtime.block_on(server.connection()).map_err(|trouble| settings.failed(trouble))?;
    say(READY)?;
    if !told_to_go()? {
        return Ok(());
    }
    thread::spawn(end_with_the_first);
    let shared = Shared::new(server, settings.skew, settings.attempts);
    let shared = if settings.guess { shared.guessing() } else { shared };
    let ahead = settings.apart.as_nanos().saturating_mul(number as u64);
    let worker = Arc::new(Worker { settings, shared, ahead: Wait::from_nanos(ahead), corrupt: Mutex::default() });
    let tally = runtime.block_on(worker.hammer(number));
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    tally.tell(&mut stdout)?;
    writeln!(stdout, "{DONE}")?;
    Ok(stdout.flush()?)
}

struct Worker {
    settings: Settings,
    shared: Shared,
    /// This process's clock, of the first one's.
    ahead: Wait,
    /// The keys of which it was said that they are.
    corrupt: Mutex<HashSet<String>>,
}

impl Worker {
    async fn hammer(self: Arc<Self>, number: usize) -> Tally {
        let end = Instant::now() + self.settings.time;
        let tasks = (0..self.settings.tasks).map(|task| {
            let worker = Arc::clone(&self);
            // Each begins elsewhere among the keys.
            tokio::spawn(async move { worker.task(end, number * worker.settings.tasks + task).await })
        });
        let mut sum = Tally::default();
        for task in tasks.collect::<Vec<_>>() {
            match task.await {
                Ok(tally) => sum.merge(tally),
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        }
        sum.lives = self.shared.server().lives();
        sum
    }

    async fn task(&self, end: Instant, start: usize) -> Tally {
        let mut tally = Tally::default();
        let mut turn = start;
        while Instant::now() < end {
            let key = self.settings.turn(turn);
            turn += 1;
            let begun = Instant::now();
            let checked = self.check(&self.settings.key(key)).await;
            tally.record(key, &checked, begun.elapsed());
            if let Err(trouble) = checked.outcome {
                self.complain(&trouble);
                sleep(REST).await;
            }
        }
        tally
    }

    async fn check(&self, key: &[u8]) -> Checked<Decision> {
        let Settings { policy, clock, .. } = &self.settings;
        let now = match clock {
            Clock::Caller => Some(Timestamp::from(SystemTime::now()).saturating_add(self.ahead)),
            Clock::Server => None,
        };
        policy.check(&self.shared, key, now).await
    }

    /// A key that was tampered with is named, once by each process.
    fn complain(&self, trouble: &Trouble) {
        if let Trouble::Corrupt { key, .. } = trouble {
            if self.corrupt.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone()) {
                command_line::complain(crate::NAME, trouble);
            }
        }
    }
}

fn say(word: &str) -> io::Result<()> {
    let mut stdout = io::stdout();
    writeln!(stdout, "{word}")?;
    stdout.flush()
}

/// Not if whoever started this process is gone.
fn told_to_go() -> io::Result<bool> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end() == GO)
}

/// Ends this process when whoever started it is gone, however that came: nobody is left to tell.
fn end_with_the_first() {
    let mut line = String::new();
    while io::stdin().read_line(&mut line).is_ok_and(|read| read > 0) {
        line.clear();
    }
    process::exit(0);
}

impl Settings {
    /// The key of a turn, by its number: the one that all want, and the others in turn.
    fn turn(&self, turn: usize) -> usize {
        if self.spread == 0 || turn % 2 == 0 { 0 } else { 1 + turn / 2 % self.spread }
    }

    /// Number 0 is the one that all want.
    pub(crate) fn key(&self, number: usize) -> Vec<u8> {
        match number.checked_sub(1) {
            None => format!("tollgate:{}", self.key),
            Some(other) => format!("tollgate:{}:{other}", self.key),
        }
        .into_bytes()
    }

    pub(crate) fn server(&self) -> Server {
        Server::new(&self.address, self.limit)
    }

    pub(crate) fn failed(&self, trouble: Trouble) -> Error {
        Error::Server { address: self.address.to_string(), trouble }
    }
}

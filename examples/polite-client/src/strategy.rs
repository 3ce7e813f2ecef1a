//! When a worker sends, and what it makes of an answer: four strategies, without a clock and without I/O.

use std::time::Duration;

use tollgate::client::{Backoff, Jitter, Next, Retries};
use tollgate::{Decision, Refill, Timestamp, TokenBucket, TokenBucketState, Wait};

use crate::answer::Answer;
use crate::chance::Chance;
use crate::gate::{Entry, Gate};

/// How workers go about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Strategy {
    /// A request from each worker every 100 ms, whatever comes back.
    Naive,
    /// After a refusal, delays that double, without chance; what the server says is not read.
    Backoff,
    /// All that the server says is kept to, and shared among the workers; they come back spread by chance.
    Polite,
    /// A policy of the crate, the server's own or a little less, is asked before each request; and as polite as before, if it is refused all the same.
    Paced,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Naive, Self::Backoff, Self::Polite, Self::Paced];
}

/// The interval of the naive.
const INTERVAL: Duration = Duration::from_millis(100);

/// What is done with an answer takes a worker from nothing to this.
const WORK: Duration = Duration::from_millis(100);

/// Workers that wait for the same thing come within so long after it.
const SPREAD: Duration = Duration::from_secs(1);

/// Plain exponential backoff, as it is often written.
const PLAIN: Backoff = Backoff::constant(INTERVAL, Duration::from_secs(5)).jitter(Jitter::None);

/// The longest that anybody waits for the limit, whatever the strategy.
const PATIENCE: Duration = Duration::from_secs(600);

/// For refusals that tell a wait, and those that do not.
const RULE: Backoff = Backoff::constant(Duration::from_millis(500), Duration::from_secs(30)).patience(PATIENCE);

/// The limit asks for more patience than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong(pub Wait);

/// What a worker is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send a request, and bring its answer.
    Send,
    /// Ask again then.
    Wait(Timestamp),
    /// There is no more work.
    Finish,
}

/// What the workers share.
#[derive(Clone, Debug)]
pub struct Team {
    strategy: Strategy,
    /// Nobody has begun these.
    jobs: u32,
    gate: Gate,
    pace: TokenBucket,
    paced: TokenBucketState,
}

/// One worker. It does one job after the other, each until it is done.
#[derive(Clone, Debug)]
pub struct Worker {
    has_job: bool,
    ready_at: Timestamp,
    retries: Retries,
    chance: Chance,
}

impl Worker {
    /// One that draws its chances from this seed.
    pub fn new(seed: u64) -> Self {
        Self { has_job: false, ready_at: Timestamp::ZERO, retries: Retries::default(), chance: Chance::new(seed) }
    }

    fn not_before(&mut self, moment: Timestamp, spread: Duration) {
        let chance = self.chance.up_to(Wait::from(spread).as_nanos());
        self.ready_at = moment.saturating_add(Wait::from_nanos(chance));
    }
}

impl Team {
    /// With so many jobs, against a limit of `quota` in each `window`.
    pub fn new(strategy: Strategy, jobs: u32, quota: u32, window: Duration) -> Self {
        // One after the other, a little slower than allowed: requests arrive closer together than they were sent, now and then.
        let pace = TokenBucket::new_with(quota, window + window / 20, 1, Refill::Continuous);
        // A window that a limit can have is far below the longest; of one that is not, one at a time is slow, but right.
        let pace = pace.unwrap_or(TokenBucket::constant_with(1, Duration::from_secs(1), 1, Refill::Continuous));
        Self { strategy, jobs, gate: Gate::default(), pace, paced: TokenBucketState::default() }
    }

    /// What a worker is to do now.
    ///
    /// # Errors
    ///
    /// [`TooLong`] where it would have to wait beyond all patience, by what another was told or by the pace.
    pub fn next(&mut self, worker: &mut Worker, now: Timestamp) -> Result<Step, TooLong> {
        if !worker.has_job {
            let Some(rest) = self.jobs.checked_sub(1) else { return Ok(Step::Finish) };
            (self.jobs, worker.has_job) = (rest, true);
        }
        if now < worker.ready_at {
            return Ok(Step::Wait(worker.ready_at));
        }
        match self.strategy {
            Strategy::Naive => worker.ready_at = now.saturating_add(INTERVAL.into()),
            Strategy::Backoff => {}
            Strategy::Polite => match self.gate.enter(now) {
                Entry::Open => {}
                closed => {
                    let moment = if let Entry::ClosedUntil(moment) = closed { moment } else { now };
                    within_patience(now.until(moment))?;
                    // If all were woken by the answer that opens the gate, they would rush through it.
                    worker.not_before(moment, SPREAD);
                    return Ok(Step::Wait(worker.ready_at));
                }
            },
            Strategy::Paced => match self.pace.judge(&mut self.paced, now) {
                Decision::Allow => {}
                Decision::Deny { retry_after } => {
                    within_patience(retry_after)?;
                    return Ok(Step::Wait(now.saturating_add(retry_after)));
                }
            },
        }
        Ok(Step::Send)
    }

    /// What a worker makes of its answer.
    ///
    /// # Errors
    ///
    /// [`TooLong`] where a refusal asks for more patience than there is, also of those who read nothing else in it.
    pub fn answered(&mut self, worker: &mut Worker, answer: &Answer, now: Timestamp) -> Result<(), TooLong> {
        let reading = answer.reading(now);
        if self.strategy == Strategy::Polite {
            self.gate.answered(&reading, now);
        }
        if answer.is_done() {
            worker.has_job = false;
            worker.retries = Retries::default();
            if self.strategy != Strategy::Naive {
                worker.not_before(now, WORK);
            }
            return Ok(());
        }
        let told = reading.advice().wait();
        told.map_or(Ok(()), within_patience)?;
        let random = worker.chance.word();
        let next = match self.strategy {
            Strategy::Naive => return Ok(()),
            Strategy::Backoff => PLAIN.next(&mut worker.retries, None, now, random),
            Strategy::Polite | Strategy::Paced => RULE.next(&mut worker.retries, told, now, random),
        };
        match next {
            Next::Retry { after } => worker.ready_at = now.saturating_add(after),
            Next::TooLong { wait } => return Err(TooLong(wait)),
            // Neither rule has bounds of its own, and work that has to be done is not given up.
            Next::GiveUp(_) => worker.not_before(now, SPREAD),
        }
        Ok(())
    }
}

fn within_patience(wait: Wait) -> Result<(), TooLong> {
    if wait > PATIENCE.into() { Err(TooLong(wait)) } else { Ok(()) }
}

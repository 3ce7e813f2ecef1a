//! [`Shared`]: read, step, compare and swap, and again on a conflict. The loop that every shared store needs, around a pure step.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU32;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};
use tollgate::Timestamp;
use tollgate::wire::DecodeError;

use crate::seen::Seen;
use crate::server::{Connection, Server, Swapped};
use crate::step::Step;
use crate::trouble::{Distrust, Trouble};

/// States that a fleet shares.
#[derive(Debug)]
pub struct Shared {
    server: Server,
    attempts: NonZeroU32,
    seen: Option<Seen>,
    /// Where those wait whose key has changed, by its hash.
    queues: [Mutex<()>; QUEUES],
    hasher: RandomState,
}

const QUEUES: usize = 128;

/// A check: what came of it, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked<T> {
    /// The answer, or why there is none.
    pub outcome: Result<T, Trouble>,
    /// What was written, if anything.
    pub written: Option<Written>,
    /// How often the key was found changed, or was not what had been guessed.
    pub conflicts: u32,
    /// How often the server was asked.
    pub round_trips: u32,
}

/// A state that was put in the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The time that was judged by.
    pub now: Timestamp,
    /// The server's time at the swap. It swaps one at a time, so this is their order.
    pub at: Timestamp,
    /// During which of the server's [lives](Server::lives).
    pub life: usize,
}

/// Notes kept while a check is under way, and still there if it is cut short.
#[derive(Debug, Default)]
struct Notes {
    written: Option<Written>,
    conflicts: u32,
    round_trips: u32,
    using: Option<Connection>,
    writing: bool,
}

impl Shared {
    /// Reads the key first: a denial takes one round trip, an admission two.
    pub fn new(server: Server, attempts: NonZeroU32) -> Self {
        let queues = std::array::from_fn(|_| Mutex::default());
        Self { server, attempts, seen: None, queues, hasher: RandomState::new() }
    }

    /// Guesses that the key still holds what was seen of it last, so an admission takes one round trip if that is so.
    ///
    /// A wrong guess is a conflict that tells what the key holds, so it takes no more round trips than reading first; but the server has
    /// run a script for it, and a value has gone there for nothing. What a guess denies is asked, since others may have given back.
    #[must_use]
    pub fn guessing(self) -> Self {
        Self { seen: Some(Seen::default()), ..self }
    }

    /// The server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Checks a key, at the caller's `now`, or at the server's where there is none.
    ///
    /// `step` is called with what the key holds, or is guessed to; and again with what it was found to hold instead.
    ///
    /// Ends within the server's time limit, connecting and all attempts included.
    pub async fn check<T>(
        &self,
        key: &[u8],
        now: Option<Timestamp>,
        step: impl Fn(Option<&[u8]>, Timestamp) -> Result<Step<T>, DecodeError>,
    ) -> Checked<T> {
        let mut notes = Notes::default();
        let limit = self.server.limit();
        let outcome = match timeout_at(Instant::now() + limit, self.attempt(key, now, step, &mut notes)).await {
            Ok(outcome) => outcome,
            Err(_) => {
                if let Some(connection) = &notes.using {
                    self.server.abandon(connection);
                }
                let trouble = Trouble::TimedOut(limit);
                Err(if notes.writing { Trouble::InDoubt(trouble.to_string()) } else { trouble })
            }
        };
        let Notes { written, conflicts, round_trips, .. } = notes;
        Checked { outcome, written, conflicts, round_trips }
    }

    async fn attempt<T>(
        &self,
        key: &[u8],
        now: Option<Timestamp>,
        step: impl Fn(Option<&[u8]>, Timestamp) -> Result<Step<T>, DecodeError>,
        notes: &mut Notes,
    ) -> Result<T, Trouble> {
        let connection = self.server.connection().await?;
        notes.using = Some(connection.clone());
        let guess = self.seen.as_ref().zip(now.or_else(|| self.server.time()));
        let (mut value, now, mut is_guess) = match guess {
            Some((seen, now)) => (seen.guess(key), now, true),
            None => {
                let (value, now) = self.read(&connection, key, now, notes).await?;
                (value, now, false)
            }
        };
        let mut turn = None;
        for _ in 0..self.attempts.get() {
            let mut stepped = step(value.as_deref(), now);
            if is_guess && !matches!(stepped, Ok(Step::Write { .. })) {
                (value, _) = self.read(&connection, key, Some(now), notes).await?;
                stepped = step(value.as_deref(), now);
            }
            let (answer, bytes, keep) = match stepped {
                Ok(Step::Answer(answer)) => return Ok(answer),
                Ok(Step::Write { answer, bytes, keep }) => (answer, bytes, keep),
                Err(error) => {
                    self.saw(key, None);
                    return Err(Trouble::corrupt(key, Distrust::Bytes(error)));
                }
            };
            (notes.round_trips, notes.writing) = (notes.round_trips + 1, true);
            let swapped = self.server.swap(&connection, key, value.as_deref(), &bytes, keep).await?;
            notes.writing = false;
            match swapped {
                Swapped::Yes(at) => {
                    self.saw(key, Some(&bytes));
                    notes.written = Some(Written { now, at, life: connection.life() });
                    return Ok(answer);
                }
                Swapped::No(found) => {
                    self.saw(key, found.as_deref());
                    notes.conflicts += 1;
                    (value, is_guess) = (found, false);
                    // Of one process, one at a time tries again: so what a hot key costs depends on the number of processes, and not of requests.
                    if turn.is_none() {
                        turn = Some(self.queue(key).lock().await);
                    }
                }
            }
        }
        Err(Trouble::Contended { attempts: self.attempts.get() })
    }

    async fn read(
        &self,
        connection: &Connection,
        key: &[u8],
        now: Option<Timestamp>,
        notes: &mut Notes,
    ) -> Result<(Option<Vec<u8>>, Timestamp), Trouble> {
        notes.round_trips += 1;
        let found = self.server.read(connection, key, now.is_none()).await?;
        self.saw(key, found.value.as_deref());
        Ok((found.value, now.or(found.time).unwrap_or_default()))
    }

    fn queue(&self, key: &[u8]) -> &Mutex<()> {
        // Below the number of queues, so it is a place there.
        &self.queues[(self.hasher.hash_one(key) % QUEUES as u64) as usize]
    }

    fn saw(&self, key: &[u8], value: Option<&[u8]>) {
        if let Some(seen) = &self.seen {
            seen.is(key, value);
        }
    }
}

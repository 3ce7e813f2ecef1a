//! [`Shared`]: read, step, compare and swap, and again on a conflict. The loop that every shared store needs, around a pure step.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU32;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use tollgate::Timestamp;
use tollgate::wire::{DecodeError, Wire, step};

use crate::seen::Seen;
use crate::server::{Connection, Found, Server, Swapped};
use crate::trouble::{Distrust, Trouble};

/// States that a fleet shares.
#[derive(Debug)]
pub struct Shared {
    server: Server,
    skew: Duration,
    attempts: NonZeroU32,
    seen: Option<Seen>,
    /// Where those wait who would write, by the hash of the key. Of one process one at a time does: so the attempts that a hot key takes
    /// depend on the number of processes, not of requests. Denials do not wait.
    queues: Box<[Mutex<()>]>,
    hasher: RandomState,
}

/// More than there will be requests under way, so that two keys seldom share one.
const QUEUES: usize = 1_024;

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
    /// What the server is being asked.
    asking: Option<(Connection, Ask)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Read,
    Write,
}

impl Notes {
    fn ask(&mut self, connection: &Connection, what: Ask) {
        self.round_trips += 1;
        self.asking = Some((connection.clone(), what));
    }
}

impl Shared {
    /// Reads the key first: a denial takes one round trip, an admission two.
    ///
    /// Clocks of those that share may differ by `skew`. A check swaps so many times at most.
    pub fn new(server: Server, skew: Duration, attempts: NonZeroU32) -> Self {
        // A step may land as late as its time limit.
        let skew = skew.saturating_add(server.limit());
        let queues = (0..QUEUES).map(|_| Mutex::default()).collect();
        Self { server, skew, attempts, seen: None, queues, hasher: RandomState::new() }
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
    /// `judge` gets the state that the key holds, or is guessed to; and once more for each time that it was found to hold another. What it does
    /// not admit, it leaves as it was.
    ///
    /// Ends within the server's time limit, connecting and all attempts included.
    pub async fn check<S: Wire, T>(
        &self,
        key: &[u8],
        now: Option<Timestamp>,
        judge: impl Fn(&mut S, Timestamp) -> T,
    ) -> Checked<T> {
        let mut notes = Notes::default();
        let limit = self.server.limit();
        let outcome = match timeout(limit, self.attempt(key, now, judge, &mut notes)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.cut_short(&notes)),
        };
        let Notes { written, conflicts, round_trips, .. } = notes;
        Checked { outcome, written, conflicts, round_trips }
    }

    async fn attempt<S: Wire, T>(
        &self,
        key: &[u8],
        now: Option<Timestamp>,
        judge: impl Fn(&mut S, Timestamp) -> T,
        notes: &mut Notes,
    ) -> Result<T, Trouble> {
        let mut connection = self.server.connection().await?;
        let guess = self.seen.as_ref().zip(now.or_else(|| self.server.time()));
        let (mut value, now, mut is_guess) = match guess {
            Some((seen, now)) => (seen.guess(key), now, true),
            None => {
                let found = self.read(&mut connection, key, now.is_none(), notes).await?;
                (found.value, now.or(found.time).unwrap_or_default(), false)
            }
        };
        let step = |stored: Option<&[u8]>| {
            let (answer, write) = step::judge(stored, now, self.skew, |state| judge(state, now))?;
            Ok((answer, write.map(|write| (write.state.to_vec(), write.keep))))
        };
        let mut turn = None;
        let mut attempts = self.attempts.get();
        while attempts > 0 {
            let mut stepped = step(value.as_deref());
            if is_guess && !matches!(stepped, Ok((_, Some(_)))) {
                value = self.read(&mut connection, key, false, notes).await?.value;
                stepped = step(value.as_deref());
            }
            let (answer, write) = stepped.map_err(|error| self.distrust(key, error))?;
            let Some((bytes, keep)) = write else { return Ok(answer) };
            if turn.is_none() {
                let queue = self.queue(key);
                turn = queue.try_lock().ok();
                if turn.is_none() {
                    // Whoever was in front has changed the key, so another look at it, when it is our turn, is cheaper than a conflict.
                    turn = Some(queue.lock().await);
                    (value, is_guess) = match &self.seen {
                        Some(seen) => (seen.guess(key), true),
                        None => (self.read(&mut connection, key, false, notes).await?.value, false),
                    };
                    continue;
                }
            }
            attempts -= 1;
            notes.ask(&connection, Ask::Write);
            let swapped = self.server.swap(&connection, key, value.as_deref(), &bytes, keep).await?;
            notes.asking = None;
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
                }
            }
        }
        Err(Trouble::Contended { attempts: self.attempts.get() })
    }

    /// Asks once more where the connection was lost: the server may have closed it while it was idle. A check reads before it has written
    /// anything, so nothing is counted twice.
    async fn read(
        &self,
        connection: &mut Connection,
        key: &[u8],
        with_time: bool,
        notes: &mut Notes,
    ) -> Result<Found, Trouble> {
        notes.ask(connection, Ask::Read);
        let mut found = self.server.read(connection, key, with_time).await;
        if let Err(Trouble::Unreachable(_)) = found {
            *connection = self.server.connection().await?;
            notes.ask(connection, Ask::Read);
            found = self.server.read(connection, key, with_time).await;
        }
        let found = found?;
        notes.asking = None;
        self.saw(key, found.value.as_deref());
        Ok(found)
    }

    /// The time is up. A connection on which an answer is missing may be dead.
    fn cut_short(&self, notes: &Notes) -> Trouble {
        if let Some((connection, _)) = &notes.asking {
            self.server.abandon(connection);
        }
        let trouble = Trouble::TimedOut(self.server.limit());
        match notes.asking {
            Some((_, Ask::Write)) => Trouble::InDoubt(trouble.to_string()),
            _ => trouble,
        }
    }

    fn distrust(&self, key: &[u8], error: DecodeError) -> Trouble {
        self.saw(key, None);
        Trouble::corrupt(key, Distrust::Bytes(error))
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

//! [`Server`]: one shared connection to a Redis or Valkey server, made when it is first needed and again when it was lost; and the two
//! things that are asked of it, to [read](Server::read) a value and to [swap](Server::swap) it.
//!
//! Nothing here waits for ever: connecting and each answer have a time limit. A connection that was lost, or on which an answer did not come
//! in time, is not used again. After a failed attempt to connect nobody tries again for [`PAUSE`], so that a server that is gone costs
//! its callers one error each, and no wait.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as Lock, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tollgate::{Timestamp, Wait};

use crate::address::Address;
use crate::trouble::{self, Trouble};

/// How long nobody tries to connect after it has failed.
pub const PAUSE: Duration = Duration::from_millis(100);

/// A server, whether it can be reached or not.
pub struct Server {
    way: Arc<Way>,
    swap: Script,
    clock: Clock,
}

/// The way to the server.
struct Way {
    client: Client,
    config: AsyncConnectionConfig,
    limit: Duration,
    /// Held by whoever connects, so that one does.
    connecting: Mutex<()>,
    link: Lock<Link>,
}

/// What became of the way so far.
#[derive(Debug, Default)]
struct Link {
    connection: Option<Connection>,
    made: u64,
    failed: Option<(Instant, Trouble)>,
    lives: Vec<String>,
}

/// A connection, which all of the process share.
#[derive(Clone, Debug)]
pub struct Connection {
    inner: MultiplexedConnection,
    number: u64,
    life: usize,
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its value, if it has one.
    pub value: Option<Vec<u8>>,
    /// The server's time, where it was asked for.
    pub time: Option<Timestamp>,
}

/// Whether a value was put in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swapped {
    /// It was, at this time of the server's.
    Yes(Timestamp),
    /// It was not, since the key holds this.
    No(Option<Vec<u8>>),
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Way { client, limit, .. } = &*self.way;
        f.debug_struct("Server").field("client", client).field("limit", limit).finish_non_exhaustive()
    }
}

impl Server {
    /// The server at this address. Connects to nothing yet. Each check will take this long at most.
    pub fn new(address: &Address, limit: Duration) -> Self {
        let config = AsyncConnectionConfig::new().set_connection_timeout(Some(limit)).set_response_timeout(Some(limit));
        let (connecting, link) = (Mutex::default(), Lock::default());
        let way = Arc::new(Way { client: address.client(), config, limit, connecting, link });
        Self { way, swap: Script::new(include_str!("swap.lua")), clock: Clock::default() }
    }

    /// The time limit of each answer.
    pub fn limit(&self) -> Duration {
        self.way.limit
    }

    /// The connection that there is, or a new one.
    ///
    /// # Errors
    ///
    /// [`Trouble::Unreachable`], [`Trouble::TimedOut`] or [`Trouble::Refused`].
    pub async fn connection(&self) -> Result<Connection, Trouble> {
        if let Some(known) = self.way.known() {
            return known;
        }
        // In a task of its own: whoever gives up waiting for it does not undo it for the others.
        let way = Arc::clone(&self.way);
        let connecting = tokio::spawn(async move {
            let _alone = way.connecting.lock().await;
            match way.known() {
                Some(known) => known,
                None => way.connect().await,
            }
        });
        connecting.await.unwrap_or_else(|error| Err(Trouble::Unreachable(error.to_string())))
    }

    /// The value of a key, and the server's time if asked for: one round trip.
    ///
    /// # Errors
    ///
    /// [`Trouble`], of the kinds after which nothing was written.
    pub async fn read(&self, connection: &Connection, key: &[u8], with_time: bool) -> Result<Found, Trouble> {
        let mut inner = connection.inner.clone();
        let found = if with_time {
            let mut both = redis::pipe();
            both.cmd("TIME").cmd("GET").arg(key);
            both.query_async(&mut inner).await.map(|(time, value)| Found { value, time: Some(self.clock.heard(time)) })
        } else {
            redis::cmd("GET").arg(key).query_async(&mut inner).await.map(|value| Found { value, time: None })
        };
        match found {
            Ok(found) => Ok(found),
            Err(error) => {
                self.abandon_if_lost(connection, &error);
                Err(Trouble::of_a_key(key, &error).unwrap_or_else(|| Trouble::before_a_write(&error, self.way.limit)))
            }
        }
    }

    /// Puts `new` in the place of `expected`, for so long, if that is what the key holds: one round trip, and two more the first time in
    /// the life of a server, which does not know the script yet.
    ///
    /// # Errors
    ///
    /// [`Trouble`]; with [`Trouble::InDoubt`] it may have been written.
    pub async fn swap(
        &self,
        connection: &Connection,
        key: &[u8],
        expected: Option<&[u8]>,
        new: &[u8],
        keep: Wait,
    ) -> Result<Swapped, Trouble> {
        let mut inner = connection.inner.clone();
        let mut call = self.swap.key(key);
        // The least that the server can express is a millisecond.
        call.arg(new).arg(keep.as_millis_ceil().max(1));
        if let Some(expected) = expected {
            call.arg(expected);
        }
        let answer = call.invoke_async::<(u64, u64, bool, Option<Vec<u8>>)>(&mut inner).await;
        match answer {
            Ok((secs, micros, swapped, found)) => {
                let time = self.clock.heard((secs, micros));
                Ok(if swapped { Swapped::Yes(time) } else { Swapped::No(found) })
            }
            Err(error) => {
                self.abandon_if_lost(connection, &error);
                Err(Trouble::of_a_key(key, &error).unwrap_or_else(|| Trouble::of_a_write(&error, self.way.limit)))
            }
        }
    }

    /// Deletes keys, in one round trip.
    ///
    /// # Errors
    ///
    /// [`Trouble`].
    pub async fn delete(&self, connection: &Connection, keys: &[Vec<u8>]) -> Result<(), Trouble> {
        let mut inner = connection.inner.clone();
        let deleted = redis::cmd("DEL").arg(keys).query_async(&mut inner).await;
        deleted.map_err(|error| Trouble::before_a_write(&error, self.way.limit))
    }

    /// Ends the use of a connection on which no answer came.
    pub(crate) fn abandon(&self, connection: &Connection) {
        let mut link = self.way.link();
        link.connection.take_if(|current| current.number == connection.number);
    }

    fn abandon_if_lost(&self, connection: &Connection, error: &RedisError) {
        if !trouble::is_answer(error) {
            self.abandon(connection);
        }
    }

    /// What the server's clock shows at least, from the last answer that told: it is never ahead, and behind by that answer's way here.
    pub fn time(&self) -> Option<Timestamp> {
        self.clock.now()
    }

    /// The names under which the server has been running, in the order in which they were met: a new one is a restart. What was in memory
    /// alone is forgotten then.
    pub fn lives(&self) -> Vec<String> {
        self.way.link().lives.clone()
    }
}

impl Connection {
    /// During which of the server's [lives](Server::lives) it was made. A restart ends every connection.
    pub fn life(&self) -> usize {
        self.life
    }
}

impl Way {
    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection, or why there is none yet; nothing where it is time to connect.
    fn known(&self) -> Option<Result<Connection, Trouble>> {
        let link = self.link();
        let failed = link.failed.as_ref().filter(|(at, _)| at.elapsed() < PAUSE);
        link.connection.clone().map(Ok).or_else(|| failed.map(|(_, trouble)| Err(trouble.clone())))
    }

    async fn connect(&self) -> Result<Connection, Trouble> {
        let made = self.handshake().await;
        let mut link = self.link();
        match made {
            Ok((inner, name)) => {
                link.made += 1;
                let connection = Connection { inner, number: link.made, life: link.meet(name) };
                (link.connection, link.failed) = (Some(connection.clone()), None);
                Ok(connection)
            }
            Err(error) => {
                let trouble = Trouble::before_a_write(&error, self.limit);
                link.failed = Some((Instant::now(), trouble.clone()));
                Err(trouble)
            }
        }
    }

    /// A connection, and the name of the server's life.
    async fn handshake(&self) -> Result<(MultiplexedConnection, String), RedisError> {
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&self.config).await?;
        let info = redis::cmd("INFO").arg("server").query_async::<String>(&mut connection).await;
        let name = match info {
            Ok(info) => info.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap_or_default().to_owned(),
            // Whoever may not ask does not hear of restarts.
            Err(error) if trouble::is_answer(&error) => String::new(),
            Err(error) => return Err(error),
        };
        Ok((connection, name))
    }
}

impl Link {
    /// The place of a life among those that were met.
    fn meet(&mut self, name: String) -> usize {
        self.lives.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.lives.push(name);
            self.lives.len() - 1
        })
    }
}

/// The server's clock, as far as its answers have told.
#[derive(Debug)]
struct Clock {
    base: Instant,
    /// The microseconds that it showed when `base` was, or 0 while that is unknown.
    at_base: AtomicU64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { base: Instant::now(), at_base: AtomicU64::new(0) }
    }
}

impl Clock {
    fn heard(&self, (secs, micros): (u64, u64)) -> Timestamp {
        let shown = secs.saturating_mul(1_000_000).saturating_add(micros);
        self.at_base.store(shown.saturating_sub(self.elapsed()), Ordering::Relaxed);
        Timestamp::from_micros(shown)
    }

    fn now(&self) -> Option<Timestamp> {
        let at_base = self.at_base.load(Ordering::Relaxed);
        (at_base > 0).then(|| Timestamp::from_micros(at_base.saturating_add(self.elapsed())))
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.base.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

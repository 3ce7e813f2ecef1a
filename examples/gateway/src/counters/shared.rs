//! [`Redis`]: states in a Redis or Valkey server, shared by all processes that name it.
//!
//! The server compares and swaps bytes; the rule runs here, again if another process was quicker. So a request that is rejected writes nothing
//! there either, and two gateways have one quota, to the unit.

use std::num::NonZeroU32;
use std::time::Duration;

use redis_fleet::{Address, Server, Shared};
use tollgate::Timestamp;
use tollgate::wire::Wire;

use super::{Counters, Unavailable};
use crate::rule::{Judge, Judgement};

/// The longest that a request waits for the server.
const LIMIT: Duration = Duration::from_millis(500);

/// So many processes may be quicker.
const ATTEMPTS: NonZeroU32 = NonZeroU32::new(64).unwrap();

/// By how much the clocks of gateways may differ.
const SKEW: Duration = Duration::from_secs(5);

/// In front of each key, for a server that others use too.
const PREFIX: &[u8] = b"tollgate:";

/// The store of a fleet.
#[derive(Debug)]
pub struct Redis(Shared);

impl Redis {
    /// In this server, which need not be there yet.
    pub fn new(address: &Address) -> Self {
        Self(Shared::new(Server::new(address, LIMIT), SKEW, ATTEMPTS))
    }
}

impl<S: Wire + Send + 'static> Counters<S> for Redis {
    async fn judge(&self, rule: &impl Judge<S>, key: &[u8], now: Timestamp) -> Result<Judgement, Unavailable> {
        let key = [PREFIX, key].concat();
        Ok(self.0.check(&key, Some(now), |state, now| rule.judge(state, now)).await.outcome?)
    }
}

//! Against real servers, of which each test starts its own: `cargo test -p redis-fleet --features live`. Needs `redis-server`.

mod checks;
mod failures;
mod fleet;

use std::num::NonZeroU32;
use std::time::Duration;

use redis_fleet::live::LiveServer;
use redis_fleet::{Checked, Policy, Server, Shared};
use tollgate::{Decision, Timestamp};

const KEY: &[u8] = b"key";
const SKEW: Duration = Duration::from_secs(1);

/// A process's share in the server, which waits long, for a machine may be busy.
fn shared(server: &LiveServer) -> Shared {
    with_limit(server, Duration::from_secs(20))
}

fn with_limit(server: &LiveServer, limit: Duration) -> Shared {
    Shared::new(Server::new(&server.url().parse().unwrap(), limit), SKEW, NonZeroU32::new(100).unwrap())
}

fn log(text: &str) -> Policy {
    Policy::SlidingLog(text.parse().unwrap())
}

/// Asks for one unit of [`KEY`] at so many seconds.
async fn check(shared: &Shared, policy: Policy, secs: u64) -> Checked<Decision> {
    policy.check(shared, KEY, Some(Timestamp::from_secs(secs))).await
}

/// Whether one unit passes.
async fn passes(shared: &Shared, policy: Policy, secs: u64) -> bool {
    check(shared, policy, secs).await.outcome.unwrap().is_allow()
}

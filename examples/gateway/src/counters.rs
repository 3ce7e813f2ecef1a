//! Where states are kept: [`Counters`], the seam at which a store can be exchanged; [`Memory`], the store of one process; and [`Redis`],
//! that of a fleet.
//!
//! The limiters are written against [`Counters`]. Another store implements it once and is named once, in [`app`](crate::app). One outside
//! the process reads the bytes of a key, runs the rule on them, and writes by compare-and-swap if the rule admitted; with a conflict it
//! starts again.

mod memory;
mod shared;

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tollgate::identity::KeyTooLong;
use tollgate::{Full, Timestamp};

use crate::rule::{Judge, Judgement};

pub use memory::Memory;
pub use shared::Redis;

/// The key of a state: tagged parts, which cannot collide, as bytes for a map or a database. Room for the longest API key.
pub type Key = tollgate::identity::CompositeKey<192>;

/// States by key, for as many callers at once as there are.
pub trait Counters<S>: Send + Sync + 'static {
    /// Lets a rule judge the state of a key, and keeps it if it has changed. No two requests of one key are judged on the same state.
    fn judge(
        &self,
        rule: &impl Judge<S>,
        key: &[u8],
        now: Timestamp,
    ) -> impl Future<Output = Result<Judgement, Unavailable>> + Send;
}

/// The store cannot say, and but for a write in doubt nothing was counted. Whether the request passes is the caller's choice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// There is no room for another key.
    #[error(transparent)]
    Full(#[from] Full),
    /// The key is longer than any that this program makes.
    #[error(transparent)]
    Key(#[from] KeyTooLong),
    /// The shared store is gone, slow or contended, or what it holds is not to be trusted.
    #[error(transparent)]
    Shared(#[from] redis_fleet::Trouble),
}

/// Locks, also after a panic of whoever held it: what is locked here is whole after every step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

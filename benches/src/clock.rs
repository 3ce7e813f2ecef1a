//! A clock that tells what it is told, for peers that ask one: the time is supplied to everybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use governor::nanos::Nanos;

/// Nanoseconds since some start. Its clones tell the same.
#[derive(Clone, Debug, Default)]
pub struct Told(Arc<AtomicU64>);

impl Told {
    #[inline]
    pub fn set(&self, nanos: u64) {
        self.0.store(nanos, Relaxed);
    }

    #[inline]
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.0.load(Relaxed))
    }
}

impl governor::clock::Clock for Told {
    type Instant = Nanos;

    #[inline]
    fn now(&self) -> Nanos {
        Nanos::new(self.0.load(Relaxed))
    }
}

impl ratelimit::Clock for Told {
    #[inline]
    fn elapsed(&self) -> Duration {
        Told::elapsed(self)
    }
}

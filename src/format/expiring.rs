//! [`Expiring`]: the one limit that fields without room for several tell of.

use super::retry_after::RetryAfter;
use crate::decision::{Decision, Status};
use crate::time::Wait;

/// The limit that is closest to being reached: the "expiring limit" of drafts 06 and 07.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Expiring {
    denied: Option<Wait>,
    status: Status,
}

impl Expiring {
    pub(super) const fn new(decision: Decision, status: &Status) -> Self {
        Self { denied: decision.retry_after(), status: *status }
    }

    /// The one with less remaining; of two with equally much, the one that takes longer to be full; of two that stand alike, the first.
    pub(super) const fn or(self, other: &Status) -> Self {
        let Self { denied, status } = self;
        let (less, equal) = (other.remaining < status.remaining, other.remaining == status.remaining);
        let closer = less || equal && other.full_in.as_nanos() > status.full_in.as_nanos();
        Self { denied, status: if closer { *other } else { status } }
    }

    pub(super) const fn limit(self) -> u32 {
        self.status.limit
    }

    pub(super) const fn remaining(self) -> u32 {
        self.status.remaining
    }

    /// The wait until the quota is all there again, or until any is there where none remains. For a denied request the wait of its
    /// `Retry-After`, which the drafts would have refer to the same moment.
    pub(super) const fn reset(self) -> Wait {
        match self.denied {
            Some(wait) => wait,
            None if self.status.remaining == 0 => self.status.grows_in,
            None => self.status.full_in,
        }
    }

    /// That in whole seconds; for a denied request the same number as in `Retry-After`.
    pub(super) const fn reset_secs(self) -> u64 {
        match self.denied {
            Some(wait) => RetryAfter::after(wait).secs(),
            None => self.reset().as_secs_ceil(),
        }
    }
}

//! What a policy answers: [`Decision`], and [`Status`] for those who want to tell the caller more.

use crate::time::{Timestamp, Wait};

/// Whether a request may pass. Two variants for good.
///
/// A denial is an answer, not an error, so that `?` cannot swallow it. It has changed nothing.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{Decision, FixedWindow, FixedWindowState, Timestamp};
///
/// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
/// let mut state = FixedWindowState::default();
/// assert_eq!(ONE_A_SECOND.judge(&mut state, Timestamp::ZERO), Decision::Allow);
/// match ONE_A_SECOND.judge(&mut state, Timestamp::from_millis(400)) {
///     Decision::Allow => unreachable!(),
///     Decision::Deny { retry_after } => assert_eq!(retry_after.as_millis_ceil(), 600),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "a decision that nobody looks at limits nothing"]
pub enum Decision {
    /// The request may pass, and its cost has been counted.
    Allow,
    /// The request may not pass, and nothing has changed.
    Deny {
        /// With nothing in between, the same request is allowed this long after the caller's `now`, and not a nanosecond earlier. Above zero.
        retry_after: Wait,
    },
}

impl Decision {
    /// Whether the request may pass.
    ///
    /// ```
    /// # use tollgate::Decision;
    /// assert!(Decision::Allow.is_allow());
    /// ```
    #[inline]
    pub const fn is_allow(self) -> bool {
        matches!(self, Self::Allow)
    }

    /// How long to wait, where the request was denied.
    ///
    /// ```
    /// # use tollgate::{Decision, Wait};
    /// let denied = Decision::Deny { retry_after: Wait::from_nanos(5) };
    /// assert_eq!(denied.retry_after(), Some(Wait::from_nanos(5)));
    /// assert_eq!(Decision::Allow.retry_after(), None);
    /// ```
    #[inline]
    pub const fn retry_after(self) -> Option<Wait> {
        match self {
            Self::Allow => None,
            Self::Deny { retry_after } => Some(retry_after),
        }
    }

    /// The same decision, judged at `read`, with the wait as it counts from an earlier `now`.
    ///
    /// For those who judge by hand inside [`Store::update`](crate::Store::update): the closure is given the time to read, which a store that has
    /// forgotten something may make later than `now`, and what is judged there waits from then. The methods that take a store see to it.
    ///
    /// ```
    /// use core::time::Duration;
    /// use std::collections::HashMap;
    /// use tollgate::store::Pruned;
    /// use tollgate::{Decision, FixedWindow, FixedWindowState, Store, Timestamp, Wait};
    ///
    /// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
    /// let mut clients: Pruned<HashMap<u64, FixedWindowState>> = Pruned::default();
    /// let _ = ONE_A_SECOND.check(&mut clients, &7, Timestamp::ZERO);
    /// clients.prune(Timestamp::from_secs(1)); // so an earlier request is read as of then
    ///
    /// let now = Timestamp::from_millis(600);
    /// let Ok(second) = clients.update(&7, now, |state, read| {
    ///     let _ = ONE_A_SECOND.judge(state, read);
    ///     ONE_A_SECOND.judge(state, read).counted_from(now, read)
    /// });
    /// assert_eq!(second, Decision::Deny { retry_after: Wait::from_millis(1_400) });
    /// ```
    #[inline]
    pub const fn counted_from(self, now: Timestamp, read: Timestamp) -> Self {
        match self {
            Self::Allow => Self::Allow,
            Self::Deny { retry_after } => Self::Deny { retry_after: retry_after.counted_from(now, read) },
        }
    }

    /// The stricter of two: a denial before an allowance, and of two denials the one with the longer wait.
    #[inline]
    pub(crate) fn stricter(self, other: Self) -> Self {
        match (self.retry_after(), other.retry_after()) {
            (Some(mine), Some(its)) => Self::Deny { retry_after: mine.max(its) },
            (Some(_), None) => self,
            (None, _) => other,
        }
    }
}

/// How a key stands with a policy at some time.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut state = FixedWindowState::default();
/// let _ = TEN_A_SECOND.judge(&mut state, Timestamp::ZERO);
/// let status = TEN_A_SECOND.status_of(&state, Timestamp::from_millis(400));
/// assert_eq!((status.limit, status.remaining), (10, 9));
/// assert_eq!(status.full_in.as_millis_ceil(), 600);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Status {
    /// The largest cost that the policy can ever admit: the quota, or a bucket's burst.
    pub limit: u32,
    /// The largest cost that would be allowed now.
    pub remaining: u32,
    /// The wait until `remaining` grows; zero when it is at the limit.
    pub grows_in: Wait,
    /// The wait until `remaining` is at the limit; zero when it is.
    pub full_in: Wait,
}

impl Status {
    /// A status from its parts, for policies and stores outside this crate, and for tests of formatters.
    ///
    /// ```
    /// # use tollgate::{Status, Wait};
    /// let status = Status::new(10, 9, Wait::from_nanos(5), Wait::from_nanos(5));
    /// assert_eq!(status.remaining, 9);
    /// ```
    #[inline]
    pub const fn new(limit: u32, remaining: u32, grows_in: Wait, full_in: Wait) -> Self {
        Self { limit, remaining, grows_in, full_in }
    }

    /// The same status, judged at `read`, with its waits as they count from an earlier `now`.
    ///
    /// For those who judge by hand inside [`Store::update`](crate::Store::update) or [`view`](crate::Store::view): see
    /// [`Decision::counted_from`].
    ///
    /// ```
    /// # use tollgate::{Status, Timestamp, Wait};
    /// let (now, read) = (Timestamp::from_secs(3), Timestamp::from_secs(5));
    /// let status = Status::new(10, 9, Wait::from_secs(6), Wait::from_secs(6)).counted_from(now, read);
    /// assert_eq!(status, Status::new(10, 9, Wait::from_secs(8), Wait::from_secs(8)));
    /// ```
    #[inline]
    #[must_use = "this makes a status, and leaves the one it is made from as it is"]
    pub const fn counted_from(self, now: Timestamp, read: Timestamp) -> Self {
        let Self { limit, remaining, grows_in, full_in } = self;
        Self::new(limit, remaining, grows_in.counted_from(now, read), full_in.counted_from(now, read))
    }
}

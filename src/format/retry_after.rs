//! `Retry-After`, as the delay in seconds of RFC 9110, section 10.2.3.
//!
//! The other form that the RFC has, a date, is not rendered: it takes a wall clock, and one on which the client's agrees.

use core::fmt::{self, Display};
use core::num::NonZeroU64;

use crate::decision::Decision;
use crate::header_names;
use crate::time::Wait;

/// The field's name.
///
/// ```
/// # use tollgate::format::retry_after;
/// assert_eq!(retry_after::RETRY_AFTER, "retry-after");
/// ```
pub const RETRY_AFTER: &str = header_names::RETRY_AFTER;

/// The names of the fields of this module.
///
/// ```
/// # use tollgate::format::retry_after;
/// assert!(retry_after::HEADERS.contains(&retry_after::RETRY_AFTER));
/// ```
pub const HEADERS: [&str; 1] = [RETRY_AFTER];

/// The seconds after which a denied request may be tried again: rounded up, and at least 1.
///
/// There is one only where a request was denied. So it also stands for the denial where a body tells it: the header and the body say
/// the same number, and neither can be sent with an answer that allows.
///
/// ```
/// use tollgate::format::{RetryAfter, retry_after};
/// use tollgate::{Decision, Wait};
///
/// let denied = Decision::Deny { retry_after: Wait::from_millis(33_400) };
/// assert_eq!(RetryAfter::new(denied).unwrap().to_string(), "34");
/// assert_eq!(RetryAfter::new(Decision::Allow), None);
/// assert_eq!(retry_after::RETRY_AFTER, "retry-after");
/// ```
///
/// A cost that can never pass is an error and no decision, so that it has no time to come back either:
///
/// ```
/// use core::time::Duration;
/// use tollgate::format::RetryAfter;
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let result = TEN_A_SECOND.judge_n(&mut FixedWindowState::default(), 11, Timestamp::ZERO);
/// assert!(result.is_err());
/// assert_eq!(result.ok().and_then(RetryAfter::new), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RetryAfter(NonZeroU64);

impl RetryAfter {
    /// The delay of a denial; none where the request was allowed.
    ///
    /// ```
    /// # use tollgate::format::RetryAfter;
    /// # use tollgate::{Decision, Wait};
    /// let denied = Decision::Deny { retry_after: Wait::from_nanos(1) };
    /// assert_eq!(RetryAfter::new(denied).map(RetryAfter::secs), Some(1));
    /// ```
    pub const fn new(decision: Decision) -> Option<Self> {
        match decision {
            Decision::Allow => None,
            Decision::Deny { retry_after } => Some(Self::after(retry_after)),
        }
    }

    /// The delay of a wait from elsewhere, for denials that no policy has decided: a full store that stays closed, or maintenance.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// assert_eq!(RetryAfter::after(Wait::ZERO).secs(), 1);
    /// assert_eq!(RetryAfter::after(Wait::from_nanos(1_000_000_001)).secs(), 2);
    /// ```
    pub const fn after(wait: Wait) -> Self {
        match NonZeroU64::new(wait.as_secs_ceil()) {
            Some(secs) => Self(secs),
            None => Self(NonZeroU64::MIN),
        }
    }

    /// The later of this delay and that of `wait`.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// let two = RetryAfter::after(Wait::from_secs(2));
    /// assert_eq!(two.no_earlier_than(Wait::from_nanos(2_000_000_001)).secs(), 3);
    /// assert_eq!(two.no_earlier_than(Wait::ZERO), two);
    /// ```
    #[must_use = "this makes a delay, and leaves the one it is made from as it is"]
    pub const fn no_earlier_than(self, wait: Wait) -> Self {
        let other = Self::after(wait);
        if other.secs() > self.secs() { other } else { self }
    }

    /// The seconds, at least 1.
    ///
    /// ```
    /// # use tollgate::Wait;
    /// # use tollgate::format::RetryAfter;
    /// assert_eq!(RetryAfter::after(Wait::from_millis(999)).secs(), 1);
    /// ```
    pub const fn secs(self) -> u64 {
        self.0.get()
    }
}

/// The field's value.
impl Display for RetryAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

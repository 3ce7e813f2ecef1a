//! [`FixedWindow`]: at most a quota in each window.

use core::num::{NonZeroU32, NonZeroU64};
use core::time::Duration;

use super::Policy;
use super::inherent::inherent;
use super::settings::{self, Grid, built};
use crate::decision::Decision;
use crate::error::{CostExceedsLimit, OutOfRange, PolicyError};
use crate::state::State;
use crate::time::{LAST_DEADLINE, Timestamp};

/// At most `quota` units in each window: the cheapest policy, 16 bytes a key.
///
/// A window opens at the first admitted request and ends one window later; or, with [`aligned`](FixedWindow::aligned), windows lie on a
/// grid, as daily quotas do. Use it where the number that counts is the one on the bill, or in somebody else's terms of use.
///
/// **A fixed window admits a double burst across its boundary**: a quota at the end of one window and another at the start of the next,
/// at any distance. Where that matters, take a [`SlidingLog`](crate::SlidingLog) or a [`TokenBucket`](crate::TokenBucket).
///
/// ```
/// use core::time::Duration;
/// use tollgate::{Decision, FixedWindow, FixedWindowState, Timestamp};
///
/// const TWO_A_MINUTE: FixedWindow = FixedWindow::constant(2, Duration::from_secs(60));
/// let mut state = FixedWindowState::default();
/// let mut at = |secs| TWO_A_MINUTE.judge(&mut state, Timestamp::from_secs(secs)).is_allow();
/// assert_eq!([at(5), at(30), at(64), at(65), at(65)], [true, true, false, true, true]);
/// ```
///
/// # Changing it
///
/// A new quota counts at once, against what is remembered. The end of an open window stands; the next has the new length.
///
/// | remembered | new policy | then |
/// | --- | --- | --- |
/// | 8 of 10 used, ends at 60 s | 20/60s | 12 remain until 60 s |
/// | 8 of 10 used, ends at 60 s | 5/60s | none remain until 60 s |
/// | 8 of 10 used, ends at 60 s | 10/1s | 2 remain until 60 s; then windows of 1 s |
/// | 8 of 10 used, ends at 60 s | 10/60s,aligned | 2 remain until 60 s, wherever the grid lies; then the grid |
///
/// # Refunds
///
/// A window whose units have all been given back is closed: the next admission opens another, as if there had been none. What stands is that
/// this one does not end before the one that was closed, so that a late timestamp mints nothing; after a change to a shorter window that can
/// be later than it need be. In 16 bytes there is no room for the time of the last admission, so a timestamp from before it opens the
/// window from its own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedWindow {
    quota: NonZeroU32,
    window: NonZeroU64,
    grid: Option<Grid>,
}

impl FixedWindow {
    /// `quota` units a window, which opens at the first admitted request.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] where the quota is zero, or the window not `1 ns ..= 2^62 ns`.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::FixedWindow;
    /// let policy = FixedWindow::new(10, Duration::from_secs(60))?;
    /// assert_eq!(policy.quota(), 10);
    /// # Ok::<(), tollgate::PolicyError>(())
    /// ```
    pub const fn new(quota: u32, window: Duration) -> Result<Self, PolicyError> {
        match (settings::quota(quota), settings::window(window)) {
            (Ok(quota), Ok(window)) => Ok(Self { quota, window, grid: None }),
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    }

    /// The same for a `const`, where a bad policy fails the build.
    ///
    /// # Panics
    ///
    /// Where [`new`](FixedWindow::new) gives an error, if called at run time.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::FixedWindow;
    /// const POLICY: FixedWindow = FixedWindow::constant(10, Duration::from_secs(60));
    /// ```
    ///
    /// ```compile_fail,E0080
    /// # use core::time::Duration;
    /// # use tollgate::FixedWindow;
    /// const NONE: FixedWindow = FixedWindow::constant(0, Duration::from_secs(60));
    /// ```
    pub const fn constant(quota: u32, window: Duration) -> Self {
        built!(Self::new(quota, window))
    }

    /// The same quota and window, with windows at the points of the grid `origin + k x window`, for every whole `k`.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, FixedWindowState, Timestamp};
    /// // A quota for each UTC day, with timestamps since the Unix epoch.
    /// const DAILY: FixedWindow = FixedWindow::constant(1000, Duration::from_secs(86_400)).aligned(Timestamp::ZERO);
    /// let status = {
    ///     let mut state = FixedWindowState::default();
    ///     let _ = DAILY.judge(&mut state, Timestamp::from_secs(86_400 + 23 * 3_600));
    ///     DAILY.status_of(&state, Timestamp::from_secs(86_400 + 23 * 3_600))
    /// };
    /// assert_eq!((status.remaining, status.full_in.as_secs_ceil()), (999, 3_600));
    /// ```
    #[must_use = "this makes a policy, and leaves the one it is made from as it is"]
    pub const fn aligned(self, origin: Timestamp) -> Self {
        Self { grid: Some(Grid::new(self.window, origin)), ..self }
    }

    /// The units a window, which are also the limit.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::FixedWindow;
    /// assert_eq!(FixedWindow::constant(10, Duration::from_secs(60)).quota(), 10);
    /// ```
    pub const fn quota(&self) -> u32 {
        self.quota.get()
    }

    /// The length of a window.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::FixedWindow;
    /// assert_eq!(FixedWindow::constant(10, Duration::from_secs(60)).window(), Duration::from_secs(60));
    /// ```
    pub const fn window(&self) -> Duration {
        Duration::from_nanos(self.window.get())
    }

    /// Where the grid's first point lies, below one window; `None` where windows open at the first admitted request.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{FixedWindow, Timestamp};
    /// let policy = FixedWindow::constant(10, Duration::from_secs(60)).aligned(Timestamp::from_secs(75));
    /// assert_eq!(policy.origin(), Some(Timestamp::from_secs(15)));
    /// ```
    pub const fn origin(&self) -> Option<Timestamp> {
        match self.grid {
            Some(grid) => Some(grid.phase()),
            None => None,
        }
    }

    /// Opens a window. One that a refund closed leaves its end standing, for late timestamps.
    #[inline]
    fn open(&self, state: &mut FixedWindowState, used: u32, now: Timestamp) {
        let end = match self.grid {
            // Cannot overflow: a deadline.
            None => now.as_nanos() + self.window.get(),
            Some(grid) => grid.after(now.as_nanos()),
        };
        if end > state.ends_at {
            state.ends_at = end;
        }
        state.used = used;
    }
}

impl Policy<FixedWindowState> for FixedWindow {
    #[inline]
    fn limit(&self) -> u32 {
        self.quota.get()
    }

    #[inline]
    fn preview(&self, state: &FixedWindowState, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        CostExceedsLimit::test(cost, self.limit())?;
        if cost <= self.remaining_of(state, now) {
            return Ok(Decision::Allow);
        }
        Ok(Decision::Deny { retry_after: now.until_deadline(state.ends_at) })
    }

    #[inline]
    fn remaining_of(&self, state: &FixedWindowState, now: Timestamp) -> u32 {
        self.limit().saturating_sub(state.used_at(now))
    }

    #[inline]
    fn charge_to(&self, state: &mut FixedWindowState, cost: u32, now: Timestamp) {
        if cost == 0 {
            return;
        }
        match state.used_at(now) {
            0 => self.open(state, cost, now),
            used => state.used = used.saturating_add(cost),
        }
    }

    #[inline]
    fn refund_to(&self, state: &mut FixedWindowState, cost: u32, now: Timestamp) {
        if !state.is_expired(now) {
            state.used = state.used.saturating_sub(cost);
        }
    }

    #[inline]
    fn judge(&self, state: &mut FixedWindowState, now: Timestamp) -> Decision {
        if !state.is_expired(now) {
            // One comparison for an open window with units left: a `used` of zero wraps and fails it.
            if state.used.wrapping_sub(1) < self.limit() - 1 {
                state.used += 1;
                return Decision::Allow;
            }
            if state.used > 0 {
                return Decision::Deny { retry_after: now.until_deadline(state.ends_at) };
            }
        }
        self.open(state, 1, now);
        Decision::Allow
    }
}

inherent!(
    [] FixedWindow,
    "FixedWindow",
    "FixedWindow::constant(10, Duration::from_secs(60))",
    "FixedWindowState"
);

/// What a [`FixedWindow`] remembers of a key: 16 bytes.
///
/// When the window ends, and how much of it is used. The time of the last admission is not needed: it is before the end.
///
/// ```
/// use tollgate::{FixedWindowState, State, Timestamp};
///
/// assert!(FixedWindowState::default().is_expired(Timestamp::ZERO));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FixedWindowState {
    /// A deadline. It stands when a refund closes the window.
    ends_at: u64,
    /// Zero: no window is open.
    used: u32,
}

const _: () = assert!(size_of::<FixedWindowState>() <= 16);

impl FixedWindowState {
    /// The state of a key that was never seen, for a `static`.
    ///
    /// ```
    /// # use tollgate::FixedWindowState;
    /// const FRESH: FixedWindowState = FixedWindowState::new();
    /// assert_eq!(FRESH, FixedWindowState::default());
    /// ```
    #[inline]
    pub const fn new() -> Self {
        Self { ends_at: 0, used: 0 }
    }

    /// The units that count at `now`, zero where no window is open.
    #[inline]
    fn used_at(&self, now: Timestamp) -> u32 {
        if self.is_expired(now) { 0 } else { self.used }
    }

    /// `ends_at` and `used`, for [`from_parts`](Self::from_parts).
    pub(crate) fn parts(&self) -> (u64, u32) {
        (self.ends_at, self.used)
    }

    /// A state from what was kept of one, if it can have been one.
    pub(crate) fn from_parts(ends_at: u64, used: u32) -> Result<Self, OutOfRange> {
        OutOfRange::test("ends_at", ends_at, 0, LAST_DEADLINE)?;
        // Units are used of a window that has an end, which is above zero.
        let most = if ends_at == 0 { 0 } else { u32::MAX };
        OutOfRange::test("used", used.into(), 0, most.into())?;
        Ok(Self { ends_at, used })
    }
}

impl State for FixedWindowState {
    #[inline]
    fn is_expired(&self, now: Timestamp) -> bool {
        now.as_nanos() >= self.ends_at
    }

    fn expires_at(&self) -> Timestamp {
        Timestamp::from_nanos(self.ends_at)
    }
}

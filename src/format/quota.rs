//! [`Quota`]: a policy's figures, which are all that a header tells of it.

use core::time::Duration;

use crate::policy::{FixedWindow, SlidingLog, TokenBucket};

/// So many units in a window: what a header tells of a policy.
///
/// Made of a policy, by `From` or in a `const` by the constructor of its kind; or of numbers where the policy is elsewhere.
///
/// ```
/// use core::time::Duration;
/// use tollgate::SlidingLog;
/// use tollgate::format::Quota;
///
/// const EDGE: SlidingLog = SlidingLog::constant(100, Duration::from_secs(60));
/// const TOLD: Quota = Quota::of_log(EDGE);
/// assert_eq!(TOLD, Quota::new(100, Duration::from_secs(60)));
/// assert_eq!(TOLD, Quota::from(EDGE));
/// ```
///
/// # Windows of less than a second
///
/// No draft has room for a fraction of a second, and a window of zero seconds is forbidden (draft 10, section 3.1.3). So a window is
/// rounded up to whole seconds: 10 in 200 ms are told as 10 in 1 s, and 10 in 1.5 s as 10 in 2 s. Who keeps to that asks for less than
/// there is, never for more. Draft 10 can also [leave the window out](super::draft_10::Policy::without_window).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quota {
    units: u32,
    window: Duration,
    burst: Option<u32>,
}

impl Quota {
    /// A fixed window's.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::FixedWindow;
    /// # use tollgate::format::Quota;
    /// const DAILY: FixedWindow = FixedWindow::constant(1000, Duration::from_secs(86_400));
    /// const TOLD: Quota = Quota::of_window(DAILY);
    /// assert_eq!((TOLD.units(), TOLD.window_secs()), (1000, 86_400));
    /// ```
    pub const fn of_window(policy: FixedWindow) -> Self {
        Self::new(policy.quota(), policy.window())
    }

    /// A sliding log's.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::SlidingLog;
    /// # use tollgate::format::Quota;
    /// const EDGE: SlidingLog = SlidingLog::constant(100, Duration::from_secs(60));
    /// const TOLD: Quota = Quota::of_log(EDGE);
    /// assert_eq!((TOLD.units(), TOLD.window_secs()), (100, 60));
    /// ```
    pub const fn of_log(policy: SlidingLog) -> Self {
        Self::new(policy.quota(), policy.window())
    }

    /// A token bucket's, with its burst.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::Quota;
    /// # use tollgate::{Refill, TokenBucket};
    /// const BUCKET: TokenBucket = TokenBucket::constant_with(10, Duration::from_secs(60), 5, Refill::Continuous);
    /// const TOLD: Quota = Quota::of_bucket(BUCKET);
    /// assert_eq!((TOLD.units(), TOLD.window_secs(), TOLD.burst()), (10, 60, Some(5)));
    /// ```
    pub const fn of_bucket(policy: TokenBucket) -> Self {
        Self::new(policy.quota(), policy.window()).with_burst(policy.burst())
    }

    /// `units` in each `window`, by numbers. Of a policy at hand, make it by the constructor of its kind: a bucket's burst is not lost then.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::Quota;
    /// assert_eq!(Quota::new(10, Duration::from_millis(1_500)).window_secs(), 2);
    /// ```
    pub const fn new(units: u32, window: Duration) -> Self {
        Self { units, window, burst: None }
    }

    /// The same, for a bucket that holds `burst` units.
    ///
    /// Drafts 06 and 07 tell it, where it differs from the quota, as they do in an example of their own: `10;w=60;burst=5`.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::Quota;
    /// assert_eq!(Quota::new(10, Duration::from_secs(60)).with_burst(5).burst(), Some(5));
    /// ```
    #[must_use = "this makes a description, and leaves the one it is made from as it is"]
    pub const fn with_burst(self, burst: u32) -> Self {
        Self { burst: if burst == self.units { None } else { Some(burst) }, ..self }
    }

    /// What the bucket holds, where that differs from the quota.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::Quota;
    /// assert_eq!(Quota::new(10, Duration::from_secs(60)).with_burst(10).burst(), None);
    /// ```
    pub const fn burst(self) -> Option<u32> {
        self.burst
    }

    /// The units in a window.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::Quota;
    /// assert_eq!(Quota::new(10, Duration::from_secs(60)).units(), 10);
    /// ```
    pub const fn units(self) -> u32 {
        self.units
    }

    /// The window in whole seconds, rounded up, and at least 1.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::Quota;
    /// assert_eq!(Quota::new(10, Duration::from_millis(200)).window_secs(), 1);
    /// ```
    pub const fn window_secs(self) -> u64 {
        let secs = self.window.as_secs();
        if secs == 0 || self.window.subsec_nanos() > 0 { secs.saturating_add(1) } else { secs }
    }
}

impl From<FixedWindow> for Quota {
    fn from(policy: FixedWindow) -> Self {
        Self::of_window(policy)
    }
}

impl From<SlidingLog> for Quota {
    fn from(policy: SlidingLog) -> Self {
        Self::of_log(policy)
    }
}

impl From<TokenBucket> for Quota {
    fn from(policy: TokenBucket) -> Self {
        Self::of_bucket(policy)
    }
}

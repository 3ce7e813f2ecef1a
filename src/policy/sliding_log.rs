//! [`SlidingLog`]: at most a quota in every interval one window long. The policy; what it remembers is in `log`, and where, in `memory`.

mod log;
mod memory;

use core::num::NonZeroU32;
use core::time::Duration;

pub use log::LogState;
#[cfg(feature = "alloc")]
pub use memory::Growing;
pub use memory::{InPlace, LogMemory};

use super::Policy;
use super::inherent::inherent;
use super::settings::{self, built};
use crate::decision::Decision;
use crate::error::{CostExceedsLimit, PolicyError};
use crate::time::Timestamp;

/// At most `quota` units in *every* interval one window long, exactly: the strictest policy, 12 bytes an admission.
///
/// Each admission counts for one window from its own time; there is no boundary across which a burst doubles. A denied client is free again at
/// the moment at which enough of what it did has aged out, however often it tried. Equal timestamps share an entry, and all count.
///
/// Its state remembers each admission: in place with a fixed capacity ([`SlidingLogArray`]), or growing ([`SlidingLogState`], feature
/// `alloc`). A log that is full denies until its oldest entry expires, and a charge then adds to its newest entry. One with room for
/// `min(quota, ceil(window / tick) + 1)` entries, where timestamps are multiples of a tick, is never full before its quota is used.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{SlidingLog, SlidingLogArray, Timestamp};
///
/// const TWO_A_MINUTE: SlidingLog = SlidingLog::constant(2, Duration::from_secs(60));
/// let mut state = SlidingLogArray::<2>::default();
/// let mut at = |secs| TWO_A_MINUTE.judge(&mut state, Timestamp::from_secs(secs)).is_allow();
/// assert_eq!([at(5), at(64), at(64), at(65), at(65)], [true, true, false, true, false]);
/// ```
///
/// # Cost
///
/// Amortised O(1), and never more than O(log n) in the entries, for denials too. (A growing log copies its entries when it grows.)
///
/// # Changing it
///
/// A new quota counts at once, against what is remembered. Entries keep the expiry they were given; a new one never expires before an
/// older one.
///
/// | remembered | new policy | then |
/// | --- | --- | --- |
/// | 8 of 10 units, all expire at 60 s | 20/60s | 12 remain |
/// | 8 of 10 units, all expire at 60 s | 5/60s | none remain until 60 s |
/// | 8 of 10 units, all expire at 60 s | 10/1s | 2 remain until 60 s, and what is admitted until 59 s expires then too |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SlidingLog {
    quota: NonZeroU32,
    window: u64,
}

/// What a [`SlidingLog`] remembers of a key in place: `24 + 12 N` bytes, rounded up to a multiple of 8, for `N` entries.
///
/// ```
/// use tollgate::SlidingLogArray;
///
/// assert_eq!(size_of::<SlidingLogArray<100>>(), 24 + 12 * 100);
/// ```
pub type SlidingLogArray<const N: usize> = LogState<InPlace<N>>;

/// What a [`SlidingLog`] remembers of a key, growing as it is used: 40 bytes, and 12 for each entry that there is room for. Admissions take it up
/// to the quota, in entries; charges may take it beyond.
///
/// Room doubles where an entry finds none, and halves at an admission that finds less than a quarter of it used (room for 16 or less stays). So beyond
/// a few entries a steady key takes 12 to 24 bytes for each admission that counts, or up to 48 where it took more before; and what a burst took stays
/// until the key's next admissions, or until it is pruned.
///
/// ```
/// use tollgate::SlidingLogState;
///
/// # #[cfg(target_pointer_width = "64")]
/// assert_eq!(size_of::<SlidingLogState>(), 40);
/// ```
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub type SlidingLogState = LogState<Growing>;

impl SlidingLog {
    /// `quota` units in every interval of a `window`.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] where the quota is zero, or the window not `1 ns ..= 2^62 ns`.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::SlidingLog;
    /// let policy = SlidingLog::new(10, Duration::from_secs(60))?;
    /// assert_eq!(policy.quota(), 10);
    /// # Ok::<(), tollgate::PolicyError>(())
    /// ```
    pub const fn new(quota: u32, window: Duration) -> Result<Self, PolicyError> {
        match (settings::quota(quota), settings::window(window)) {
            (Ok(quota), Ok(window)) => Ok(Self { quota, window: window.get() }),
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    }

    /// The same for a `const`, where a bad policy fails the build.
    ///
    /// # Panics
    ///
    /// Where [`new`](SlidingLog::new) gives an error, if called at run time.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::SlidingLog;
    /// const POLICY: SlidingLog = SlidingLog::constant(10, Duration::from_secs(60));
    /// ```
    ///
    /// ```compile_fail,E0080
    /// # use core::time::Duration;
    /// # use tollgate::SlidingLog;
    /// const TOO_LONG: SlidingLog = SlidingLog::constant(10, Duration::from_secs(u64::MAX));
    /// ```
    pub const fn constant(quota: u32, window: Duration) -> Self {
        built!(Self::new(quota, window))
    }

    /// The units a window, which are also the limit.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::SlidingLog;
    /// assert_eq!(SlidingLog::constant(10, Duration::from_secs(60)).quota(), 10);
    /// ```
    pub const fn quota(&self) -> u32 {
        self.quota.get()
    }

    /// How long a unit counts.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::SlidingLog;
    /// assert_eq!(SlidingLog::constant(10, Duration::from_secs(60)).window(), Duration::from_secs(60));
    /// ```
    pub const fn window(&self) -> Duration {
        Duration::from_nanos(self.window)
    }

    /// The expiry of what is admitted at `read`. Cannot overflow: a deadline.
    #[inline]
    fn expires(&self, read: u64) -> u64 {
        read + self.window
    }
}

impl<M: LogMemory> Policy<LogState<M>> for SlidingLog {
    #[inline]
    fn limit(&self) -> u32 {
        self.quota.get()
    }

    #[inline]
    fn preview(&self, state: &LogState<M>, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        CostExceedsLimit::test(cost, self.quota())?;
        if cost == 0 {
            return Ok(Decision::Allow);
        }
        let live = state.live(state.read(now));
        Ok(match state.admits_at(&live, cost, self.quota()) {
            None => Decision::Allow,
            Some(deadline) => Decision::Deny { retry_after: now.until_deadline(deadline) },
        })
    }

    #[inline]
    fn remaining_of(&self, state: &LogState<M>, now: Timestamp) -> u32 {
        let live = state.live(state.read(now));
        if state.is_full(&live) { 0 } else { self.quota().saturating_sub(live.used) }
    }

    #[inline]
    fn charge_to(&self, state: &mut LogState<M>, cost: u32, now: Timestamp) {
        if cost == 0 {
            return;
        }
        let read = state.read(now);
        let live = state.live(read);
        let units = cost.min(u32::MAX - live.used);
        state.add(live, units, read, self.expires(read));
    }

    #[inline]
    fn refund_to(&self, state: &mut LogState<M>, cost: u32, now: Timestamp) {
        let live = state.live(state.read(now));
        state.take_back(&live, cost);
    }

    #[inline]
    fn judge(&self, state: &mut LogState<M>, now: Timestamp) -> Decision {
        // Without an operating system, its 340 bytes of flash are dearer than the instructions that it saves.
        let frequent = if cfg!(target_os = "none") { None } else { state.judge_one(self.quota(), self.window, now) };
        match frequent {
            Some(decision) => decision,
            None => self.admit_one(state, now),
        }
    }

    #[inline]
    fn judge_n(&self, state: &mut LogState<M>, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        CostExceedsLimit::test(cost, self.quota())?;
        Ok(if cost == 0 { Decision::Allow } else { self.admit(state, cost, now) })
    }
}

impl SlidingLog {
    /// What is not frequent.
    #[cold]
    fn admit_one<M: LogMemory>(&self, state: &mut LogState<M>, now: Timestamp) -> Decision {
        self.admit(state, 1, now)
    }

    /// Whether a cost within `1 ..= quota` may pass, counting it if so, however much has expired.
    fn admit<M: LogMemory>(&self, state: &mut LogState<M>, cost: u32, now: Timestamp) -> Decision {
        let read = state.read(now);
        let live = state.live(read);
        if let Some(deadline) = state.admits_at(&live, cost, self.quota()) {
            return Decision::Deny { retry_after: now.until_deadline(deadline) };
        }
        state.add(live, cost, read, self.expires(read));
        Decision::Allow
    }
}

inherent!(
    [] SlidingLog,
    "SlidingLog",
    "SlidingLog::constant(10, Duration::from_secs(60))",
    "SlidingLogArray<10>"
);

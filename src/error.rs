//! The errors: a policy that cannot be, a cost that can never pass, a store without room. A denial is none of them.
//!
//! Errors of the text form are in [`policy::text`](crate::policy::text), beside what they are about.

use core::cmp::Ordering;
use core::convert::Infallible;
use core::error::Error;
use core::fmt;

use crate::time::LONGEST;

/// Why a policy could not be built.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{FixedWindow, PolicyError};
///
/// assert_eq!(FixedWindow::new(0, Duration::from_secs(60)), Err(PolicyError::ZeroQuota));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyError {
    /// The quota is zero.
    ZeroQuota,
    /// The burst is zero.
    ZeroBurst,
    /// The window is shorter than a nanosecond, or longer than 2^62 ns.
    Window {
        /// The window that was given, in nanoseconds.
        nanos: u128,
    },
    /// An empty bucket would take longer than 2^62 ns to fill.
    Fill {
        /// The time that it would take, in nanoseconds, rounded up.
        nanos: u128,
    },
}

impl PolicyError {
    /// The message of a `const` policy that does not build, where nothing can be formatted.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::ZeroQuota => "the quota is 0; it must be 1 to 4294967295",
            Self::ZeroBurst => "the burst is 0; it must be 1 to 4294967295",
            Self::Window { .. } => "the window must be 1 ns to 2^62 ns (some 146 years)",
            Self::Fill { .. } => {
                "an empty bucket must fill within 2^62 ns (some 146 years): lower the burst, or raise the rate"
            }
        }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Window { nanos } => {
                write!(f, "the window is {nanos} ns; it must be 1 to {LONGEST} ns (some 146 years)")
            }
            Self::Fill { nanos } => write!(
                f,
                "an empty bucket would fill in {nanos} ns; it must fill within {LONGEST} ns (some 146 years): lower the burst, or raise the rate"
            ),
            other => f.write_str(other.message()),
        }
    }
}

impl Error for PolicyError {}

/// The cost is larger than the policy's limit, so the request can never pass, however long it waits. Nothing has changed.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let error = TEN_A_SECOND.judge_n(&mut FixedWindowState::default(), 11, Timestamp::ZERO).unwrap_err();
/// assert_eq!((error.cost, error.limit), (11, 10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CostExceedsLimit {
    /// The cost that was asked for.
    pub cost: u32,
    /// The largest cost that the policy can ever admit.
    pub limit: u32,
}

impl CostExceedsLimit {
    /// For policies outside this crate.
    ///
    /// ```
    /// # use tollgate::CostExceedsLimit;
    /// assert_eq!(CostExceedsLimit::new(11, 10).limit, 10);
    /// ```
    #[inline]
    pub const fn new(cost: u32, limit: u32) -> Self {
        Self { cost, limit }
    }

    /// `Ok` where the cost is within the limit.
    #[inline]
    pub(crate) const fn test(cost: u32, limit: u32) -> Result<(), Self> {
        if cost > limit { Err(Self { cost, limit }) } else { Ok(()) }
    }
}

impl fmt::Display for CostExceedsLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cost, limit } = self;
        write!(
            f,
            "a cost of {cost} can never pass a limit of {limit}: split the request, or raise the policy's quota or burst"
        )
    }
}

impl Error for CostExceedsLimit {}

/// A store of fixed capacity has no room for a new key, and no expired state to reclaim, within the key's reach: all of it, but for a
/// [`Table`](crate::Table), where a key belongs to some of the slots.
///
/// Distinct from a denial: the policy was not asked. The caller chooses whether such a request passes (open) or not (closed).
///
/// ```
/// use core::time::Duration;
/// use tollgate::{FixedWindow, FixedWindowState, Full, Slot, Slots, Timestamp};
///
/// const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
/// let mut slots: Slots<[Slot<u8, FixedWindowState>; 1]> = Slots::new([Slot::EMPTY]);
/// assert!(ONE_A_SECOND.check(&mut slots, &1, Timestamp::ZERO).is_ok());
/// assert_eq!(ONE_A_SECOND.check(&mut slots, &2, Timestamp::ZERO), Err(Full { capacity: 1 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Full {
    /// How many keys the store can hold.
    pub capacity: usize,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { capacity } = self;
        write!(
            f,
            "the store has room for {capacity} keys, and none for this one: admit or refuse by choice, or give the store more room"
        )
    }
}

impl Error for Full {}

/// A number in a state that came from outside, where no policy could have left it.
///
/// Bytes and documents that are read as a state are held to all that the policies rely on; see [`wire`](crate::wire).
///
/// ```
/// use tollgate::FixedWindowState;
/// use tollgate::wire::{DecodeError, OutOfRange, Wire};
///
/// let used_up_but_never_open = [0x11, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0];
/// let error = FixedWindowState::decode(&used_up_but_never_open).unwrap_err();
/// assert_eq!(error, DecodeError::OutOfRange(OutOfRange::new("used", 10, 0, 0)));
/// assert_eq!(error.to_string(), "`used` is 10; given the rest, it must be 0: this is no state that a policy has left, so do not trust it");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OutOfRange {
    /// The number's name, in the description of the format.
    pub field: &'static str,
    /// The number that was given.
    pub given: u64,
    /// The least that is allowed, given the others.
    pub least: u64,
    /// The most. Below the least where no number would do.
    pub most: u64,
}

impl OutOfRange {
    /// For states outside this crate.
    ///
    /// ```
    /// # use tollgate::wire::OutOfRange;
    /// assert_eq!(OutOfRange::new("used", 2, 0, 1).most, 1);
    /// ```
    #[inline]
    pub const fn new(field: &'static str, given: u64, least: u64, most: u64) -> Self {
        Self { field, given, least, most }
    }

    /// `Ok` where the number is in its range.
    #[inline]
    pub(crate) const fn test(field: &'static str, given: u64, least: u64, most: u64) -> Result<(), Self> {
        if given < least || given > most { Err(Self { field, given, least, most }) } else { Ok(()) }
    }
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, given, least, most } = self;
        write!(f, "`{field}` is {given}; given the rest, ")?;
        match least.cmp(most) {
            Ordering::Less => write!(f, "it must be {least} to {most}")?,
            Ordering::Equal => write!(f, "it must be {least}")?,
            Ordering::Greater => f.write_str("no number would do")?,
        }
        f.write_str(": this is no state that a policy has left, so do not trust it")
    }
}

impl Error for OutOfRange {}

/// A store that grows is never full.
impl From<Infallible> for Full {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Why a check with a cost gave no decision.
///
/// `E` is the store's error: [`Full`] for a fixed capacity, [`Infallible`] for maps that grow.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::{CheckError, FixedWindow, FixedWindowState, Timestamp};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
/// match TEN_A_SECOND.check_n(&mut clients, &7, 11, Timestamp::ZERO) {
///     Err(CheckError::CostExceedsLimit(error)) => assert_eq!(error.limit, 10),
///     Ok(_) => unreachable!(),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckError<E> {
    /// The request can never pass.
    CostExceedsLimit(CostExceedsLimit),
    /// The store could not hold the key.
    Store(E),
}

impl<E> From<CostExceedsLimit> for CheckError<E> {
    fn from(error: CostExceedsLimit) -> Self {
        Self::CostExceedsLimit(error)
    }
}

impl<E: fmt::Display> fmt::Display for CheckError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CostExceedsLimit(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl<E: Error> Error for CheckError<E> {}

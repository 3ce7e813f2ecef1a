//! Several policies for one request, each with a key, a cost and a store of its own.
//!
//! [`all`] judges them together: they admit together or change nothing, in any order. Each layer is looked up once, and nothing is rolled back,
//! since each holds its state while it asks the rest. That takes stores for oneself ([`Exclusive`](crate::store::Exclusive)): stores that lock could wait for each other.
//! [`in_order`] takes any: it asks one after another, and what an outer layer admitted stands when an inner one denies.
//!
//! Both take a tuple of [`Layer`]s, of any kinds, or [`Many`] of one kind; no boxes. Two policies on one key in one store are
//! [`Both`](crate::Both).
//!
//! ```
//! use core::time::Duration;
//! use std::collections::HashMap;
//! use tollgate::layers::{Joint, Layer, all};
//! use tollgate::*;
//!
//! const EDGE: SlidingLog = SlidingLog::constant(100, Duration::from_secs(60));
//! const TENANT: TokenBucket = TokenBucket::constant(50, Duration::from_secs(1));
//!
//! let mut addresses: HashMap<String, SlidingLogState> = HashMap::new();
//! let mut tenants: HashMap<u64, TokenBucketState> = HashMap::new();
//! let layers = (Layer::new(EDGE, &mut addresses, "203.0.113.9"), Layer::new(TENANT, &mut tenants, &7).cost(50));
//! assert_eq!(all(layers, Timestamp::ZERO), Ok(Joint::Allow));
//!
//! let layers = (Layer::new(EDGE, &mut addresses, "203.0.113.9"), Layer::new(TENANT, &mut tenants, &7));
//! assert_eq!(all(layers, Timestamp::ZERO).unwrap().denied_by(), Some(1));
//! assert_eq!(EDGE.status(&mut addresses, "203.0.113.9", Timestamp::ZERO).remaining, 99); // as before
//! ```
//!
//! # Precedence
//!
//! Of [`all`] and [`peek_all`], the same in any order of the layers: a cost that can never pass (that of the smallest limit), then a denial (the
//! longest wait), then [`Full`], then allow. Between equals, the first in the tuple is named. [`in_order`] answers as the first layer that
//! does not admit.

mod nest;

use core::error::Error;
use core::fmt;

use crate::decision::{Decision, Status};
use crate::error::{CostExceedsLimit, Full};
use crate::time::{Timestamp, Wait};
pub use nest::{ExclusiveLayers, Layer, Layers, Many};

/// What several policies answer together. A denial names the layer, counted from zero.
///
/// ```
/// use tollgate::{Wait, layers::Joint};
///
/// let denied = Joint::Deny { retry_after: Wait::from_nanos(5), layer: 1 };
/// assert_eq!(denied.denied_by(), Some(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "a decision that nobody looks at limits nothing"]
pub enum Joint {
    /// The request may pass, and every layer has counted it.
    Allow,
    /// The request may not pass.
    Deny {
        /// The longest wait.
        retry_after: Wait,
        /// The layer that asks for it.
        layer: usize,
    },
}

impl Joint {
    /// Whether the request may pass.
    ///
    /// ```
    /// # use tollgate::layers::Joint;
    /// assert!(Joint::Allow.is_allow());
    /// ```
    #[inline]
    pub const fn is_allow(self) -> bool {
        matches!(self, Self::Allow)
    }

    /// The decision alone, for a formatter.
    ///
    /// ```
    /// # use tollgate::{Decision, Wait, layers::Joint};
    /// let denied = Joint::Deny { retry_after: Wait::from_nanos(5), layer: 1 };
    /// assert_eq!(denied.decision(), Decision::Deny { retry_after: Wait::from_nanos(5) });
    /// ```
    #[inline]
    pub const fn decision(self) -> Decision {
        match self {
            Self::Allow => Decision::Allow,
            Self::Deny { retry_after, .. } => Decision::Deny { retry_after },
        }
    }

    /// The layer that denied, counted from zero.
    ///
    /// ```
    /// # use tollgate::layers::Joint;
    /// assert_eq!(Joint::Allow.denied_by(), None);
    /// ```
    #[inline]
    pub const fn denied_by(self) -> Option<usize> {
        match self {
            Self::Allow => None,
            Self::Deny { layer, .. } => Some(layer),
        }
    }
}

/// Why several policies gave no answer. Names the layer, counted from zero.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::layers::{JointError, Layer, all};
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
/// let error = all((Layer::new(TEN_A_SECOND, &mut clients, &7).cost(11),), Timestamp::ZERO).unwrap_err();
/// assert!(matches!(error, JointError::CostExceedsLimit { layer: 0, .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointError {
    /// The cost of a layer can never pass.
    CostExceedsLimit {
        /// The layer with the smallest limit of those.
        layer: usize,
        /// Its cost and limit.
        error: CostExceedsLimit,
    },
    /// The store of a layer has no room for its key.
    Full {
        /// The first such layer.
        layer: usize,
        /// Its store's room.
        error: Full,
    },
}

impl fmt::Display for JointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CostExceedsLimit { layer, error } => write!(f, "layer {layer}: {error}"),
            Self::Full { layer, error } => write!(f, "layer {layer}: {error}"),
        }
    }
}

/// Without a source: the message has all of it.
impl Error for JointError {}

/// The layer that a caller is told of, and how its key stands: the one that denied; or else the one with the least remaining, and of
/// equals the one that waits longest for more.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::layers::{Layer, all_with_status};
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// const TWO: FixedWindow = FixedWindow::constant(2, Duration::from_secs(1));
/// let (mut tens, mut twos): (HashMap<u64, FixedWindowState>, HashMap<u64, FixedWindowState>) = Default::default();
/// let layers = (Layer::new(TEN, &mut tens, &7), Layer::new(TWO, &mut twos, &7));
/// let (_, tightest) = all_with_status(layers, Timestamp::ZERO).unwrap();
/// assert_eq!(tightest.map(|tightest| (tightest.layer, tightest.status.remaining)), Some((1, 1)));
///
/// let layers = (Layer::new(TEN, &mut tens, &7).cost(10), Layer::new(TWO, &mut twos, &8));
/// let (joint, tightest) = all_with_status(layers, Timestamp::ZERO).unwrap();
/// assert_eq!((joint.denied_by(), tightest.map(|tightest| tightest.status.remaining)), (Some(0), Some(9)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Tightest {
    /// The layer, counted from zero; the first of equals.
    pub layer: usize,
    /// Its status, after the decision.
    pub status: Status,
}

/// Judges several policies together: all admit, or nothing changes.
///
/// # Errors
///
/// [`JointError`] where a cost can never pass, or where none denies and a store has no room.
///
/// # Cost
///
/// One look-up a layer.
///
/// ```
/// # use core::time::Duration;
/// # use std::collections::HashMap;
/// # use tollgate::{FixedWindow, FixedWindowState, Timestamp, layers::{Layer, all}};
/// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
/// let joint = all((Layer::new(TEN, &mut clients, &7).cost(10),), Timestamp::ZERO)?;
/// assert!(joint.is_allow());
/// # Ok::<(), tollgate::layers::JointError>(())
/// ```
#[inline]
pub fn all(layers: impl ExclusiveLayers, now: Timestamp) -> Result<Joint, JointError> {
    layers.all(now, false).answer()
}

/// As [`all`], with how the tightest layer stands: the one that denied, or else the one with the least remaining. `None` where there are no layers.
///
/// # Errors
///
/// As [`all`].
///
/// ```
/// # use core::time::Duration;
/// # use std::collections::HashMap;
/// # use tollgate::{FixedWindow, FixedWindowState, Timestamp, layers::{Layer, all_with_status}};
/// # const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
/// let (joint, tightest) = all_with_status((Layer::new(TEN, &mut clients, &7),), Timestamp::ZERO)?;
/// assert!(joint.is_allow());
/// assert_eq!(tightest.map(|tightest| tightest.status.remaining), Some(9));
/// # Ok::<(), tollgate::layers::JointError>(())
/// ```
#[inline]
pub fn all_with_status(layers: impl ExclusiveLayers, now: Timestamp) -> Result<(Joint, Option<Tightest>), JointError> {
    let verdict = layers.all(now, true);
    Ok((verdict.answer()?, verdict.tightest()))
}

/// What [`all`] would answer, changing nothing.
///
/// # Errors
///
/// [`JointError::CostExceedsLimit`]; a look needs no room.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::layers::{Joint, Layer, peek_all};
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
/// assert_eq!(peek_all((Layer::new(TEN_A_SECOND, &mut clients, &7),), Timestamp::ZERO), Ok(Joint::Allow));
/// assert!(clients.is_empty());
/// ```
#[inline]
pub fn peek_all(layers: impl Layers, now: Timestamp) -> Result<Joint, JointError> {
    layers.peek(now).answer()
}

/// Judges one policy after another, the outermost first, up to the first that does not admit. What those before it admitted stands.
///
/// To give it back where an inner layer denies, [`refund`](crate::Policy::refund) the layers before the one that is
/// [named](Joint::denied_by): [the guide](crate::guide::several) says what a late refund can do.
///
/// # Errors
///
/// [`JointError`] where a cost can never pass, or a store has no room. What the layers before the one that it names admitted stands here too, also
/// before a cost that can never pass: the layers of [`Many`] are made one by one as they are asked, so nobody knows the costs to come. To find
/// such a cost before anything is counted, ask [`peek_all`] first, or compare costs with the policies' limits.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::layers::{Layer, in_order};
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// const ONE: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));
/// let (mut outer, mut inner): (HashMap<u64, FixedWindowState>, HashMap<u64, FixedWindowState>) = Default::default();
/// let denied = [0, 1].map(|_| {
///     let layers = (Layer::new(TEN, &mut outer, &7), Layer::new(ONE, &mut inner, &7));
///     in_order(layers, Timestamp::ZERO).unwrap().denied_by()
/// });
/// assert_eq!(denied, [None, Some(1)]);
/// assert_eq!(TEN.status(&mut outer, &7, Timestamp::ZERO).remaining, 8);
///
/// let layers = (Layer::new(TEN, &mut outer, &7), Layer::new(ONE, &mut inner, &7).cost(2));
/// assert!(in_order(layers, Timestamp::ZERO).is_err());
/// assert_eq!(TEN.status(&mut outer, &7, Timestamp::ZERO).remaining, 7);
/// TEN.refund(&mut outer, &7, 1, Timestamp::ZERO);
/// # assert_eq!(TEN.status(&mut outer, &7, Timestamp::ZERO).remaining, 8);
/// ```
#[inline]
pub fn in_order(layers: impl Layers, now: Timestamp) -> Result<Joint, JointError> {
    layers.in_order(now).answer()
}

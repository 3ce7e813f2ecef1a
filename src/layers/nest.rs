//! How layers are asked: each holds its state while it asks the rest, and counts only if all of them admit.

use core::cmp::Reverse;

use super::{Joint, JointError, Tightest};
use crate::decision::{Decision, Status};
use crate::error::{CheckError, CostExceedsLimit, Full};
use crate::policy::Policy;
use crate::store::{Exclusive, Store};
use crate::time::{Timestamp, Wait};

/// A policy, and what it is asked about: a key in a store, and a cost, which is 1 unless it is set.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::layers::Layer;
/// use tollgate::{FixedWindow, FixedWindowState};
///
/// const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
/// let mut clients: HashMap<String, FixedWindowState> = HashMap::new();
/// let layer = Layer::new(TEN_A_SECOND, &mut clients, "203.0.113.9").cost(3);
/// ```
#[derive(Debug)]
#[must_use = "a layer does nothing until it is judged"]
pub struct Layer<'k, P, T, K: ?Sized> {
    policy: P,
    store: T,
    key: &'k K,
    cost: u32,
}

impl<'k, P, T, K: ?Sized> Layer<'k, P, T, K>
where
    T: Store<K>,
    P: Policy<T::State>,
{
    /// A layer with a cost of 1.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{layers::Layer, FixedWindow, FixedWindowState};
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// let layer = Layer::new(FixedWindow::constant(10, Duration::from_secs(1)), &mut clients, &7);
    /// ```
    #[inline]
    pub const fn new(policy: P, store: T, key: &'k K) -> Self {
        Self { policy, store, key, cost: 1 }
    }

    /// With another cost. A cost of zero only looks.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use std::collections::HashMap;
    /// # use tollgate::{layers::Layer, FixedWindow, FixedWindowState};
    /// # let mut clients: HashMap<u64, FixedWindowState> = HashMap::new();
    /// let layer = Layer::new(FixedWindow::constant(10, Duration::from_secs(1)), &mut clients, &7).cost(3);
    /// ```
    #[inline]
    pub fn cost(mut self, cost: u32) -> Self {
        self.cost = cost;
        self
    }
}

/// What the layers asked so far have answered.
#[derive(Clone, Copy, Default)]
pub struct Verdict {
    /// Of the smallest limit.
    never: Option<(usize, CostExceedsLimit)>,
    /// Of the longest wait.
    denied: Option<(usize, Wait)>,
    full: Option<(usize, Full)>,
    tightest: Option<Tightest>,
}

impl Verdict {
    #[inline]
    fn admits(&self) -> bool {
        self.never.is_none() && self.denied.is_none() && self.full.is_none()
    }

    #[inline]
    fn with(mut self, layer: usize, judged: Result<Decision, CostExceedsLimit>) -> Self {
        match judged {
            Ok(Decision::Allow) => {}
            Ok(Decision::Deny { retry_after }) => {
                if self.denied.is_none_or(|(_, wait)| wait < retry_after) {
                    self.denied = Some((layer, retry_after));
                }
            }
            Err(error) => {
                if self.never.is_none_or(|(_, other)| other.limit > error.limit) {
                    self.never = Some((layer, error));
                }
            }
        }
        self
    }

    #[inline]
    fn with_full(mut self, layer: usize, full: Full) -> Self {
        self.full = self.full.or(Some((layer, full)));
        self
    }

    #[inline]
    fn with_status(mut self, layer: usize, status: Status) -> Self {
        let tightness = |status: Status| (status.remaining, Reverse(status.grows_in));
        let is_tightest = match (self.denied, self.tightest) {
            // Whether it denied is known: all have answered before the first reports.
            (Some((denied_by, _)), _) => layer == denied_by,
            (None, None) => true,
            // They report from the innermost to the outermost, so among equals the first reports last.
            (None, Some(tightest)) => tightness(status) <= tightness(tightest.status),
        };
        if is_tightest {
            self.tightest = Some(Tightest { layer, status });
        }
        self
    }

    #[inline]
    pub(super) fn tightest(&self) -> Option<Tightest> {
        self.tightest
    }

    #[inline]
    pub(super) fn answer(&self) -> Result<Joint, JointError> {
        match (self.never, self.denied, self.full) {
            (Some((layer, error)), _, _) => Err(JointError::CostExceedsLimit { layer, error }),
            (None, Some((layer, retry_after)), _) => Ok(Joint::Deny { retry_after, layer }),
            (None, None, Some((layer, error))) => Err(JointError::Full { layer, error }),
            (None, None, None) => Ok(Joint::Allow),
        }
    }
}

/// One layer, as it is asked with any store.
pub trait Ask {
    fn peek(self, now: Timestamp, layer: usize, so_far: Verdict) -> Verdict;

    fn check(self, now: Timestamp, layer: usize, so_far: Verdict) -> Verdict;
}

/// One layer, as it is asked together with the rest.
pub trait AskTogether {
    fn nest(
        self,
        now: Timestamp,
        layer: usize,
        so_far: Verdict,
        status: bool,
        rest: impl FnOnce(Verdict) -> Verdict,
    ) -> Verdict;
}

impl<P, T, K: ?Sized> Ask for Layer<'_, P, T, K>
where
    T: Store<K, Error: Into<Full>>,
    P: Policy<T::State>,
{
    #[inline]
    fn peek(self, now: Timestamp, layer: usize, so_far: Verdict) -> Verdict {
        so_far.with(layer, self.policy.peek(self.store, self.key, self.cost, now))
    }

    #[inline]
    fn check(self, now: Timestamp, layer: usize, so_far: Verdict) -> Verdict {
        match self.policy.check_n(self.store, self.key, self.cost, now) {
            Ok(decision) => so_far.with(layer, Ok(decision)),
            Err(CheckError::CostExceedsLimit(error)) => so_far.with(layer, Err(error)),
            Err(CheckError::Store(error)) => so_far.with_full(layer, error.into()),
        }
    }
}

impl<P, T, K: ?Sized> AskTogether for Layer<'_, P, T, K>
where
    T: Store<K, Error: Into<Full>> + Exclusive,
    P: Policy<T::State>,
{
    #[inline]
    fn nest(
        self,
        now: Timestamp,
        layer: usize,
        so_far: Verdict,
        status: bool,
        rest: impl FnOnce(Verdict) -> Verdict,
    ) -> Verdict {
        let Self { policy, store, key, cost } = self;
        let look = |state: &T::State, read| {
            so_far.with(layer, policy.preview(state, cost, read).map(|decision| decision.counted_from(now, read)))
        };
        let report = |verdict: Verdict, state: &T::State, read| match status {
            true => verdict.with_status(layer, policy.status_of(state, read).counted_from(now, read)),
            false => verdict,
        };
        // Where nothing will be counted, nothing needs room.
        if cost == 0 || !so_far.admits() {
            return store.view(key, now, |state, read| report(rest(look(state, read)), state, read));
        }
        let mut rest = Some(rest);
        let mut ask = |so_far| match rest.take() {
            Some(rest) => rest(so_far),
            None => so_far,
        };
        let judged = store.update(key, now, |state, read| {
            let verdict = ask(look(state, read));
            if verdict.admits() {
                policy.charge_to(state, cost, read);
            }
            report(verdict, state, read)
        });
        match judged {
            Ok(verdict) => verdict,
            Err(full) => {
                // The key is not there, and may have a cost that never passes.
                let vacant = T::State::default();
                let so_far = look(&vacant, now).with_full(layer, full.into());
                report(ask(so_far), &vacant, now)
            }
        }
    }
}

/// Layers that can be judged [in order](super::in_order): a tuple of [`Layer`]s, up to eight, or [`Many`]. Sealed.
///
/// ```
/// use tollgate::Timestamp;
/// use tollgate::layers::{Joint, JointError, Layers, in_order};
///
/// fn judged(layers: impl Layers) -> Result<Joint, JointError> {
///     in_order(layers, Timestamp::ZERO)
/// }
/// ```
pub trait Layers: InOrder {}

impl<L: InOrder> Layers for L {}

/// Layers that can be judged [together](super::all): their stores are [`Exclusive`]. Sealed.
///
/// ```
/// use tollgate::Timestamp;
/// use tollgate::layers::{ExclusiveLayers, Joint, JointError, all};
///
/// fn judged(layers: impl ExclusiveLayers) -> Result<Joint, JointError> {
///     all(layers, Timestamp::ZERO)
/// }
/// ```
pub trait ExclusiveLayers: Layers + Together {}

impl<L: Layers + Together> ExclusiveLayers for L {}

pub trait InOrder {
    fn peek(self, now: Timestamp) -> Verdict;

    fn in_order(self, now: Timestamp) -> Verdict;
}

pub trait Together {
    fn all(self, now: Timestamp, status: bool) -> Verdict;
}

/// Any number of layers of one kind, from an iterator.
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::layers::{Joint, Layer, Many, all};
/// use tollgate::{FixedWindow, FixedWindowState, Timestamp};
///
/// let policies = [(10, 1), (100, 60)].map(|(quota, secs)| FixedWindow::constant(quota, Duration::from_secs(secs)));
/// let mut stores = [HashMap::<u64, FixedWindowState>::new(), HashMap::new()];
/// let layers = policies.iter().zip(&mut stores).map(|(policy, store)| Layer::new(*policy, store, &7));
/// assert_eq!(all(Many(layers), Timestamp::ZERO), Ok(Joint::Allow));
/// ```
///
/// # Cost
///
/// [`all`](super::all) takes stack for each layer.
#[derive(Clone, Copy, Debug)]
pub struct Many<I>(
    /// The layers, the outermost first.
    pub I,
);

impl<I: Iterator<Item: Ask>> InOrder for Many<I> {
    fn peek(self, now: Timestamp) -> Verdict {
        self.0.enumerate().fold(Verdict::default(), |so_far, (index, layer)| layer.peek(now, index, so_far))
    }

    fn in_order(self, now: Timestamp) -> Verdict {
        let mut verdict = Verdict::default();
        for (index, layer) in self.0.enumerate() {
            verdict = layer.check(now, index, verdict);
            if !verdict.admits() {
                break;
            }
        }
        verdict
    }
}

impl<I: Iterator<Item: AskTogether>> Together for Many<I> {
    fn all(self, now: Timestamp, status: bool) -> Verdict {
        fn rest<L: AskTogether>(
            layers: &mut impl Iterator<Item = (usize, L)>,
            now: Timestamp,
            so_far: Verdict,
            status: bool,
        ) -> Verdict {
            match layers.next() {
                None => so_far,
                Some((index, layer)) => {
                    layer.nest(now, index, so_far, status, |so_far| rest(layers, now, so_far, status))
                }
            }
        }
        rest(&mut self.0.enumerate(), now, Verdict::default(), status)
    }
}

/// Asks the first of some layers, and the rest from within it.
macro_rules! nested {
    ($so_far:expr, $now:ident, $status:ident,) => { $so_far };
    ($so_far:expr, $now:ident, $status:ident, $layer:ident $index:literal $($rest:tt)*) => {
        $layer.nest($now, $index, $so_far, $status, |so_far| nested!(so_far, $now, $status, $($rest)*))
    };
}

macro_rules! tuple {
    ($($layer:ident $index:literal)+) => {
        impl<$($layer: Ask),+> InOrder for ($($layer,)+) {
            #[inline]
            fn peek(self, now: Timestamp) -> Verdict {
                let mut verdict = Verdict::default();
                #[expect(non_snake_case, reason = "the names of the types serve as those of the values")]
                let ($($layer,)+) = self;
                $( verdict = $layer.peek(now, $index, verdict); )+
                verdict
            }

            #[inline]
            fn in_order(self, now: Timestamp) -> Verdict {
                let mut verdict = Verdict::default();
                #[expect(non_snake_case, reason = "the names of the types serve as those of the values")]
                let ($($layer,)+) = self;
                $(
                    if verdict.admits() {
                        verdict = $layer.check(now, $index, verdict);
                    }
                )+
                verdict
            }
        }

        impl<$($layer: AskTogether),+> Together for ($($layer,)+) {
            #[inline]
            fn all(self, now: Timestamp, status: bool) -> Verdict {
                #[expect(non_snake_case, reason = "the names of the types serve as those of the values")]
                let ($($layer,)+) = self;
                nested!(Verdict::default(), now, status, $($layer $index)+)
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);

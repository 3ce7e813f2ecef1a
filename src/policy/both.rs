//! [`Both`]: two policies on one key, as one policy over one store.

use super::Policy;
use super::inherent::inherent;
use crate::decision::Decision;
use crate::error::CostExceedsLimit;
use crate::state::State;
use crate::time::Timestamp;

/// Two policies on one key: a request passes both or counts for neither, in one look-up. The state is the pair of theirs.
///
/// A [`Both`] is a policy, so they nest. Both are asked for the same cost; the limit and what remains are the lesser, a wait the longer of
/// the two. Policies with keys, costs or stores of their own are judged together in [`layers`](crate::layers).
///
/// ```
/// use core::time::Duration;
/// use std::collections::HashMap;
/// use tollgate::{Both, FixedWindow, FixedWindowState, Timestamp, TokenBucket, TokenBucketState};
///
/// const STEADY: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
/// const DAILY: FixedWindow = FixedWindow::constant(1000, Duration::from_secs(86_400)).aligned(Timestamp::ZERO);
/// const API: Both<TokenBucket, FixedWindow> = Both(STEADY, DAILY);
///
/// let mut clients: HashMap<String, (TokenBucketState, FixedWindowState)> = HashMap::new();
/// let Ok(decision) = API.check(&mut clients, "203.0.113.9", Timestamp::ZERO);
/// assert!(decision.is_allow());
/// assert_eq!(API.status(&mut clients, "203.0.113.9", Timestamp::ZERO).remaining, 9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Both<A, B>(
    /// The one.
    pub A,
    /// And the other.
    pub B,
);

impl<A: Policy<S>, B: Policy<T>, S: State, T: State> Policy<(S, T)> for Both<A, B> {
    #[inline]
    fn limit(&self) -> u32 {
        self.0.limit().min(self.1.limit())
    }

    #[inline]
    fn preview(&self, state: &(S, T), cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        CostExceedsLimit::test(cost, self.limit())?;
        Ok(self.0.preview(&state.0, cost, now)?.stricter(self.1.preview(&state.1, cost, now)?))
    }

    #[inline]
    fn remaining_of(&self, state: &(S, T), now: Timestamp) -> u32 {
        self.0.remaining_of(&state.0, now).min(self.1.remaining_of(&state.1, now))
    }

    #[inline]
    fn charge_to(&self, state: &mut (S, T), cost: u32, now: Timestamp) {
        self.0.charge_to(&mut state.0, cost, now);
        self.1.charge_to(&mut state.1, cost, now);
    }

    #[inline]
    fn refund_to(&self, state: &mut (S, T), cost: u32, now: Timestamp) {
        self.0.refund_to(&mut state.0, cost, now);
        self.1.refund_to(&mut state.1, cost, now);
    }
}

inherent!(
    [A, B] Both<A, B>,
    "Both<FixedWindow, TokenBucket>",
    "Both(FixedWindow::constant(10, Duration::from_secs(60)), TokenBucket::constant(20, Duration::from_secs(60)))",
    "(FixedWindowState, TokenBucketState)"
);

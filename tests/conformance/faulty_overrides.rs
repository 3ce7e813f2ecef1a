//! A policy that is right with a state in hand, and goes its own way in one of the methods that take a store.

use core::time::Duration;

use tollgate::conformance::{Law, PolicySuite};
use tollgate::{
    CheckError, CostExceedsLimit, Decision, FixedWindow, FixedWindowState, Policy, Status, Store, Timestamp,
};

use crate::assert_breach;

const RIGHT: FixedWindow = FixedWindow::constant(2, Duration::from_nanos(10));
const WIDER: FixedWindow = FixedWindow::constant(3, Duration::from_nanos(10));

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Override {
    Right,
    CheckAllowsAll,
    CheckWaitsFromTheTimeRead,
    CheckOfACostIsWider,
    CheckOfNothingTakesRoom,
    CheckWithStatusIsWider,
    PeekCounts,
    StatusIsWider,
    ChargeCountsNothing,
    RefundGivesTwice,
}

impl Override {
    fn policy(self, wider: Self) -> FixedWindow {
        if self == wider { WIDER } else { RIGHT }
    }
}

impl Policy<FixedWindowState> for Override {
    fn limit(&self) -> u32 {
        RIGHT.quota()
    }

    fn preview(&self, state: &FixedWindowState, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        RIGHT.preview(state, cost, now)
    }

    fn remaining_of(&self, state: &FixedWindowState, now: Timestamp) -> u32 {
        RIGHT.remaining_of(state, now)
    }

    fn charge_to(&self, state: &mut FixedWindowState, cost: u32, now: Timestamp) {
        RIGHT.charge_to(state, cost, now);
    }

    fn refund_to(&self, state: &mut FixedWindowState, cost: u32, now: Timestamp) {
        RIGHT.refund_to(state, cost, now);
    }

    fn check<K: ?Sized, T: Store<K, State = FixedWindowState>>(
        &self,
        store: T,
        key: &K,
        now: Timestamp,
    ) -> Result<Decision, T::Error> {
        match self {
            Self::CheckAllowsAll => store.update(key, now, |_, _| Decision::Allow),
            Self::CheckWaitsFromTheTimeRead => store.update(key, now, |state, read| RIGHT.judge(state, read)),
            _ => RIGHT.check(store, key, now),
        }
    }

    fn check_n<K: ?Sized, T: Store<K, State = FixedWindowState>>(
        &self,
        store: T,
        key: &K,
        cost: u32,
        now: Timestamp,
    ) -> Result<Decision, CheckError<T::Error>> {
        if *self != Self::CheckOfNothingTakesRoom {
            return self.policy(Self::CheckOfACostIsWider).check_n(store, key, cost, now);
        }
        let judged = store.update(key, now, |state, read| {
            RIGHT.judge_n(state, cost, read).map(|decision| decision.counted_from(now, read))
        });
        judged.map_err(CheckError::Store)?.map_err(CheckError::CostExceedsLimit)
    }

    fn check_with_status<K: ?Sized, T: Store<K, State = FixedWindowState>>(
        &self,
        store: T,
        key: &K,
        cost: u32,
        now: Timestamp,
    ) -> Result<(Decision, Status), CheckError<T::Error>> {
        self.policy(Self::CheckWithStatusIsWider).check_with_status(store, key, cost, now)
    }

    fn peek<K: ?Sized, T: Store<K, State = FixedWindowState>>(
        &self,
        store: T,
        key: &K,
        cost: u32,
        now: Timestamp,
    ) -> Result<Decision, CostExceedsLimit> {
        if *self != Self::PeekCounts {
            return RIGHT.peek(store, key, cost, now);
        }
        let judged = store.update(key, now, |state, read| {
            RIGHT.judge_n(state, cost, read).map(|decision| decision.counted_from(now, read))
        });
        judged.unwrap_or(Ok(Decision::Allow))
    }

    fn status<K: ?Sized, T: Store<K, State = FixedWindowState>>(&self, store: T, key: &K, now: Timestamp) -> Status {
        self.policy(Self::StatusIsWider).status(store, key, now)
    }

    fn charge<K: ?Sized, T: Store<K, State = FixedWindowState>>(
        &self,
        store: T,
        key: &K,
        cost: u32,
        now: Timestamp,
    ) -> Result<(), T::Error> {
        let cost = if *self == Self::ChargeCountsNothing { 0 } else { cost };
        RIGHT.charge(store, key, cost, now)
    }

    fn refund<K: ?Sized, T: Store<K, State = FixedWindowState>>(&self, store: T, key: &K, cost: u32, now: Timestamp) {
        let cost = if *self == Self::RefundGivesTwice { cost.saturating_mul(2) } else { cost };
        RIGHT.refund(store, key, cost, now);
    }
}

#[test]
fn those_that_do_the_same_conform() {
    PolicySuite::new(&Override::Right).check();
}

#[test]
fn those_that_do_not_are_named() {
    for (fault, law, steps, shown) in [
        (
            Override::CheckAllowsAll,
            Law::Counting,
            0,
            "=> check at 0ns, in a store that reads the key at 0ns, then preview 1 at 0ns: allowed, with 2 remaining; after the same with the \
             state in hand: allowed, with 1 remaining",
        ),
        (
            Override::CheckWaitsFromTheTimeRead,
            Law::Counting,
            1,
            "=> check at 0ns, in a store that reads the key at 1ns: Ok(Deny { retry_after: Wait(9) }); with the state in hand: Ok(Deny { \
             retry_after: Wait(10) })",
        ),
        (
            Override::CheckOfACostIsWider,
            Law::Counting,
            0,
            "=> check_n 3 at 0ns, in a store that reads the key at 0ns: Err(Store(Full { capacity: 1 })); with the state in hand: Err(CostExceedsLimit(",
        ),
        (
            Override::CheckOfNothingTakesRoom,
            Law::Counting,
            0,
            "=> check_n 0 at 0ns, in a store that reads the key at 0ns: Err(Store(Full { capacity: 1 })); with the state in hand: Ok(Allow)",
        ),
        (Override::CheckWithStatusIsWider, Law::Counting, 0, "=> check_with_status 0 at 0ns, in a store that "),
        (
            Override::PeekCounts,
            Law::Purity,
            0,
            "=> peek 1 at 0ns, in a store that reads the key at 0ns, has changed the state",
        ),
        (
            Override::StatusIsWider,
            Law::Counting,
            0,
            "=> status at 0ns, in a store that reads the key at 0ns: Status { limit: 3,",
        ),
        (
            Override::ChargeCountsNothing,
            Law::Counting,
            0,
            "=> charge 1 at 0ns, in a store that reads the key at 0ns, then ",
        ),
        (
            Override::RefundGivesTwice,
            Law::Counting,
            1,
            "=> refund 1 at 0ns, in a store that reads the key at 0ns, then ",
        ),
    ] {
        let found = assert_breach(PolicySuite::new(&fault).run(), law, steps);
        assert!(found.contains(shown), "{fault:?}: {found}");
    }
}

//! The laws of a policy, asked of whatever a trace has led to: that its methods which take a store do there what those with a state in hand do.
//!
//! A policy has them for nothing, and one that writes its own is found out here if they differ.

use core::fmt::Debug;
use std::format;

use super::law::{Held, Law, hold};
use super::policy_laws::Laws;
use super::samples::ascending;
use super::subject::{Ask, At, Node, ask};
use crate::error::{CheckError, Full};
use crate::policy::Policy;
use crate::state::State;
use crate::store::Store;
use crate::time::Timestamp;

/// A store whose one key is there, and is read no earlier than its horizon; or one that is full, for what must not ask for room.
struct OneKey<S> {
    state: S,
    horizon: Timestamp,
    full: bool,
}

impl<S: State> Store<()> for &mut OneKey<S> {
    type State = S;
    type Error = Full;

    fn update<R>(self, (): &(), now: Timestamp, f: impl FnOnce(&mut S, Timestamp) -> R) -> Result<R, Full> {
        if self.full { Err(Full { capacity: 1 }) } else { Ok(f(&mut self.state, now.max(self.horizon))) }
    }

    fn modify<R>(self, (): &(), f: impl FnOnce(&mut S) -> R) -> Option<R> {
        Some(f(&mut self.state))
    }

    fn view<R>(self, (): &(), now: Timestamp, f: impl FnOnce(&S, Timestamp) -> R) -> R {
        f(&self.state, now.max(self.horizon))
    }
}

/// A question to a store, which may read its key at a later time than is asked for.
struct Case<'n, S> {
    node: &'n Node<S>,
    now: Timestamp,
    read: Timestamp,
    /// Whether it may ask the store for room: not if it counts nothing, whatever the key's state.
    takes_room: bool,
}

impl<P> Laws<'_, P> {
    pub(super) fn stores<S: State>(&self, node: &Node<S>) -> Held
    where
        P: Policy<S>,
    {
        for &read in self.times {
            for now in ascending([read, Timestamp::ZERO]) {
                let case = |takes_room| Case { node, now, read, takes_room };
                for cost in ascending([0, 1, self.limit, self.limit.saturating_add(1)]) {
                    self.judged_in_a_store(&case(cost > 0 && cost <= self.limit), cost)?;
                    self.counted_in_a_store(&case(cost > 0), cost)?;
                }
                let asked = Ask { verb: "status", cost: None, at: now };
                let right = self.subject.status(&node.state, read).counted_from(now, read);
                let policy = self.subject.policy;
                self.in_a_store(&case(false), asked, (right, &node.state), |store| policy.status(store, &(), now))?;
            }
        }
        Ok(())
    }

    fn judged_in_a_store<S: State>(&self, case: &Case<'_, S>, cost: u32) -> Held
    where
        P: Policy<S>,
    {
        let (&Case { node, now, read, .. }, policy) = (case, self.subject.policy);
        let mut after = node.state.clone();
        let judged = self.subject.judge(&mut after, cost, read).map(|decision| decision.counted_from(now, read));
        let status = self.subject.status(&after, read).counted_from(now, read);
        self.in_a_store(case, ask("peek", cost, now), (judged, &node.state), |store| {
            policy.peek(store, &(), cost, now)
        })?;
        if cost == 1 {
            let asked = Ask { verb: "check", cost: None, at: now };
            let judged = judged.map_err(CheckError::CostExceedsLimit);
            self.in_a_store(case, asked, (judged, &after), |store| {
                policy.check(store, &(), now).map_err(CheckError::Store)
            })?;
        }
        let judged = judged.map_err(CheckError::CostExceedsLimit);
        self.in_a_store(case, ask("check_n", cost, now), (judged, &after), |store| {
            policy.check_n(store, &(), cost, now)
        })?;
        let right = (judged.map(|decision| (decision, status)), &after);
        self.in_a_store(case, ask("check_with_status", cost, now), right, |store| {
            policy.check_with_status(store, &(), cost, now)
        })
    }

    fn counted_in_a_store<S: State>(&self, case: &Case<'_, S>, cost: u32) -> Held
    where
        P: Policy<S>,
    {
        let (&Case { node, now, read, .. }, policy) = (case, self.subject.policy);
        let (mut charged, mut refunded) = (node.state.clone(), node.state.clone());
        self.subject.charge(&mut charged, cost, read);
        // Only a key that is there gets anything back, so a store does not say when to read it.
        self.subject.refund(&mut refunded, cost, now);
        self.in_a_store(case, ask("charge", cost, now), (Ok(()), &charged), |store| {
            policy.charge(store, &(), cost, now)
        })?;
        self.in_a_store(case, ask("refund", cost, now), ((), &refunded), |store| policy.refund(store, &(), cost, now))
    }

    /// That in a store a question has the same answer, and leaves the same behind, as with the state in hand.
    fn in_a_store<S: State, R: Debug + PartialEq>(
        &self,
        case: &Case<'_, S>,
        asked: Ask,
        (right, after): (R, &S),
        call: impl FnOnce(&mut OneKey<S>) -> R,
    ) -> Held
    where
        P: Policy<S>,
    {
        let Case { node, read, takes_room, .. } = *case;
        let mut store = OneKey { state: node.state.clone(), horizon: read, full: !takes_room };
        self.subject.note(asked);
        let answer = call(&mut store);
        let said = || format!("{asked}, in a store that reads the key at {}", At(read));
        hold(Law::Counting, answer == right, || format!("{}: {answer:?}; with the state in hand: {right:?}", said()))?;
        if *after == node.state {
            return hold(Law::Purity, store.state == node.state, || format!("{}, has changed the state", said()));
        }
        self.same(Law::Counting, [&store.state, after], node.read(read), || {
            (said(), "after the same with the state in hand".into())
        })
    }
}

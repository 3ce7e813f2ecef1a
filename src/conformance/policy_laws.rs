//! The laws of a policy, asked of whatever a trace has led to: what it answers. What it does is in `policy_effects`.

use std::format;
use std::vec::Vec;

use super::bound::{Admission, Bound};
use super::law::{Fault, Held, Law, hold};
use super::samples::ascending;
use super::subject::{Answer, At, Node, Said, Subject, ask, later};
use crate::decision::{Decision, Status};
use crate::policy::Policy;
use crate::state::State;
use crate::time::{Timestamp, Wait};

/// A policy, and what it is asked.
pub(super) struct Laws<'s, P> {
    pub(super) subject: Subject<'s, P>,
    pub(super) limit: u32,
    pub(super) times: &'s [Timestamp],
    pub(super) costs: &'s [u32],
    pub(super) bound: Option<&'s Bound<'s>>,
    /// Whether the bound is all that the policy denies for.
    pub(super) tight: bool,
}

impl<P> Laws<'_, P> {
    /// What holds of a policy before any trace.
    pub(super) fn hold_at_first<S: State>(&self) -> Held
    where
        P: Policy<S>,
    {
        hold(Law::Cost, self.limit > 0, || "the limit is 0".into())?;
        let expired = S::default().is_expired(Timestamp::ZERO);
        hold(Law::Forgetting, expired, || "a default state has not expired at 0ns".into())
    }

    /// What holds of any state.
    pub(super) fn hold<S: State>(&self, node: &Node<S>) -> Held
    where
        P: Policy<S>,
    {
        let times = self.times_around(node);
        self.answers(node, &times)?;
        self.time(node, &times)?;
        self.effects(node)?;
        self.stores(node)?;
        self.no_drift(node, &times)?;
        self.forgetting(node, &times)?;
        self.shift(node, &times)?;
        self.bound(node, &times)
    }

    /// The suite's times, and those around what the state itself says of time.
    fn times_around<S: State>(&self, node: &Node<S>) -> Vec<Timestamp> {
        let own = [Some(node.state.expires_at()), node.last].into_iter().flatten();
        let around = own.flat_map(|at| [at.as_nanos().saturating_sub(1), at.as_nanos(), at.as_nanos() + 1]);
        ascending(around.map(Timestamp::from_nanos).chain(self.times.iter().copied()))
    }

    /// The suite's costs, and those at the edges.
    fn costs_around(&self, remaining: u32) -> Vec<u32> {
        let edges = [0, 1, remaining, remaining.saturating_add(1), self.limit, self.limit.saturating_add(1), u32::MAX];
        ascending(edges.into_iter().chain(self.costs.iter().copied()))
    }

    fn answers<S: State>(&self, node: &Node<S>, times: &[Timestamp]) -> Held
    where
        P: Policy<S>,
    {
        for &at in times {
            let remaining = self.subject.remaining(&node.state, at);
            hold(Law::Remaining, remaining <= self.limit, || {
                format!("{remaining} remain at {}, which is above the limit of {}", At(at), self.limit)
            })?;
            for cost in self.costs_around(remaining) {
                let answer = self.subject.preview(&node.state, cost, at);
                self.cost(cost, at, answer)?;
                if let Ok(decision) = answer {
                    hold(Law::Remaining, decision.is_allow() == (cost <= remaining), || {
                        format!("{}: {}, where {remaining} remain", ask("preview", cost, at), Said(answer))
                    })?;
                    if let Some(wait) = decision.retry_after() {
                        self.retry(&node.state, cost, at, wait)?;
                    }
                }
            }
            self.status(&node.state, at, remaining)?;
        }
        Ok(())
    }

    fn cost(&self, cost: u32, at: Timestamp, answer: Answer) -> Held {
        let holds = match answer {
            Err(error) => cost > self.limit && (error.cost, error.limit) == (cost, self.limit),
            Ok(decision) => cost <= self.limit && (cost > 0 || decision.is_allow()),
        };
        hold(Law::Cost, holds, || {
            format!("{}: {}, where the limit is {}", ask("preview", cost, at), Said(answer), self.limit)
        })
    }

    fn retry<S: State>(&self, state: &S, cost: u32, at: Timestamp, wait: Wait) -> Held
    where
        P: Policy<S>,
    {
        let denied = || format!("{}: {}", ask("preview", cost, at), Said(Ok(Decision::Deny { retry_after: wait })));
        hold(Law::ExactRetry, !wait.is_zero(), denied)?;
        let asked_at = |then: Timestamp, right: Option<Decision>| {
            let answer = self.subject.preview(state, cost, then);
            let holds = match right {
                Some(right) => answer == Ok(right),
                None => matches!(answer, Ok(Decision::Deny { .. })),
            };
            hold(Law::ExactRetry, holds, || {
                let must_be = right.map_or_else(|| "denied".into(), |right| format!("{}", Said(Ok(right))));
                format!("{}; then {}: {}; it must be: {must_be}", denied(), ask("preview", cost, then), Said(answer))
            })
        };
        let Some(then) = later(at, wait.as_nanos()) else {
            // Allowed beyond the last timestamp, if ever.
            return asked_at(Timestamp::MAX, None);
        };
        asked_at(then, Some(Decision::Allow))?;
        for earlier in [1, wait.as_nanos() / 2] {
            let still = Timestamp::from_nanos(then.as_nanos().saturating_sub(earlier));
            if still > at && earlier > 0 {
                asked_at(still, Some(Decision::Deny { retry_after: Wait::from_nanos(earlier) }))?;
            }
        }
        Ok(())
    }

    fn status<S: State>(&self, state: &S, at: Timestamp, remaining: u32) -> Held
    where
        P: Policy<S>,
    {
        let status = self.subject.status(state, at);
        let wait_for = |cost| match self.subject.preview(state, cost, at) {
            Ok(Decision::Deny { retry_after }) => retry_after,
            _ => Wait::ZERO,
        };
        let next = remaining.saturating_add(1).min(self.limit);
        let right = Status::new(self.limit, remaining, wait_for(next), wait_for(self.limit));
        hold(Law::Status, status == right, || format!("at {} it is {status:?}; it must be {right:?}", At(at)))
    }

    /// Looks and denials at all times, and then all answers again.
    fn no_drift<S: State>(&self, node: &Node<S>, times: &[Timestamp]) -> Held
    where
        P: Policy<S>,
    {
        let asked = || times.iter().flat_map(|at| self.costs.iter().map(|cost| (*cost, *at)));
        let before: Vec<_> = asked().map(|(cost, at)| self.subject.preview(&node.state, cost, at)).collect();
        let mut polled = node.state.clone();
        for ((cost, at), answer) in asked().zip(&before) {
            if *answer != Ok(Decision::Allow) {
                // Its answer is looked at by `effects`.
                let _denied = self.subject.judge(&mut polled, cost, at);
            }
        }
        for ((cost, at), right) in asked().zip(before) {
            let answer = self.subject.preview(&polled, cost, at);
            hold(Law::NoDrift, answer == right, || {
                let asked = ask("preview", cost, at);
                format!(
                    "after requests at all times that were denied, {asked}: {}; before: {}",
                    Said(answer),
                    Said(right)
                )
            })?;
        }
        Ok(())
    }

    fn time<S: State>(&self, node: &Node<S>, times: &[Timestamp]) -> Held
    where
        P: Policy<S>,
    {
        // A policy may forget the time of what was given back.
        let Some(last) = node.last.filter(|_| !node.refunded) else {
            return Ok(());
        };
        for &at in times.iter().filter(|at| **at < last) {
            let gap = at.until(last).as_nanos();
            for &cost in self.costs {
                let (answer, read) =
                    (self.subject.preview(&node.state, cost, at), self.subject.preview(&node.state, cost, last));
                let right = match read {
                    Ok(Decision::Deny { retry_after }) => {
                        let wait = Wait::from_nanos(retry_after.as_nanos().saturating_add(gap));
                        Ok(Decision::Deny { retry_after: wait })
                    }
                    other => other,
                };
                hold(Law::Time, answer == right, || {
                    let asked = ask("preview", cost, at);
                    format!("{asked}: {}; at {}, the last admission: {}", Said(answer), At(last), Said(read))
                })?;
                let (mut early, mut late) = (node.state.clone(), node.state.clone());
                let _same_as_previewed = self.subject.judge(&mut early, cost, at);
                let _same_as_previewed = self.subject.judge(&mut late, cost, last);
                self.same(Law::Time, [&early, &late], last, || {
                    let instead = format!("after the same at {}, the last admission", At(last));
                    (format!("{}", ask("judge", cost, at)), instead)
                })?;
            }
        }
        Ok(())
    }

    fn forgetting<S: State>(&self, node: &Node<S>, times: &[Timestamp]) -> Held
    where
        P: Policy<S>,
    {
        let expires = node.state.expires_at();
        for &at in times {
            let expired = node.state.is_expired(at);
            // A deadline may lie beyond the last timestamp.
            let right = if at == Timestamp::MAX { expired || expires == at } else { expired == (at >= expires) };
            hold(Law::Forgetting, right, || {
                format!("the state expires at {}; at {} it says: {expired}", At(expires), At(at))
            })?;
            if !expired {
                continue;
            }
            let none = S::default();
            self.same(Law::Forgetting, [&node.state, &none], at, || {
                (format!("the state has expired at {}", At(at)), "with none".into())
            })?;
            let mut refunded = node.state.clone();
            self.subject.refund(&mut refunded, u32::MAX, at);
            self.same(Law::Forgetting, [&refunded, &none], at, || {
                (format!("the state has expired, and {}", ask("refund", u32::MAX, at)), "with none".into())
            })?;
        }
        Ok(())
    }

    fn shift<S: State>(&self, node: &Node<S>, times: &[Timestamp]) -> Held
    where
        P: Policy<S>,
    {
        let Some(shifted) = &node.shifted else {
            return Ok(());
        };
        for &at in times {
            let Some(then) = later(at, node.shift.as_nanos()) else {
                break;
            };
            for &cost in self.costs {
                let (answer, right) =
                    (self.subject.preview(shifted, cost, then), self.subject.preview(&node.state, cost, at));
                hold(Law::Shift, answer == right, || {
                    let asked = ask("preview", cost, at);
                    format!("{asked}: {}; with all times {} later: {}", Said(right), node.shift, Said(answer))
                })?;
            }
            let (expired, right) = (shifted.is_expired(then), node.state.is_expired(at));
            hold(Law::Shift, expired == right, || {
                format!("expired at {}: {right}; with all times {} later: {expired}", At(at), node.shift)
            })?;
        }
        Ok(())
    }

    fn bound<S: State>(&self, node: &Node<S>, times: &[Timestamp]) -> Held
    where
        P: Policy<S>,
    {
        let (Some(bound), Some(admitted)) = (self.bound, node.admitted.as_deref()) else {
            return Ok(());
        };
        // The caller's own, should it panic.
        self.subject.asked.set(None);
        if let Err(text) = bound(admitted) {
            return Err(Fault { law: Law::Bound, text });
        }
        for &at in times.iter().filter(|_| self.tight) {
            for &cost in self.costs {
                let answer = self.subject.preview(&node.state, cost, at);
                if !matches!(answer, Ok(Decision::Deny { .. })) {
                    continue;
                }
                let mut with_it = admitted.to_vec();
                with_it.push(Admission { at: node.read(at), units: cost });
                hold(Law::NoNeedlessDenial, bound(&with_it).is_err(), || {
                    format!("{}: {}, and would be within the bound", ask("preview", cost, at), Said(answer))
                })?;
            }
        }
        Ok(())
    }
}

//! The laws of a policy, asked of whatever a trace has led to: what it does, by requests, charges and refunds, and what tells states apart.

use std::format;
use std::string::String;

use super::law::{Fault, Held, Law, hold};
use super::policy_laws::Laws;
use super::subject::{Answer, Ask, At, Node, Said, ask};
use crate::decision::Decision;
use crate::policy::Policy;
use crate::state::State;
use crate::time::Timestamp;

impl<P> Laws<'_, P> {
    pub(super) fn effects<S: State>(&self, node: &Node<S>) -> Held
    where
        P: Policy<S>,
    {
        for &at in self.times {
            let never = [0, self.limit.saturating_add(1)];
            for &cost in never.iter().chain(self.costs) {
                self.judged(node, cost, at)?;
            }
            self.charged_and_refunded(node, at)?;
        }
        Ok(())
    }

    fn judged<S: State>(&self, node: &Node<S>, cost: u32, at: Timestamp) -> Held
    where
        P: Policy<S>,
    {
        let asked = ask("judge", cost, at);
        let previewed = self.subject.preview(&node.state, cost, at);
        let mut after = node.state.clone();
        let answer = self.subject.judge(&mut after, cost, at);
        hold(Law::Counting, answer == previewed, || {
            format!("{asked}: {}; its preview: {}", Said(answer), Said(previewed))
        })?;
        let admitted = answer == Ok(Decision::Allow) && cost > 0;
        if !admitted {
            hold(Law::Purity, after == node.state, || format!("{asked}: {}; the state has changed", Said(answer)))?;
        }
        if cost == 1 {
            let mut by_one = node.state.clone();
            let decision = self.subject.judge_one(&mut by_one, at);
            hold(Law::Counting, Ok(decision) == answer, || {
                format!("judge at {}: {}; with a cost of 1: {}", At(at), Said(Ok(decision)), Said(answer))
            })?;
            if !admitted {
                hold(Law::Purity, by_one == node.state, || {
                    format!("judge at {}: {}; the state has changed", At(at), Said(answer))
                })?;
            }
            self.same(Law::Counting, [&by_one, &after], node.read(at), || {
                (format!("judge at {}", At(at)), "after the same with a cost of 1".into())
            })?;
        }
        if admitted {
            let mut charged = node.state.clone();
            self.subject.charge(&mut charged, cost, at);
            self.same(Law::Counting, [&charged, &after], node.read(at), || {
                (format!("{}", ask("charge", cost, at)), format!("after {asked}"))
            })?;
            self.less(asked, &after, &node.state, node.read(at))?;
            // What another policy wrote may be rounded when it is read.
            if !node.foreign {
                self.subject.refund(&mut after, cost, at);
                self.same(Law::Refund, [&after, &node.state], node.read(at), || {
                    (format!("{asked} and {}", ask("refund", cost, at)), "without either".into())
                })?;
            }
        }
        Ok(())
    }

    fn charged_and_refunded<S: State>(&self, node: &Node<S>, at: Timestamp) -> Held
    where
        P: Policy<S>,
    {
        for cost in [0, 1, self.limit, u32::MAX] {
            let (mut charged, mut refunded) = (node.state.clone(), node.state.clone());
            self.subject.charge(&mut charged, cost, at);
            self.subject.refund(&mut refunded, cost, at);
            if cost == 0 {
                hold(Law::Purity, charged == node.state, || format!("{} has changed the state", ask("charge", 0, at)))?;
                hold(Law::Purity, refunded == node.state, || {
                    format!("{} has changed the state", ask("refund", 0, at))
                })?;
            } else {
                self.less(ask("charge", cost, at), &charged, &node.state, node.read(at))?;
                self.less(ask("refund", cost, at), &node.state, &refunded, node.read(at))?;
            }
        }
        Ok(())
    }

    /// That at no time from `from` on more remains of `fewer` than of `more`.
    fn less<S: State>(&self, asked: Ask, fewer: &S, more: &S, from: Timestamp) -> Held
    where
        P: Policy<S>,
    {
        for at in self.times_from(from) {
            let (few, many) = (self.subject.remaining(fewer, at), self.subject.remaining(more, at));
            hold(Law::Counting, few <= many, || {
                let (before, after) = if asked.verb == "refund" { (few, many) } else { (many, few) };
                format!("{asked}: at {} there remain {after}, where {before} would have", At(at))
            })?;
        }
        Ok(())
    }

    fn times_from(&self, from: Timestamp) -> impl Iterator<Item = Timestamp> {
        core::iter::once(from).chain(self.times.iter().copied().filter(move |at| *at > from))
    }

    /// That two states give the same answers at or after `from`. `said` is how the one came about, and what is other about the other.
    pub(super) fn same<S: State>(
        &self,
        law: Law,
        [one, other]: [&S; 2],
        from: Timestamp,
        said: impl FnOnce() -> (String, String),
    ) -> Held
    where
        P: Policy<S>,
    {
        let Some(Difference { after, ask, answers: [answer, right] }) = self.difference(one, other, from) else {
            return Ok(());
        };
        let (done, instead) = said();
        let then = after.map_or_else(String::new, |after| format!(", then {after}"));
        Err(Fault { law, text: format!("{done}{then}, then {ask}: {answer}; {instead}: {right}") })
    }

    /// What tells one state from another at or after `from`: an answer, or one after an admission.
    fn difference<S: State>(&self, one: &S, other: &S, from: Timestamp) -> Option<Difference>
    where
        P: Policy<S>,
    {
        if one == other {
            return None;
        }
        self.difference_seen(one, other, from).or_else(|| {
            self.times_from(from).find_map(|at| {
                let (mut one, mut other) = (one.clone(), other.clone());
                let admitted = self.subject.judge_one(&mut one, at).is_allow();
                if !admitted || !self.subject.judge_one(&mut other, at).is_allow() || one == other {
                    return None;
                }
                let seen = self.difference_seen(&one, &other, at)?;
                Some(Difference { after: Some(ask("judge", 1, at)), ..seen })
            })
        })
    }

    fn difference_seen<S: State>(&self, one: &S, other: &S, from: Timestamp) -> Option<Difference>
    where
        P: Policy<S>,
    {
        self.times_from(from).find_map(|at| {
            [1, self.limit].into_iter().find_map(|cost| {
                let answers = [one, other].map(|state| self.subject.preview(state, cost, at));
                let remaining = [one, other].map(|state| self.subject.remaining(state, at));
                let shown = |answer: Answer, remaining: u32| format!("{}, with {remaining} remaining", Said(answer));
                let ([a, b], [p, q]) = (answers, remaining);
                (a != b || p != q).then(|| Difference {
                    after: None,
                    ask: ask("preview", cost, at),
                    answers: [shown(a, p), shown(b, q)],
                })
            })
        })
    }
}

/// What was asked of two states that ought to be alike, and what the one and the other answered.
struct Difference {
    /// What was done to both before, if anything.
    after: Option<Ask>,
    ask: Ask,
    answers: [String; 2],
}

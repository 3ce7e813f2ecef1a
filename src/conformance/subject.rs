//! A policy under test, and what a trace of steps has led to with it.

use core::cell::Cell;
use core::fmt;
use std::vec::Vec;

use super::bound::Admission;
use crate::decision::{Decision, Status};
use crate::error::CostExceedsLimit;
use crate::policy::Policy;
use crate::state::State;
use crate::time::{Timestamp, Wait};

pub(super) type Answer = Result<Decision, CostExceedsLimit>;

/// What is asked of a policy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    pub(super) verb: &'static str,
    /// `None` where the question has none.
    pub(super) cost: Option<u32>,
    pub(super) at: Timestamp,
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, cost, at } = *self;
        match cost {
            Some(cost) => write!(f, "{verb} {cost} at {}", At(at)),
            None => write!(f, "{verb} at {}", At(at)),
        }
    }
}

pub(super) fn ask(verb: &'static str, cost: u32, at: Timestamp) -> Ask {
    Ask { verb, cost: Some(cost), at }
}

/// A time as people read it: `0ns`, `59.999999999s`.
pub(super) struct At(pub(super) Timestamp);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Timestamp::ZERO.until(self.0).fmt(f)
    }
}

pub(super) struct Said(pub(super) Answer);

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ok(Decision::Allow) => f.write_str("allowed"),
            Ok(Decision::Deny { retry_after }) => write!(f, "denied, retry after {retry_after}"),
            Err(CostExceedsLimit { cost, limit }) => write!(f, "an error, since {cost} exceeds {limit}"),
        }
    }
}

/// The timestamp `nanos` later, where there is one.
pub(super) fn later(at: Timestamp, nanos: u64) -> Option<Timestamp> {
    let sum = at.as_nanos().checked_add(nanos)?;
    (sum <= Timestamp::MAX.as_nanos()).then(|| Timestamp::from_nanos(sum))
}

/// A policy that notes what it is asked, so that a panic can be told from where it came.
pub(super) struct Subject<'p, P> {
    pub(super) policy: &'p P,
    pub(super) asked: &'p Cell<Option<Ask>>,
}

impl<P> Clone for Subject<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Subject<'_, P> {}

impl<P> Subject<'_, P> {
    pub(super) fn note(&self, asked: Ask) {
        self.asked.set(Some(asked));
    }

    pub(super) fn preview<S: State>(&self, state: &S, cost: u32, at: Timestamp) -> Answer
    where
        P: Policy<S>,
    {
        self.note(ask("preview", cost, at));
        self.policy.preview(state, cost, at)
    }

    pub(super) fn remaining<S: State>(&self, state: &S, at: Timestamp) -> u32
    where
        P: Policy<S>,
    {
        self.note(Ask { verb: "remaining", cost: None, at });
        self.policy.remaining_of(state, at)
    }

    pub(super) fn status<S: State>(&self, state: &S, at: Timestamp) -> Status
    where
        P: Policy<S>,
    {
        self.note(Ask { verb: "status", cost: None, at });
        self.policy.status_of(state, at)
    }

    pub(super) fn judge<S: State>(&self, state: &mut S, cost: u32, at: Timestamp) -> Answer
    where
        P: Policy<S>,
    {
        self.note(ask("judge", cost, at));
        self.policy.judge_n(state, cost, at)
    }

    pub(super) fn judge_one<S: State>(&self, state: &mut S, at: Timestamp) -> Decision
    where
        P: Policy<S>,
    {
        self.note(Ask { verb: "judge", cost: None, at });
        self.policy.judge(state, at)
    }

    pub(super) fn charge<S: State>(&self, state: &mut S, cost: u32, at: Timestamp)
    where
        P: Policy<S>,
    {
        self.note(ask("charge", cost, at));
        self.policy.charge_to(state, cost, at);
    }

    pub(super) fn refund<S: State>(&self, state: &mut S, cost: u32, at: Timestamp)
    where
        P: Policy<S>,
    {
        self.note(ask("refund", cost, at));
        self.policy.refund_to(state, cost, at);
    }
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Judge,
    Charge,
    Refund,
}

/// A step, and what was answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Which of the policies that judge the state.
    pub(super) tier: usize,
    pub(super) action: Action,
    /// Above zero.
    pub(super) cost: u32,
    pub(super) at: Timestamp,
    pub(super) answer: Option<Answer>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tier, action, cost, at, answer } = *self;
        let verb = match action {
            Action::Judge => "judge",
            Action::Charge => "charge",
            Action::Refund => "refund",
        };
        ask(verb, cost, at).fmt(f)?;
        if tier > 0 {
            write!(f, " under tier {tier}")?;
        }
        match answer {
            Some(answer) => write!(f, ": {}", Said(answer)),
            None => Ok(()),
        }
    }
}

/// Where a trace has led.
#[derive(Clone)]
pub(super) struct Node<S> {
    pub(super) state: S,
    /// The same trace at times that are all so much later; `None` where one of them is beyond the last timestamp.
    pub(super) shifted: Option<S>,
    pub(super) shift: Wait,
    /// The time at which the last admission or charge was read.
    pub(super) last: Option<Timestamp>,
    pub(super) refunded: bool,
    /// Whether a policy other than the one under test has changed the state.
    pub(super) foreign: bool,
    /// What was admitted, where nothing was charged or refunded.
    pub(super) admitted: Option<Vec<Admission>>,
}

impl<S: State> Node<S> {
    pub(super) fn new(shift: Wait) -> Self {
        Self {
            state: S::default(),
            shifted: Some(S::default()),
            shift,
            last: None,
            refunded: false,
            foreign: false,
            admitted: Some(Vec::new()),
        }
    }

    /// The time to judge by.
    pub(super) fn read(&self, at: Timestamp) -> Timestamp {
        self.last.map_or(at, |last| last.max(at))
    }

    /// Takes a step, and writes down what was answered.
    pub(super) fn take<P: Policy<S>>(&self, subject: Subject<'_, P>, step: &mut Step) -> Self {
        let mut next = self.clone();
        step.answer = next.apply(subject, step);
        next
    }

    fn apply<P: Policy<S>>(&mut self, subject: Subject<'_, P>, step: &Step) -> Option<Answer> {
        let Step { tier, action, cost, at, .. } = *step;
        let read = self.read(at);
        let answer = act(subject, &mut self.state, action, cost, at);
        self.shifted = self.shifted.take().zip(later(at, self.shift.as_nanos())).map(|(mut state, at)| {
            act(subject, &mut state, action, cost, at);
            state
        });
        self.foreign |= tier > 0;
        match action {
            Action::Judge if answer == Some(Ok(Decision::Allow)) => {
                self.last = Some(read);
                if let Some(admitted) = &mut self.admitted {
                    admitted.push(Admission { at: read, units: cost });
                }
            }
            Action::Judge => {}
            Action::Charge => (self.last, self.admitted) = (Some(read), None),
            Action::Refund => (self.refunded, self.admitted) = (true, None),
        }
        answer
    }
}

fn act<S: State, P: Policy<S>>(
    subject: Subject<'_, P>,
    state: &mut S,
    action: Action,
    cost: u32,
    at: Timestamp,
) -> Option<Answer> {
    match action {
        Action::Judge => return Some(subject.judge(state, cost, at)),
        Action::Charge => subject.charge(state, cost, at),
        Action::Refund => subject.refund(state, cost, at),
    }
    None
}

//! One key: every answer at every step is the oracle's, and what may change nothing changes nothing.

use core::fmt::Debug;

use tollgate::{Policy, State, Timestamp};
use tollgate_oracle::bound::Admission;
use tollgate_oracle::{Answer, Model, policy::LAST_TIMESTAMP};

use crate::oracle;
use crate::subject::{Subject, answer, status};
use crate::wire;

/// What is done at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A request.
    Check,
    /// A look at what a request would be answered.
    Peek,
    /// Usage counted without asking.
    Charge,
    /// Units given back.
    Refund,
}

/// One step of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// At this time, in nanoseconds.
    pub at: u64,
    /// With this cost.
    pub cost: u32,
    /// Under which of the trace's policies.
    pub policy: usize,
}

impl Step {
    /// A request under the first policy.
    pub const fn check(at: u64, cost: u32) -> Self {
        Self { action: Action::Check, at, cost, policy: 0 }
    }
}

/// What a trace may do: policies of one kind, of which each step names one, and steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// At least one.
    pub policies: Vec<oracle::Policy>,
    /// In the order judged.
    pub steps: Vec<Step>,
}

/// A key in the crate and in the oracle.
#[derive(Debug)]
pub struct Key<S: Subject> {
    /// In the crate.
    pub state: S::State,
    /// In the oracle.
    pub model: Model,
}

impl<S: Subject> Default for Key<S> {
    fn default() -> Self {
        Self { state: S::State::default(), model: Model::new(S::KIND) }
    }
}

impl<S: Subject> Clone for Key<S> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), model: self.model.clone() }
    }
}

impl<S: Subject> Key<S> {
    /// Takes a step in both, and compares all that can be seen of them. Gives the answer of a check.
    ///
    /// # Panics
    ///
    /// At any difference.
    pub fn step(&mut self, policy: &oracle::Policy, step: Step) -> Option<Answer> {
        let Step { action, at, cost, .. } = step;
        let (mine, now) = (S::policy(policy), Timestamp::from_nanos(at));
        self.look(policy, at, cost);
        let before = self.state.clone();
        let (remained, expired_at) = (self.model.remaining(policy, at), self.model.expires_at());
        let answered = match action {
            Action::Check => {
                let mut by_one = self.state.clone();
                let answered = answer(mine.judge_n(&mut self.state, cost, now));
                assert_eq!(answered, self.model.check(policy, cost, at), "judged");
                if cost == 1 {
                    assert_eq!(
                        answer::<()>(Ok(mine.judge(&mut by_one, now))),
                        answered,
                        "one unit has a path of its own"
                    );
                    assert_eq!(by_one, self.state, "one unit has a path of its own");
                }
                Some(answered)
            }
            Action::Peek => None,
            Action::Charge => {
                mine.charge_to(&mut self.state, cost, now);
                self.model.charge(policy, cost, at);
                None
            }
            Action::Refund => {
                mine.refund_to(&mut self.state, cost, now);
                self.model.refund(policy, cost, at);
                None
            }
        };
        if cost == 0 || action == Action::Peek || answered.is_some_and(|answer| answer != Answer::Allow) {
            assert_eq!(self.state, before, "a denial, an error, a look and a cost of zero change nothing");
        }
        self.look(policy, at, cost);
        // Compared in the oracle, with which the crate agrees.
        if matches!(action, Action::Check | Action::Charge) {
            assert!(self.model.remaining(policy, at) <= remained, "what takes leaves no more");
            assert!(self.model.expires_at() >= expired_at, "what takes is remembered no shorter");
        }
        if self.state != before {
            wire::goes_round(&self.state);
        }
        answered
    }

    /// Compares what can be seen without changing anything.
    ///
    /// # Panics
    ///
    /// At any difference.
    pub fn look(&self, policy: &oracle::Policy, at: u64, cost: u32) {
        let (mine, now) = (S::policy(policy), Timestamp::from_nanos(at));
        let limit = policy.limit();
        assert_eq!(mine.limit(), limit, "limit");
        let stands = self.model.status(policy, at);
        assert_eq!(status(mine.status_of(&self.state, now)), stands, "status");
        for cost in [0, 1, cost, stands.remaining, stands.remaining.saturating_add(1), limit, limit.saturating_add(1)] {
            let answered = answer(mine.preview(&self.state, cost, now));
            assert_eq!(answered, self.model.peek(policy, cost, at), "preview of {cost}");
        }
        assert_eq!(self.state.is_expired(now), self.model.is_expired(at), "is expired");
        assert_eq!(self.state.expires_at().as_nanos(), self.model.expires_at().min(LAST_TIMESTAMP), "expires at");
    }
}

/// Runs a trace, and gives what was admitted, in order: for the bound.
///
/// # Panics
///
/// At the first difference, with the trace up to it.
pub fn run<S: Subject>(trace: &Trace) -> Vec<Admission> {
    let mut key = Key::<S>::default();
    let mut admissions = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let _shown = ShownOnPanic(&trace.policies, &trace.steps[..=index]);
        let policy = &trace.policies[step.policy % trace.policies.len()];
        if key.step(policy, *step) == Some(Answer::Allow) && step.cost > 0 {
            admissions.push(Admission { at_ns: step.at, units: step.cost });
        }
    }
    admissions
}

/// Prints a trace where its last step panics.
pub(crate) struct ShownOnPanic<'a, P: Debug, T: Debug>(pub(crate) &'a [P], pub(crate) &'a [T]);

impl<P: Debug, T: Debug> Drop for ShownOnPanic<'_, P, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("under {:?}, at the last of these steps:", self.0);
            for step in self.1 {
                eprintln!("  {step:?}");
            }
        }
    }
}

//! One key behind one clock, under policies that change.

use tollgate::{State, Timestamp};
use tollgate_oracle::{Answer, Policy};

use super::Figures;
use super::stretch::Stretch;
use super::world::{Clock, World};
use crate::key::{Action, Key, ShownOnPanic, Step};
use crate::program::Random;
use crate::subject::Subject;

/// A [`Lane`] of any kind.
pub(super) trait Drive {
    /// Does something at the time that the lane's clock shows.
    fn step(&mut self, world: &mut World, figures: &mut Figures);

    /// Holds the last of the admissions against the bound.
    fn finish(&mut self, figures: &mut Figures);
}

pub(super) struct Lane<S: Subject> {
    clock: Clock,
    policies: Vec<Policy>,
    policy: Policy,
    key: Key<S>,
    stretch: Stretch,
    before: u64,
}

impl<S: Subject> Lane<S> {
    pub(super) fn new(clock: Clock, policies: Vec<Policy>) -> Self {
        let policy = policies[0];
        Self { clock, policies, policy, key: Key::default(), stretch: Stretch::new(policy), before: 0 }
    }

    fn next(&self, random: &mut Random, at: u64) -> Step {
        let action = match random.below(40) {
            0 => Action::Peek,
            1 => Action::Charge,
            2 => Action::Refund,
            _ => Action::Check,
        };
        let cost = if random.once_in(8) { random.below(u64::from(self.policy.limit()) + 2) as u32 } else { 1 };
        Step { action, at, cost, policy: 0 }
    }
}

impl<S: Subject> Drive for Lane<S> {
    fn step(&mut self, world: &mut World, figures: &mut Figures) {
        if world.random.once_in(200) {
            self.policy = self.policies[world.random.below(self.policies.len() as u64) as usize];
            self.stretch.change(self.policy, figures);
            figures.changes += 1;
        }
        let at = world.read(self.clock);
        let step = self.next(&mut world.random, at);
        figures.steps += 1;
        figures.late += u64::from(at < self.before);
        self.before = at;

        let before = self.key.state.clone();
        let (under, steps) = ([(self.clock, self.policy, before)], [step]);
        let _shown = ShownOnPanic(&under, &steps);
        let expired = self.key.state.is_expired(Timestamp::from_nanos(at));
        let answered = self.key.step(&self.policy, step);
        match (step.action, answered) {
            (_, _) if step.cost == 0 => {}
            (Action::Check, Some(Answer::Allow)) => {
                figures.admitted += 1;
                self.stretch.count(at, step.cost, expired, figures);
            }
            (Action::Check, Some(Answer::Deny { .. })) => figures.denied += 1,
            (Action::Check, _) => figures.never += 1,
            (Action::Charge, _) => {
                figures.settled += 1;
                // It is no admission, but it opens windows and moves the key's time.
                self.stretch.count(at, 0, expired, figures);
            }
            (Action::Refund, _) => {
                figures.settled += 1;
                self.stretch.give_back(at, step.cost, expired, figures);
            }
            (Action::Peek, _) => {}
        }
    }

    fn finish(&mut self, figures: &mut Figures) {
        self.stretch.change(self.policy, figures);
    }
}

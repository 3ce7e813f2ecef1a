//! Two policies on one key ([`Both`]): every answer at every step is that of two models, all or none.

use tollgate::{Both, State, Timestamp};
use tollgate_oracle::layers::{Layer, check_all, peek_all, remaining_in_all};
use tollgate_oracle::policy::LAST_TIMESTAMP;
use tollgate_oracle::{Answer, Model};

use crate::key::{Action, ShownOnPanic, Step};
use crate::oracle;
use crate::subject::{Subject, answer, status};
use crate::wire;

/// Both in the oracle, where two keys stand for the one.
struct Models<'a> {
    models: (Model, Model),
    policies: &'a (oracle::Policy, oracle::Policy),
}

impl Models<'_> {
    fn layers(&mut self, cost: u32) -> [Layer<'_>; 2] {
        let (first, second) = &mut self.models;
        let (one, other) = self.policies;
        [Layer { model: first, policy: one, cost }, Layer { model: second, policy: other, cost }]
    }

    fn peek(&mut self, cost: u32, at: u64) -> Answer {
        peek_all(&self.layers(cost), at)
    }

    fn wait(&mut self, cost: u32, at: u64) -> u64 {
        match self.peek(cost, at) {
            Answer::Deny { retry_after_ns } => retry_after_ns,
            Answer::Allow | Answer::Never => 0,
        }
    }

    fn status(&mut self, at: u64) -> oracle::Status {
        let limit = self.policies.0.limit().min(self.policies.1.limit());
        let remaining = remaining_in_all(&self.layers(0), at).expect("there are two");
        let more_after_ns = if remaining == limit { 0 } else { self.wait(remaining + 1, at) };
        oracle::Status { limit, remaining, more_after_ns, full_after_ns: self.wait(limit, at) }
    }

    fn expires_at(&self) -> u64 {
        self.models.0.expires_at().max(self.models.1.expires_at())
    }
}

/// Runs steps under a pair of policies.
///
/// # Panics
///
/// At the first difference, with the steps up to it.
pub fn run<A: Subject, B: Subject>(policies: &(oracle::Policy, oracle::Policy), steps: &[Step]) {
    let mine = Both(A::policy(&policies.0), B::policy(&policies.1));
    let mut state = <(A::State, B::State)>::default();
    let mut models = Models { models: (Model::new(A::KIND), Model::new(B::KIND)), policies };
    let under = [policies];
    for (index, &Step { action, at, cost, .. }) in steps.iter().enumerate() {
        let _shown = ShownOnPanic(&under, &steps[..=index]);
        let (before, now) = (state.clone(), Timestamp::from_nanos(at));
        let stands = models.status(at);
        assert_eq!(status(mine.status_of(&state, now)), stands, "status");
        for cost in [0, 1, cost, stands.remaining, stands.limit, stands.limit.saturating_add(1)] {
            assert_eq!(answer(mine.preview(&state, cost, now)), models.peek(cost, at), "preview of {cost}");
        }
        let changed = match action {
            Action::Peek => false,
            Action::Check => {
                let judged = answer(mine.judge_n(&mut state, cost, now));
                assert_eq!(judged, check_all(&mut models.layers(cost), at), "judged");
                judged == Answer::Allow
            }
            Action::Charge => {
                mine.charge_to(&mut state, cost, now);
                models.layers(cost).into_iter().for_each(|layer| layer.model.charge(layer.policy, cost, at));
                true
            }
            Action::Refund => {
                mine.refund_to(&mut state, cost, now);
                models.layers(cost).into_iter().for_each(|layer| layer.model.refund(layer.policy, cost, at));
                true
            }
        };
        if !changed || cost == 0 {
            assert!(state == before, "a denial, an error, a look and a cost of zero change nothing");
        }
        assert_eq!(status(mine.status_of(&state, now)), models.status(at), "status afterwards");
        wire::goes_round(&state);
        assert_eq!(state.is_expired(now), at >= models.expires_at(), "is expired");
        assert_eq!(state.expires_at().as_nanos(), models.expires_at().min(LAST_TIMESTAMP), "expires at");
    }
}

//! Cases of several policies: judged together, over every kind of store; and two on one key as one policy.

use std::collections::HashMap;

use tollgate::layers::{Joint, JointError, Layer, Many, all, all_with_status, peek_all};
use tollgate::store::Pruned;
use tollgate::{
    Both, CostExceedsLimit, Decision, FixedWindow, FixedWindowState, Full, Policy, SlidingLog, SlidingLogArray,
    SlidingLogState, Slot, Slots, State, Status, Store, Timestamp, TokenBucket, TokenBucketState,
};
use tollgate_harness::subject::{Buckets, GrowingLog, Subject, Windows};
use tollgate_vectors::LayeredCase;
use tollgate_vectors::case::{LayeredAnswer, LayeredOp, LayeredStep, Together};

use crate::Wrong;

/// Any policy, so that the layers of a case are of one type.
#[derive(Clone, Copy)]
enum Any {
    Window(FixedWindow),
    Log(SlidingLog),
    LogInPlace(SlidingLog),
    Bucket(TokenBucket),
}

/// A state for any policy.
#[derive(Clone, Default, PartialEq)]
struct AnyState {
    window: FixedWindowState,
    log: SlidingLogState,
    log_in_place: SlidingLogArray<1>,
    bucket: TokenBucketState,
}

impl State for AnyState {
    fn is_expired(&self, now: Timestamp) -> bool {
        let Self { window, log, log_in_place, bucket } = self;
        window.is_expired(now) && log.is_expired(now) && log_in_place.is_expired(now) && bucket.is_expired(now)
    }

    fn expires_at(&self) -> Timestamp {
        let Self { window, log, log_in_place, bucket } = self;
        window.expires_at().max(log.expires_at()).max(log_in_place.expires_at()).max(bucket.expires_at())
    }
}

impl Any {
    fn of(layer: &tollgate_vectors::case::Layer) -> Self {
        let policy = layer.policy.build().unwrap();
        match (layer.policy, layer.capacity) {
            (tollgate_vectors::Policy::FixedWindow { .. }, _) => Self::Window(Windows::policy(&policy)),
            (tollgate_vectors::Policy::TokenBucket { .. }, _) => Self::Bucket(Buckets::policy(&policy)),
            (tollgate_vectors::Policy::SlidingLog { .. }, None) => Self::Log(GrowingLog::policy(&policy)),
            (tollgate_vectors::Policy::SlidingLog { .. }, Some(capacity)) => {
                assert_eq!(capacity.get(), 1, "a log in place has room for one entry here");
                Self::LogInPlace(GrowingLog::policy(&policy))
            }
        }
    }
}

impl Policy<AnyState> for Any {
    fn limit(&self) -> u32 {
        match self {
            Self::Window(policy) => policy.quota(),
            Self::Log(policy) | Self::LogInPlace(policy) => policy.quota(),
            Self::Bucket(policy) => policy.burst(),
        }
    }

    fn preview(&self, state: &AnyState, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        match self {
            Self::Window(policy) => policy.preview(&state.window, cost, now),
            Self::Log(policy) => policy.preview(&state.log, cost, now),
            Self::LogInPlace(policy) => policy.preview(&state.log_in_place, cost, now),
            Self::Bucket(policy) => policy.preview(&state.bucket, cost, now),
        }
    }

    fn remaining_of(&self, state: &AnyState, now: Timestamp) -> u32 {
        match self {
            Self::Window(policy) => policy.remaining_of(&state.window, now),
            Self::Log(policy) => policy.remaining_of(&state.log, now),
            Self::LogInPlace(policy) => policy.remaining_of(&state.log_in_place, now),
            Self::Bucket(policy) => policy.remaining_of(&state.bucket, now),
        }
    }

    fn charge_to(&self, state: &mut AnyState, cost: u32, now: Timestamp) {
        match self {
            Self::Window(policy) => policy.charge_to(&mut state.window, cost, now),
            Self::Log(policy) => policy.charge_to(&mut state.log, cost, now),
            Self::LogInPlace(policy) => policy.charge_to(&mut state.log_in_place, cost, now),
            Self::Bucket(policy) => policy.charge_to(&mut state.bucket, cost, now),
        }
    }

    fn refund_to(&self, state: &mut AnyState, cost: u32, now: Timestamp) {
        match self {
            Self::Window(policy) => policy.refund_to(&mut state.window, cost, now),
            Self::Log(policy) => policy.refund_to(&mut state.log, cost, now),
            Self::LogInPlace(policy) => policy.refund_to(&mut state.log_in_place, cost, now),
            Self::Bucket(policy) => policy.refund_to(&mut state.bucket, cost, now),
        }
    }
}

/// Runs a case through all that can run it.
pub(crate) fn run(case: &LayeredCase, wrong: &mut Wrong) {
    let slots = |layer: &tollgate_vectors::case::Layer| {
        let count = layer.slots.unwrap_or(8);
        Slots::new((0..count).map(|_| Slot::EMPTY).collect::<Box<[Slot<String, AnyState>]>>())
    };
    run_over("layers over Slots", case, case.layers.iter().map(slots).collect(), wrong);
    if case.layers.iter().all(|layer| layer.slots.is_none()) {
        let maps = case.layers.iter().map(|_| HashMap::<String, AnyState>::new()).collect();
        run_over("layers over HashMap", case, maps, wrong);
        let maps = case.layers.iter().map(|_| Pruned::<HashMap<String, AnyState>>::default()).collect();
        run_over("layers over Pruned<HashMap>", case, maps, wrong);
        run_as_both(case, wrong);
    }
}

fn run_over<T: Clone + PartialEq>(through: &str, case: &LayeredCase, mut stores: Vec<T>, wrong: &mut Wrong)
where
    for<'a> &'a mut T: Store<String, State = AnyState, Error: Into<Full>>,
{
    let policies: Vec<Any> = case.layers.iter().map(Any::of).collect();
    for (index, step) in case.steps.iter().enumerate() {
        let before = stores.clone();
        let answer = take(&policies, &mut stores, step);
        if step.op == LayeredOp::Peek || answer.expect != Some(Together::Allow) {
            assert!(stores == before, "{through}: a look and a refusal change nothing: {step:?}");
        }
        if !wrong.compare(case, index, through, &answer) {
            return;
        }
    }
}

fn take<T: Clone + PartialEq>(policies: &[Any], stores: &mut [T], step: &LayeredStep) -> LayeredAnswer
where
    for<'a> &'a mut T: Store<String, State = AnyState, Error: Into<Full>>,
{
    let now = Timestamp::from_nanos(step.at_ns);
    let before = stores.to_vec();
    let judged = {
        let layers = policies.iter().zip(&mut *stores).zip(&step.asks);
        let layers = Many(layers.map(|((policy, store), ask)| Layer::new(*policy, store, &ask.key).cost(ask.cost)));
        match step.op {
            LayeredOp::Peek => peek_all(layers, now).map(|joint| (joint, None)),
            LayeredOp::Check => all_with_status(layers, now),
        }
    };
    if step.op == LayeredOp::Check {
        let (joint, after) = take_as_tuple(policies, before, step);
        assert_eq!(joint, judged.map(|(joint, _)| joint), "as a tuple or as many: {step:?}");
        assert!(after == stores, "as a tuple or as many: {step:?}");
    }
    let asked = policies.iter().zip(stores).zip(&step.asks);
    let stands: Vec<Status> = asked.map(|((policy, store), ask)| policy.status(store, &ask.key, now)).collect();
    if let Ok((joint, Some(tightest))) = judged {
        assert_eq!(tightest.status, stands[tightest.layer], "{step:?}");
        match joint.denied_by() {
            Some(layer) => assert_eq!(tightest.layer, layer, "the one that denied: {step:?}"),
            None => assert!(
                stands.iter().all(|status| tightest.status.remaining <= status.remaining),
                "the least: {step:?}"
            ),
        }
    }
    let remaining: Vec<u32> = stands.iter().map(|status| status.remaining).collect();
    let (expect, layer, retry_after_ns) = match judged {
        Ok((Joint::Allow, _)) => (Together::Allow, None, None),
        Ok((Joint::Deny { retry_after, layer }, _)) => (Together::Deny, Some(layer), Some(retry_after.as_nanos())),
        Err(JointError::CostExceedsLimit { layer, .. }) => (Together::Never, Some(layer), None),
        Err(JointError::Full { layer, .. }) => (Together::Full, Some(layer), None),
    };
    LayeredAnswer {
        expect: Some(expect),
        retry_after_ns,
        layer: layer.map(|layer| layer as u32),
        remaining: Some(remaining),
    }
}

/// The same step by the other way to write layers: a tuple of two or three.
fn take_as_tuple<T>(policies: &[Any], mut stores: Vec<T>, step: &LayeredStep) -> (Result<Joint, JointError>, Vec<T>)
where
    for<'a> &'a mut T: Store<String, State = AnyState, Error: Into<Full>>,
{
    let now = Timestamp::from_nanos(step.at_ns);
    let joint = match (policies, &mut stores[..], &step.asks[..]) {
        ([p, q], [s, t], [a, b]) => {
            all((Layer::new(*p, s, &a.key).cost(a.cost), Layer::new(*q, t, &b.key).cost(b.cost)), now)
        }
        ([p, q, r], [s, t, u], [a, b, c]) => all(
            (
                Layer::new(*p, s, &a.key).cost(a.cost),
                Layer::new(*q, t, &b.key).cost(b.cost),
                Layer::new(*r, u, &c.key).cost(c.cost),
            ),
            now,
        ),
        _ => panic!("add tuples of {} layers here", policies.len()),
    };
    (joint, stores)
}

/// Two policies that are asked for the same cost of the same key are one policy.
fn run_as_both(case: &LayeredCase, wrong: &mut Wrong) {
    let [one, other] = &case.layers[..] else { return };
    let both = Both(Any::of(one), Any::of(other));
    let is_of_one_key = case.steps.iter().all(|step| step.asks[0] == step.asks[1] && step.asks[0].key.is_empty());
    if !is_of_one_key {
        return;
    }
    let mut states = <(AnyState, AnyState)>::default();
    for (index, step) in case.steps.iter().enumerate() {
        let (cost, now) = (step.asks[0].cost, Timestamp::from_nanos(step.at_ns));
        let decision = match step.op {
            LayeredOp::Check => both.judge_n(&mut states, cost, now),
            LayeredOp::Peek => both.preview(&states, cost, now),
        };
        let (expect, retry_after_ns) = match decision {
            Ok(Decision::Allow) => (Together::Allow, None),
            Ok(Decision::Deny { retry_after }) => (Together::Deny, Some(retry_after.as_nanos())),
            Err(_) => (Together::Never, None),
        };
        let least = both.status_of(&states, now).remaining;
        let remaining = vec![both.0.remaining_of(&states.0, now), both.1.remaining_of(&states.1, now)];
        assert_eq!(remaining.iter().min(), Some(&least), "the least remaining: {step:?}");
        // Whose denial it is, is no question for one policy.
        let layer = step.reply.number("layer").map(|layer| layer as u32);
        let answer = LayeredAnswer { expect: Some(expect), retry_after_ns, layer, remaining: Some(remaining) };
        if !wrong.compare(case, index, "Both", &answer) {
            return;
        }
    }
}

//! The bytes in `tests/vectors/wire.json`, which `wire.md` there specifies.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use tollgate::wire::{DecodeError, Wire};
use tollgate::{FixedWindowState, Policy as _, SlidingLogArray, SlidingLogState, Timestamp, TokenBucketState};
use tollgate_harness::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows};
use tollgate_vectors::{Act, Policy, Step};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about")]
    _about: String,
    #[serde(rename = "unit")]
    _unit: tollgate_vectors::case::Unit,
    states: Vec<State>,
    errors: Vec<Fault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    name: String,
    why: String,
    policy: Option<Policy>,
    capacity: Option<usize>,
    #[serde(default)]
    steps: Vec<Step>,
    pair: Option<[String; 2]>,
    hex: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    name: String,
    state: Kind,
    capacity: Option<usize>,
    hex: String,
    error: String,
    field: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    FixedWindow,
    SlidingLog,
    TokenBucket,
    Pair,
}

fn file() -> File {
    serde_json::from_str(include_str!("../vectors/wire.json")).expect("wire.json is as wire.md says")
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().filter(|c| *c != ' ').map(|c| c.to_digit(16).expect("a digit") as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// The state after the steps of a case.
fn made<S: Subject>(case: &State) -> S::State {
    let mut policy = S::policy(&case.policy.expect("a policy, or a pair").build().unwrap());
    let mut state = S::State::default();
    for step in &case.steps {
        if let Some(changed) = step.policy {
            policy = S::policy(&changed.build().unwrap());
        }
        let now = Timestamp::from_nanos(step.at_ns);
        match step.act {
            Act::Check(cost) => {
                let _ = policy.judge_n(&mut state, cost, now);
            }
            Act::Charge(cost) => policy.charge_to(&mut state, cost, now),
            Act::Refund(cost) => policy.refund_to(&mut state, cost, now),
            other => panic!("{:?}: {other:?} makes no state", case.name),
        }
    }
    state
}

/// Both ways.
fn same<S: Wire + core::fmt::Debug>(name: &str, state: &S, bytes: &[u8]) {
    assert_eq!(format!("{:02x?}", state.to_vec()), format!("{bytes:02x?}"), "{name}");
    assert_eq!(S::decode(bytes).as_ref(), Ok(state), "{name}");
}

#[test]
fn states_have_the_golden_bytes() {
    let file = file();
    let cases: HashMap<_, _> = file.states.iter().map(|case| (case.name.as_str(), case)).collect();
    for case in &file.states {
        let (name, bytes) = (&case.name, bytes(&case.hex));
        match (case.policy, case.capacity) {
            (Some(Policy::FixedWindow { .. }), None) => same(name, &made::<Windows>(case), &bytes),
            (Some(Policy::TokenBucket { .. }), None) => same(name, &made::<Buckets>(case), &bytes),
            (Some(Policy::SlidingLog { .. }), None) => {
                same(name, &made::<GrowingLog>(case), &bytes);
                same(name, &made::<ArrayLog<8>>(case), &bytes);
            }
            (Some(Policy::SlidingLog { .. }), Some(2)) => {
                same(name, &made::<ArrayLog<2>>(case), &bytes);
                assert_eq!(SlidingLogState::decode(&bytes).unwrap().to_vec(), bytes, "{name}");
            }
            (None, None) => {
                let [one, other] =
                    case.pair.as_ref().expect("a pair, or a policy").each_ref().map(|name| cases[name.as_str()]);
                let window = made::<Windows>(other);
                match one.policy {
                    Some(Policy::TokenBucket { .. }) => same(name, &(made::<Buckets>(one), window), &bytes),
                    Some(Policy::SlidingLog { .. }) => same(name, &(made::<ArrayLog<2>>(one), window), &bytes),
                    _ => panic!("{name:?}: add such a pair here"),
                }
            }
            _ => panic!("{name:?}: add such a state here"),
        }
    }
}

fn refusal(case: &Fault) -> DecodeError {
    let bytes = bytes(&case.hex);
    let refused = match (case.state, case.capacity) {
        (Kind::FixedWindow, _) => FixedWindowState::decode(&bytes).err(),
        (Kind::TokenBucket, _) => TokenBucketState::decode(&bytes).err(),
        (Kind::SlidingLog, None) => SlidingLogState::decode(&bytes).err(),
        (Kind::SlidingLog, Some(2)) => SlidingLogArray::<2>::decode(&bytes).err(),
        (Kind::SlidingLog, Some(other)) => panic!("{:?}: add a log with room for {other} here", case.name),
        (Kind::Pair, _) => <(TokenBucketState, FixedWindowState)>::decode(&bytes).err(),
    };
    refused.unwrap_or_else(|| panic!("{:?} is read as a state", case.name))
}

#[test]
fn other_bytes_are_refused_for_the_reason_that_the_vectors_give() {
    for case in &file().errors {
        let error = refusal(case);
        let (name, field) = match error {
            DecodeError::Kind { .. } => ("kind", None),
            DecodeError::Version { .. } => ("version", None),
            DecodeError::Truncated { .. } => ("truncated", None),
            DecodeError::Trailing { .. } => ("trailing", None),
            DecodeError::Capacity { .. } => ("capacity", None),
            DecodeError::OutOfRange(error) => ("out-of-range", Some(error.field)),
            _ => panic!("{error:?} has no name in wire.md"),
        };
        assert_eq!((name, field), (case.error.as_str(), case.field.as_deref()), "{:?}: {error}", case.name);
    }
}

#[test]
fn every_case_has_a_name_of_its_own_and_every_state_a_reason() {
    let file = file();
    let mut names = HashSet::new();
    assert!(file.states.iter().all(|case| names.insert(case.name.as_str()) && !case.why.is_empty()));
    assert!(file.errors.iter().all(|case| names.insert(case.name.as_str())));
    assert!(file.states.len() >= 26 && file.errors.len() >= 50);
}

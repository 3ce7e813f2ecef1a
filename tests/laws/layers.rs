//! Law 10: several policies judged together admit together or change nothing, in any order; and the precedence of their answers.

use core::time::Duration;
use std::collections::{BTreeMap, HashMap};

use proptest::collection::vec;
use proptest::prelude::*;
use tollgate::layers::{Joint, JointError, Layer, Many, Tightest, all, all_with_status, in_order, peek_all};
use tollgate::*;
use tollgate_harness::oracle::layers::{Layer as Modelled, check_all};
use tollgate_harness::oracle::{self, Answer, Model};
use tollgate_harness::subject::{Buckets, GrowingLog, Subject, Windows, answer};

use crate::traces;

type Log = Slots<[Slot<u8, SlidingLogState>; 8]>;

/// One policy of each kind, each over a store of another kind, in the crate and in the oracle.
#[derive(Clone, Debug, PartialEq)]
struct Three {
    windows: HashMap<u8, FixedWindowState>,
    logs: Log,
    buckets: BTreeMap<u8, TokenBucketState>,
}

impl Default for Three {
    fn default() -> Self {
        let logs = Slots::new([const { Slot::EMPTY }; 8]);
        Self { windows: HashMap::new(), logs, buckets: BTreeMap::new() }
    }
}

fn joint(answered: Result<Joint, JointError>) -> Answer {
    match answered {
        Ok(Joint::Allow) => Answer::Allow,
        Ok(Joint::Deny { retry_after, .. }) => Answer::Deny { retry_after_ns: retry_after.as_nanos() },
        Err(JointError::CostExceedsLimit { .. }) => Answer::Never,
        Err(JointError::Full { .. }) => panic!("there is room"),
    }
}

/// A request: a key and a cost for each layer, and a time.
type Request = ([(u8, u32); 3], (u8, u64));

fn requests() -> impl Strategy<Value = Vec<Request>> {
    vec(([(0..3_u8, 0..5_u32), (0..3_u8, 0..5_u32), (0..3_u8, 0..5_u32)], any::<(u8, u64)>()), 1..20)
}

proptest! {
    #[test]
    fn law_10_all_or_none(
        window in traces::windows(), log in traces::logs(), bucket in traces::buckets(), requests in requests(),
    ) {
        let policies = [window, log, bucket];
        let (a, b, c) = (Windows::policy(&window), GrowingLog::policy(&log), Buckets::policy(&bucket));
        let (mut three, mut turned) = (Three::default(), Three::default());
        let mut models: [HashMap<u8, Model>; 3] = Default::default();
        for (keys, raw) in requests {
            let at = traces::time(raw, window.window_ns(), false);
            let now = Timestamp::from_nanos(at);
            let [(i, x), (j, y), (k, z)] = keys;
            let before = three.clone();
            let Three { windows, logs, buckets } = &mut three;

            let layers = (Layer::new(a, &mut *windows, &i).cost(x), Layer::new(b, &mut *logs, &j).cost(y), Layer::new(c, &mut *buckets, &k).cost(z));
            let peeked = peek_all(layers, now);
            let layers = (Layer::new(a, windows, &i).cost(x), Layer::new(b, logs, &j).cost(y), Layer::new(c, buckets, &k).cost(z));
            let judged = all_with_status(layers, now);
            let answered = judged.map(|(joint, _)| joint);
            prop_assert_eq!(peeked, answered, "a look sees what comes");

            let keyed: Vec<_> = models.iter_mut().zip(policies).zip(keys).collect();
            let mut looked: Vec<_> = keyed
                .into_iter()
                .map(|((models, policy), (key, cost))| (models.entry(key).or_insert_with(|| Model::of(&policy)), policy, cost))
                .collect();
            let mut modelled: Vec<_> =
                looked.iter_mut().map(|(model, policy, cost)| Modelled { model, policy, cost: *cost }).collect();
            prop_assert_eq!(joint(answered), check_all(&mut modelled, at));

            if answered != Ok(Joint::Allow) {
                prop_assert_eq!(&three, &before, "none: nothing changes");
            }
            if let Ok((_, tightest)) = judged {
                let stands = [
                    a.status(&mut three.windows, &i, now),
                    b.status(&mut three.logs, &j, now),
                    c.status(&mut three.buckets, &k, now),
                ];
                let tightest = tightest.unwrap();
                prop_assert_eq!(tightest.layer, told_of(answered.unwrap(), &stands));
                prop_assert_eq!(tightest.status, stands[tightest.layer]);
            }

            let Three { windows, logs, buckets } = &mut turned;
            let layers = (Layer::new(c, buckets, &k).cost(z), Layer::new(a, windows, &i).cost(x), Layer::new(b, logs, &j).cost(y));
            prop_assert_eq!(joint(all(layers, now)), joint(answered), "in any order");
            prop_assert_eq!(&turned, &three, "in any order");
        }
    }

    #[test]
    fn both_is_all_of_two_with_one_cost(
        log in traces::logs(), bucket in traces::buckets(), requests in vec((0..5_u32, any::<(u8, u64)>(), any::<bool>()), 1..20),
    ) {
        let (one, other) = (GrowingLog::policy(&log), Buckets::policy(&bucket));
        let policy = Both(one, other);
        let mut pairs: HashMap<u8, (SlidingLogState, TokenBucketState)> = HashMap::new();
        let (mut ones, mut others): (HashMap<u8, SlidingLogState>, HashMap<u8, TokenBucketState>) = Default::default();
        for (cost, raw, charged) in requests {
            let now = Timestamp::from_nanos(traces::time(raw, log.window_ns(), false));
            if charged {
                let Ok(()) = policy.charge(&mut pairs, &7, cost, now);
                let Ok(()) = one.charge(&mut ones, &7, cost, now);
                let Ok(()) = other.charge(&mut others, &7, cost, now);
                continue;
            }
            let layers = (Layer::new(one, &mut ones, &7).cost(cost), Layer::new(other, &mut others, &7).cost(cost));
            let expected = joint(all(layers, now));
            match policy.check_with_status(&mut pairs, &7, cost, now) {
                Ok((decision, status)) => {
                    prop_assert_eq!(answer::<()>(Ok(decision)), expected);
                    let remaining = [one.status(&mut ones, &7, now).remaining, other.status(&mut others, &7, now).remaining];
                    prop_assert_eq!(Some(&status.remaining), remaining.iter().min());
                }
                Err(_) => prop_assert_eq!(expected, Answer::Never),
            }
            prop_assert_eq!(pairs.get(&7).cloned().unwrap_or_default(), (ones.get(&7).cloned().unwrap_or_default(), others.get(&7).cloned().unwrap_or_default()));
        }
    }

    #[test]
    fn in_order_the_outer_layers_keep_what_they_admitted(
        window in traces::windows(), bucket in traces::buckets(), requests in vec(((0..4_u32, 0..4_u32), any::<(u8, u64)>()), 1..20),
    ) {
        let (outer, inner) = (Windows::policy(&window), Buckets::policy(&bucket));
        let (mut outers, mut inners, mut alone, mut within) =
            (HashMap::<u8, _>::new(), HashMap::<u8, _>::new(), HashMap::<u8, _>::new(), HashMap::<u8, _>::new());
        for ((x, y), raw) in requests {
            let now = Timestamp::from_nanos(traces::time(raw, window.window_ns(), false));
            let layers = (Layer::new(outer, &mut outers, &7).cost(x), Layer::new(inner, &mut inners, &7).cost(y));
            let answered = in_order(layers, now);
            let by_hand = match outer.check_n(&mut alone, &7, x, now) {
                Ok(Decision::Allow) => inner.check_n(&mut within, &7, y, now),
                denied => denied,
            };
            prop_assert_eq!(joint(answered), answer(by_hand));
            prop_assert_eq!(&outers, &alone);
            prop_assert_eq!(&inners, &within);
        }
    }
}

const SECOND: Duration = Duration::from_secs(1);
const ONE: FixedWindow = FixedWindow::constant(1, SECOND);
const TEN: FixedWindow = FixedWindow::constant(10, Duration::from_secs(9));

#[test]
fn never_comes_before_a_denial_and_a_denial_before_full() {
    type Map = HashMap<u8, FixedWindowState>;
    type Taken = Slots<[Slot<u8, FixedWindowState>; 1]>;
    fn never(clients: &mut Map, cost: u32) -> Layer<'static, FixedWindow, &mut Map, u8> {
        Layer::new(ONE, clients, &1).cost(cost)
    }
    fn denied<'a>(used: &'a mut Map, key: &'a u8) -> Layer<'a, FixedWindow, &'a mut Map, u8> {
        Layer::new(TEN, used, key)
    }
    fn full(taken: &mut Taken) -> Layer<'static, FixedWindow, &mut Taken, u8> {
        Layer::new(ONE, taken, &1)
    }

    let (mut clients, mut used, mut taken) = (Map::new(), Map::new(), Taken::new([Slot::EMPTY]));
    let _ = TEN.check_n(&mut used, &1, 10, Timestamp::ZERO);
    let _ = ONE.check(&mut taken, &9, Timestamp::ZERO);
    for (cost, key, expected) in [(2, 1, "never"), (1, 1, "denied"), (1, 2, "full")] {
        let (c, u, t) = (&mut clients, &mut used, &mut taken);
        let at = Timestamp::ZERO;
        let judged = [
            (all((never(c, cost), denied(u, &key), full(t)), at), ["never", "denied", "full"]),
            (all((never(c, cost), full(t), denied(u, &key)), at), ["never", "full", "denied"]),
            (all((denied(u, &key), never(c, cost), full(t)), at), ["denied", "never", "full"]),
            (all((denied(u, &key), full(t), never(c, cost)), at), ["denied", "full", "never"]),
            (all((full(t), never(c, cost), denied(u, &key)), at), ["full", "never", "denied"]),
            (all((full(t), denied(u, &key), never(c, cost)), at), ["full", "denied", "never"]),
        ];
        for (answered, layers) in judged {
            let (answer, layer) = match answered {
                Ok(Joint::Allow) => ("allowed", 0),
                Ok(Joint::Deny { layer, .. }) => ("denied", layer),
                Err(JointError::CostExceedsLimit { layer, .. }) => ("never", layer),
                Err(JointError::Full { layer, .. }) => ("full", layer),
            };
            assert_eq!((answer, layers[layer]), (expected, expected), "{layers:?}");
        }
        assert!(clients.is_empty() && used.len() == 1 && taken.len() == 1);
    }
}

#[test]
fn of_two_costs_that_never_pass_the_smallest_limit_is_named_and_of_two_waits_the_longest() {
    let (mut a, mut b): (HashMap<u8, FixedWindowState>, HashMap<u8, FixedWindowState>) = Default::default();
    let judged = all((Layer::new(TEN, &mut a, &1).cost(11), Layer::new(ONE, &mut b, &1).cost(2)), Timestamp::ZERO);
    assert_eq!(judged, Err(JointError::CostExceedsLimit { layer: 1, error: CostExceedsLimit::new(2, 1) }));
    let _ = (TEN.check_n(&mut a, &1, 10, Timestamp::ZERO), ONE.check(&mut b, &1, Timestamp::ZERO));
    let judged = all((Layer::new(ONE, &mut b, &1), Layer::new(TEN, &mut a, &1)), Timestamp::ZERO);
    assert_eq!(judged.map(Joint::denied_by), Ok(Some(1)));
}

#[test]
fn a_cost_of_zero_needs_no_room_and_adds_no_key() {
    let mut full: Slots<[Slot<u8, FixedWindowState>; 1]> = Slots::new([Slot::EMPTY]);
    let _ = ONE.check(&mut full, &9, Timestamp::ZERO);
    let mut clients: HashMap<u8, FixedWindowState> = HashMap::new();
    let layers = (Layer::new(ONE, &mut full, &1).cost(0), Layer::new(ONE, &mut clients, &1).cost(0));
    assert_eq!(all(layers, Timestamp::ZERO), Ok(Joint::Allow));
    assert!(clients.is_empty());
}

/// The layer that denied, or else the first of those with the least remaining that has to wait longest for more.
fn told_of(joint: Joint, stands: &[Status]) -> usize {
    let least = stands.iter().map(|status| status.remaining).min();
    let longest = stands.iter().filter(|status| Some(status.remaining) == least).map(|status| status.grows_in).max();
    let tightest = |status: &Status| Some(status.remaining) == least && Some(status.grows_in) == longest;
    joint.denied_by().or(stands.iter().position(tightest)).unwrap()
}

#[test]
fn what_a_caller_is_told_of_a_denial_is_how_the_layer_that_denied_stands() {
    let day = FixedWindow::constant(10, Duration::from_secs(86_400));
    let (mut seconds, mut days): (HashMap<u8, FixedWindowState>, HashMap<u8, FixedWindowState>) = Default::default();
    let mut judged = |cost| {
        let layers = (Layer::new(ONE, &mut seconds, &1), Layer::new(day, &mut days, &1).cost(cost));
        let (joint, tightest) = all_with_status(layers, Timestamp::ZERO).unwrap();
        let Tightest { layer, status, .. } = tightest.unwrap();
        (joint, layer, status.remaining, status.grows_in)
    };
    assert_eq!(judged(10), (Joint::Allow, 1, 0, Wait::from_secs(86_400)), "of equals, more of the day comes last");
    let denied = Joint::Deny { retry_after: Wait::from_secs(86_400), layer: 1 };
    assert_eq!(judged(1), (denied, 1, 0, Wait::from_secs(86_400)));

    let (mut tens, mut ones): (HashMap<u8, FixedWindowState>, HashMap<u8, FixedWindowState>) = Default::default();
    let _ = TEN.check_n(&mut tens, &1, 5, Timestamp::ZERO);
    let layers = (Layer::new(ONE, &mut ones, &1).cost(0), Layer::new(TEN, &mut tens, &1).cost(10));
    let (joint, tightest) = all_with_status(layers, Timestamp::ZERO).unwrap();
    let told = tightest.map(|tightest| (tightest.layer, tightest.status.remaining));
    assert_eq!((joint.denied_by(), told), (Some(1), Some((1, 5))), "though the other has less");
}

#[test]
fn many_of_one_kind_are_judged_like_a_tuple_and_none_allow() {
    let policies = [TEN, ONE, TEN];
    let mut stores: [HashMap<u8, FixedWindowState>; 3] = Default::default();
    let mut judged = |now| {
        let layers = policies.into_iter().zip(&mut stores).map(|(policy, store)| Layer::new(policy, store, &1));
        all_with_status(Many(layers), now).unwrap()
    };
    let (first, tightest) = judged(Timestamp::ZERO);
    assert_eq!((first, tightest.map(|tightest| tightest.layer)), (Joint::Allow, Some(1)));
    assert_eq!(judged(Timestamp::ZERO).0.denied_by(), Some(1));
    assert_eq!(TEN.status(&mut stores[2], &1, Timestamp::ZERO).remaining, 9);

    let none = core::iter::empty::<Layer<'_, FixedWindow, &mut HashMap<u8, FixedWindowState>, u8>>();
    assert_eq!(all_with_status(Many(none), Timestamp::ZERO), Ok((Joint::Allow, None)));
}

#[test]
fn the_oracle_and_the_crate_have_the_same_limits() {
    let bucket = oracle::Policy::TokenBucket { quota: 3, window_ns: 10, burst: 7, refill: oracle::Refill::Continuous };
    assert_eq!(Policy::limit(&Both(Buckets::policy(&bucket), Buckets::policy(&bucket))), 7);
}

#[test]
fn a_pair_of_states_expires_with_the_later_of_the_two() {
    let policy = Both(ONE, TEN);
    for (first, second, expiry) in [(1, 0, 1), (0, 1, 9), (1, 1, 9), (0, 0, 0)] {
        let mut state = (FixedWindowState::default(), FixedWindowState::default());
        policy.0.charge_to(&mut state.0, first, Timestamp::ZERO);
        policy.1.charge_to(&mut state.1, second, Timestamp::ZERO);
        assert_eq!(state.expires_at(), Timestamp::from_secs(expiry));
        assert!(state.is_expired(Timestamp::from_secs(expiry)));
        assert_eq!(state.is_expired(Timestamp::from_nanos((expiry * 1_000_000_000).saturating_sub(1))), expiry == 0);
    }
}

#[test]
fn both_give_back_to_both() {
    let policy = Both(TEN, TEN);
    let mut state = Default::default();
    policy.charge_to(&mut state, 10, Timestamp::ZERO);
    policy.refund_to(&mut state, 3, Timestamp::ZERO);
    assert_eq!([&state.0, &state.1].map(|state| TEN.status_of(state, Timestamp::ZERO).remaining), [3, 3]);
}

#[test]
fn joint_answers_and_errors_say_what_they_are() {
    let denied = Joint::Deny { retry_after: Wait::from_nanos(5), layer: 2 };
    assert!(Joint::Allow.is_allow() && !denied.is_allow());
    assert_eq!((Joint::Allow.denied_by(), denied.denied_by()), (None, Some(2)));
    assert_eq!(
        (Joint::Allow.decision().retry_after(), denied.decision().retry_after()),
        (None, Some(Wait::from_nanos(5)))
    );

    let never = JointError::CostExceedsLimit { layer: 1, error: CostExceedsLimit::new(2, 1) };
    let full = JointError::Full { layer: 0, error: Full { capacity: 8 } };
    let said = [(never, 1, CostExceedsLimit::new(2, 1).to_string()), (full, 0, Full { capacity: 8 }.to_string())];
    for (error, layer, of_the_layer) in said {
        assert_eq!(error.to_string(), format!("layer {layer}: {of_the_layer}"));
        assert!(core::error::Error::source(&error).is_none(), "a chain of errors says it once");
    }
}

#[test]
fn many_in_order_stop_at_the_first_denial_and_keep_what_was_admitted() {
    let policies = [TEN, ONE, TEN];
    let mut stores: [HashMap<u8, FixedWindowState>; 3] = Default::default();
    let denied = [0, 1].map(|_| {
        let layers = policies.into_iter().zip(&mut stores).map(|(policy, store)| Layer::new(policy, store, &1));
        in_order(Many(layers), Timestamp::ZERO).unwrap().denied_by()
    });
    assert_eq!(denied, [None, Some(1)]);
    let left = [0, 2].map(|layer| TEN.status(&mut stores[layer], &1, Timestamp::ZERO).remaining);
    assert_eq!(left, [8, 9]);
}

//! Many keys and several layers, by hand.

use tollgate_oracle::layers::{Layer, check_all, remaining_in_all};
use tollgate_oracle::{Answer, Kind, Model, Policy, Refill, StoreModel};

const WINDOW: Policy = Policy::FixedWindow { quota: 2, window_ns: 10, grid: None };
const LOG: Policy = Policy::SlidingLog { quota: 3, window_ns: 100 };
const BUCKET: Policy = Policy::TokenBucket { quota: 1, window_ns: 10, burst: 5, refill: Refill::Continuous };

fn deny(retry_after_ns: u64) -> Answer {
    Answer::Deny { retry_after_ns }
}

#[test]
fn a_key_is_added_only_by_what_counts() {
    let mut store = StoreModel::new(Kind::FixedWindow);
    assert_eq!(store.check("a", &WINDOW, 0, 0), Answer::Allow);
    assert_eq!(store.check("a", &WINDOW, 3, 0), Answer::Never);
    assert_eq!(store.peek(&"a", &WINDOW, 2, 0), Answer::Allow);
    assert_eq!(store.remaining(&"a", &WINDOW, 0), 2);
    store.charge("a", &WINDOW, 0, 0);
    store.refund(&"a", &WINDOW, 1, 0);
    assert!(store.is_empty());

    assert_eq!(store.check("a", &WINDOW, 2, 0), Answer::Allow);
    store.charge("b", &WINDOW, 1, 0);
    assert_eq!(store.len(), 2);
    assert_eq!(store.check("a", &WINDOW, 1, 3), deny(7));
    assert_eq!(store.status(&"b", &WINDOW, 3).full_after_ns, 7);
}

#[test]
fn a_missing_key_is_read_at_the_horizon() {
    let mut store = StoreModel::new(Kind::FixedWindow);
    store.check("a", &WINDOW, 2, 0);
    store.check("b", &WINDOW, 2, 5);
    store.forget(&"a", 12);
    assert_eq!(store.horizon(), 10); // the expiry, not the time at which it was dropped

    // Late, for a key that was just dropped: what it gets, it gets at 10.
    assert_eq!(store.check("a", &WINDOW, 2, 4), Answer::Allow);
    assert_eq!(store.get(&"a").map(Model::expires_at), Some(20));
    assert_eq!(store.check("a", &WINDOW, 1, 4), deny(16));
    // A key that is there is read at its own time.
    assert_eq!(store.check("b", &WINDOW, 1, 4), deny(11));
}

#[test]
#[should_panic(expected = "dropped at 9, though it counts until 10")]
fn a_live_key_may_not_be_dropped() {
    let mut store = StoreModel::new(Kind::FixedWindow);
    store.check("a", &WINDOW, 1, 0);
    store.forget(&"a", 9);
}

#[test]
fn layers_admit_together_or_change_nothing() {
    let (mut window, mut log, mut bucket) = (Model::of(&WINDOW), Model::of(&LOG), Model::of(&BUCKET));
    let mut judge = |costs: [u32; 3], now: u64, reversed: bool| {
        let mut layers = [
            Layer { model: &mut window, policy: &WINDOW, cost: costs[0] },
            Layer { model: &mut log, policy: &LOG, cost: costs[1] },
            Layer { model: &mut bucket, policy: &BUCKET, cost: costs[2] },
        ];
        if reversed {
            layers.reverse();
        }
        (check_all(&mut layers, now), remaining_in_all(&layers, now))
    };
    assert_eq!(judge([1, 2, 4], 0, false), (Answer::Allow, Some(1)));
    assert_eq!(judge([1, 1, 2], 0, true), (deny(10), Some(1)));
    assert_eq!(judge([2, 2, 1], 0, false), (deny(100), Some(1)));
    assert_eq!(judge([2, 2, 6], 0, true), (Answer::Never, Some(1)));
    assert_eq!(judge([0, 0, 1], 0, false), (Answer::Allow, Some(0)));
    assert_eq!(judge([2, 1, 1], 10, true), (Answer::Allow, Some(0)));
    assert_eq!(remaining_in_all(&[], 0), None);
}

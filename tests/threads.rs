//! `Sharded` used by many threads: exactly the quota is admitted, and never more than the bound, in whatever order timestamps arrive.

use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tollgate::store::{HeapBuckets, Pruned, Sharded, Table};
use tollgate::{Decision, FixedWindow, FixedWindowState, Policy, State, Store, Timestamp};
use tollgate_harness::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows};
use tollgate_oracle::bound::{Admission, effective, holds};
use tollgate_oracle::{Policy as Modelled, Refill};

const THREADS: u64 = 8;
const ROUNDS: u64 = 400;

type Clients<S> = Sharded<Table<HeapBuckets<u64, S>, std::hash::RandomState>>;

fn clients<S: State>() -> Clients<S> {
    Sharded::new(|_| Table::new(HeapBuckets::new(64, 0)))
}

/// Runs all threads from one line, and gives what each found.
fn together<R: Send>(run: impl Fn(u64) -> R + Sync) -> Vec<R> {
    let line = Barrier::new(THREADS as usize);
    let start = |number| {
        line.wait();
        run(number)
    };
    let start = &start;
    thread::scope(|scope| {
        let running: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || start(number))).collect();
        running.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    })
}

macro_rules! subjects {
    ($($module:ident: $subject:ty, $($policy:expr),+;)*) => { $(
        mod $module {
            use super::*;

            #[test]
            fn exactly_the_quota() {
                $(exactly_the_quota_of::<$subject>(&$policy);)+
            }

            #[test]
            fn law_1_bound_for_timestamps_taken_before_the_lock() {
                $(bound_of::<$subject>(&$policy);)+
            }
        }
    )* };
}

subjects! {
    fixed_window: Windows,
        Modelled::FixedWindow { quota: 100, window_ns: 1000, grid: None },
        Modelled::FixedWindow { quota: 7, window_ns: 300, grid: Some(5) };
    sliding_log: GrowingLog, Modelled::SlidingLog { quota: 100, window_ns: 1000 };
    sliding_log_in_place: ArrayLog<100>, Modelled::SlidingLog { quota: 100, window_ns: 1000 };
    token_bucket: Buckets,
        Modelled::TokenBucket { quota: 100, window_ns: 999, burst: 100, refill: Refill::Continuous },
        Modelled::TokenBucket { quota: 3, window_ns: 100, burst: 50, refill: Refill::Interval { origin_ns: 7 } };
}

fn exactly_the_quota_of<S: Subject<State: Send, Policy: Sync>>(modelled: &Modelled) {
    let (policy, clients) = (S::policy(modelled), clients::<S::State>());
    let now = Timestamp::from_nanos(1_000_000);
    let admitted = together(|number| {
        let keys = [7, 8, number + 100];
        keys.map(|key| {
            let allowed = |_: &u64| policy.check(&clients, &key, now).is_ok_and(Decision::is_allow);
            (0..ROUNDS).filter(allowed).count() as u32
        })
    });
    for shared in [0, 1] {
        assert_eq!(admitted.iter().map(|counts| counts[shared]).sum::<u32>(), modelled.limit());
    }
    assert!(admitted.iter().all(|counts| counts[2] == modelled.limit()), "a key of one's own is one's own");
}

fn bound_of<S: Subject<State: Send, Policy: Sync>>(modelled: &Modelled) {
    let (policy, clients) = (S::policy(modelled), clients::<S::State>());
    let (clock, order) = (AtomicU64::new(5_000), AtomicU64::new(0));
    let mut admitted: Vec<(u64, Admission)> = together(|_| {
        let mut admitted = Vec::new();
        for _ in 0..ROUNDS {
            let at_ns = clock.fetch_add(1, Ordering::Relaxed);
            // Between the time and the lock, others go first.
            thread::yield_now();
            let judged = (&clients).update(&7, Timestamp::from_nanos(at_ns), |state, read| {
                let place = order.fetch_add(1, Ordering::Relaxed);
                policy.judge(state, read).is_allow().then_some((place, Admission { at_ns: read.as_nanos(), units: 1 }))
            });
            admitted.extend(judged.expect("there is room"));
        }
        admitted
    })
    .concat();
    admitted.sort_by_key(|(place, _)| *place);
    let admitted = effective(admitted.into_iter().map(|(_, admission)| admission));
    assert!(admitted.len() >= modelled.limit() as usize, "as many as a quota pass at least");
    assert_eq!(holds(modelled, &admitted), Ok(()));
}

const ONE_A_SECOND: FixedWindow = FixedWindow::constant(1, Duration::from_secs(1));

#[test]
fn a_panic_in_a_shard_is_one_request_s_own() {
    let clients = Sharded::with_shards(1, std::hash::RandomState::new(), || {
        Table::new(HeapBuckets::<u64, FixedWindowState>::new(2, 0))
    });
    assert_eq!(ONE_A_SECOND.check(&clients, &1, Timestamp::ZERO), Ok(Decision::Allow));
    for key in [1, 2] {
        let panicked =
            catch_unwind(AssertUnwindSafe(|| (&clients).update(&key, Timestamp::ZERO, |_, _| panic!("in a closure"))));
        assert!(panicked.is_err());
    }
    assert_eq!(ONE_A_SECOND.check(&clients, &1, Timestamp::ZERO).map(Decision::is_allow), Ok(false), "is remembered");
    assert_eq!(ONE_A_SECOND.check(&clients, &2, Timestamp::ZERO), Ok(Decision::Allow), "was not stored");
    let [table] = <[_; 1]>::try_from(clients.into_inner()).expect("one shard");
    assert_eq!(table.len(), 2);
}

#[test]
fn whoever_makes_the_shards_is_told_how_many_there_will_be() {
    let mut told = Vec::new();
    let clients = Sharded::new(|shards| {
        told.push(shards);
        Table::new(HeapBuckets::<u64, FixedWindowState>::new(2_000 / shards, 0))
    });
    assert_eq!(told, vec![clients.shards(); clients.shards()]);
    let room: usize = clients.into_inner().iter().map(Table::capacity).sum();
    assert!(room <= 2_000 && room + told.len() > 2_000, "{room}, whatever the machine");
}

#[test]
fn what_one_thread_gives_back_another_takes() {
    let clients = clients::<FixedWindowState>();
    for _ in 0..2 {
        let admitted = together(|_| ONE_A_SECOND.check(&clients, &7, Timestamp::ZERO).is_ok_and(Decision::is_allow));
        assert_eq!(admitted.into_iter().filter(|admitted| *admitted).count(), 1);
        ONE_A_SECOND.refund(&clients, &7, 1, Timestamp::ZERO);
    }
}

#[test]
fn shards_are_pruned_counted_and_lose_a_key_while_others_use_them() {
    let clients =
        Sharded::with_shards(4, std::hash::RandomState::new(), Pruned::<std::collections::HashMap<String, _>>::default);
    together(|number| {
        for round in 0..50 {
            let key = format!("{number}.{round}");
            let now = Timestamp::from_millis(round);
            assert_eq!(ONE_A_SECOND.check(&clients, key.as_str(), now), Ok(Decision::Allow));
            let lost = clients.shard_of(key.as_str(), |store| store.map_mut().remove(key.as_str()));
            assert!(lost.is_some_and(|state| !state.is_expired(now)));
            assert_eq!(ONE_A_SECOND.check(&clients, key.as_str(), now), Ok(Decision::Allow));
            clients.each(|store| assert_eq!(store.prune(now), 0));
        }
    });
    let (mut keys, mut used, mut pruned) = (0, 0, 0);
    clients.each(|store| {
        keys += store.map().len();
        used += usize::from(!store.map().is_empty());
        pruned += store.prune(Timestamp::from_secs(2));
    });
    assert_eq!((keys, used, pruned), (8 * 50, 4, 8 * 50), "spread over all shards");
}

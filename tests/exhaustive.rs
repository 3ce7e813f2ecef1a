//! Every trace up to a small length, over small quotas, windows, costs and times, compared with the oracle step by step.
//!
//! The times reach behind the last one and beyond every deadline, the costs beyond every limit; so the first trace to fail would be one of the
//! shortest there are.

use tollgate_harness::key::{Action, Key, Step};
use tollgate_harness::oracle::{Policy, Refill};
use tollgate_harness::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows};

const TIMES: [u64; 7] = [0, 1, 2, 3, 5, 7, 11];

/// Walks the tree of all traces of checks, and gives how many steps that took.
fn checks<S: Subject>(key: &Key<S>, policy: &Policy, depth: usize) -> usize {
    if depth == 0 {
        return 0;
    }
    let mut steps = 0;
    for at in TIMES {
        for cost in 0..=policy.limit() + 1 {
            let mut next = key.clone();
            next.step(policy, Step::check(at, cost));
            // A step that changed nothing leads to the same tree.
            steps += 1 + if next.state == key.state { 0 } else { checks(&next, policy, depth - 1) };
        }
    }
    steps
}

/// The same with charges, refunds and policies that change.
fn anything<S: Subject>(key: &Key<S>, policies: &[Policy], depth: usize) -> usize {
    if depth == 0 {
        return 0;
    }
    let mut steps = 0;
    for policy in policies {
        for action in [Action::Check, Action::Charge, Action::Refund] {
            for at in [0, 1, 3, 6] {
                for cost in [1, 2, 4] {
                    let mut next = key.clone();
                    next.step(policy, Step { action, at, cost, policy: 0 });
                    steps += 1 + if next.state == key.state { 0 } else { anything(&next, policies, depth - 1) };
                }
            }
        }
    }
    steps
}

/// All traces of checks under each policy, and all of anything under each pair of them.
fn all<S: Subject>(policies: &[Policy], depth: usize) {
    let steps: usize = policies.iter().map(|policy| checks::<S>(&Key::default(), policy, depth)).sum();
    println!("{steps} steps of checks");
    swaps::<S>(policies);
}

fn swaps<S: Subject>(policies: &[Policy]) {
    let pairs = policies.iter().flat_map(|one| policies.iter().map(move |other| [*one, *other]));
    let steps: usize = pairs.map(|pair| anything::<S>(&Key::default(), &pair, 3)).sum();
    println!("{steps} steps of anything");
}

fn buckets(refill: Refill) -> Vec<Policy> {
    [(1, 3, 1), (2, 3, 2), (3, 2, 1), (2, 5, 3), (3, 7, 2)]
        .map(|(quota, window_ns, burst)| Policy::TokenBucket { quota, window_ns, burst, refill })
        .into()
}

#[test]
fn fixed_windows() {
    let policies = [(1, 3, None), (2, 3, None), (3, 2, None), (2, 3, Some(0)), (2, 4, Some(3))];
    all::<Windows>(&policies.map(|(quota, window_ns, grid)| Policy::FixedWindow { quota, window_ns, grid }), 4);
}

#[test]
fn sliding_logs() {
    let policies = [(1, 3), (2, 3), (3, 2), (3, 5)].map(|(quota, window_ns)| Policy::SlidingLog { quota, window_ns });
    all::<GrowingLog>(&policies, 4);
    all::<ArrayLog<1>>(&policies, 4);
    all::<ArrayLog<2>>(&policies, 4);
}

#[test]
fn token_buckets_continuous() {
    all::<Buckets>(&buckets(Refill::Continuous), 4);
}

#[test]
fn token_buckets_by_interval() {
    all::<Buckets>(&buckets(Refill::Interval { origin_ns: 0 }), 4);
}

#[test]
fn token_buckets_with_grids_and_refills_that_change() {
    let grids = [0, 2].map(|origin_ns| buckets(Refill::Interval { origin_ns }));
    let mixed: Vec<_> =
        [buckets(Refill::Continuous)].iter().chain(&grids).flat_map(|some| some[2..4].to_vec()).collect();
    swaps::<Buckets>(&mixed);
}

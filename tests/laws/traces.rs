//! Where the property tests take their policies and traces from: small numbers for the shortest counter-examples, and both ends of the range.

use proptest::collection::vec;
use proptest::prelude::*;
use tollgate_harness::key::{Action, Step, Trace};
use tollgate_harness::oracle::policy::{LAST_TIMESTAMP, LONGEST_NS};
use tollgate_harness::oracle::{Policy, Refill};

/// Units, mostly few.
pub(crate) fn units() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 1..=6_u32, 2 => 1..=1_000_u32, 1 => Just(u32::MAX), 1 => 1..=u32::MAX]
}

fn window() -> impl Strategy<Value = u64> {
    prop_oneof![
        6 => 1..=20_u64,
        2 => Just(60_000_000_000_u64),
        1 => Just(LONGEST_NS),
        1 => 1..=LONGEST_NS,
    ]
}

fn origin() -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(0_u64), 3 => 0..=40_u64, 1 => 0..=LAST_TIMESTAMP]
}

/// Windows that open at the first admission, and on a grid.
pub(crate) fn windows() -> BoxedStrategy<Policy> {
    (units(), window(), proptest::option::of(origin()))
        .prop_map(|(quota, window_ns, grid)| Policy::FixedWindow { quota, window_ns, grid })
        .boxed()
}

/// Windows that open at the first admission.
pub(crate) fn windows_without_grid() -> BoxedStrategy<Policy> {
    (units(), window()).prop_map(|(quota, window_ns)| Policy::FixedWindow { quota, window_ns, grid: None }).boxed()
}

pub(crate) fn logs() -> BoxedStrategy<Policy> {
    (units(), window()).prop_map(|(quota, window_ns)| Policy::SlidingLog { quota, window_ns }).boxed()
}

fn buckets_with(refill: impl Strategy<Value = Refill>) -> impl Strategy<Value = Policy> {
    (units(), window(), units(), refill)
        .prop_map(|(quota, window_ns, burst, refill)| Policy::TokenBucket { quota, window_ns, burst, refill })
        .prop_filter("a bucket that fills in time", Policy::is_valid)
}

pub(crate) fn continuous() -> BoxedStrategy<Policy> {
    buckets_with(Just(Refill::Continuous)).boxed()
}

pub(crate) fn interval() -> BoxedStrategy<Policy> {
    buckets_with(origin().prop_map(|origin_ns| Refill::Interval { origin_ns })).boxed()
}

pub(crate) fn buckets() -> BoxedStrategy<Policy> {
    prop_oneof![continuous(), interval()].boxed()
}

/// A number that a time is made of, once the window is known.
type Raw = (u8, u64);

/// A time: some windows after the start or before the end, about a boundary, or anywhere.
pub(crate) fn time((choice, number): Raw, window: u64, at_the_end: bool) -> u64 {
    let reach = window.saturating_mul(4).saturating_add(8).min(LAST_TIMESTAMP);
    let near = match choice % 8 {
        0..=4 => number % reach,
        5 | 6 => (window.min(1 << 60) * (number % 5) + number / 5 % 3).saturating_sub(1),
        _ => number,
    };
    let near = near.min(LAST_TIMESTAMP);
    if at_the_end { LAST_TIMESTAMP - near } else { near }
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![6 => Just(Action::Check), 1 => Just(Action::Charge), 2 => Just(Action::Refund), 1 => Just(Action::Peek)]
}

fn cost() -> impl Strategy<Value = u32> {
    prop_oneof![6 => Just(1_u32), 4 => 0..=8_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

fn trace(
    policy: BoxedStrategy<Policy>,
    policies: impl Into<proptest::collection::SizeRange>,
    action: impl Strategy<Value = Action>,
    length: usize,
) -> impl Strategy<Value = Trace> {
    let steps = vec((action, any::<Raw>(), cost(), any::<u8>()), 1..=length);
    (vec(policy, policies), any::<bool>(), steps).prop_map(|(policies, at_the_end, steps)| {
        let steps = steps.into_iter().map(|(action, raw, cost, policy)| {
            let policy = usize::from(policy) % policies.len();
            Step { action, at: time(raw, policies[policy].window_ns(), at_the_end), cost, policy }
        });
        Trace { steps: steps.collect(), policies }
    })
}

/// Checks under one policy.
pub(crate) fn checks(policy: BoxedStrategy<Policy>) -> impl Strategy<Value = Trace> {
    trace(policy, 1, Just(Action::Check), 30)
}

/// Checks and charges under one policy: what only takes.
pub(crate) fn takings(policy: BoxedStrategy<Policy>) -> impl Strategy<Value = Trace> {
    trace(policy, 1, prop_oneof![4 => Just(Action::Check), 1 => Just(Action::Charge)], 20)
}

/// Anything, under policies that change.
pub(crate) fn anything(policy: BoxedStrategy<Policy>) -> impl Strategy<Value = Trace> {
    trace(policy, 1..=3, action(), 40)
}

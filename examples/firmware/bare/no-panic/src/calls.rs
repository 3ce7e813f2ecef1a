//! The calls. What they take is [`any`] value and what they give is [`used`], so that none is worked out, or left out, when it is compiled.

use core::hint::black_box;
use core::num::NonZeroU32;
use core::time::Duration;

use tollgate::layers::{self, Layer, Many};
use tollgate::wire::Wire;
use tollgate::{
    Both, FixedWindow, FixedWindowState, Full, Monotonic, Policy, Refill, SlidingLog, SlidingLogArray, Slot, Slots,
    State, Timestamp, TokenBucket, TokenBucketState, Wait, Wrapping32,
};

/// A value that the compiler knows nothing of.
pub(crate) fn any<T>(value: T) -> T {
    black_box(value)
}

fn used<T>(answer: T) {
    black_box(&answer);
}

fn now() -> Timestamp {
    Timestamp::from_nanos(any(0))
}

fn duration() -> Duration {
    Duration::from_secs(any(0)).saturating_add(Duration::from_nanos(any(0)))
}

pub(crate) fn all() {
    policies();
    of_a_kind::<FixedWindowState, _>(&FixedWindow::new(any(1), duration()));
    of_a_kind::<SlidingLogArray<1>, _>(&SlidingLog::new(any(1), duration()));
    of_a_kind::<SlidingLogArray<24>, _>(&SlidingLog::new(any(1), duration()));
    of_a_kind::<TokenBucketState, _>(&TokenBucket::new(any(1), duration()));
    let pair = FixedWindow::new(any(1), duration()).and_then(|a| Ok(Both(a, TokenBucket::new(any(1), duration())?)));
    of_a_kind::<(FixedWindowState, TokenBucketState), _>(&pair);
    together();
    clocks();
}

/// How policies are built, and what they tell of themselves.
fn policies() {
    let window = any(FixedWindow::new(any(1), duration()).map(|policy| policy.aligned(now())));
    if let Ok(window) = window {
        used((window.quota(), window.window(), window.origin()));
    }
    let log = any(SlidingLog::new(any(1), duration()));
    if let Ok(log) = log {
        used((log.quota(), log.window()));
    }
    for refill in [Refill::Continuous, Refill::Interval { origin: now() }] {
        let bucket = any(TokenBucket::new_with(any(1), duration(), any(1), refill));
        if let Ok(bucket) = bucket {
            used((bucket.quota(), bucket.window(), bucket.burst(), bucket.refill()));
        }
    }
}

/// All that can be done with a policy: with a state in hand, in a store, and with bytes.
fn of_a_kind<S: State + Wire, P: Policy<S>>(policy: &Result<P, tollgate::PolicyError>) {
    let Ok(policy) = any(policy) else { return };
    let mut state = any(S::default());
    used(policy.limit());
    used(policy.judge(&mut state, now()));
    used(policy.judge_n(&mut state, any(1), now()));
    used(policy.preview(&state, any(1), now()));
    used(policy.remaining_of(&state, now()));
    used(policy.status_of(&state, now()));
    policy.charge_to(&mut state, any(1), now());
    policy.refund_to(&mut state, any(1), now());
    used((state.is_expired(now()), state.expires_at()));
    used(state == any(S::default()));

    let mut slots: Slots<[Slot<u32, S>; 3]> = Slots::new([const { Slot::EMPTY }; 3]);
    used(policy.check(&mut slots, &any(1), now()));
    used(policy.check_n(&mut slots, &any(1), any(1), now()));
    used(policy.check_with_status(&mut slots, &any(1), any(1), now()));
    used(policy.peek(&mut slots, &any(1), any(1), now()));
    used(policy.status(&mut slots, &any(1), now()));
    used(policy.charge(&mut slots, &any(1), any(1), now()));
    policy.refund(&mut slots, &any(1), any(1), now());
    used((slots.len(), slots.is_empty(), slots.capacity(), slots.horizon()));
    used(slots.iter().count());
    used(slots.prune(now()));
    used(slots.remove(&any(1)));

    let mut buffer = [0; 400];
    let length = any(buffer.len());
    if let Some(Ok(bytes)) = buffer.get_mut(..length).map(|buffer| state.encode(buffer)) {
        used(bytes);
    }
    used(state.encoded_len());
    used(S::decode(buffer.get(..any(1)).unwrap_or_default()));
    used(S::decode_prefix(&any(buffer)).map(|(state, rest)| (state, rest.len())));
}

/// Several policies for one request.
fn together() {
    let (Ok(window), Ok(log), Ok(bucket)) = (
        FixedWindow::new(any(1), duration()),
        SlidingLog::new(any(1), duration()),
        TokenBucket::new(any(1), duration()),
    ) else {
        return;
    };
    let mut windows: Slots<[Slot<u32, FixedWindowState>; 3]> = Slots::new([const { Slot::EMPTY }; 3]);
    let mut logs: Slots<[Slot<u32, SlidingLogArray<4>>; 3]> = Slots::new([const { Slot::EMPTY }; 3]);
    let mut buckets: Slots<[Slot<u32, TokenBucketState>; 3]> = Slots::new([const { Slot::EMPTY }; 3]);
    let keys: [u32; 3] = any([1, 2, 3]);
    macro_rules! layers {
        () => {
            (
                Layer::new(window, &mut windows, &keys[0]).cost(any(1)),
                Layer::new(log, &mut logs, &keys[1]).cost(any(1)),
                Layer::new(bucket, &mut buckets, &keys[2]).cost(any(1)),
            )
        };
    }
    used(layers::all(layers!(), now()));
    used(layers::all_with_status(layers!(), now()));
    used(layers::peek_all(layers!(), now()));
    used(layers::in_order(layers!(), now()));
    let mut more: Slots<[Slot<u32, TokenBucketState>; 3]> = Slots::new([const { Slot::EMPTY }; 3]);
    let many = [Layer::new(bucket, &mut buckets, &keys[0]), Layer::new(bucket, &mut more, &keys[1])];
    used(layers::all(Many(many.into_iter()), now()));
    used(Full { capacity: any(1) });
}

/// From what a clock says to a timestamp, and from a wait to what it is told in.
fn clocks() {
    let mut clock = Monotonic::new(any(Wait::ZERO));
    used((clock.advance(now()), clock.now()));
    let mut ticks = Wrapping32::starting_at(any(0));
    let count = ticks.extend(any(0));
    if let Some(hz) = NonZeroU32::new(any(32_768)) {
        used(Timestamp::from_ticks(count, hz));
    }
    used([Timestamp::from_micros(any(1)), Timestamp::from_millis(any(1)), Timestamp::from_secs(any(1))]);
    used((Timestamp::since_epoch(duration()), now().as_nanos()));
    let wait = now().until(now());
    used((now().saturating_add(wait), wait.as_millis_ceil(), wait.as_secs_ceil(), wait.is_zero()));
    used(Duration::from(wait));
}

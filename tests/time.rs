//! Timestamps, waits and the two clocks.

use core::num::NonZeroU32;
use core::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

use proptest::collection::vec;
use proptest::prelude::*;
use tollgate::{
    Decision, FixedWindowState, Monotonic, SlidingLogArray, SlidingLogState, Status, Timestamp, TokenBucketState, Wait,
    Wrapping32,
};

#[test]
fn timestamps_saturate_at_the_last() {
    for (made, nanos) in [
        (Timestamp::from_nanos(u64::MAX), i64::MAX as u64),
        (Timestamp::from_nanos(i64::MAX as u64), i64::MAX as u64),
        (Timestamp::from_micros(u64::MAX), i64::MAX as u64),
        (Timestamp::from_micros(9_223_372_036_854_775), 9_223_372_036_854_775_000),
        (Timestamp::from_millis(u64::MAX / 1_000_000), i64::MAX as u64),
        (Timestamp::from_secs(9_223_372_036), 9_223_372_036_000_000_000),
        (Timestamp::from_secs(9_223_372_037), i64::MAX as u64),
        (Timestamp::since_epoch(Duration::new(9_223_372_036, 854_775_808)), i64::MAX as u64),
        (Timestamp::since_epoch(Duration::new(1, 5)), 1_000_000_005),
        (Timestamp::default(), 0),
    ] {
        assert_eq!(made.as_nanos(), nanos);
    }
}

#[test]
fn timestamps_come_from_the_standard_clocks() {
    assert_eq!(Timestamp::from(UNIX_EPOCH + Duration::new(7, 9)), Timestamp::from_nanos(7_000_000_009));
    assert!(Timestamp::from(SystemTime::now()) > Timestamp::from_secs(1_700_000_000));
}

#[test]
fn waits_round_up() {
    for (nanos, millis, secs) in [
        (0, 0, 0),
        (1, 1, 1),
        (1_000_000, 1, 1),
        (1_000_001, 2, 1),
        (999_000_000, 999, 1),
        (1_000_000_000, 1_000, 1),
        (1_000_000_001, 1_001, 2),
        (1 << 62, 4_611_686_018_428, 4_611_686_019),
        (u64::MAX, 18_446_744_073_710, 18_446_744_074),
    ] {
        let wait = Wait::from_nanos(nanos);
        assert_eq!((wait.as_millis_ceil(), wait.as_secs_ceil()), (millis, secs));
        assert_eq!(Duration::from(wait), Duration::from_nanos(nanos));
        assert_eq!(wait.is_zero(), nanos == 0);
        assert_eq!(wait.to_string(), format!("{:?}", Duration::from_nanos(nanos)));
    }
}

#[test]
fn waits_saturate_at_the_longest() {
    for (made, nanos) in [
        (Wait::from_millis(0), 0),
        (Wait::from_millis(18_446_744_073_709), 18_446_744_073_709_000_000),
        (Wait::from_millis(18_446_744_073_710), u64::MAX),
        (Wait::from_secs(18_446_744_073), 18_446_744_073_000_000_000),
        (Wait::from_secs(18_446_744_074), u64::MAX),
        (Wait::from(Duration::new(1, 5)), 1_000_000_005),
        (Wait::from(Duration::new(18_446_744_073, 709_551_615)), u64::MAX),
        (Wait::from(Duration::new(18_446_744_073, 709_551_616)), u64::MAX),
        (Wait::from(Duration::MAX), u64::MAX),
        (Wait::MAX.counted_from(Timestamp::ZERO, Timestamp::from_nanos(1)), u64::MAX),
    ] {
        assert_eq!(made.as_nanos(), nanos);
    }
    const IN_THE_SOURCE: Wait = Wait::from_duration(Duration::from_millis(1_500));
    assert_eq!(IN_THE_SOURCE, Wait::from_millis(1_500));
}

#[test]
fn a_deadline_in_coarser_units_is_never_early() {
    for (nanos, millis, secs) in [
        (0, 0, 0),
        (1, 1, 1),
        (1_000_000, 1, 1),
        (1_000_001, 2, 1),
        (1_000_000_000, 1_000, 1),
        (1_000_000_001, 1_001, 2),
        (i64::MAX as u64, 9_223_372_036_855, 9_223_372_037),
    ] {
        let deadline = Timestamp::from_nanos(nanos);
        assert_eq!((deadline.as_millis_ceil(), deadline.as_secs_ceil()), (millis, secs));
        assert!(Timestamp::from_millis(millis) >= deadline && Timestamp::from_secs(secs) >= deadline);
    }
}

#[test]
fn what_is_judged_later_waits_from_the_callers_time() {
    let (now, read) = (Timestamp::from_secs(3), Timestamp::from_secs(5));
    let secs = Wait::from_secs;
    let denied = Decision::Deny { retry_after: secs(1) };
    assert_eq!(denied.counted_from(now, read), Decision::Deny { retry_after: secs(3) });
    assert_eq!(denied.counted_from(read, read), denied);
    assert_eq!(Decision::Allow.counted_from(now, read), Decision::Allow);
    // Nothing to wait for is nothing, from any time.
    let status = Status::new(10, 9, secs(1), secs(4));
    assert_eq!(status.counted_from(now, read), Status::new(10, 9, secs(3), secs(6)));
    let full = Status::new(10, 10, Wait::ZERO, Wait::ZERO);
    assert_eq!(full.counted_from(now, read), full);
}

#[test]
fn states_are_small_and_travel_between_threads() {
    fn travels<T: Send + Sync + 'static>() {}
    travels::<(FixedWindowState, SlidingLogState, SlidingLogArray<3>, TokenBucketState)>();
    // 16, but for hosts where a `u64` may start at any multiple of four bytes, such as 32-bit x86.
    assert_eq!(size_of::<FixedWindowState>(), 12_usize.next_multiple_of(align_of::<u64>()));
    assert_eq!(size_of::<TokenBucketState>(), 24);
    assert_eq!(size_of::<SlidingLogArray<2>>(), 24 + 24);
}

proptest! {
    #[test]
    fn ticks_are_rounded_down_once(ticks in any::<u64>(), hz in 1..=u32::MAX) {
        let exact = u128::from(ticks) * 1_000_000_000 / u128::from(hz);
        let expected = exact.min(i64::MAX as u128) as u64;
        prop_assert_eq!(Timestamp::from_ticks(ticks, NonZeroU32::new(hz).unwrap()).as_nanos(), expected);
    }

    /// With the samples in a list: since the last rebase, the output is what it was then plus how far the samples have reached since.
    #[test]
    fn monotonic_advances_by_what_the_clock_advanced(
        samples in vec(prop_oneof![0..60_u64, i64::MAX as u64 - 60..=i64::MAX as u64], 1..40), tolerance in 0..20_u64,
    ) {
        let mut clock = Monotonic::new(Wait::from_nanos(tolerance));
        // The output at the last rebase, and the samples since, its own included.
        let (mut base, mut since): (u64, Vec<u64>) = (0, vec![0]);
        for sample in samples {
            let before = clock.now();
            let peak = *since.iter().max().unwrap();
            if peak.saturating_sub(sample) > tolerance {
                (base, since) = (before.as_nanos(), vec![]);
            }
            since.push(sample);
            let reach = since.iter().max().unwrap() - since[0];
            let now = clock.advance(Timestamp::from_nanos(sample));
            prop_assert_eq!(now, Timestamp::from_nanos(base.saturating_add(reach)));
            prop_assert!(now >= before && now == clock.now());
        }
    }

    /// A counter of 64 bits, of which 32 are seen, with readings up to half a wrap ahead of the furthest, or late.
    #[test]
    fn wrapping_32_follows_a_counter_of_64_bits(start in any::<u32>(), moves in vec((any::<u32>(), any::<bool>()), 1..40)) {
        let mut ticks = Wrapping32::starting_at(start);
        let mut furthest = u64::from(start);
        for (by, late) in moves {
            let count = if late { furthest.saturating_sub(u64::from(by >> 1)) } else { furthest + u64::from(by >> 1) };
            prop_assert_eq!(ticks.extend(count as u32), count);
            furthest = furthest.max(count);
        }
    }
}

#[test]
fn a_reading_half_a_wrap_away_is_late() {
    let mut ticks = Wrapping32::starting_at(0);
    assert_eq!(ticks.extend(0x7FFF_FFFF), 0x7FFF_FFFF);
    assert_eq!(ticks.extend(0xFFFF_FFFF), 0, "2^31 ahead, so 2^31 late, from before the start");
    assert_eq!(ticks.extend(0xFFFF_FFFE), 0xFFFF_FFFE);
}

#[test]
fn jitter_is_measured_from_the_furthest_sample_so_it_cannot_creep() {
    let mut clock = Monotonic::new(Wait::from_nanos(10));
    let outputs = [100, 95, 90, 89, 90].map(|nanos| clock.advance(Timestamp::from_nanos(nanos)).as_nanos());
    assert_eq!(outputs, [100, 100, 100, 100, 101]);
}

#[test]
fn a_monotonic_clock_that_was_once_at_the_end_stays_there() {
    const AFTER_A_GARBAGE_READING: Monotonic = {
        let mut clock = Monotonic::new(Wait::from_nanos(10));
        clock.advance(Timestamp::from_nanos(100));
        clock.advance(Timestamp::MAX);
        clock
    };
    let mut clock = AFTER_A_GARBAGE_READING;
    let outputs = [101, 102, 90, 1_000].map(|nanos| clock.advance(Timestamp::from_nanos(nanos)));
    assert_eq!(outputs, [Timestamp::MAX; 4]);
}

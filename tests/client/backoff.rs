//! Delays: their bounds, how chance spreads them, and every way to an end.

use core::num::NonZeroU32;
use core::time::Duration;

use proptest::prelude::*;
use tollgate::client::{Backoff, BackoffError, Jitter, Next, Retries, Spent};
use tollgate::{Timestamp, Wait};

const JITTERS: [Jitter; 4] = [Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::None];

fn rule(base: u64, cap: u64, jitter: Jitter) -> Backoff {
    Backoff::new(Duration::from_nanos(base), Duration::from_nanos(cap)).unwrap().jitter(jitter)
}

/// The delay of a rule that has no end.
fn after(next: Next) -> u64 {
    match next {
        Next::Retry { after } => after.as_nanos(),
        Next::TooLong { .. } | Next::GiveUp(_) => panic!("{next:?}"),
    }
}

/// The delay after so many failures, of which the others drew `before`.
fn delay(rule: Backoff, failures: u32, before: u64, random: u64) -> u64 {
    let mut retries = Retries::default();
    for _ in 1..failures {
        let _ = rule.next(&mut retries, None, Timestamp::ZERO, before);
    }
    after(rule.next(&mut retries, None, Timestamp::ZERO, random))
}

/// Least and most.
fn bounds(rule: Backoff, failures: u32, before: u64) -> (u64, u64) {
    (delay(rule, failures, before, 0), delay(rule, failures, before, u64::MAX))
}

#[test]
fn delays_double_up_to_the_cap() {
    let rule = |jitter| rule(100, 1_000, jitter);
    for (failures, doubled) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1_000), (6, 1_000), (70, 1_000)] {
        assert_eq!(bounds(rule(Jitter::None), failures, 0), (doubled, doubled));
        assert_eq!(bounds(rule(Jitter::Full), failures, 0), (0, doubled));
        assert_eq!(bounds(rule(Jitter::Equal), failures, 0), (doubled / 2, doubled));
    }
}

#[test]
fn half_of_an_odd_delay_is_rounded_up() {
    assert_eq!(bounds(rule(5, 100, Jitter::Equal), 1, 0), (3, 5));
    assert_eq!(bounds(rule(1, 100, Jitter::Equal), 1, 0), (1, 1));
}

#[test]
fn decorrelated_delays_go_up_to_three_times_the_last() {
    let rule = rule(100, 5_000, Jitter::Decorrelated);
    assert_eq!(bounds(rule, 1, 0), (100, 300));
    assert_eq!(bounds(rule, 2, 0), (100, 300)); // the last was the least, 100
    assert_eq!(bounds(rule, 2, u64::MAX), (100, 900)); // ... the most, 300
    assert_eq!(bounds(rule, 3, u64::MAX), (100, 2_700));
    assert_eq!(bounds(rule, 4, u64::MAX), (100, 5_000));
    assert_eq!(bounds(rule, 99, u64::MAX), (100, 5_000));
}

#[test]
fn every_value_of_a_range_is_as_likely_as_another() {
    // Words that are spread evenly, and all of them: 2^16, whose upper halves are each once there.
    let words = || (0..1_u64 << 16).map(|word| word << 48);
    for most in [1, 2, 3, 6, 7, 9, 99, 255, 256, 1_000] {
        let full = rule(most, most, Jitter::Full);
        let mut times = vec![0_u32; usize::try_from(most).unwrap() + 1];
        for word in words() {
            times[usize::try_from(delay(full, 1, 0, word)).unwrap()] += 1;
        }
        let (fewest, most_often) = (times.iter().min().unwrap(), times.iter().max().unwrap());
        assert!(most_often - fewest <= 1, "0 to {most}: {fewest} to {most_often} times each");
    }
    for (jitter, least, most) in [(Jitter::Equal, 50, 100), (Jitter::Decorrelated, 100, 300)] {
        let mut times = std::collections::BTreeMap::new();
        for word in words() {
            *times.entry(delay(rule(100, 1_000, jitter), 1, 0, word)).or_insert(0_u32) += 1;
        }
        assert!(times.keys().copied().eq(least..=most), "{jitter:?}");
        let (fewest, most_often) = (times.values().min().unwrap(), times.values().max().unwrap());
        assert!(most_often - fewest <= 1, "{jitter:?}: {fewest} to {most_often} times each");
    }
}

#[test]
fn a_larger_word_never_makes_a_shorter_delay() {
    for jitter in JITTERS {
        let rule = rule(1_000, 1_000_000, jitter);
        let delays: Vec<_> = (0..=255).map(|word| delay(rule, 5, 0, word << 56 | word)).collect();
        assert!(delays.is_sorted(), "{jitter:?}");
    }
}

#[test]
fn what_a_server_asks_for_is_never_shortened_and_chance_comes_on_top() {
    let told = Wait::from_secs(10).as_nanos();
    for (jitter, spread) in [(Jitter::Full, 100), (Jitter::Equal, 50), (Jitter::Decorrelated, 200), (Jitter::None, 0)] {
        let rule = rule(100, 1_000, jitter);
        let next =
            |random| after(rule.next(&mut Retries::default(), Some(Wait::from_secs(10)), Timestamp::ZERO, random));
        assert_eq!((next(0), next(u64::MAX)), (told, told + spread), "{jitter:?}");
    }
}

#[test]
fn clients_that_were_told_the_same_moment_spread_more_with_each_failure() {
    let rule = rule(100, 1_000, Jitter::Full);
    let mut retries = Retries::default();
    for most in [100, 200, 400, 800, 1_000, 1_000] {
        let next = after(rule.next(&mut retries, Some(Wait::from_secs(1)), Timestamp::ZERO, u64::MAX));
        assert_eq!(next, Wait::from_secs(1).as_nanos() + most);
    }
}

#[test]
fn one_that_is_told_to_come_back_at_once_still_backs_off() {
    let rule = rule(100, 1_000, Jitter::None);
    let mut retries = Retries::default();
    for delay in [100, 200, 400, 800, 1_000] {
        assert_eq!(after(rule.next(&mut retries, Some(Wait::ZERO), Timestamp::ZERO, 0)), delay);
    }
}

#[test]
fn more_than_patience_is_an_outcome_of_its_own() {
    let patient = rule(100, 1_000, Jitter::Full).patience(Duration::from_secs(30));
    let next = |wait| patient.next(&mut Retries::default(), Some(wait), Timestamp::ZERO, 0);
    assert_eq!(next(Wait::from_secs(30)), Next::Retry { after: Wait::from_secs(30) });
    let longer = Wait::from_nanos(Wait::from_secs(30).as_nanos() + 1);
    assert_eq!(next(longer), Next::TooLong { wait: longer });
    assert_eq!(next(Wait::MAX), Next::TooLong { wait: Wait::MAX });
    // Without an end to patience there is none, and chance on top saturates.
    let rule = rule(100, 1_000, Jitter::Full);
    let next = rule.next(&mut Retries::default(), Some(Wait::MAX), Timestamp::ZERO, u64::MAX);
    assert_eq!(next, Next::Retry { after: Wait::MAX });
    // Patience is for servers: the rule's own delays have their cap.
    let hasty = rule.patience(Duration::ZERO);
    assert_eq!(
        hasty.next(&mut Retries::default(), None, Timestamp::ZERO, u64::MAX),
        Next::Retry { after: Wait::from_nanos(100) }
    );
}

#[test]
fn attempts_count_the_first() {
    for attempts in 1..=5 {
        let rule = rule(100, 1_000, Jitter::Full).attempts(NonZeroU32::new(attempts).unwrap());
        let mut retries = Retries::default();
        for _ in 1..attempts {
            assert!(matches!(rule.next(&mut retries, None, Timestamp::ZERO, 0), Next::Retry { .. }));
        }
        for _ in 0..3 {
            assert_eq!(rule.next(&mut retries, None, Timestamp::ZERO, 0), Next::GiveUp(Spent::Attempts));
        }
        // Success begins anew.
        retries = Retries::default();
        let next = rule.next(&mut retries, None, Timestamp::ZERO, 0);
        assert_eq!(next == Next::GiveUp(Spent::Attempts), attempts == 1);
    }
}

#[test]
fn no_attempt_is_later_than_the_time_there_is() {
    let rule = rule(100, 1_000, Jitter::None).within(Duration::from_secs(10));
    let start = Timestamp::from_secs(1_000);
    let next = |now, told| rule.next(&mut Retries::since(start), Some(told), now, 0);
    assert_eq!(next(start, Wait::from_secs(10)), Next::Retry { after: Wait::from_secs(10) });
    assert_eq!(next(start, Wait::from_nanos(10_000_000_001)), Next::GiveUp(Spent::Time));
    assert_eq!(next(Timestamp::from_secs(1_004), Wait::from_secs(6)), Next::Retry { after: Wait::from_secs(6) });
    assert_eq!(next(Timestamp::from_secs(1_005), Wait::from_secs(6)), Next::GiveUp(Spent::Time));
    // A clock that was set back takes no time away, and gives none.
    assert_eq!(next(Timestamp::ZERO, Wait::from_secs(10)), Next::Retry { after: Wait::from_secs(10) });
    // Without a start, the first failure is it.
    let mut retries = Retries::default();
    assert!(matches!(rule.next(&mut retries, None, Timestamp::from_secs(500), 0), Next::Retry { .. }));
    assert_eq!(rule.next(&mut retries, None, Timestamp::from_secs(511), 0), Next::GiveUp(Spent::Time));
}

#[test]
fn of_several_reasons_to_stop_the_first_in_order_is_told() {
    let rule = rule(100, 1_000, Jitter::None).patience(Duration::from_secs(5)).within(Duration::from_secs(1));
    let two = rule.attempts(NonZeroU32::new(2).unwrap());
    let mut retries = Retries::default();
    assert_eq!(
        two.next(&mut retries, Some(Wait::from_secs(9)), Timestamp::ZERO, 0),
        Next::TooLong { wait: Wait::from_secs(9) }
    );
    assert_eq!(two.next(&mut retries, Some(Wait::from_secs(9)), Timestamp::ZERO, 0), Next::GiveUp(Spent::Attempts));
    assert_eq!(
        rule.next(&mut Retries::default(), Some(Wait::from_secs(3)), Timestamp::ZERO, 0),
        Next::GiveUp(Spent::Time)
    );
}

#[test]
fn bad_settings_say_what_is_wrong() {
    let error = |base, cap| Backoff::new(base, cap).unwrap_err();
    let (second, long) = (Duration::from_secs(1), Duration::from_nanos(u64::MAX));
    assert_eq!(error(Duration::ZERO, second), BackoffError::ZeroBase);
    assert_eq!(error(Duration::ZERO, Duration::ZERO), BackoffError::ZeroBase);
    let crossed = error(second, Duration::from_millis(1));
    assert_eq!(crossed, BackoffError::BaseAboveCap { base: second, cap: Duration::from_millis(1) });
    assert_eq!(crossed.to_string(), "the first delay is 1s and the longest 1ms; the first must not be longer");
    let too_long = long + Duration::from_nanos(1);
    assert_eq!(error(second, too_long), BackoffError::CapTooLong { cap: too_long });
    assert!(error(second, too_long).to_string().contains("at most 2^64 - 1 ns"));
    assert!(Backoff::new(second, second).is_ok() && Backoff::new(second, long).is_ok());
    assert_eq!(Spent::Time.to_string(), "no time is left for another attempt");
}

fn rules() -> impl Strategy<Value = (Backoff, u64, u64, Jitter)> {
    let length = || prop_oneof![1..10_000_u64, any::<u64>().prop_map(|nanos| nanos.max(1)), Just(u64::MAX)];
    (length(), length(), prop::sample::select(JITTERS.to_vec())).prop_map(|(one, other, jitter)| {
        let (base, cap) = (one.min(other), one.max(other));
        (rule(base, cap, jitter), base, cap, jitter)
    })
}

fn waits() -> impl Strategy<Value = Option<Wait>> {
    prop::option::of(prop_oneof![Just(0), 1..20_000_u64, any::<u64>()].prop_map(Wait::from_nanos))
}

proptest! {
    #[test]
    fn delays_are_within_bounds_for_any_attempt_and_word(
        (rule, base, cap, jitter) in rules(),
        steps in prop::collection::vec((any::<u64>(), waits()), 1..90),
    ) {
        let (mut retries, mut doubled, mut last) = (Retries::default(), base, base);
        for (random, told) in steps {
            let told_nanos = told.map_or(0, Wait::as_nanos);
            let (least, most) = match jitter {
                Jitter::Full => (0, doubled),
                Jitter::Equal => (doubled - doubled / 2, doubled),
                Jitter::Decorrelated => (base, last.saturating_mul(3).min(cap)),
                _ => (doubled, doubled),
            };
            let mut own = retries;
            last = after(rule.next(&mut own, None, Timestamp::ZERO, random));
            prop_assert!((least..=most).contains(&last), "{} is not in {}..={}", last, least, most);
            let delay = after(rule.next(&mut retries, told, Timestamp::ZERO, random));
            // The same chance, on top of whatever is not chance.
            prop_assert_eq!(delay, told_nanos.max(least).saturating_add(last - least));
            prop_assert!(delay >= told_nanos);
            prop_assert_eq!(own, retries);
            doubled = doubled.saturating_mul(2).min(cap);
        }
    }

    #[test]
    fn any_number_of_attempts_is_counted_without_overflow(
        (rule, base, cap, jitter) in rules(),
        attempts in prop_oneof![Just(u32::MAX), any::<u32>().prop_map(|n| n.max(1))],
        now in any::<u64>(),
        start in any::<u64>(),
        within in any::<u64>(),
        patience in any::<u64>(),
        steps in prop::collection::vec((any::<u64>(), waits(), any::<u64>()), 1..20),
    ) {
        let bounded = rule
            .attempts(NonZeroU32::new(attempts).unwrap())
            .within(Duration::from_nanos(within))
            .patience(Duration::from_nanos(patience));
        let start = Timestamp::from_nanos(start);
        let mut retries = Retries::since(start);
        for (random, told, later) in steps {
            let now = Timestamp::from_nanos(now.wrapping_add(later));
            let before = retries.attempts();
            match bounded.next(&mut retries, told, now, random) {
                Next::Retry { after } => {
                    prop_assert!(told.is_none_or(|told| told <= after && told.as_nanos() <= patience));
                    let passed = u128::from(start.until(now).as_nanos());
                    prop_assert!(passed + u128::from(after.as_nanos()) <= u128::from(within));
                    prop_assert!(retries.attempts() < attempts);
                }
                Next::TooLong { wait } => {
                    prop_assert_eq!(Some(wait), told);
                    prop_assert!(wait.as_nanos() > patience);
                }
                Next::GiveUp(Spent::Attempts) => prop_assert!(retries.attempts() >= attempts),
                Next::GiveUp(_) => prop_assert!(told.is_none_or(|told| told.as_nanos() <= patience)),
            }
            prop_assert_eq!(retries.attempts(), before + 1);
        }
        prop_assert!(base <= cap && JITTERS.contains(&jitter));
    }
}

//! The arithmetic of both refills over all of a small domain, against exact fractions.
//!
//! The domain is every policy and every state that the invariant allows, up to a few tokens and nanoseconds. It reaches every branch, since
//! each compares or carries by one: a fraction borrows or does not, and fits in the last nanosecond or not; a refill has a token to
//! spare or not, and a point is on the grid or off it; a state is this policy's or another's, full or not, read in time or late. The tests count
//! those they have seen, and fail where one is missing.

use super::*;

/// What may happen in a judgement, for both refills.
#[derive(Debug, Default)]
struct Seen {
    full: u32,
    late: u32,
    anothers: u32,
    allowed: u32,
    denied: u32,
    /// The bucket is full a nanosecond, or a window, later than the whole part alone allows: the fraction, or the spare tokens, decide.
    allowed_at_the_edge: u32,
    denied_at_the_edge: u32,
    borrowed: u32,
    emptied_by_refund: u32,
    refunded: u32,
    kept_as_it_was: u32,
}

impl Seen {
    fn nothing_is_missing(&self, but: &[&str]) {
        let all = [
            ("full", self.full),
            ("late", self.late),
            ("another's", self.anothers),
            ("allowed", self.allowed),
            ("denied", self.denied),
            ("allowed at the edge", self.allowed_at_the_edge),
            ("denied at the edge", self.denied_at_the_edge),
            ("borrowed", self.borrowed),
            ("emptied by a refund", self.emptied_by_refund),
            ("refunded", self.refunded),
            ("kept as it was", self.kept_as_it_was),
        ];
        for (name, times) in all {
            assert_eq!(times == 0, but.contains(&name), "{name}: {times}");
        }
    }
}

/// Every state up to these bounds, that the invariant allows.
fn states() -> impl Iterator<Item = TokenBucketState> {
    (0..=2).flat_map(|last| {
        (0..=9_u64).flat_map(move |ahead| {
            (0..=4_u32).flat_map(move |of| {
                // By interval, as much as a quota of 4 could have to spare.
                let slacks = if ahead == 0 { 1 } else { of.max(4 * u32::from(of == 0)).max(1) };
                (0..slacks).map(move |slack| TokenBucketState {
                    full_at: last + ahead,
                    last,
                    fraction: Fraction::new(slack, of),
                })
            })
        })
    })
}

fn policies(refills: &[Refill]) -> impl Iterator<Item = TokenBucket> {
    (1..=3).flat_map(move |quota| {
        (1..=5).flat_map(move |window| {
            (1..=4).flat_map(move |burst| {
                refills.iter().map(move |refill| {
                    TokenBucket::new_with(quota, Duration::from_nanos(window), burst, *refill).unwrap()
                })
            })
        })
    })
}

/// Tokens that a bucket misses, as a fraction: this many `1 / parts` of one.
trait Fractions {
    fn parts(policy: &TokenBucket) -> i128;

    /// What is missing at a time.
    fn missing(policy: &TokenBucket, state: &TokenBucketState, at: u64) -> i128;
}

/// In `1 / window` of a token: a nanosecond brings `quota` of them.
struct Steady;

impl Fractions for Steady {
    fn parts(policy: &TokenBucket) -> i128 {
        i128::from(policy.window.get())
    }

    fn missing(policy: &TokenBucket, state: &TokenBucketState, at: u64) -> i128 {
        let quota = i128::from(policy.quota());
        let slack = if state.fraction.of() == policy.quota() { i128::from(state.fraction.slack()) } else { 0 };
        (i128::from(state.full_at) * quota - slack - i128::from(at) * quota).max(0)
    }
}

/// In whole tokens: a point of the grid brings `quota` of them, and so does `full_at`, if it is none.
struct Stepped;

impl Stepped {
    fn is_point(policy: &TokenBucket, at: u64) -> bool {
        let Refill::Interval { origin } = policy.refill() else { panic!("by interval") };
        (i128::from(at) - i128::from(origin.as_nanos())) % i128::from(policy.window.get()) == 0
    }
}

impl Fractions for Stepped {
    fn parts(_: &TokenBucket) -> i128 {
        1
    }

    fn missing(policy: &TokenBucket, state: &TokenBucketState, at: u64) -> i128 {
        if state.full_at <= at {
            return 0;
        }
        let quota = i128::from(policy.quota());
        let points = (at + 1..state.full_at).filter(|point| Self::is_point(policy, *point)).count() as i128 + 1;
        let mine = state.fraction.of() == 0 && Self::is_point(policy, state.full_at);
        let spare = if mine { i128::from(state.fraction.slack()).min(quota - 1) } else { 0 };
        points * quota - spare
    }
}

fn judgements_are_exact<F: Fractions>(refills: &[Refill], but: &[&str]) {
    let mut seen = Seen::default();
    for policy in policies(refills) {
        for state in states() {
            for now in (0..=12).map(Timestamp::from_nanos) {
                let read = state.read(now);
                for cost in 1..=policy.burst() {
                    let passes = |at| {
                        F::missing(&policy, &state, at) + i128::from(cost) * F::parts(&policy)
                            <= i128::from(policy.burst()) * F::parts(&policy)
                    };
                    let expected = match (read..).find(|at| passes(*at)).unwrap() {
                        at if at == read => Decision::Allow,
                        at => Decision::Deny { retry_after: now.until_deadline(at) },
                    };
                    let mut judged = state.clone();
                    assert_eq!(
                        policy.judge_n(&mut judged, cost, now),
                        Ok(expected),
                        "{policy} {state:?} {cost} at {now:?}"
                    );
                    if cost == 1 {
                        let mut by_one = state.clone();
                        assert_eq!((policy.judge(&mut by_one, now), by_one), (expected, judged.clone()));
                    }
                    let mut refunded = state.clone();
                    policy.refund_to(&mut refunded, cost, now);
                    note(&mut seen, &policy, &state, now, expected, &judged, &refunded);
                    if expected.is_allow() {
                        let taken = F::missing(&policy, &state, read) + i128::from(cost) * F::parts(&policy);
                        assert_eq!(judged.last, read);
                        for at in read..read + 12 {
                            assert_eq!(
                                F::missing(&policy, &judged, at),
                                left::<F>(&policy, taken, read, at),
                                "{policy} {judged:?} at {at}"
                            );
                        }
                    }
                }
            }
        }
    }
    seen.nothing_is_missing(but);
}

/// What is missing at `at`, of what was missing at `read`.
fn left<F: Fractions>(policy: &TokenBucket, missing: i128, read: u64, at: u64) -> i128 {
    let quota = i128::from(policy.quota());
    let back = match policy.refill() {
        Refill::Continuous => i128::from(at - read) * quota,
        Refill::Interval { .. } => {
            (read + 1..=at).filter(|point| Stepped::is_point(policy, *point)).count() as i128 * quota
        }
    };
    (missing - back).max(0)
}

fn note(
    seen: &mut Seen,
    policy: &TokenBucket,
    state: &TokenBucketState,
    now: Timestamp,
    decision: Decision,
    judged: &TokenBucketState,
    refunded: &TokenBucketState,
) {
    let read = state.read(now);
    let (whole, step, fraction) = match &policy.pace {
        Pace::Continuous(_) => {
            let parts = u128::from(policy.window.get()) * u128::from(policy.burst() - 1);
            let quota = u128::from(policy.quota());
            ((parts / quota) as u64, 1, u32::from(judged.fraction.slack() > state.fraction.slack()))
        }
        Pace::Interval(_) => {
            let quotas = u64::from((policy.burst() - 1) / policy.quota());
            (
                quotas * policy.window.get(),
                policy.window.get(),
                u32::from(judged.fraction.slack() > state.fraction.slack()),
            )
        }
    };
    let full = state.full_at <= read;
    let at_the_edge = !full && state.full_at > read + whole && state.full_at <= read + whole + step;
    seen.full += u32::from(full);
    seen.late += u32::from(read > now.as_nanos());
    seen.anothers += u32::from(!full && (state.fraction.of() == 0) != (policy.refill() != Refill::Continuous));
    seen.allowed += u32::from(decision.is_allow());
    seen.denied += u32::from(!decision.is_allow());
    seen.allowed_at_the_edge += u32::from(at_the_edge && decision.is_allow());
    seen.denied_at_the_edge += u32::from(at_the_edge && !decision.is_allow());
    seen.borrowed += u32::from(!full && decision.is_allow() && fraction > 0);
    seen.emptied_by_refund += u32::from(!full && refunded.full_at == refunded.last);
    seen.refunded += u32::from(!full && refunded.full_at < state.full_at && refunded.full_at > refunded.last);
    seen.kept_as_it_was += u32::from(!full && refunded == state);
}

#[test]
fn continuous_refill_is_exact_over_a_small_domain() {
    // A refund always gives back something.
    judgements_are_exact::<Steady>(&[Refill::Continuous], &["kept as it was"]);
}

#[test]
fn refill_by_interval_is_exact_over_a_small_domain() {
    let refills = [0, 1, 3].map(|nanos| Refill::Interval { origin: Timestamp::from_nanos(nanos) });
    judgements_are_exact::<Stepped>(&refills, &[]);
}

/// What a refund gives back is missing no longer; under another policy, it may be less, but never the reverse.
#[test]
fn refunds_are_exact_over_a_small_domain() {
    for policy in policies(&[Refill::Continuous]) {
        refunds_are_exact::<Steady>(&policy, |state| state.fraction.of() == policy.quota());
    }
    for policy in policies(&[0, 2].map(|nanos| Refill::Interval { origin: Timestamp::from_nanos(nanos) })) {
        refunds_are_exact::<Stepped>(&policy, |state| {
            state.fraction.of() == 0
                && state.fraction.slack() < policy.quota()
                && Stepped::is_point(&policy, state.full_at)
        });
    }
}

fn refunds_are_exact<F: Fractions>(policy: &TokenBucket, is_mine: impl Fn(&TokenBucketState) -> bool) {
    for state in states() {
        for (now, cost) in (0..=12).flat_map(|now| (1..=5).map(move |cost| (Timestamp::from_nanos(now), cost))) {
            let mut refunded = state.clone();
            policy.refund_to(&mut refunded, cost, now);
            assert_eq!(refunded.last, state.last, "time is never given back");
            assert!(refunded.full_at <= state.full_at && refunded.full_at >= state.last);
            if state.full_at <= state.read(now) {
                assert_eq!(refunded, state, "full");
                continue;
            }
            let missing = F::missing(policy, &state, state.last);
            let given = (missing - i128::from(cost) * F::parts(policy)).max(0);
            let left = F::missing(policy, &refunded, state.last);
            if is_mine(&state) {
                assert_eq!(left, given, "{policy} {state:?} {cost}");
            } else {
                assert!(left <= missing && left >= given, "{policy} {state:?} {cost}");
            }
        }
    }
}

#[cfg(feature = "std")]
#[test]
fn a_fraction_is_printed_as_one() {
    assert_eq!(std::format!("{:?}", Fraction::new(1, 7)), "1/7");
}

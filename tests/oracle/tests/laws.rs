//! The model against what does not need it: the bounds, and a key of which nothing is remembered. Random steps, the same in every run.

use tollgate_oracle::bound::{Admission, effective, holds};
use tollgate_oracle::{Answer, Kind, Model, Policy, Refill};

/// The generator xorshift64 of G. Marsaglia.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn units(&mut self, end: u32) -> u32 {
        self.below(u64::from(end)) as u32
    }

    fn policy(&mut self, kind: Kind) -> Policy {
        let (quota, window_ns, origin) = (1 + self.units(6), 1 + self.below(12), self.below(12));
        let on_grid = self.below(2) == 0;
        match kind {
            Kind::FixedWindow => Policy::FixedWindow { quota, window_ns, grid: on_grid.then_some(origin) },
            Kind::SlidingLog { .. } => Policy::SlidingLog { quota, window_ns },
            Kind::TokenBucket => {
                let refill = if on_grid { Refill::Interval { origin_ns: origin } } else { Refill::Continuous };
                Policy::TokenBucket { quota, window_ns, burst: 1 + self.units(8), refill }
            }
        }
    }

    /// A time about as late as the last one, or somewhat later.
    fn time(&mut self, last: &mut u64) -> u64 {
        *last += self.below(4);
        last.saturating_sub(if self.below(4) == 0 { self.below(15) } else { 0 })
    }

    /// Anything that changes a key.
    fn step(&mut self, model: &mut Model, policy: &Policy, now: u64) {
        let cost = self.units(9);
        match self.below(6) {
            0 => model.charge(policy, cost, now),
            1 => model.refund(policy, cost, now),
            _ => {
                model.check(policy, cost, now);
            }
        }
    }
}

const KINDS: [Kind; 4] =
    [Kind::FixedWindow, Kind::SlidingLog { capacity: None }, Kind::SlidingLog { capacity: Some(2) }, Kind::TokenBucket];

/// Runs `law` for every kind with many generators.
fn for_all(law: impl Fn(Kind, &mut Random)) {
    for kind in KINDS {
        for seed in 1..=1500_u64 {
            law(kind, &mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        }
    }
}

#[test]
fn a_request_passes_if_and_only_if_the_bound_stays_whole() {
    for_all(|kind, random| {
        let full_log_denies = matches!(kind, Kind::SlidingLog { capacity: Some(_) });
        let policy = random.policy(kind);
        let (mut model, mut made, mut time) = (Model::new(kind), Vec::new(), 0);
        for _ in 0..30 {
            let (now, units) = (random.time(&mut time), 1 + random.units(policy.limit()));
            if random.below(5) == 0 && kind != Kind::FixedWindow {
                give_back(&policy, &model, &mut made, units, now);
                model.refund(&policy, units, now);
                continue;
            }
            made.push(Admission { at_ns: now, units });
            let with_it = holds(&policy, &effective(made.iter().copied()));
            match model.check(&policy, units, now) {
                Answer::Allow => assert_eq!(with_it, Ok(()), "{policy:?} admitted the last of {made:?}"),
                Answer::Deny { .. } => {
                    assert!(with_it.is_err() || full_log_denies, "{policy:?} denied the last of {made:?}");
                    made.pop();
                }
                Answer::Never => panic!("{units} is within the limit of {policy:?}"),
            }
        }
    });
}

/// Takes units out of the newest admissions, as far as they count. Those without units stay: their times were read.
fn give_back(policy: &Policy, model: &Model, made: &mut [Admission], units: u32, now: u64) {
    let effective = effective(made.iter().copied());
    let read = effective.last().map_or(now, |newest| newest.at_ns.max(now));
    let counts = |admission: &Admission| match policy {
        Policy::SlidingLog { window_ns, .. } => read < admission.at_ns + window_ns,
        _ => !model.is_expired(read),
    };
    let mut owed = units;
    for (admission, effective) in made.iter_mut().zip(&effective).rev() {
        if counts(effective) {
            let back = owed.min(admission.units);
            admission.units -= back;
            owed -= back;
        }
    }
}

#[test]
fn a_denied_request_passes_after_the_wait_and_not_before() {
    for_all(|kind, random| {
        let (mut model, mut time) = (Model::new(kind), 0);
        for _ in 0..30 {
            let (policy, now) = (random.policy(kind), random.time(&mut time));
            let cost = random.units(9);
            if let Answer::Deny { retry_after_ns } = model.peek(&policy, cost, now) {
                for at in now..now + retry_after_ns {
                    let rest = now + retry_after_ns - at;
                    assert_eq!(
                        model.peek(&policy, cost, at),
                        Answer::Deny { retry_after_ns: rest },
                        "{policy:?} {model:?}"
                    );
                }
                for at in now + retry_after_ns..now + retry_after_ns + 30 {
                    assert_eq!(model.peek(&policy, cost, at), Answer::Allow, "{policy:?} {model:?}");
                }
            }
            random.step(&mut model, &policy, now);
        }
    });
}

#[test]
fn an_expired_key_is_as_good_as_new_under_every_policy() {
    for_all(|kind, random| {
        let (mut model, mut time) = (Model::new(kind), 0);
        for _ in 0..30 {
            let (policy, now) = (random.policy(kind), random.time(&mut time));
            random.step(&mut model, &policy, now);

            let (policy, later) = (random.policy(kind), model.expires_at() + random.below(20));
            let (mut old, mut new) = (model.clone(), Model::new(kind));
            for _ in 0..4 {
                let now = later + random.below(10);
                assert_eq!(old.status(&policy, now), new.status(&policy, now), "{policy:?} at {now}: {model:?}");
                let cost = random.units(9);
                assert_eq!(
                    old.check(&policy, cost, now),
                    new.check(&policy, cost, now),
                    "{policy:?} at {now}: {model:?}"
                );
            }
        }
    });
}

#[test]
fn a_refunded_admission_was_never_made() {
    for_all(|kind, random| {
        let policy = random.policy(kind);
        let (mut model, mut time) = (Model::new(kind), 0);
        for _ in 0..30 {
            let now = random.time(&mut time);
            let cost = random.units(9);
            let mut refunded = model.clone();
            if refunded.check(&policy, cost, now) == Answer::Allow {
                refunded.refund(&policy, cost, now);
                // At or after the admission, whose time may be later than this `now`.
                for at in time..time + 20 {
                    assert_eq!(refunded.status(&policy, at), model.status(&policy, at), "{cost} at {now}: {model:?}");
                }
            }
            random.step(&mut model, &policy, now);
        }
    });
}

#[test]
fn a_shift_in_time_shows_nowhere() {
    for_all(|kind, random| {
        let shift = random.below(1 << 62);
        let (mut here, mut there, mut time) = (Model::new(kind), Model::new(kind), 0);
        for _ in 0..30 {
            let (policy, now) = (without_grid(random.policy(kind)), random.time(&mut time));
            assert_eq!(here.status(&policy, now), there.status(&policy, now + shift));
            let mut again = Random(random.0);
            random.step(&mut here, &policy, now);
            again.step(&mut there, &policy, now + shift);
        }
    });
}

fn without_grid(policy: Policy) -> Policy {
    match policy {
        Policy::FixedWindow { quota, window_ns, .. } => Policy::FixedWindow { quota, window_ns, grid: None },
        Policy::TokenBucket { quota, window_ns, burst, .. } => {
            Policy::TokenBucket { quota, window_ns, burst, refill: Refill::Continuous }
        }
        log => log,
    }
}

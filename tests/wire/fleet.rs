//! Machines that share a store, with clocks that differ, a store that forgets by its own, and steps that cross each other.

use core::error::Error;
use core::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use tollgate::wire::Wire;
use tollgate::wire::step::{self, Condition, Step, StepError, Write};
use tollgate::{
    Both, Decision, FixedWindow, FixedWindowState, Policy as _, SlidingLog, SlidingLogState, Timestamp, TokenBucket,
    Wait,
};
use tollgate_harness::key::Action;
use tollgate_harness::oracle::bound::{self, Admission};
use tollgate_harness::oracle::{Answer, Model, Policy, Refill};
use tollgate_harness::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows, answer, status};

/// What happens next: after some time, a machine goes on with what it is at, or begins a request.
#[derive(Clone, Copy, Debug)]
struct Event {
    after: u64,
    machine: usize,
    action: Action,
    cost: u32,
}

/// How far apart the clocks are, how long a step may take, and what the store can express of a time.
#[derive(Clone, Debug)]
struct Setting {
    ahead: Vec<u64>,
    patience: u64,
    tick: u64,
}

impl Setting {
    fn spread(&self) -> u64 {
        let ahead = || self.ahead.iter().copied();
        ahead().max().unwrap_or(0) - ahead().min().unwrap_or(0)
    }

    /// What the documentation says to allow for.
    fn skew(&self) -> Duration {
        Duration::from_nanos(self.spread() + self.patience)
    }
}

/// A write that is on its way.
struct Pending {
    action: Action,
    cost: u32,
    /// When the clock was read, in true time, and what it said.
    since: u64,
    read: u64,
    expected: Option<Vec<u8>>,
    bytes: Vec<u8>,
    keep: u64,
}

/// One key. The model is asked the same, in the order of the writes, and never forgets.
struct World<'a, S: Subject> {
    setting: &'a Setting,
    policy: &'a Policy,
    mine: S::Policy,
    now: u64,
    stored: Option<(Vec<u8>, u64)>,
    model: Model,
    pending: Vec<Option<Pending>>,
    /// What was admitted, by the clocks that it was judged by, and by true time.
    admitted: Vec<Admission>,
    in_truth: Vec<Admission>,
}

impl<'a, S: Subject> World<'a, S> {
    fn new(setting: &'a Setting, policy: &'a Policy) -> Self {
        Self {
            setting,
            policy,
            mine: S::policy(policy),
            now: 0,
            stored: None,
            model: Model::new(S::KIND),
            pending: setting.ahead.iter().map(|_| None).collect(),
            admitted: Vec::new(),
            in_truth: Vec::new(),
        }
    }

    fn run(mut self, events: &[Event]) -> Self {
        for event in events {
            self.now += event.after;
            if self.stored.as_ref().is_some_and(|(_, until)| self.now >= *until) {
                self.stored = None;
            }
            let machine = event.machine % self.pending.len();
            match self.pending[machine].take() {
                None => self.pending[machine] = self.begin(machine, *event),
                Some(pending) if self.now - pending.since > self.setting.patience => {} // given up
                Some(pending) => self.commit(pending),
            }
        }
        self
    }

    fn begin(&self, machine: usize, Event { action, cost, .. }: Event) -> Option<Pending> {
        let stored = self.stored.as_ref().map(|(bytes, _)| bytes.as_slice());
        let (read, skew) = (self.now + self.setting.ahead[machine], self.setting.skew());
        let now = Timestamp::from_nanos(read);
        let step: Result<Step<'_, S::State>, _> = match action {
            Action::Check => step::check(&self.mine, stored, cost, now, skew),
            Action::Peek => step::check(&self.mine, stored, 0, now, skew),
            Action::Charge => step::charge(&self.mine, stored, cost, now, skew).map_err(Into::into),
            Action::Refund => step::refund(&self.mine, stored, cost, now, skew).map_err(Into::into),
        };
        let expected = if action == Action::Check { self.model.peek(self.policy, cost, read) } else { Answer::Allow };
        match step {
            Ok(Step::Settled { decision, state }) => {
                assert_eq!(answer::<()>(Ok(decision)), expected, "settled");
                assert_eq!(
                    status(self.mine.status_of(&state, now)),
                    self.model.status(self.policy, read),
                    "as it stands"
                );
                None
            }
            Ok(Step::Write(Write { state, condition, keep })) => {
                assert_eq!(expected, Answer::Allow, "to be written");
                let expected = condition.expected().map(<[u8]>::to_vec);
                let keep = keep.as_nanos().next_multiple_of(self.setting.tick);
                Some(Pending { action, cost, since: self.now, read, expected, bytes: state.to_vec(), keep })
            }
            Err(StepError::CostExceedsLimit(_)) => {
                assert_eq!(expected, Answer::Never);
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn commit(&mut self, pending: Pending) {
        let Pending { action, cost, since, read, expected, bytes, keep } = pending;
        if expected.as_ref() != self.stored.as_ref().map(|(bytes, _)| bytes) {
            return; // a conflict, and the machine begins again
        }
        match action {
            Action::Check | Action::Peek => {
                assert_eq!(self.model.check(self.policy, cost, read), Answer::Allow, "written");
                self.admitted.push(Admission { at_ns: read, units: cost });
                self.in_truth.push(Admission { at_ns: since, units: cost });
            }
            Action::Charge => self.model.charge(self.policy, cost, read),
            Action::Refund => self.model.refund(self.policy, cost, read),
        }
        let state = S::State::decode(&bytes).unwrap();
        let now = Timestamp::from_nanos(read);
        assert_eq!(status(self.mine.status_of(&state, now)), self.model.status(self.policy, read), "as it is written");
        self.stored = Some((bytes, self.now + keep));
    }
}

fn windows() -> impl Strategy<Value = Policy> {
    (1..=4_u32, 1..=20_u64, proptest::option::of(0..=20_u64)).prop_map(|(quota, window_ns, grid)| Policy::FixedWindow {
        quota,
        window_ns,
        grid,
    })
}

fn logs() -> impl Strategy<Value = Policy> {
    (1..=4_u32, 1..=20_u64).prop_map(|(quota, window_ns)| Policy::SlidingLog { quota, window_ns })
}

fn buckets() -> impl Strategy<Value = Policy> {
    let refill =
        prop_oneof![Just(Refill::Continuous), (0..=20_u64).prop_map(|origin_ns| Refill::Interval { origin_ns })];
    (1..=4_u32, 1..=20_u64, 1..=6_u32, refill).prop_map(|(quota, window_ns, burst, refill)| Policy::TokenBucket {
        quota,
        window_ns,
        burst,
        refill,
    })
}

fn setting() -> impl Strategy<Value = Setting> {
    (vec(0..=12_u64, 1..=4), 0..=8_u64, 1..=5_u64).prop_map(|(ahead, patience, tick)| Setting { ahead, patience, tick })
}

fn events(action: impl Strategy<Value = Action>) -> impl Strategy<Value = Vec<Event>> {
    let after = prop_oneof![6 => 0..=3_u64, 2 => 0..=15_u64, 1 => 0..=60_u64];
    let event = (after, 0..4_usize, action, 0..=5_u32).prop_map(|(after, machine, action, cost)| Event {
        after,
        machine,
        action,
        cost,
    });
    vec(event, 1..150)
}

fn checks() -> impl Strategy<Value = Vec<Event>> {
    events(Just(Action::Check))
}

fn anything() -> impl Strategy<Value = Vec<Event>> {
    events(prop_oneof![
        6 => Just(Action::Check), 1 => Just(Action::Peek), 1 => Just(Action::Charge), 2 => Just(Action::Refund)
    ])
}

fn law_1<S: Subject>(setting: &Setting, policy: &Policy, events: &[Event]) {
    let world = World::<S>::new(setting, policy).run(events);
    assert_eq!(bound::holds(policy, &bound::effective(world.admitted)), Ok(()), "by the key's time");
    // By true time, which nobody knows, windows are shorter by what the clocks differ.
    let spread = setting.spread();
    let in_truth = match *policy {
        Policy::SlidingLog { quota, window_ns } if window_ns > spread => {
            bound::sliding_log(quota, window_ns - spread, &world.in_truth)
        }
        Policy::TokenBucket { quota, window_ns, burst, refill: Refill::Continuous } => {
            // What comes back while the clocks differ, as if it were there at once.
            let ahead = u128::from(spread) * u128::from(quota);
            let more = u32::try_from(ahead.div_ceil(u128::from(window_ns))).unwrap();
            bound::bucket_continuous(quota, window_ns, burst + more, &world.in_truth)
        }
        _ => Ok(()),
    };
    assert_eq!(in_truth, Ok(()), "by true time");
}

macro_rules! fleets {
    ($($module:ident: $subject:ty, $policies:expr;)*) => {
        $(
            mod $module {
                use super::*;

                proptest! {
                    #![proptest_config(ProptestConfig::with_cases(1_000))]

                    #[test]
                    fn law_1_bound(setting in setting(), policy in $policies, events in checks()) {
                        law_1::<$subject>(&setting, &policy, &events);
                    }

                    /// Every answer is that of a key which never forgets: nothing is minted, whatever the clocks, nor lost.
                    #[test]
                    fn law_7_forgetting_is_invisible(setting in setting(), policy in $policies, events in anything()) {
                        World::<$subject>::new(&setting, &policy).run(&events);
                    }
                }
            }
        )*
    };
}

fleets! {
    fixed_window: Windows, windows();
    sliding_log: GrowingLog, logs();
    sliding_log_in_place: ArrayLog<2>, logs();
    token_bucket: Buckets, buckets();
}

const ONE_IN_TEN: FixedWindow = FixedWindow::constant(1, Duration::from_nanos(10));

/// The bytes that a check at some time stores, and how long they are kept.
fn admitted(stored: Option<&[u8]>, now: u64, skew: u64) -> Option<(Vec<u8>, u64)> {
    match step::check(&ONE_IN_TEN, stored, 1, Timestamp::from_nanos(now), Duration::from_nanos(skew)).unwrap() {
        Step::Write(write) => Some((write.state.to_vec(), write.keep.as_nanos())),
        Step::Settled { .. } => None,
    }
}

#[test]
fn keeping_a_key_for_less_than_the_skew_is_one_quota_too_much() {
    // A clock 5 ahead writes when it is 100 in truth, and one that is right asks when the store has just dropped the key.
    for allowed_for in 0..=8 {
        let (_, keep) = admitted(None, 105, allowed_for).unwrap();
        let dropped_at = 100 + keep;
        assert_eq!(dropped_at < 115, allowed_for < 5, "before the window ends by the clock that asks: {allowed_for}");
    }
}

#[test]
fn a_write_that_lands_after_its_time_finds_a_key_that_was_full_and_is_forgotten() {
    // Two machines read that nothing is stored at 100. One writes at once.
    let (first, keep) = admitted(None, 100, 3).unwrap();
    let now = Timestamp::from_nanos(100);
    let Ok(Step::Write(late)) = step::check(&ONE_IN_TEN, None, 1, now, Duration::from_nanos(3)) else {
        panic!("nothing was stored");
    };
    for lands_at in 100..=120 {
        let stored = (lands_at < 100 + keep).then_some(&first[..]);
        let is_written = late.condition.expected() == stored;
        assert_eq!(is_written, lands_at >= 113, "not within the 3 that it has, nor while it would count: {lands_at}");
    }
}

#[test]
fn machines_that_are_behind_wait_for_longer() {
    let (stored, _) = admitted(None, 105, 5).unwrap();
    for behind in 0..=5 {
        let now = Timestamp::from_nanos(105 - behind);
        let Ok(Step::Settled { decision, .. }) = step::check(&ONE_IN_TEN, Some(&stored), 1, now, Duration::ZERO) else {
            panic!("a denial");
        };
        assert_eq!(decision, Decision::Deny { retry_after: Wait::from_nanos(10 + behind) });
    }
}

#[test]
fn absent_and_changed_are_different_conditions() {
    let write = |stored| match step::check(&ONE_IN_TEN, stored, 1, Timestamp::from_secs(1), Duration::ZERO) {
        Ok(Step::Write(write)) => write,
        other => panic!("{other:?}"),
    };
    assert_eq!(write(None).condition, Condition::Absent);
    let default = FixedWindowState::default().to_vec();
    assert_eq!(write(Some(&default)).condition, Condition::Unchanged(&default), "though it means the same");
    assert_eq!(write(None).state, write(Some(&default)).state);
    assert_eq!(
        (write(None).condition.expected(), write(Some(&default)).condition.expected()),
        (None, Some(&default[..]))
    );
}

#[test]
fn what_changes_nothing_is_not_written() {
    let at = Timestamp::from_secs(1);
    let settled = |step: Result<Step<'_, FixedWindowState>, StepError>| matches!(step, Ok(Step::Settled { .. }));
    let (full, _) = admitted(None, at.as_nanos(), 0).unwrap();
    for stored in [None, Some(&full[..])] {
        assert!(settled(step::check(&ONE_IN_TEN, stored, 0, at, Duration::ZERO)));
        assert!(settled(step::charge(&ONE_IN_TEN, stored, 0, at, Duration::ZERO).map_err(Into::into)));
        assert!(settled(step::refund(&ONE_IN_TEN, stored, 0, at, Duration::ZERO).map_err(Into::into)));
    }
    assert!(settled(step::check(&ONE_IN_TEN, Some(&full), 1, at, Duration::ZERO)));
    assert!(settled(step::refund(&ONE_IN_TEN, None, 1, at, Duration::ZERO).map_err(Into::into)));
    let judged = |stored| step::judge(stored, at, Duration::ZERO, |state| ONE_IN_TEN.judge(state, at)).unwrap();
    let (decision, write) = judged(None);
    assert!(decision.is_allow() && write.is_some_and(|write| write.state.to_vec() == full));
    let (decision, write) = judged(Some(&full));
    assert!(!decision.is_allow() && write.is_none());
}

#[test]
fn a_key_is_kept_until_it_expires_and_the_skew_beyond_in_whole_units() {
    const MINUTE: SlidingLog = SlidingLog::constant(10, Duration::from_secs(60));
    let keep = |now, skew| match step::check::<SlidingLogState>(&MINUTE, None, 1, now, skew) {
        Ok(Step::Write(write)) => write.keep,
        other => panic!("{other:?}"),
    };
    let now = Timestamp::from_secs(1_700_000_000);
    assert_eq!(keep(now, Duration::ZERO).as_millis_ceil(), 60_000);
    let a_little = keep(now, Duration::from_nanos(1));
    assert_eq!((a_little.as_millis_ceil(), a_little.as_secs_ceil()), (60_001, 61));
    assert_eq!(keep(now, Duration::MAX), Wait::MAX, "saturates");
    assert_eq!(keep(Timestamp::MAX, Duration::ZERO), Wait::MAX, "for good: it expires after the last timestamp");
}

#[test]
fn what_has_expired_by_a_refund_is_kept_for_an_instant() {
    const BUCKET: TokenBucket = TokenBucket::constant(1, Duration::from_nanos(10));
    let Ok(Step::Write(taken)) = step::check(&BUCKET, None, 1, Timestamp::from_nanos(5), Duration::ZERO) else {
        panic!("admitted");
    };
    let stored = taken.state.to_vec();
    let Ok(Step::Write(given_back)) = step::refund(&BUCKET, Some(&stored), 1, Timestamp::from_nanos(9), Duration::ZERO)
    else {
        panic!("given back");
    };
    assert_eq!(given_back.keep, Wait::from_nanos(1), "no store takes a time of zero");
}

#[test]
fn two_policies_on_one_key_are_one_step() {
    const BOTH: Both<TokenBucket, FixedWindow> =
        Both(TokenBucket::constant(5, Duration::from_secs(1)), FixedWindow::constant(3, Duration::from_secs(60)));
    let mut stored: Option<Vec<u8>> = None;
    let mut admitted = 0;
    for second in 0..5 {
        let now = Timestamp::from_secs(second);
        if let Step::Write(write) = step::check(&BOTH, stored.as_deref(), 1, now, Duration::ZERO).unwrap() {
            assert_eq!(write.keep, Wait::from_secs(60 - second), "the longer of the two");
            stored = Some(write.state.to_vec());
            admitted += 1;
        }
    }
    assert_eq!(admitted, 3);
}

#[test]
fn what_is_no_state_is_reported_and_not_trusted() {
    for stored in [&b""[..], b"?", &[0x12; 13], &[0xFF; 13]] {
        let now = Timestamp::ZERO;
        let checked = step::check(&ONE_IN_TEN, Some(stored), 1, now, Duration::ZERO).map(|_| ());
        let Err(StepError::Decode(error)) = checked else { panic!("{checked:?}") };
        let checked = checked.unwrap_err();
        assert_eq!(checked.to_string(), format!("what is stored is not read: {error}"));
        assert!(checked.source().is_none(), "a chain of errors says it once");
        assert_eq!(step::charge(&ONE_IN_TEN, Some(stored), 1, now, Duration::ZERO).map(|_| ()), Err(error));
        assert_eq!(step::refund(&ONE_IN_TEN, Some(stored), 1, now, Duration::ZERO).map(|_| ()), Err(error));
    }
}

//! A plain policy with one fault at a time: each is found by its law, and by the shortest trace there is.

use core::time::Duration;

use tollgate::conformance::{self, Admission, Law, PolicySuite};
use tollgate::{
    CostExceedsLimit, Decision, FixedWindow, FixedWindowState, Policy, Refill, State, Status, Timestamp, TokenBucket,
    TokenBucketState, Wait,
};

use crate::{assert_breach, panic_of};

const QUOTA: u32 = 2;
const WINDOW: u64 = 10;

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    FloorsItsWait,
    WritesOnDenial,
    CountsDenials,
    MintsOnABackwardClock,
    AdmitsOneTooMany,
    AdmitsOneTooFew,
    SlipsWhenPolled,
    ForgetsTooEarly,
    RemembersTooLong,
    Overflows,
    DeniesWhatCanNeverPass,
    SaysThatMoreRemain,
    ReportsThatNoneRemain,
    CountsOneAsTwo,
    RefundsHalf,
    ChargesNothing,
    ExpectsItsOwnWindow,
    PanicsInItsStatus,
}

/// A fixed window that opens with an admission, two units in ten nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Window {
    fault: Fault,
    length: u64,
}

const fn window(fault: Fault) -> Window {
    Window { fault, length: WINDOW }
}

#[derive(Clone, Default)]
struct Counted {
    ends_at: u64,
    used: u32,
    last: u64,
    /// Not compared: a field that somebody forgot.
    polls: u64,
    expires_early: bool,
    expires_late: bool,
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        (self.ends_at, self.used, self.last) == (other.ends_at, other.used, other.last)
    }
}

impl Counted {
    fn expiry(&self) -> u64 {
        self.ends_at + u64::from(self.expires_late) - u64::from(self.expires_early)
    }
}

impl State for Counted {
    fn is_expired(&self, now: Timestamp) -> bool {
        now.as_nanos() >= self.expiry()
    }

    fn expires_at(&self) -> Timestamp {
        Timestamp::from_nanos(self.expiry())
    }
}

impl Window {
    fn read(self, state: &Counted, now: Timestamp) -> u64 {
        match self.fault {
            Fault::MintsOnABackwardClock => now.as_nanos(),
            _ => now.as_nanos().max(state.last),
        }
    }

    /// The units that count; a clock that runs backwards has them forgotten by one that is made so.
    fn used(self, state: &Counted, now: Timestamp) -> u32 {
        let read = self.read(state, now);
        if self.fault == Fault::ExpectsItsOwnWindow && state.used > 0 {
            state.ends_at.checked_sub(self.length).expect("a window that opened after time zero");
        }
        if read >= state.ends_at - state.polls || read < state.last { 0 } else { state.used }
    }

    fn quota(self, used: u32) -> u32 {
        match self.fault {
            Fault::AdmitsOneTooMany => QUOTA + 1,
            Fault::AdmitsOneTooFew if used > 0 => QUOTA - 1,
            _ => QUOTA,
        }
    }

    fn denied(self, state: &mut Counted, now: Timestamp) {
        match self.fault {
            Fault::WritesOnDenial => state.last = self.read(state, now),
            Fault::CountsDenials => state.used += 1,
            Fault::SlipsWhenPolled => state.polls = 1,
            _ => {}
        }
    }
}

impl Policy<Counted> for Window {
    fn limit(&self) -> u32 {
        QUOTA
    }

    fn preview(&self, state: &Counted, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        if cost > QUOTA && self.fault != Fault::DeniesWhatCanNeverPass {
            return Err(CostExceedsLimit::new(cost, QUOTA));
        }
        let used = self.used(state, now);
        if cost == 0 || used.saturating_add(cost) <= self.quota(used) {
            return Ok(Decision::Allow);
        }
        let wait = state.ends_at.saturating_sub(now.as_nanos());
        let wait = if self.fault == Fault::FloorsItsWait { wait / 4 * 4 } else { wait };
        Ok(Decision::Deny { retry_after: Wait::from_nanos(wait) })
    }

    fn remaining_of(&self, state: &Counted, now: Timestamp) -> u32 {
        let used = self.used(state, now);
        match self.fault {
            Fault::SaysThatMoreRemain => QUOTA,
            _ => self.quota(used).saturating_sub(used).min(QUOTA),
        }
    }

    fn charge_to(&self, state: &mut Counted, cost: u32, now: Timestamp) {
        if cost == 0 || self.fault == Fault::ChargesNothing {
            return;
        }
        let read = self.read(state, now);
        if self.used(state, now) == 0 {
            let end = read + self.length;
            let end = if self.fault == Fault::Overflows {
                u64::try_from(end as i64).expect("an end before 2^63")
            } else {
                end
            };
            let ends_at = if self.fault == Fault::MintsOnABackwardClock { end } else { end.max(state.ends_at) };
            *state = Counted { ends_at, used: 0, ..state.clone() };
        }
        state.used = state.used.saturating_add(cost);
        state.last = read;
        state.expires_early = self.fault == Fault::ForgetsTooEarly;
        state.expires_late = self.fault == Fault::RemembersTooLong;
    }

    fn refund_to(&self, state: &mut Counted, cost: u32, now: Timestamp) {
        if self.used(state, now) > 0 {
            let units = if self.fault == Fault::RefundsHalf { cost / 2 } else { cost };
            state.used = state.used.saturating_sub(units);
        }
    }

    fn judge(&self, state: &mut Counted, now: Timestamp) -> Decision {
        let units = if self.fault == Fault::CountsOneAsTwo { 2 } else { 1 };
        let decision = self.preview(state, 1, now).expect("one can always pass");
        match decision {
            Decision::Allow => self.charge_to(state, units, now),
            Decision::Deny { .. } => self.denied(state, now),
        }
        decision
    }

    fn judge_n(&self, state: &mut Counted, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
        let decision = self.preview(state, cost, now)?;
        match decision {
            Decision::Allow if self.fault == Fault::ChargesNothing => window(Fault::None).charge_to(state, cost, now),
            Decision::Allow => self.charge_to(state, cost, now),
            Decision::Deny { .. } => self.denied(state, now),
        }
        Ok(decision)
    }

    fn status_of(&self, state: &Counted, now: Timestamp) -> Status {
        assert!(self.fault != Fault::PanicsInItsStatus, "no status");
        let remaining = if self.fault == Fault::ReportsThatNoneRemain { 0 } else { self.remaining_of(state, now) };
        let wait = if remaining == QUOTA { 0 } else { state.ends_at.saturating_sub(now.as_nanos()) };
        let wait = Wait::from_nanos(wait);
        Status::new(QUOTA, remaining, wait, wait)
    }
}

/// At most a quota in each window, in windows that open with an admission.
fn bound(admitted: &[Admission]) -> Result<(), String> {
    let (mut ends, mut used) = (0, 0);
    admitted.iter().try_for_each(|admission| {
        if admission.at.as_nanos() >= ends {
            (ends, used) = (admission.at.as_nanos() + WINDOW, 0);
        }
        used += admission.units;
        if used > QUOTA { Err(format!("{used} in a window")) } else { Ok(()) }
    })
}

/// That a fault is found by a law, after so many steps. Gives what is shown.
fn assert_found(fault: Fault, law: Law, steps: usize) -> String {
    assert_breach(PolicySuite::new(&window(fault)).bound(bound).tight().run(), law, steps)
}

#[test]
fn without_a_fault_it_conforms() {
    PolicySuite::new(&window(Fault::None)).bound(bound).tight().check();
    conformance::policy(&window(Fault::None));
    conformance::together(&window(Fault::None), &window(Fault::None));
}

#[test]
fn a_wait_that_is_rounded_down() {
    let shown = assert_found(Fault::FloorsItsWait, Law::ExactRetry, 1);
    assert_eq!(
        shown,
        "law 4, exact retry, is broken\n  With nothing in between, the same request is allowed at now + retry_after and denied a nanosecond \
         earlier; the wait is above zero and counts from the caller's now.\nafter this step, and by no shorter trace:\n  1. judge 1 at 0ns: \
         allowed\n  => preview 2 at 0ns: denied, retry after 8ns; then preview 2 at 8ns: denied, retry after 0ns; it must be: allowed"
    );
}

#[test]
fn a_denial_that_writes() {
    let shown = assert_found(Fault::WritesOnDenial, Law::Purity, 1);
    assert!(
        shown.ends_with(
            "1. judge 1 at 0ns: allowed\n  => judge 2 at 1ns: denied, retry after 9ns; the state has changed"
        ),
        "{shown}"
    );
}

#[test]
fn denials_that_count() {
    assert_found(Fault::CountsDenials, Law::Purity, 1);
}

#[test]
fn a_backward_clock_that_mints() {
    let shown = assert_found(Fault::MintsOnABackwardClock, Law::Time, 1);
    assert!(shown.contains("1. judge 1 at 1ns: allowed\n  => "), "{shown}");
}

#[test]
fn one_too_many() {
    let shown = assert_found(Fault::AdmitsOneTooMany, Law::Bound, 2);
    assert!(shown.ends_with("1. judge 1 at 0ns: allowed\n  2. judge 2 at 0ns: allowed\n  => 3 in a window"), "{shown}");
}

#[test]
fn one_too_many_at_any_distance() {
    let policy = window(Fault::AdmitsOneTooMany);
    let suite = PolicySuite::<_, Counted>::new(&policy).at_most(2 * QUOTA, Duration::from_nanos(WINDOW));
    let shown = assert_breach(suite.depth(3).run(), Law::Bound, 4);
    assert!(shown.contains("were admitted within 10ns from "), "{shown}");
}

#[test]
fn one_too_few() {
    let shown = assert_found(Fault::AdmitsOneTooFew, Law::NoNeedlessDenial, 1);
    assert!(shown.ends_with("=> preview 1 at 0ns: denied, retry after 10ns, and would be within the bound"), "{shown}");
    // Without a bound nobody can know.
    PolicySuite::new(&window(Fault::AdmitsOneTooFew)).check();
}

#[test]
fn answers_that_slip_when_polled() {
    let shown = assert_found(Fault::SlipsWhenPolled, Law::NoDrift, 1);
    assert!(shown.contains("=> after requests at all times that were denied, preview "), "{shown}");
}

#[test]
fn an_expiry_that_is_not_one() {
    assert_found(Fault::ForgetsTooEarly, Law::Forgetting, 1);
}

#[test]
fn a_late_expiry_only_costs_memory() {
    PolicySuite::new(&window(Fault::RemembersTooLong)).bound(bound).tight().check();
}

#[test]
fn a_panic() {
    let shown = assert_found(Fault::Overflows, Law::Totality, 0);
    assert!(
        shown.contains("\nat the very start:\n  => judge at 9223372036.854775806s: a panic, an end before 2^63"),
        "{shown}"
    );
}

#[test]
fn a_panic_at_what_another_tier_wrote() {
    let long = Window { length: 2 * WINDOW, ..window(Fault::ExpectsItsOwnWindow) };
    PolicySuite::new(&long).check();
    let shown = assert_breach(PolicySuite::new(&long).tier(&window(Fault::None)).run(), Law::Totality, 1);
    assert!(shown.contains("  1. judge 1 at 0ns under tier 1: allowed\n  => "), "{shown}");
}

#[test]
fn a_denial_of_what_can_never_pass() {
    let shown = assert_found(Fault::DeniesWhatCanNeverPass, Law::Cost, 0);
    assert!(shown.contains("\nat the very start:\n  => preview 3 at 0ns: denied"), "{shown}");
}

#[test]
fn more_is_said_to_remain() {
    assert_found(Fault::SaysThatMoreRemain, Law::Remaining, 1);
}

#[test]
fn a_status_at_odds_with_the_answers() {
    assert_found(Fault::ReportsThatNoneRemain, Law::Status, 0);
}

#[test]
fn one_unit_that_counts_as_two() {
    assert_found(Fault::CountsOneAsTwo, Law::Counting, 0);
}

#[test]
fn a_charge_that_does_not_count() {
    assert_found(Fault::ChargesNothing, Law::Counting, 0);
}

#[test]
fn a_refund_of_half() {
    assert_found(Fault::RefundsHalf, Law::Refund, 0);
}

#[test]
fn a_panic_in_a_status_is_no_other_s() {
    let shown = assert_found(Fault::PanicsInItsStatus, Law::Totality, 0);
    assert!(shown.ends_with("\nat the very start:\n  => status at 0ns: a panic, no status"), "{shown}");
}

#[test]
fn a_grid_that_nobody_mentioned() {
    let by_interval = TokenBucket::constant_with(
        QUOTA,
        Duration::from_nanos(WINDOW),
        QUOTA,
        Refill::Interval { origin: Timestamp::ZERO },
    );
    let shown = panic_of(|| conformance::policy::<TokenBucketState>(&by_interval));
    assert!(shown.contains("; with a grid, adding whole windows (`PolicySuite::on_a_grid`).\n"), "{shown}");
    let daily = FixedWindow::constant(QUOTA, Duration::from_nanos(WINDOW)).aligned(Timestamp::ZERO);
    let shown = assert_breach(PolicySuite::<_, FixedWindowState>::new(&daily).run(), Law::Shift, 1);
    assert!(shown.contains(" with all times 1.000000007s later: "), "{shown}");
}

#[test]
fn the_panic_has_it_all() {
    let shown = panic_of(|| conformance::policy(&window(Fault::WritesOnDenial)));
    assert!(shown.starts_with("the policy does not conform: law 3, purity, is broken\n  A denial, "), "{shown}");
    let shown = panic_of(|| {
        conformance::together(
            &FixedWindow::constant(9, Duration::from_nanos(WINDOW)),
            &window(Fault::ReportsThatNoneRemain),
        );
    });
    assert!(shown.starts_with("the policies do not conform: law 10, all or none, is broken\n"), "{shown}");
}

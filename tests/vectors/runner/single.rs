//! Cases of one policy, through a state in hand and through the stores.

use core::num::NonZeroU32;
use core::time::Duration;
use std::collections::{BTreeMap, HashMap, HashSet};

use tollgate::store::{Prune, Pruned, prune};
use tollgate::{
    CheckError, Decision, FixedWindow, Full, Policy, SlidingLog, Slot, Slots, State, Store, Timestamp, TokenBucket,
};
use tollgate_harness::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows, status};
use tollgate_oracle as oracle;
use tollgate_vectors::policy::{PolicyError, Refill};
use tollgate_vectors::{Act, Answer, SingleCase, Step};

use crate::Wrong;

/// Room in place for more entries than any case makes, so that the log is never full.
const ROOMY: usize = 128;

/// Runs a case through all that can run it, and says through how many.
pub(crate) fn run(case: &SingleCase, wrong: &mut Wrong) -> usize {
    use tollgate_vectors::Policy;
    match (case.policy, case.capacity.map(NonZeroU32::get)) {
        (Policy::FixedWindow { .. }, _) => run_as::<Windows>(case, wrong),
        (Policy::TokenBucket { .. }, _) => run_as::<Buckets>(case, wrong),
        (Policy::SlidingLog { .. }, None) => {
            assert!(case.steps.len() < ROOMY, "{:?} may fill a log with room for {ROOMY}", case.name);
            run_as::<GrowingLog>(case, wrong) + run_as::<ArrayLog<ROOMY>>(case, wrong)
        }
        (Policy::SlidingLog { .. }, Some(1)) => run_as::<ArrayLog<1>>(case, wrong),
        (Policy::SlidingLog { .. }, Some(2)) => run_as::<ArrayLog<2>>(case, wrong),
        (Policy::SlidingLog { .. }, Some(3)) => run_as::<ArrayLog<3>>(case, wrong),
        (Policy::SlidingLog { .. }, Some(4)) => run_as::<ArrayLog<4>>(case, wrong),
        (Policy::SlidingLog { .. }, Some(other)) => panic!("{:?}: add a log with room for {other} here", case.name),
    }
}

fn run_as<S: Subject>(case: &SingleCase, wrong: &mut Wrong) -> usize {
    let keys: HashSet<_> = case.steps.iter().filter_map(|step| step.key.as_deref()).collect();
    let asks_of_the_store = case.steps.iter().any(|step| step.act.is_of_the_store());
    let mut runs = 0;
    let mut through = |limiter: &mut dyn Limiter| {
        runs += 1;
        steps(case, limiter, wrong);
    };
    if let Some(slots) = case.slots {
        through(&mut Kept::<S, _>::new("Slots", slots_of(slots)));
        return runs;
    }
    if keys.len() < 2 && !asks_of_the_store {
        through(&mut InHand::<S>(S::State::default()));
    }
    if keys.len() < 2 || !asks_of_the_store {
        // Whether another key takes a slot that is free or one that has expired, shows only in what is asked of the store.
        through(&mut Kept::<S, _>::new("Slots", slots_of(8)));
    }
    if !steps_back_behind_the_horizon(case) {
        through(&mut Kept::<S, _>::new("HashMap", HashMap::<String, S::State>::new()));
        through(&mut Kept::<S, _>::new("BTreeMap", BTreeMap::<String, S::State>::new()));
    }
    through(&mut Kept::<S, _>::new("Pruned<HashMap>", Pruned::<HashMap<String, S::State>>::default()));
    through(&mut Kept::<S, _>::new("Pruned<BTreeMap>", Pruned::<BTreeMap<String, S::State>>::default()));
    runs
}

fn slots_of<S: State>(count: u32) -> Slots<Box<[Slot<String, S>]>> {
    Slots::new((0..count).map(|_| Slot::EMPTY).collect())
}

/// A bare map keeps no horizon, and promises nothing for times before it.
fn steps_back_behind_the_horizon(case: &SingleCase) -> bool {
    let mut horizon = 0;
    case.steps.iter().any(|step| {
        horizon = step.reply.number("horizon_ns").unwrap_or(horizon);
        step.at_ns < horizon
    })
}

fn steps(case: &SingleCase, limiter: &mut dyn Limiter, wrong: &mut Wrong) {
    let mut policy = case.policy.build().unwrap();
    for (index, step) in case.steps.iter().enumerate() {
        if let Some(changed) = step.policy {
            policy = changed.build().unwrap();
        }
        let answer = limiter.take(&policy, step);
        if !wrong.compare(case, index, &limiter.name(), &answer) {
            return;
        }
    }
}

/// What takes steps.
trait Limiter {
    fn name(&self) -> String;

    fn take(&mut self, policy: &oracle::Policy, step: &Step) -> Answer;
}

/// Without the paths.
fn type_name<T>() -> String {
    let without_path = |part: &str| part.rsplit("::").next().unwrap_or_default().to_owned();
    std::any::type_name::<T>().split('<').map(without_path).collect::<Vec<_>>().join("<")
}

/// The answer to a request, where it is one of the policy.
fn judged<E>(decision: Result<Decision, E>, remaining: impl FnOnce() -> u32) -> Answer {
    match decision {
        Ok(Decision::Allow) => Answer::Allow { remaining: remaining() },
        Ok(Decision::Deny { retry_after }) => Answer::Deny { retry_after_ns: retry_after.as_nanos() },
        Err(_) => Answer::Never,
    }
}

/// A single state.
struct InHand<S: Subject>(S::State);

impl<S: Subject> Limiter for InHand<S> {
    fn name(&self) -> String {
        format!("{} in hand", type_name::<S::State>())
    }

    fn take(&mut self, policy: &oracle::Policy, step: &Step) -> Answer {
        let Self(state) = self;
        let (policy, now) = (S::policy(policy), Timestamp::from_nanos(step.at_ns));
        match step.act {
            Act::Check(cost) => {
                let mut by_one = state.clone();
                let decision = policy.judge_n(state, cost, now);
                if cost == 1 {
                    assert_eq!(
                        Ok(policy.judge(&mut by_one, now)),
                        decision,
                        "one unit has a path of its own: {step:?}"
                    );
                    assert_eq!(by_one, *state, "one unit has a path of its own: {step:?}");
                }
                judged(decision, || policy.remaining_of(state, now))
            }
            Act::Peek(cost) => judged(policy.preview(state, cost, now), || policy.remaining_of(state, now)),
            Act::Charge(cost) => {
                policy.charge_to(state, cost, now);
                Answer::Done { remaining: policy.remaining_of(state, now) }
            }
            Act::Refund(cost) => {
                policy.refund_to(state, cost, now);
                Answer::Done { remaining: policy.remaining_of(state, now) }
            }
            Act::Status => status(policy.status_of(state, now)).into(),
            Act::Expired => Answer::Expired(state.is_expired(now)),
            Act::Prune | Act::Keys => unreachable!("a state in hand is no store"),
        }
    }
}

/// A store of states.
struct Kept<S: Subject, T> {
    name: &'static str,
    store: T,
    subject: core::marker::PhantomData<S>,
}

impl<S: Subject, T> Kept<S, T> {
    fn new(name: &'static str, store: T) -> Self {
        Self { name, store, subject: core::marker::PhantomData }
    }
}

impl<S: Subject, T: Shelf> Limiter for Kept<S, T>
where
    for<'a> &'a mut T: Store<String, State = S::State, Error: Into<Full>>,
{
    fn name(&self) -> String {
        format!("{} of {}", self.name, type_name::<S::State>())
    }

    fn take(&mut self, policy: &oracle::Policy, step: &Step) -> Answer {
        let Self { store, .. } = self;
        let (policy, now) = (S::policy(policy), Timestamp::from_nanos(step.at_ns));
        let key = &step.key.clone().unwrap_or_default();
        match step.act {
            Act::Check(cost) => {
                let (mut by_cost, mut by_one) = (store.clone(), store.clone());
                let checked = policy.check_with_status(&mut *store, key, cost, now).map_err(owned);
                let decision = policy.check_n(&mut by_cost, key, cost, now).map_err(owned);
                assert_eq!(checked.map(|(decision, _)| decision), decision, "with status or without: {step:?}");
                assert!(by_cost == *store, "with status or without: {step:?}");
                if cost == 1 {
                    let one = policy.check(&mut by_one, key, now).map_err(|full| CheckError::Store(full.into()));
                    assert_eq!(one, decision, "by one or by cost: {step:?}");
                    assert!(by_one == *store, "by one or by cost: {step:?}");
                }
                match checked {
                    Ok((decision, status)) => judged::<()>(Ok(decision), || status.remaining),
                    Err(CheckError::CostExceedsLimit(_)) => Answer::Never,
                    Err(CheckError::Store(_)) => Answer::Full,
                }
            }
            Act::Peek(cost) => {
                let decision = policy.peek(&mut *store, key, cost, now);
                judged(decision, || policy.status(store, key, now).remaining)
            }
            Act::Charge(cost) => match policy.charge(&mut *store, key, cost, now).map_err(Into::<Full>::into) {
                Ok(()) => Answer::Done { remaining: policy.status(store, key, now).remaining },
                Err(_) => Answer::Full,
            },
            Act::Refund(cost) => {
                policy.refund(&mut *store, key, cost, now);
                Answer::Done { remaining: policy.status(store, key, now).remaining }
            }
            Act::Status => status(policy.status(store, key, now)).into(),
            Act::Expired => Answer::Expired(store.view(key, now, |state, _| state.is_expired(now))),
            Act::Prune => {
                let dropped = store.prune(now) as u32;
                let horizon = store.horizon().map(Timestamp::as_nanos);
                let horizon_ns = horizon.or_else(|| step.reply.number("horizon_ns")).expect("pruning answers it");
                Answer::Pruned { dropped, horizon_ns }
            }
            Act::Keys => Answer::Keys(store.len() as u32),
        }
    }
}

/// An error that no longer depends on the store that it comes from.
fn owned(error: CheckError<impl Into<Full>>) -> CheckError<Full> {
    match error {
        CheckError::CostExceedsLimit(error) => CheckError::CostExceedsLimit(error),
        CheckError::Store(error) => CheckError::Store(error.into()),
    }
}

/// What is asked of a store as a whole.
trait Shelf: Clone + PartialEq {
    fn len(&self) -> usize;

    fn prune(&mut self, now: Timestamp) -> usize;

    /// `None` for a bare map, which keeps none.
    fn horizon(&self) -> Option<Timestamp>;
}

macro_rules! bare_map {
    ($($map:ty),*) => { $(
        impl<S: State> Shelf for $map {
            fn len(&self) -> usize {
                self.len()
            }

            fn prune(&mut self, now: Timestamp) -> usize {
                prune(self, now)
            }

            fn horizon(&self) -> Option<Timestamp> {
                None
            }
        }
    )* };
}

bare_map!(HashMap<String, S>, BTreeMap<String, S>);

impl<M: Shelf + Prune> Shelf for Pruned<M> {
    fn len(&self) -> usize {
        self.map().len()
    }

    fn prune(&mut self, now: Timestamp) -> usize {
        self.prune(now)
    }

    fn horizon(&self) -> Option<Timestamp> {
        Some(self.horizon())
    }
}

impl<S: State> Shelf for Slots<Box<[Slot<String, S>]>> {
    fn len(&self) -> usize {
        self.len()
    }

    fn prune(&mut self, now: Timestamp) -> usize {
        self.prune(now)
    }

    fn horizon(&self) -> Option<Timestamp> {
        Some(self.horizon())
    }
}

/// Why the crate refuses to build a policy.
pub(crate) fn refusal(policy: &tollgate_vectors::Policy) -> Option<PolicyError> {
    use tollgate_vectors::Policy;
    let refused = match *policy {
        Policy::FixedWindow { quota, window_ns, .. } => FixedWindow::new(quota, Duration::from_nanos(window_ns)).err(),
        Policy::SlidingLog { quota, window_ns } => SlidingLog::new(quota, Duration::from_nanos(window_ns)).err(),
        Policy::TokenBucket { quota, window_ns, burst, refill, origin_ns } => {
            let refill = match refill {
                Refill::Continuous => tollgate::Refill::Continuous,
                Refill::Interval => tollgate::Refill::Interval { origin: Timestamp::from_nanos(origin_ns) },
            };
            let burst = burst.unwrap_or(quota);
            TokenBucket::new_with(quota, Duration::from_nanos(window_ns), burst, refill).err()
        }
    };
    refused.map(|error| match error {
        tollgate::PolicyError::ZeroQuota => PolicyError::ZeroQuota,
        tollgate::PolicyError::ZeroBurst => PolicyError::ZeroBurst,
        tollgate::PolicyError::Window { .. } => PolicyError::Window,
        tollgate::PolicyError::Fill { .. } => PolicyError::Fill,
        other => panic!("no vector knows {other:?}"),
    })
}

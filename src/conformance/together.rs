//! Several policies judged together: law 10.

use core::fmt;
use std::collections::BTreeMap;
use std::format;
use std::string::ToString;
use std::vec::Vec;

use super::law::{Breach, Fault, Held, Law, hold};
use super::samples::{ascending, times_of};
use super::subject::{Answer, At, Said};
use crate::decision::Decision;
use crate::layers::{Joint, JointError, Layer, all, all_with_status, peek_all};
use crate::policy::{Both, Policy};
use crate::state::State;
use crate::time::Timestamp;

/// Holds two policies, judged [together](crate::layers), to law 10, by every small trace: they admit together or change nothing, in either
/// order, and as [`Both`] on one key too.
///
/// # Panics
///
/// With the law that is broken and the shortest trace that does it, written out.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{FixedWindow, FixedWindowState, TokenBucket, TokenBucketState, conformance};
///
/// const DAILY: FixedWindow = FixedWindow::constant(3, Duration::from_secs(86_400));
/// const STEADY: TokenBucket = TokenBucket::constant(2, Duration::from_secs(1));
/// conformance::together::<FixedWindowState, TokenBucketState>(&DAILY, &STEADY);
/// ```
#[track_caller]
pub fn together<S: State, Z: State>(one: &impl Policy<S>, other: &impl Policy<Z>) {
    let times = times_of::<S>(one).into_iter().chain(times_of::<Z>(other));
    let mut pair = Pair { one, other, times: ascending(times), trace: Vec::new() };
    let held = (0..=2).try_for_each(|length| pair.walk(length, &Default::default()));
    if let Err(Fault { law, text }) = held {
        let trace = pair.trace.iter().map(ToString::to_string).collect();
        panic!("the policies do not conform: {}", Breach { law, trace, fault: text });
    }
}

/// A request of both, with a cost for each.
#[derive(Clone, Copy)]
struct Request {
    costs: (u32, u32),
    at: Timestamp,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, other) = self.costs;
        write!(f, "judge {one} and {other} at {}", At(self.at))
    }
}

struct Pair<'p, A, B> {
    one: &'p A,
    other: &'p B,
    times: Vec<Timestamp>,
    trace: Vec<Request>,
}

/// A store with one key.
type Single<S> = BTreeMap<(), S>;

impl<A, B> Pair<'_, A, B> {
    fn walk<S: State, Z: State>(&mut self, left: usize, states: &(S, Z)) -> Held
    where
        A: Policy<S>,
        B: Policy<Z>,
    {
        let costs = |limit: u32| ascending([0, 1, limit, limit.saturating_add(1)]);
        let (ones, others) = (costs(self.one.limit()), costs(self.other.limit()));
        for at in self.times.clone() {
            for cost in ones.iter().flat_map(|one| others.iter().map(|other| (*one, *other))) {
                let request = Request { costs: cost, at };
                if left == 0 {
                    self.hold(states, request)?;
                    continue;
                }
                let next = self.after(states, request);
                if next != *states {
                    self.trace.push(request);
                    self.walk(left - 1, &next)?;
                    self.trace.pop();
                }
            }
        }
        Ok(())
    }

    /// What each answers by itself.
    fn each<S: State, Z: State>(&self, states: &(S, Z), Request { costs, at }: Request) -> (Answer, Answer)
    where
        A: Policy<S>,
        B: Policy<Z>,
    {
        (self.one.preview(&states.0, costs.0, at), self.other.preview(&states.1, costs.1, at))
    }

    /// The states after a request, if both admit.
    fn after<S: State, Z: State>(&self, states: &(S, Z), request: Request) -> (S, Z)
    where
        A: Policy<S>,
        B: Policy<Z>,
    {
        let mut after = states.clone();
        if self.each(states, request) == (Ok(Decision::Allow), Ok(Decision::Allow)) {
            self.one.charge_to(&mut after.0, request.costs.0, request.at);
            self.other.charge_to(&mut after.1, request.costs.1, request.at);
        }
        after
    }

    fn hold<S: State, Z: State>(&self, states: &(S, Z), request: Request) -> Held
    where
        A: Policy<S>,
        B: Policy<Z>,
    {
        let Request { costs, at } = request;
        let (mine, its) = self.each(states, request);
        let right = stricter(mine, its);
        let after = self.after(states, request);
        // Made anew for each question.
        let stores = || (Single::from([((), states.0.clone())]), Single::from([((), states.1.clone())]));
        let held = |what: &str, answer: Answer, left: Option<(S, Z)>, right_after: &(S, Z)| {
            hold(Law::AllOrNone, alike(answer, right), || {
                format!("{request}, {what}: {}; it must be: {}", Said(answer), Said(right))
            })?;
            hold(Law::AllOrNone, left.as_ref() == Some(right_after), || {
                format!("{request}, {what}: {}; the states are not what they must be then", Said(answer))
            })
        };

        let (mut one, mut other) = stores();
        let layers =
            (Layer::new(self.one, &mut one, &()).cost(costs.0), Layer::new(self.other, &mut other, &()).cost(costs.1));
        held("looked at", blamed(peek_all(layers, at), [mine, its])?, states_in(one, other), states)?;

        let (mut one, mut other) = stores();
        let layers =
            (Layer::new(self.other, &mut other, &()).cost(costs.1), Layer::new(self.one, &mut one, &()).cost(costs.0));
        held("in the other order", blamed(all(layers, at), [its, mine])?, states_in(one, other), &after)?;

        let (mut one, mut other) = stores();
        let layers =
            (Layer::new(self.one, &mut one, &()).cost(costs.0), Layer::new(self.other, &mut other, &()).cost(costs.1));
        let answer = all_with_status(layers, at);
        if let Ok((joint, tightest)) = answer {
            let (first, second) = (self.one.remaining_of(&after.0, at), self.other.remaining_of(&after.1, at));
            let told = match joint.denied_by() {
                Some(0) => first,
                Some(_) => second,
                None => first.min(second),
            };
            hold(Law::AllOrNone, tightest.is_some_and(|tightest| tightest.status.remaining == told), || {
                format!("{request}: what remains of the tightest is given as {tightest:?}; it must be {told}")
            })?;
        }
        let answer = answer.map(|(answer, _)| answer);
        held("in order", blamed(answer, [mine, its])?, states_in(one, other), &after)?;

        if costs.0 == costs.1 {
            let mut on_one_key = states.clone();
            let answer = Policy::judge_n(&Both(self.one, self.other), &mut on_one_key, costs.0, at);
            held("as both on one key", answer, Some(on_one_key), &after)?;
        }
        Ok(())
    }
}

fn states_in<S, Z>(one: Single<S>, other: Single<Z>) -> Option<(S, Z)> {
    one.into_values().next().zip(other.into_values().next())
}

/// The smallest limit that a cost exceeds, and else the longest wait.
fn stricter(one: Answer, other: Answer) -> Answer {
    match (one, other) {
        (Err(mine), Err(its)) => Err(if its.limit < mine.limit { its } else { mine }),
        (Ok(mine), Ok(its)) => Ok(mine.stricter(its)),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
    }
}

/// Equal, but for the cost of an error: of equal limits, either may be named.
fn alike(one: Answer, other: Answer) -> bool {
    one.map_err(|error| error.limit) == other.map_err(|error| error.limit)
}

/// The answer of several layers as that of one. Whom it names must have answered so.
fn blamed(answer: Result<Joint, JointError>, each: [Answer; 2]) -> Result<Answer, Fault> {
    let (layer, answer) = match answer {
        Ok(Joint::Allow) => return Ok(Ok(Decision::Allow)),
        Ok(Joint::Deny { retry_after, layer }) => (layer, Ok(Decision::Deny { retry_after })),
        Err(JointError::CostExceedsLimit { layer, error }) => (layer, Err(error)),
        // Neither store is ever full.
        Err(JointError::Full { error, .. }) => return Err(Fault { law: Law::AllOrNone, text: error.to_string() }),
    };
    let its = each.get(layer).copied();
    hold(Law::AllOrNone, its == Some(answer), || {
        format!("{}, says layer {layer}, which did not answer so", Said(answer))
    })?;
    Ok(answer)
}

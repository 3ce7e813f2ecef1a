//! Requests to several policies at once: of different kinds in stores of different kinds, and many of one kind.
//!
//! The first byte chooses the layers: `00` a fixed window in slots, a log in place with room for 2 in slots, and a bucket in a map;
//! `01` a log that grows in a map, a bucket in slots, and a fixed window in slots; `02` up to three buckets, each in slots. For `00` and
//! `01` come how many slots there are, twice, and the three policies; for `02` how many layers, and each with slots and policy. Then come
//! the requests: how they are asked (`00` all, `01` a look, `02` in order), the time, and for each layer its key and cost.

use std::collections::BTreeMap;

use tollgate::store::Pruned;
use tollgate::{Full, Slot, Slots, Store};

use super::input::Input;
use crate::keyed::Shelf;
use crate::layers::{Ask, Request, Side, Way, many, trio};
use crate::oracle::Policy;
use crate::subject::{ArrayLog, Buckets, GrowingLog, Subject, Windows};

/// So few that they meet.
const KEYS: usize = 4;

/// Runs a case.
///
/// # Panics
///
/// Where the crate and the oracle differ.
pub fn run(case: &[u8]) {
    let mut input = Input::new(case);
    match input.choice(3) {
        0 => {
            let (windows, logs, buckets) = (slots(&mut input), slots(&mut input), BTreeMap::default());
            three::<Windows, _, ArrayLog<2>, _, Buckets, _>((windows, logs, buckets), input);
        }
        1 => {
            let (logs, buckets, windows) = (Pruned::<BTreeMap<_, _>>::default(), slots(&mut input), slots(&mut input));
            three::<GrowingLog, _, Buckets, _, Windows, _>((logs, buckets, windows), input);
        }
        _ => {
            let layers = input.choice(4);
            let mut sides: Vec<_> = (0..layers).map(|_| side::<Buckets, _>(slots(&mut input), &mut input)).collect();
            let policies: Vec<_> = sides.iter().map(Side::policy).collect();
            many(&mut sides, &requests(&policies, input));
        }
    }
}

fn slots<S>(input: &mut Input<'_>) -> Slots<Box<[Slot<u8, S>]>> {
    Slots::new((0..input.choice(4)).map(|_| Slot::EMPTY).collect())
}

fn side<S: Subject, T: Shelf>(store: T, input: &mut Input<'_>) -> Side<S, T>
where
    for<'a> &'a mut T: Store<u8, State = S::State, Error: Into<Full>>,
{
    Side::new(input.policy(S::KIND), store)
}

fn three<A: Subject, T: Shelf, B: Subject, U: Shelf, C: Subject, V: Shelf>(stores: (T, U, V), mut input: Input<'_>)
where
    for<'a> &'a mut T: Store<u8, State = A::State, Error: Into<Full>>,
    for<'a> &'a mut U: Store<u8, State = B::State, Error: Into<Full>>,
    for<'a> &'a mut V: Store<u8, State = C::State, Error: Into<Full>>,
{
    let sides =
        (side::<A, T>(stores.0, &mut input), side::<B, U>(stores.1, &mut input), side::<C, V>(stores.2, &mut input));
    let requests = requests(&[sides.0.policy(), sides.1.policy(), sides.2.policy()], input);
    trio(sides, &requests);
}

fn requests(policies: &[Policy], mut input: Input<'_>) -> Vec<Request> {
    let mut latest = 0;
    input.steps(16, |input| Request {
        way: [Way::All, Way::Peek, Way::InOrder][input.choice(3)],
        at: input.time(&mut latest),
        asks: policies
            .iter()
            .map(|policy| Ask { key: input.choice(KEYS) as u8, cost: input.cost(policy.limit()) })
            .collect(),
    })
}

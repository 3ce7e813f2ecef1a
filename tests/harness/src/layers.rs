//! Several policies, one answer: the oracle's, in every order of the policies, and all or none of the stores changed.

use core::cmp::Reverse;
use core::marker::PhantomData;

use tollgate::layers::{Joint, JointError, Many, Tightest, all, all_with_status, in_order, peek_all};
use tollgate::{CostExceedsLimit, Decision, Full, Policy, Store, Timestamp, Wait, layers};
use tollgate_oracle::{Answer, Model};

use crate::key::ShownOnPanic;
use crate::keyed::{Shelf, Stores};
use crate::oracle;
use crate::subject::{Subject, status};

/// How layers are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Together.
    All,
    /// Together, changing nothing.
    Peek,
    /// One after another.
    InOrder,
}

/// What one layer is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// About this key.
    pub key: u8,
    /// With this cost.
    pub cost: u32,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// How the layers are asked.
    pub way: Way,
    /// At this time, in nanoseconds.
    pub at: u64,
    /// As many as there are layers.
    pub asks: Vec<Ask>,
}

/// One layer: a policy, and a store of its own.
#[derive(Debug)]
pub struct Side<S, T> {
    policy: oracle::Policy,
    stores: Stores<T>,
    /// The store as it was before the request.
    before: T,
    subject: PhantomData<S>,
}

impl<S, T: Clone> Clone for Side<S, T> {
    fn clone(&self) -> Self {
        Self { stores: self.stores.clone(), before: self.before.clone(), ..*self }
    }
}

impl<S, T> Side<S, T> {
    /// The layer's policy.
    pub fn policy(&self) -> oracle::Policy {
        self.policy
    }
}

impl<S: Subject, T: Shelf> Side<S, T>
where
    for<'a> &'a mut T: Store<u8, State = S::State, Error: Into<Full>>,
{
    /// With a store that holds nothing yet.
    pub fn new(policy: oracle::Policy, store: T) -> Self {
        Self { policy, before: store.clone(), stores: Stores::new(S::KIND, store), subject: PhantomData }
    }

    fn layer<'a>(&'a mut self, ask: &'a Ask) -> layers::Layer<'a, S::Policy, &'a mut T, u8> {
        layers::Layer::new(S::policy(&self.policy), &mut self.stores.store, &ask.key).cost(ask.cost)
    }

    /// What a full store would answer, if it is one for this key.
    fn full(&self, ask: Ask, at: u64) -> Option<Full> {
        let Stores { store, model, .. } = &self.stores;
        let capacity = store.capacity().filter(|capacity| *capacity == model.len())?;
        let read = at.max(model.horizon());
        let live = |key: &u8| model.get(key).is_some_and(|model| !model.is_expired(read));
        let has_room = ask.cost == 0 || model.get(&ask.key).is_some() || !store.keys().iter().all(live);
        (!has_room).then_some(Full { capacity })
    }
}

/// What one layer would answer alone.
#[derive(Clone, Copy, Debug)]
struct Opinion {
    answer: Answer,
    cost: u32,
    limit: u32,
    full: Option<Full>,
}

/// A [`Side`], whatever its policy and store.
trait Layer {
    fn opinion(&self, ask: Ask, at: u64) -> Opinion;

    /// Compares the store after a request with what it has to be, and brings the model up to date.
    fn settle(&mut self, ask: Ask, at: u64, counted: bool);

    fn status(&self, ask: Ask, at: u64) -> oracle::Status;

    fn in_oracle(&self, ask: Ask) -> (Model, oracle::Policy);
}

impl<S: Subject, T: Shelf> Layer for Side<S, T>
where
    for<'a> &'a mut T: Store<u8, State = S::State, Error: Into<Full>>,
{
    fn opinion(&self, ask: Ask, at: u64) -> Opinion {
        let answer = self.stores.model.peek(&ask.key, &self.policy, ask.cost, at);
        Opinion { answer, cost: ask.cost, limit: self.policy.limit(), full: self.full(ask, at) }
    }

    fn settle(&mut self, ask: Ask, at: u64, counted: bool) {
        let Ask { key, cost } = ask;
        if counted {
            let mut alone = self.before.clone();
            let judged = S::policy(&self.policy).check_n(&mut alone, &key, cost, Timestamp::from_nanos(at));
            assert!(judged.is_ok_and(Decision::is_allow), "what passes in company passes alone");
            assert_eq!(self.stores.store, alone, "what is admitted in company is counted as it is alone");
            self.stores.model.charge(key, &self.policy, cost, at);
        } else {
            assert_eq!(self.stores.store, self.before, "a layer that does not count it changes nothing");
        }
        self.stores.forget(at.max(self.stores.model.horizon()));
        self.before = self.stores.store.clone();
    }

    fn status(&self, ask: Ask, at: u64) -> oracle::Status {
        self.stores.model.status(&ask.key, &self.policy, at)
    }

    fn in_oracle(&self, ask: Ask) -> (Model, oracle::Policy) {
        let model = self.stores.model.get(&ask.key).cloned();
        (model.unwrap_or_else(|| Model::new(S::KIND)), self.policy)
    }
}

/// The precedence: what can never pass, of the smallest limit; the longest wait; a full store; and between equals the first.
fn together(opinions: &[Opinion]) -> Result<Joint, JointError> {
    let each = || opinions.iter().enumerate();
    let never = each().filter(|(_, opinion)| opinion.answer == Answer::Never).min_by_key(|(_, opinion)| opinion.limit);
    if let Some((layer, Opinion { cost, limit, .. })) = never {
        return Err(JointError::CostExceedsLimit { layer, error: CostExceedsLimit::new(*cost, *limit) });
    }
    let denied = each().filter_map(|(layer, opinion)| match opinion.answer {
        Answer::Deny { retry_after_ns } => Some((layer, retry_after_ns)),
        _ => None,
    });
    if let Some((layer, nanos)) = denied.min_by_key(|(_, nanos)| Reverse(*nanos)) {
        return Ok(Joint::Deny { retry_after: Wait::from_nanos(nanos), layer });
    }
    match each().find_map(|(layer, opinion)| opinion.full.map(|error| (layer, error))) {
        Some((layer, error)) => Err(JointError::Full { layer, error }),
        None => Ok(Joint::Allow),
    }
}

/// What is answered, and how many layers count it.
fn expected(way: Way, opinions: &[Opinion]) -> (Result<Joint, JointError>, usize) {
    match way {
        Way::All => match together(opinions) {
            Ok(Joint::Allow) => (Ok(Joint::Allow), opinions.len()),
            other => (other, 0),
        },
        Way::Peek => {
            let need_no_room: Vec<_> = opinions.iter().map(|opinion| Opinion { full: None, ..*opinion }).collect();
            (together(&need_no_room), 0)
        }
        Way::InOrder => {
            let admits = |opinion: &Opinion| together(&[*opinion]) == Ok(Joint::Allow);
            let counted = opinions.iter().take_while(|opinion| admits(opinion)).count();
            let asked = &opinions[..opinions.len().min(counted + 1)];
            (together(asked), counted)
        }
    }
}

type Answered = (Result<Joint, JointError>, Option<Tightest>);

/// What each layer would answer alone; together they say what the oracle's layers say, which know no stores.
fn opinions(sides: &[&dyn Layer], request: &Request) -> Vec<Opinion> {
    let Request { at, asks, .. } = request;
    let asked = || sides.iter().zip(asks);
    let opinions: Vec<_> = asked().map(|(side, ask)| side.opinion(*ask, *at)).collect();
    let mut keys: Vec<_> = asked().map(|(side, ask)| side.in_oracle(*ask)).collect();
    let layers = keys.iter_mut().zip(asks);
    let layers: Vec<_> =
        layers.map(|((model, policy), ask)| oracle::layers::Layer { model, policy, cost: ask.cost }).collect();
    assert_eq!(of(together(&opinions)), oracle::layers::peek_all(&layers, *at), "the two folds");
    opinions
}

/// Compares an answer, and the stores after it, with what they have to be; `order` says which layer was asked at which place.
fn settle(
    sides: &mut [&mut dyn Layer],
    request: &Request,
    opinions: &[Opinion],
    order: &[usize],
    (answered, tightest): Answered,
) {
    let Request { way, at, asks } = request;
    let opinions: Vec<_> = order.iter().map(|&side| opinions[side]).collect();
    let (answer, counted) = expected(*way, &opinions);
    assert_eq!(answered, answer, "{way:?} in the order {order:?}");
    for (place, &side) in order.iter().enumerate() {
        sides[side].settle(asks[side], *at, place < counted);
    }
    if let (Way::All, Ok(_)) = (way, answered) {
        let mut stands = order.iter().map(|&side| sides[side].status(asks[side], *at)).enumerate();
        let told_of = match answered.ok().and_then(Joint::denied_by) {
            Some(denied_by) => stands.nth(denied_by),
            None => stands.min_by_key(|(_, status)| (status.remaining, Reverse(status.more_after_ns))),
        };
        let tightest = tightest.map(|tightest| (tightest.layer, status(tightest.status)));
        assert_eq!(tightest, told_of, "the tightest in the order {order:?}");
    }
}

/// An answer as the oracle words it; a full store, which the oracle does not know, has nothing against it.
fn of(answered: Result<Joint, JointError>) -> Answer {
    match answered {
        Ok(Joint::Deny { retry_after, .. }) => Answer::Deny { retry_after_ns: retry_after.as_nanos() },
        Err(JointError::CostExceedsLimit { .. }) => Answer::Never,
        Ok(Joint::Allow) | Err(JointError::Full { .. }) => Answer::Allow,
    }
}

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Asks three layers in one of the orders, of which each is a type of its own.
macro_rules! ask {
    ($way:path, $sides:expr, $order:expr, $request:expr) => {{
        let ((a, b, c), asks) = ($sides, &$request.asks);
        let (a, b, c) = (a.layer(&asks[0]), b.layer(&asks[1]), c.layer(&asks[2]));
        let now = Timestamp::from_nanos($request.at);
        match $order {
            [0, 1, _] => $way((a, b, c), now),
            [0, ..] => $way((a, c, b), now),
            [1, 0, _] => $way((b, a, c), now),
            [1, ..] => $way((b, c, a), now),
            [_, 0, _] => $way((c, a, b), now),
            _ => $way((c, b, a), now),
        }
    }};
}

/// Runs requests to three layers of any kinds. Each is asked in all six orders; the first of them stays.
///
/// # Panics
///
/// At the first difference, with the requests up to it.
pub fn trio<A: Subject, T: Shelf, B: Subject, U: Shelf, C: Subject, V: Shelf>(
    mut sides: (Side<A, T>, Side<B, U>, Side<C, V>),
    requests: &[Request],
) where
    for<'a> &'a mut T: Store<u8, State = A::State, Error: Into<Full>>,
    for<'a> &'a mut U: Store<u8, State = B::State, Error: Into<Full>>,
    for<'a> &'a mut V: Store<u8, State = C::State, Error: Into<Full>>,
{
    let policies = [sides.0.policy, sides.1.policy, sides.2.policy];
    for (index, request) in requests.iter().enumerate() {
        let _shown = ShownOnPanic(&policies, &requests[..=index]);
        let opinions = opinions(&[&sides.0, &sides.1, &sides.2], request);
        for order in ORDERS.into_iter().rev() {
            let mut asked = sides.clone();
            let answered = match request.way {
                Way::Peek => (ask!(peek_all, &mut asked, order, request), None),
                Way::InOrder => (ask!(in_order, &mut asked, order, request), None),
                Way::All => {
                    let plain = ask!(all, &mut sides.clone(), order, request);
                    let answered = ask!(all_with_status, &mut asked, order, request);
                    assert_eq!(plain, answered.map(|(answer, _)| answer), "a status makes no difference");
                    (plain, answered.ok().and_then(|(_, tightest)| tightest))
                }
            };
            settle(&mut [&mut asked.0, &mut asked.1, &mut asked.2], request, &opinions, &order, answered);
            if order == ORDERS[0] {
                sides = asked;
            }
        }
    }
}

/// Runs requests to any number of layers of one kind.
///
/// # Panics
///
/// At the first difference, with the requests up to it.
pub fn many<S: Subject, T: Shelf>(sides: &mut [Side<S, T>], requests: &[Request])
where
    for<'a> &'a mut T: Store<u8, State = S::State, Error: Into<Full>>,
{
    let policies: Vec<_> = sides.iter().map(|side| side.policy).collect();
    let order: Vec<_> = (0..sides.len()).collect();
    for (index, request) in requests.iter().enumerate() {
        let _shown = ShownOnPanic(&policies, &requests[..=index]);
        let opinions = opinions(&sides.iter().map(|side| side as &dyn Layer).collect::<Vec<_>>(), request);
        let now = Timestamp::from_nanos(request.at);
        let layers = Many(sides.iter_mut().zip(&request.asks).map(|(side, ask)| side.layer(ask)));
        let answered = match request.way {
            Way::Peek => (peek_all(layers, now), None),
            Way::InOrder => (in_order(layers, now), None),
            Way::All => match all_with_status(layers, now) {
                Ok((answer, tightest)) => (Ok(answer), tightest),
                Err(error) => (Err(error), None),
            },
        };
        let mut sides: Vec<_> = sides.iter_mut().map(|side| side as &mut dyn Layer).collect();
        settle(&mut sides, request, &opinions, &order, answered);
    }
}

//! [`PolicySuite`]: every small trace of a policy, the shortest first.

use core::cell::Cell;
use core::marker::PhantomData;
use core::time::Duration;
use std::boxed::Box;
use std::format;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::{String, ToString};
use std::vec::Vec;

use super::bound::{Admission, Bound};
use super::law::{Breach, Fault, Held, Law, panic_message};
use super::policy_laws::Laws;
use super::samples::{ascending, times_of};
use super::subject::{Action, Ask, At, Node, Step, Subject};
use crate::policy::Policy;
use crate::state::State;
use crate::time::{Timestamp, Wait};

/// Holds a policy to the laws, by every small trace of requests, charges and refunds.
///
/// [`policy`](super::policy) does it with the settings that this starts with. `S` is what the policy judges, since it may judge several.
///
/// Traces are made with a state in hand, and wherever one leads, the methods that take a store are held to the same: with a store of one
/// key, which is read at the time that is asked for, and at a later one.
///
/// ```
/// use core::time::Duration;
/// use tollgate::conformance::PolicySuite;
/// use tollgate::{SlidingLog, SlidingLogState};
///
/// const POLICY: SlidingLog = SlidingLog::constant(2, Duration::from_secs(60));
/// PolicySuite::<_, SlidingLogState>::new(&POLICY).at_most(2, Duration::from_secs(60)).tight().check();
/// ```
#[must_use = "a suite tries nothing until it is run"]
pub struct PolicySuite<'p, P, S> {
    /// The policy under test, and those that may change its states too.
    tiers: Vec<&'p P>,
    times: Vec<Timestamp>,
    costs: Vec<u32>,
    depth: usize,
    shift: Wait,
    bound: Option<Box<Bound<'p>>>,
    tight: bool,
    state: PhantomData<fn(S) -> S>,
}

impl<'p, P: Policy<S>, S: State> PolicySuite<'p, P, S> {
    /// With times around the policy's own waits and expiries, as far as a request for all of its limit shows them; with costs of 1, the limit, and
    /// half of it; and with two steps of any kind, or three requests.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState};
    /// # const POLICY: FixedWindow = FixedWindow::constant(2, Duration::from_secs(1));
    /// PolicySuite::<_, FixedWindowState>::new(&POLICY).check();
    /// ```
    pub fn new(policy: &'p P) -> Self {
        Self {
            tiers: Vec::from([policy]),
            times: Vec::new(),
            costs: Vec::new(),
            depth: 2,
            shift: Wait::from_nanos(1_000_000_007),
            bound: None,
            tight: false,
            state: PhantomData,
        }
    }

    /// At these times, in nanoseconds, instead of those it would find. A handful, with one at the end of each wait and one just before.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState};
    /// # const POLICY: FixedWindow = FixedWindow::constant(2, Duration::from_nanos(3));
    /// PolicySuite::<_, FixedWindowState>::new(&POLICY).times([0, 1, 2, 3, 4, 7]).check();
    /// ```
    pub fn times(mut self, nanos: impl IntoIterator<Item = u64>) -> Self {
        self.times = ascending(nanos.into_iter().map(Timestamp::from_nanos));
        self
    }

    /// With requests of these costs. Two or three.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState};
    /// # const POLICY: FixedWindow = FixedWindow::constant(2, Duration::from_secs(1));
    /// PolicySuite::<_, FixedWindowState>::new(&POLICY).costs([1, 2]).check();
    /// ```
    pub fn costs(mut self, costs: impl IntoIterator<Item = u32>) -> Self {
        self.costs = ascending(costs.into_iter().filter(|cost| *cost > 0));
        self
    }

    /// With traces of up to so many steps of any kind, and of one more if all are requests. Each more takes some ten times as long.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState};
    /// # const POLICY: FixedWindow = FixedWindow::constant(2, Duration::from_secs(1));
    /// PolicySuite::<_, FixedWindowState>::new(&POLICY).depth(2).check();
    /// ```
    pub fn depth(mut self, steps: usize) -> Self {
        self.depth = steps;
        self
    }

    /// For a policy with a grid of windows of this length, for which law 9, shift, holds by whole windows only. With [tiers](Self::tier) on other
    /// grids, by a common multiple of all windows.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState, Timestamp};
    /// const DAY: Duration = Duration::from_secs(86_400);
    /// const DAILY: FixedWindow = FixedWindow::constant(2, DAY).aligned(Timestamp::ZERO);
    /// PolicySuite::<_, FixedWindowState>::new(&DAILY).on_a_grid(DAY).check();
    /// ```
    pub fn on_a_grid(mut self, window: Duration) -> Self {
        self.shift = window.into();
        self
    }

    /// Another policy that may judge the same states, as another tier of clients: what it has written must be as good as one's own. Each
    /// takes several times as long as none.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState};
    /// const FREE: FixedWindow = FixedWindow::constant(1, Duration::from_secs(2));
    /// const PAID: FixedWindow = FixedWindow::constant(3, Duration::from_secs(1));
    /// PolicySuite::<_, FixedWindowState>::new(&FREE).tier(&PAID).check();
    /// ```
    pub fn tier(mut self, other: &'p P) -> Self {
        self.tiers.push(other);
        self
    }

    /// With a bound, law 1: what may be admitted, at the times at which it was read. An error says what was too much.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, SlidingLog, SlidingLogState};
    /// # const POLICY: SlidingLog = SlidingLog::constant(2, Duration::from_secs(1));
    /// let suite = PolicySuite::<_, SlidingLogState>::new(&POLICY).bound(|admitted| match admitted {
    ///     [.., a, b, c] if a.at == c.at => Err(format!("{}, {} and {} at once", a.units, b.units, c.units)),
    ///     _ => Ok(()),
    /// });
    /// suite.check();
    /// ```
    pub fn bound(mut self, bound: impl Fn(&[Admission]) -> Result<(), String> + 'p) -> Self {
        self.bound = Some(Box::new(bound));
        self
    }

    /// With a bound, law 1: at most `units` in every half-open interval of length `window`.
    ///
    /// For a token bucket whose window is that: its burst and its quota, less one where it refills continuously and a token takes a nanosecond
    /// or more. For fixed windows of that length: twice the quota.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState};
    /// # const POLICY: FixedWindow = FixedWindow::constant(2, Duration::from_secs(1));
    /// PolicySuite::<_, FixedWindowState>::new(&POLICY).at_most(4, Duration::from_secs(1)).check();
    /// ```
    pub fn at_most(self, units: u32, window: Duration) -> Self {
        let length = Wait::from(window);
        self.bound(move |admitted| {
            let mut rest = admitted;
            while let [first, tail @ ..] = rest {
                let within = rest.iter().filter(|admission| first.at.until(admission.at) < length);
                let sum: u64 = within.map(|admission| u64::from(admission.units)).sum();
                if sum > u64::from(units) {
                    return Err(format!("{sum} were admitted within {window:?} from {}; {units} may be", At(first.at)));
                }
                rest = tail;
            }
            Ok(())
        })
    }

    /// The bound is tight: nothing is denied that would be within it. That is law 2, no needless denial.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, SlidingLog, SlidingLogState};
    /// # const POLICY: SlidingLog = SlidingLog::constant(2, Duration::from_secs(1));
    /// PolicySuite::<_, SlidingLogState>::new(&POLICY).at_most(2, Duration::from_secs(1)).tight().check();
    /// ```
    pub fn tight(mut self) -> Self {
        self.tight = true;
        self
    }

    /// Tries every trace, and panics at the first that breaks a law.
    ///
    /// # Panics
    ///
    /// With what [`run`](Self::run) gives, written out.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState};
    /// # const POLICY: FixedWindow = FixedWindow::constant(2, Duration::from_secs(1));
    /// PolicySuite::<_, FixedWindowState>::new(&POLICY).check();
    /// ```
    #[track_caller]
    pub fn check(&self) {
        if let Err(breach) = self.run() {
            panic!("the policy does not conform: {breach}");
        }
    }

    /// Tries every trace, and says how many that were.
    ///
    /// # Errors
    ///
    /// [`Breach`]: the law that is broken, and the shortest trace that does it.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::{conformance::PolicySuite, FixedWindow, FixedWindowState};
    /// # const POLICY: FixedWindow = FixedWindow::constant(2, Duration::from_secs(1));
    /// let traces = PolicySuite::<_, FixedWindowState>::new(&POLICY).run()?;
    /// assert!(traces > 100);
    /// # Ok::<(), tollgate::conformance::Breach>(())
    /// ```
    pub fn run(&self) -> Result<usize, Breach> {
        let asked = Cell::new(None);
        let mut search = Search { suite: self, asked: &asked, trace: Vec::new(), tried: 0 };
        // Nothing of the search is used after a panic but its trace.
        let held = catch_unwind(AssertUnwindSafe(|| search.everything())).unwrap_or_else(|payload| {
            let message = panic_message(&*payload);
            let text = match asked.get() {
                Some(ask) => format!("{ask}: a panic, {message}"),
                None => format!("a panic, {message}"),
            };
            Err(Fault { law: Law::Totality, text })
        });
        let Search { trace, tried, .. } = search;
        held.map(|()| tried).map_err(|Fault { law, text }| Breach {
            law,
            trace: trace.iter().map(ToString::to_string).collect(),
            fault: text,
        })
    }
}

/// What the steps of a trace are taken from.
struct Alphabet {
    times: Vec<Timestamp>,
    costs: Vec<u32>,
    actions: Vec<(Action, u32)>,
}

struct Search<'s, 'p, P, S> {
    suite: &'s PolicySuite<'p, P, S>,
    asked: &'s Cell<Option<Ask>>,
    trace: Vec<Step>,
    tried: usize,
}

impl<P: Policy<S>, S: State> Search<'_, '_, P, S> {
    fn everything(&mut self) -> Held {
        let Some(&policy) = self.suite.tiers.first() else {
            return Ok(());
        };
        let limit = policy.limit();
        let costs = match self.suite.costs.as_slice() {
            [] => ascending([1, limit.div_ceil(2), limit]),
            given => given.to_vec(),
        };
        let times = match self.suite.times.as_slice() {
            [] => times_of(policy),
            given => given.to_vec(),
        };
        let judged: Vec<_> = costs.iter().map(|cost| (Action::Judge, *cost)).collect();
        let beyond = (Action::Charge, limit.saturating_add(1));
        let all = judged.iter().copied().chain([beyond, (Action::Refund, 1), (Action::Refund, limit)]).collect();
        let anything = Alphabet { times: times.clone(), costs: costs.clone(), actions: all };
        let requests = Alphabet { times, costs, actions: judged };
        let extremes = Alphabet {
            times: [0, 1 << 62, (1 << 63) - 2, (1 << 63) - 1].map(Timestamp::from_nanos).into(),
            costs: ascending([1, limit]),
            actions: [(Action::Judge, limit), (Action::Charge, u32::MAX), (Action::Refund, u32::MAX)].into(),
        };
        for length in 0..=self.suite.depth {
            self.of_length(length, policy, &anything)?;
            self.of_length(length.min(2), policy, &extremes)?;
        }
        self.of_length(self.suite.depth.saturating_add(1), policy, &requests)
    }

    fn of_length(&mut self, length: usize, policy: &P, alphabet: &Alphabet) -> Held {
        let laws = Laws {
            subject: Subject { policy, asked: self.asked },
            limit: policy.limit(),
            times: &alphabet.times,
            costs: &alphabet.costs,
            bound: self.suite.bound.as_deref(),
            tight: self.suite.tight,
        };
        if length == 0 {
            laws.hold_at_first::<S>()?;
        }
        self.walk(length, &laws, alphabet, &Node::new(self.suite.shift))
    }

    /// Writes down what the last step was answered.
    fn answered(&mut self, step: Step) {
        if let Some(last) = self.trace.last_mut() {
            *last = step;
        }
    }

    fn walk(&mut self, left: usize, laws: &Laws<'_, P>, alphabet: &Alphabet, node: &Node<S>) -> Held {
        if left == 0 {
            self.tried += 1;
            return laws.hold(node);
        }
        for &at in &alphabet.times {
            for &(action, cost) in &alphabet.actions {
                for (tier, &policy) in self.suite.tiers.iter().enumerate() {
                    let mut step = Step { tier, action, cost, at, answer: None };
                    self.trace.push(step);
                    let next = node.take(Subject { policy, asked: self.asked }, &mut step);
                    // From a step that changed nothing, the same traces go on as without it.
                    if next.state != node.state {
                        self.answered(step);
                        self.walk(left - 1, laws, alphabet, &next)?;
                    }
                    self.trace.pop();
                }
            }
        }
        Ok(())
    }
}

//! What the suites hold others to: each law's name and sentence, and how it is said that one is broken.

use core::error::Error;
use core::fmt;
use std::string::String;
use std::vec::Vec;

/// A law that a suite holds. Those with a number are laws of the crate; the others say what its words mean.
///
/// ```
/// use tollgate::conformance::Law;
///
/// assert_eq!(Law::ExactRetry.to_string(), "law 4, exact retry");
/// println!("{}", Law::ExactRetry.sentence());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Law {
    /// Law 1, where the caller gives a bound.
    Bound,
    /// Law 2, where the caller gives a bound and calls it tight.
    NoNeedlessDenial,
    /// Law 3.
    Purity,
    /// Law 4.
    ExactRetry,
    /// Law 5.
    NoDrift,
    /// Law 6.
    Time,
    /// Law 7.
    Forgetting,
    /// Law 8.
    Totality,
    /// Law 9.
    Shift,
    /// Law 10.
    AllOrNone,
    /// What a cost may be.
    Cost,
    /// What remains.
    Remaining,
    /// How a status hangs together.
    Status,
    /// That all ways to count are one.
    Counting,
    /// What a refund undoes.
    Refund,
    /// What a key that is not there looks like.
    Vacancy,
    /// That a key finds what was stored for it.
    Keys,
    /// When a store may be out of room.
    Room,
    /// What threads that share a store may rely on.
    Sharing,
}

impl Law {
    /// Its number among the laws of the crate.
    ///
    /// ```
    /// # use tollgate::conformance::Law;
    /// assert_eq!((Law::Purity.number(), Law::Refund.number()), (Some(3), None));
    /// ```
    pub const fn number(self) -> Option<u8> {
        self.text().0
    }

    /// Its name.
    ///
    /// ```
    /// # use tollgate::conformance::Law;
    /// assert_eq!(Law::Purity.name(), "purity");
    /// ```
    pub const fn name(self) -> &'static str {
        self.text().1
    }

    /// What it says.
    ///
    /// ```
    /// # use tollgate::conformance::Law;
    /// assert!(Law::Purity.sentence().contains("change nothing"));
    /// ```
    pub const fn sentence(self) -> &'static str {
        self.text().2
    }

    const fn text(self) -> (Option<u8>, &'static str, &'static str) {
        match self {
            Self::Bound => (Some(1), "bound", "No more is admitted than the policy says, for any order of timestamps."),
            Self::NoNeedlessDenial => (
                Some(2),
                "no needless denial",
                "A request is denied only if admitting it would break the bound, given what was admitted.",
            ),
            Self::Purity => (
                Some(3),
                "purity",
                "A denial, an error, a look and a cost of zero change nothing, add no key and reclaim nothing.",
            ),
            Self::ExactRetry => (
                Some(4),
                "exact retry",
                "With nothing in between, the same request is allowed at now + retry_after and denied a nanosecond earlier; the wait is above \
                 zero and counts from the caller's now.",
            ),
            Self::NoDrift => (
                Some(5),
                "no drift",
                "Decisions depend on what was admitted and on now: polling often, or seldom, changes nothing.",
            ),
            Self::Time => (
                Some(6),
                "time never runs backwards",
                "A now before a key's last admission is read as that admission's time: it mints nothing and drains nothing.",
            ),
            Self::Forgetting => (
                Some(7),
                "forgetting is invisible",
                "From its expiry on, a state cannot be told from none at all. A store drops no other, and reads an earlier now, for a key that is \
                 missing or has expired, as its horizon: the latest expiry that it has dropped.",
            ),
            Self::Totality => {
                (Some(8), "totality", "No panic, no overflow and no wrong answer, for any timestamp, cost and key.")
            }
            Self::Shift => (
                Some(9),
                "shift",
                "Adding a constant to every timestamp changes no answer; with a grid, adding whole windows (`PolicySuite::on_a_grid`).",
            ),
            Self::AllOrNone => (
                Some(10),
                "all or none",
                "Several policies judged together admit together or change nothing, in any order; the smallest limit that a cost exceeds is \
                 named first, and else the longest wait.",
            ),
            Self::Cost => (
                None,
                "cost",
                "A cost of zero only looks, and is allowed. A cost above the limit, which is at least 1, is an error with both numbers; no other is.",
            ),
            Self::Remaining => (None, "remaining", "Remaining is the largest cost that would be allowed now."),
            Self::Status => (
                None,
                "status",
                "A status has the limit, what remains, the wait until one more remains and the wait until all does: those of such requests, \
                 and zero where there is nothing to wait for.",
            ),
            Self::Counting => (
                None,
                "counting",
                "One unit judged is a cost of 1; a preview answers as the request would be; an admission counts as a charge of its cost does; a \
                 charge leaves no more remaining, and a refund no less; and through a store, all of it is as with the state in hand.",
            ),
            Self::Refund => (
                None,
                "refund",
                "Right after an admission, a refund of its cost makes every later answer as if it had not been made.",
            ),
            Self::Vacancy => (
                None,
                "vacancy",
                "A key that is not there is a default state, stored only if it was changed; only a key that is there can be modified.",
            ),
            Self::Keys => (
                None,
                "keys",
                "A key finds the state that was last stored for it, at the time that was given, and no other's.",
            ),
            Self::Room => (
                None,
                "room",
                "A store is full only for a key that is not there, and only if every state is live; then nothing has run and nothing changes.",
            ),
            Self::Sharing => (
                None,
                "sharing",
                "Updates of one key follow one another, whichever threads they come from, and each finds what the one before it stored.",
            ),
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            Some(number) => write!(f, "law {number}, {}", self.name()),
            None => f.write_str(self.name()),
        }
    }
}

/// A law that was broken, and the shortest trace that does it. What is printed is meant to be read.
///
/// ```
/// use core::time::Duration;
/// use tollgate::conformance::{Law, PolicySuite};
/// use tollgate::{FixedWindow, FixedWindowState};
///
/// // A fixed window passes a double burst across its boundary: this is not its bound.
/// const POLICY: FixedWindow = FixedWindow::constant(2, Duration::from_secs(1));
/// let suite = PolicySuite::<_, FixedWindowState>::new(&POLICY).at_most(2, Duration::from_secs(1));
/// let breach = suite.run().unwrap_err();
/// assert_eq!(breach.law, Law::Bound);
/// println!("{breach}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Breach {
    /// Which.
    pub law: Law,
    /// The steps that led there, in words.
    pub trace: Vec<String>,
    /// What was seen after them, and what it must be.
    pub fault: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { law, trace, fault } = self;
        writeln!(f, "{law}, is broken")?;
        writeln!(f, "  {}", law.sentence())?;
        match trace.len() {
            0 => writeln!(f, "at the very start:")?,
            1 => writeln!(f, "after this step, and by no shorter trace:")?,
            steps => writeln!(f, "after these {steps} steps, and by no shorter trace:")?,
        }
        for (number, step) in (1..).zip(trace) {
            writeln!(f, "  {number}. {step}")?;
        }
        write!(f, "  => {fault}")
    }
}

impl Error for Breach {}

/// A law that does not hold of what a trace has led to.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) law: Law,
    pub(super) text: String,
}

pub(super) type Held = Result<(), Fault>;

/// `Ok` where `holds`; else the fault that is written out only then.
pub(super) fn hold(law: Law, holds: bool, text: impl FnOnce() -> String) -> Held {
    if holds { Ok(()) } else { Err(Fault { law, text: text() }) }
}

/// What a panic says.
pub(super) fn panic_message(payload: &(dyn core::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

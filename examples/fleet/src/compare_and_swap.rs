//! One state for all, in the server: read it, judge it, and write it back if nobody else has. Or, where a node guesses that nothing has changed
//! since it last saw the state, judge that and write at once.

use tollgate::wire::Wire;
use tollgate::wire::step::{self, Step};
use tollgate::{SlidingLogState, Timestamp};

use crate::outcome::Verdict;
use crate::server::{Answer, Question};
use crate::sharing::{Scene, Settings, Sharing};

/// What a node knows when it first asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Nothing: it reads first.
    Read,
    /// The bytes that it saw last.
    Guess,
}

pub(crate) struct CompareAndSwap<'a> {
    settings: &'a Settings,
    start: Start,
    /// What each node has seen last.
    seen: Vec<Option<Vec<u8>>>,
}

/// A check on its way.
#[derive(Debug)]
pub(crate) struct Check {
    asked_at: u64,
    attempts: u32,
    /// What was offered, where something was.
    offered: Option<Vec<u8>>,
}

impl<'a> CompareAndSwap<'a> {
    pub(crate) fn new(settings: &'a Settings, start: Start) -> Self {
        Self { settings, start, seen: vec![None; settings.nodes] }
    }

    /// Judges the state that `node` has seen last.
    fn judge(&mut self, node: usize, now: Timestamp, mut check: Check, scene: &mut Scene<Check>) {
        let Settings { policy, attempts, .. } = self.settings;
        let seen = self.seen[node].clone();
        let step = step::check::<SlidingLogState>(policy, seen.as_deref(), 1, now, self.settings.skew())
            .expect("the server holds what nodes wrote, and a quota is at least 1");
        match step {
            // Others can only have used more since, as nothing is given back here: what is denied on a guess is denied.
            Step::Settled { .. } => scene.decide(check.asked_at, Verdict::Denied),
            Step::Write(_) if check.attempts == *attempts => scene.decide(check.asked_at, Verdict::GaveUp),
            Step::Write(write) => {
                let (new, keep) = (write.state.to_vec(), write.keep.as_nanos());
                check.attempts += 1;
                check.offered = Some(new.clone());
                scene.network.ask(node, check, Question::Swap { expected: seen, new, keep });
            }
        }
    }
}

impl Sharing for CompareAndSwap<'_> {
    type Errand = Check;

    fn request(&mut self, node: usize, now: Timestamp, scene: &mut Scene<Check>) {
        let check = Check { asked_at: scene.network.now(), attempts: 0, offered: None };
        match self.start {
            Start::Read => scene.network.ask(node, check, Question::Get),
            Start::Guess => self.judge(node, now, check, scene),
        }
    }

    fn answer(&mut self, node: usize, now: Timestamp, check: Check, answer: Answer, scene: &mut Scene<Check>) {
        match answer {
            Answer::Swapped => {
                self.seen[node] = check.offered;
                scene.decide(check.asked_at, Verdict::Admitted);
            }
            Answer::Found(value) | Answer::Conflict(value) => {
                self.seen[node] = value;
                self.judge(node, now, check, scene);
            }
        }
    }
}

//! A lease of units for each node: it takes a block of them from the state in the server, decides by itself while they last, and gives back
//! what is left when the lease ends.

use std::collections::VecDeque;

use tollgate::wire::Wire;
use tollgate::wire::step::{self, Step, Write};
use tollgate::{SlidingLogState, Timestamp};

use crate::outcome::Verdict;
use crate::server::{Answer, Question};
use crate::sharing::{Scene, Settings, Sharing};

pub(crate) struct Leases<'a> {
    settings: &'a Settings,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// What is left of the lease.
    units: u32,
    /// By true time, as is all in this file but what is judged.
    ends_at: u64,
    /// When there is something to lease again, as the server's state said.
    denied_until: u64,
    /// When the requests were made that wait for a lease.
    waiting: VecDeque<u64>,
    /// Whether a lease is being asked for.
    asking: bool,
}

/// What a node is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Errand {
    Lease { units: u32, attempts: u32 },
    GiveBack { units: u32 },
}

impl<'a> Leases<'a> {
    pub(crate) fn new(settings: &'a Settings) -> Self {
        Self { settings, nodes: vec![Node::default(); settings.nodes] }
    }

    /// Serves those who wait, and asks for another lease if there are more of them than units.
    fn serve(&mut self, node: usize, scene: &mut Scene<Errand>) {
        let now = scene.network.now();
        let this = &mut self.nodes[node];
        while this.units > 0 && now < this.ends_at {
            let Some(asked_at) = this.waiting.pop_front() else { return };
            this.units -= 1;
            scene.decide(asked_at, Verdict::Admitted);
        }
        if now < this.denied_until {
            this.answer_all(Verdict::Denied, scene);
        } else if !this.waiting.is_empty() && !this.asking {
            this.asking = true;
            scene.network.ask(node, Errand::Lease { units: 0, attempts: 0 }, Question::Get);
        }
    }

    /// Judges what the server has for a lease, as large as may be.
    fn lease(&mut self, node: usize, now: Timestamp, attempts: u32, value: Option<Vec<u8>>, scene: &mut Scene<Errand>) {
        let Settings { policy, attempts: most, block, .. } = self.settings;
        let this = &mut self.nodes[node];
        if attempts == *most {
            this.asking = false;
            return this.answer_all(Verdict::GaveUp, scene);
        }
        let step = |units| {
            step::check::<SlidingLogState>(policy, value.as_deref(), units, now, self.settings.skew())
                .expect("the server holds what nodes wrote, and no more than the quota is asked for")
        };
        // A step of nothing is a look.
        let units = policy.status_of(step(0).state(), now).remaining.clamp(1, *block);
        match step(units) {
            Step::Settled { decision, .. } => {
                this.asking = false;
                this.denied_until = scene.network.now() + decision.retry_after().unwrap_or_default().as_nanos();
                this.answer_all(Verdict::Denied, scene);
            }
            Step::Write(write) => {
                let question = swap(value.clone(), &write);
                scene.network.ask(node, Errand::Lease { units, attempts: attempts + 1 }, question);
            }
        }
    }

    /// Takes what is left back to the server, as often as it takes: units that are not given back are lost until they expire.
    fn give_back(
        &mut self,
        node: usize,
        now: Timestamp,
        units: u32,
        value: Option<Vec<u8>>,
        scene: &mut Scene<Errand>,
    ) {
        let step =
            step::refund::<SlidingLogState>(&self.settings.policy, value.as_deref(), units, now, self.settings.skew())
                .expect("the server holds what nodes wrote");
        if let Step::Write(write) = step {
            scene.network.ask(node, Errand::GiveBack { units }, swap(value.clone(), &write));
        }
    }
}

fn swap(expected: Option<Vec<u8>>, write: &Write<'_, SlidingLogState>) -> Question {
    Question::Swap { expected, new: write.state.to_vec(), keep: write.keep.as_nanos() }
}

impl Node {
    fn answer_all(&mut self, verdict: Verdict, scene: &mut Scene<Errand>) {
        for asked_at in self.waiting.drain(..) {
            scene.decide(asked_at, verdict);
        }
    }
}

impl Sharing for Leases<'_> {
    type Errand = Errand;

    fn request(&mut self, node: usize, _: Timestamp, scene: &mut Scene<Errand>) {
        self.nodes[node].waiting.push_back(scene.network.now());
        self.serve(node, scene);
    }

    fn answer(&mut self, node: usize, now: Timestamp, errand: Errand, answer: Answer, scene: &mut Scene<Errand>) {
        match (errand, answer) {
            (Errand::Lease { attempts, .. }, Answer::Found(value) | Answer::Conflict(value)) => {
                self.lease(node, now, attempts, value, scene);
            }
            (Errand::Lease { units, .. }, Answer::Swapped) => {
                let this = &mut self.nodes[node];
                // Nothing is left of an older one: it was used up, or has ended and been given back.
                this.units = units;
                this.ends_at = scene.network.now() + self.settings.lease;
                this.asking = false;
                scene.network.wake(this.ends_at, node);
                self.serve(node, scene);
            }
            (Errand::GiveBack { units }, Answer::Found(value) | Answer::Conflict(value)) => {
                self.give_back(node, now, units, value, scene);
            }
            (Errand::GiveBack { .. }, Answer::Swapped) => {}
        }
    }

    fn timer(&mut self, node: usize, _: Timestamp, scene: &mut Scene<Errand>) {
        let this = &mut self.nodes[node];
        if scene.network.now() < this.ends_at || this.units == 0 {
            return;
        }
        let units = std::mem::take(&mut this.units);
        scene.network.ask(node, Errand::GiveBack { units }, Question::Get);
    }
}

//! The ways to share a limit, as one trait, and how a run is played. Each way is a file beside this one.

use std::fmt::Debug;
use std::time::Duration;

use tollgate::{SlidingLog, Timestamp};

use crate::network::{Event, Network};
use crate::outcome::{Figures, Outcome, Verdict};
use crate::server::Answer;
use crate::traffic::Request;

/// What all ways are told.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// That of the whole fleet.
    pub(crate) policy: SlidingLog,
    pub(crate) nodes: usize,
    pub(crate) attempts: u32,
    pub(crate) block: u32,
    /// In nanoseconds, as all times here.
    pub(crate) lease: u64,
    /// How far a clock is from the right time at most.
    pub(crate) skew: u64,
}

impl Settings {
    /// How far apart two clocks may be.
    pub(crate) fn skew(&self) -> Duration {
        Duration::from_nanos(2 * self.skew)
    }
}

/// A way to share a limit: what the nodes do.
pub(crate) trait Sharing {
    /// What a node sends along with a question, and gets back with its answer.
    type Errand: Debug;

    /// A request comes in at `node`, by whose clock it is `now`.
    fn request(&mut self, node: usize, now: Timestamp, scene: &mut Scene<Self::Errand>);

    /// The server has answered.
    fn answer(
        &mut self,
        node: usize,
        now: Timestamp,
        errand: Self::Errand,
        answer: Answer,
        scene: &mut Scene<Self::Errand>,
    );

    /// A time has come for which the node asked to be woken.
    fn timer(&mut self, _node: usize, _now: Timestamp, _scene: &mut Scene<Self::Errand>) {}
}

/// Where nodes act: the network, and the record of what they decided.
pub(crate) struct Scene<E> {
    pub(crate) network: Network<E>,
    outcomes: Vec<Outcome>,
}

impl<E> Scene<E> {
    /// Decides a request.
    pub(crate) fn decide(&mut self, asked_at: u64, verdict: Verdict) {
        self.outcomes.push(Outcome { asked_at, decided_at: self.network.now(), verdict });
    }
}

/// Plays requests to a fleet, until the last has been decided.
pub(crate) fn play<S: Sharing>(
    sharing: S,
    requests: &[Request],
    settings: &Settings,
    network: Network<S::Errand>,
) -> Figures {
    let (outcomes, network) = outcomes(sharing, requests, settings, network);
    let server = network.server();
    let window = settings.policy.window().as_nanos() as u64;
    Figures::of(&outcomes, window, server.questions, server.conflicts)
}

/// What became of each of the requests, in the order in which they were decided.
pub(crate) fn outcomes<S: Sharing>(
    mut sharing: S,
    requests: &[Request],
    settings: &Settings,
    network: Network<S::Errand>,
) -> (Vec<Outcome>, Network<S::Errand>) {
    let mut scene = Scene { network, outcomes: Vec::with_capacity(requests.len()) };
    for request in requests {
        scene.network.request(request.at, request.node);
    }
    while let Some((node, event)) = scene.network.next() {
        let now = clock(node, scene.network.now(), settings);
        match event {
            Event::Request => sharing.request(node, now, &mut scene),
            Event::Answer(errand, answer) => sharing.answer(node, now, errand, answer, &mut scene),
            Event::Timer => sharing.timer(node, now, &mut scene),
        }
    }
    (scene.outcomes, scene.network)
}

/// What a node's clock says: the first runs `skew` late, the last as much early, and the others evenly between.
fn clock(node: usize, now: u64, settings: &Settings) -> Timestamp {
    let steps = (settings.nodes - 1).max(1) as u64;
    // An epoch before the start, so that no clock reads a time before it.
    Timestamp::from_nanos(now + 2 * settings.skew * node as u64 / steps)
}

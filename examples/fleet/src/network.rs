//! Simulated time: what is on its way, and when it arrives. Nothing here knows what a message says, but for the server's part of it.
//!
//! One server, which answers in the order in which it is asked, and takes a fixed time for each. A message takes half as long to one and a
//! half times as long as the delay that was asked for, evenly: so messages overtake each other, as they do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::server::{Answer, Question, Server};

/// What happens at a node.
#[derive(Debug)]
pub(crate) enum Event<E> {
    /// A request comes in, to be decided.
    Request,
    /// The server has answered. What the node sent along with its question comes back with it.
    Answer(E, Answer),
    /// A time is reached for which the node has asked to be woken.
    Timer,
}

/// The network between the nodes and their server.
#[derive(Debug)]
pub(crate) struct Network<E> {
    now: u64,
    delay: u64,
    /// How long the server takes for a question.
    service: u64,
    server: Server,
    free_at: u64,
    random: fastrand::Rng,
    due: BinaryHeap<Reverse<Due<E>>>,
    count: u64,
}

#[derive(Debug)]
struct Due<E> {
    at: u64,
    /// Of two at one time, the one that was sent first.
    number: u64,
    node: usize,
    what: What<E>,
}

#[derive(Debug)]
enum What<E> {
    AtServer(E, Question),
    AtNode(Event<E>),
}

impl<E> Network<E> {
    pub(crate) fn new(delay: u64, service: u64, seed: u64) -> Self {
        Self {
            now: 0,
            delay,
            service,
            server: Server::default(),
            free_at: 0,
            random: fastrand::Rng::with_seed(seed),
            due: BinaryHeap::new(),
            count: 0,
        }
    }

    /// True time, which no node knows.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// What the server has had to do.
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// Has a request come in at a node.
    pub(crate) fn request(&mut self, at: u64, node: usize) {
        self.push(at, node, What::AtNode(Event::Request));
    }

    /// Wakes a node.
    pub(crate) fn wake(&mut self, at: u64, node: usize) {
        self.push(at, node, What::AtNode(Event::Timer));
    }

    /// Asks the server.
    pub(crate) fn ask(&mut self, node: usize, errand: E, question: Question) {
        let at = self.now + self.hop();
        self.push(at, node, What::AtServer(errand, question));
    }

    /// Goes on to the next thing that happens at a node.
    pub(crate) fn next(&mut self) -> Option<(usize, Event<E>)> {
        loop {
            let Reverse(Due { at, node, what, .. }) = self.due.pop()?;
            self.now = at;
            match what {
                What::AtNode(event) => return Some((node, event)),
                What::AtServer(errand, question) => {
                    self.free_at = self.free_at.max(at) + self.service;
                    let answer = self.server.answer(question, at);
                    let back_at = self.free_at + self.hop();
                    self.push(back_at, node, What::AtNode(Event::Answer(errand, answer)));
                }
            }
        }
    }

    fn hop(&mut self) -> u64 {
        self.delay / 2 + self.random.u64(0..=self.delay)
    }

    fn push(&mut self, at: u64, node: usize, what: What<E>) {
        self.due.push(Reverse(Due { at, number: self.count, node, what }));
        self.count += 1;
    }
}

impl<E> PartialEq for Due<E> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<E> Eq for Due<E> {}

impl<E> PartialOrd for Due<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Due<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

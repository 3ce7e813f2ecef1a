//! Years of traffic, simulated: bursts of requests under clocks that jitter, step and wrap, and under policies that change.
//!
//! Every step is compared with the oracle (law 2), and what was admitted with the bound (law 1), which knows no model. A seed says it
//! all: a run that fails, fails again.
//!
//! `world` is the time of the simulation and the clocks that show it; `lane` is one key behind one of them, under changing policies;
//! `stretch` collects what the bound is checked on.

mod lane;
mod stretch;
mod world;

use core::fmt;

use crate::oracle::{Policy, Refill};
use crate::subject::{ArrayLog, Buckets, GrowingLog, Windows};
use lane::{Drive, Lane};
use world::{Clock, World};

/// How long, and with which luck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Simulated days.
    pub days: u64,
    /// The seed.
    pub seed: u64,
}

/// What a run has seen, so that one that saw nothing is not taken for one that found nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Figures {
    /// Days that have passed.
    pub days: u64,
    /// Steps that were compared with the oracle.
    pub steps: u64,
    /// Requests that were admitted.
    pub admitted: u64,
    /// Requests that were denied.
    pub denied: u64,
    /// Requests that could never pass.
    pub never: u64,
    /// Steps whose time was before the one of the step before, on the same key.
    pub late: u64,
    /// Charges and refunds.
    pub settled: u64,
    /// Policies that were changed under a live state.
    pub changes: u64,
    /// Steps of the wall clock, either way.
    pub clock_steps: u64,
    /// Times that the 32-bit counter went round.
    pub wraps: u64,
    /// Lists of admissions that were held against the bound.
    pub bounds: u64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { days, steps, admitted, denied, never, late, settled, changes, clock_steps, wraps, bounds } = self;
        write!(
            f,
            "{days} days, {steps} steps: {admitted} admitted, {denied} denied, {never} never to pass, {late} late, "
        )?;
        write!(
            f,
            "{settled} charges and refunds, {changes} policies changed; the clock stepped {clock_steps} times, "
        )?;
        write!(f, "the counter wrapped {wraps} times; the bound was held {bounds} times")
    }
}

/// Plays the plan through.
///
/// # Panics
///
/// Where an answer is not the oracle's, or the bound is broken.
pub fn run(plan: Plan) -> Figures {
    let mut world = World::new(plan.seed);
    let mut figures = Figures::default();
    let mut lanes: Vec<Box<dyn Drive>> = Vec::new();
    for clock in [Clock::Monotonic, Clock::Counter, Clock::Wall] {
        lanes.push(Box::new(Lane::<Windows>::new(clock, windows())));
        lanes.push(Box::new(Lane::<GrowingLog>::new(clock, logs())));
        lanes.push(Box::new(Lane::<ArrayLog<4>>::new(clock, logs())));
        lanes.push(Box::new(Lane::<Buckets>::new(clock, buckets())));
    }
    while world.days() < plan.days {
        world.idle();
        let lane = world.random.below(lanes.len() as u64) as usize;
        for _ in 0..=world.random.below(16) {
            world.pause();
            lanes[lane].step(&mut world, &mut figures);
        }
    }
    lanes.iter_mut().for_each(|lane| lane.finish(&mut figures));
    Figures { days: world.days(), clock_steps: world.clock_steps, wraps: world.wraps(), ..figures }
}

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

fn windows() -> Vec<Policy> {
    [
        (10, MINUTE, None),
        (7, HOUR, Some(0)),
        (40, DAY, Some(6 * HOUR)),
        (3, 10 * SECOND, None),
        (5, 7 * SECOND, Some(1)),
    ]
    .map(|(quota, window_ns, grid)| Policy::FixedWindow { quota, window_ns, grid })
    .into()
}

fn logs() -> Vec<Policy> {
    [(10, MINUTE), (4, HOUR), (60, DAY), (3, 10 * SECOND), (6, 7 * SECOND + 1)]
        .map(|(quota, window_ns)| Policy::SlidingLog { quota, window_ns })
        .into()
}

/// Rates of which most are no whole number of nanoseconds a token.
fn buckets() -> Vec<Policy> {
    let steady = [(700, MINUTE, 9), (10, HOUR, 5), (3, 7 * SECOND, 2), (999_983, SECOND, 4), (100, DAY, 20)]
        .map(|(quota, window_ns, burst)| Policy::TokenBucket { quota, window_ns, burst, refill: Refill::Continuous });
    let by_interval = [(5, MINUTE, 12, 0), (50, DAY, 50, 6 * HOUR), (2, 3 * SECOND, 3, 1)].map(
        |(quota, window_ns, burst, origin_ns)| Policy::TokenBucket {
            quota,
            window_ns,
            burst,
            refill: Refill::Interval { origin_ns },
        },
    );
    [&steady[..], &by_interval].concat()
}

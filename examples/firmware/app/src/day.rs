//! What happens to the device, and what must come of it.

use core::fmt;

use tollgate::Decision;

use crate::login::Login;
use crate::publish::Publisher;
use crate::radio::Radio;
use crate::{Board, Device, throttled};

/// What came of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Lines that were logged.
    pub logged: u32,
    /// Lines that were not.
    pub suppressed: u32,
    /// Messages on the air.
    pub sent: u32,
    /// Messages that had to wait.
    pub held: u32,
    /// Messages published.
    pub published: u32,
    /// Messages over their topic's limit.
    pub dropped: u32,
    /// Messages of a topic for which there was no room.
    pub without_room: u32,
    /// Attempts to log in.
    pub attempts: u32,
    /// Attempts that were refused.
    pub refused: u32,
}

impl Outcome {
    /// Whatever the board: none of this hangs on a tick more or less.
    pub const EXPECTED: Self = Self {
        // Three at once and one every two seconds, of one a tenth of a second for twelve seconds; and one from elsewhere.
        logged: 3 + 5 + 1,
        suppressed: 112,
        // 24 x 1.5 s in the first hour, and as many when those are an hour old.
        sent: 24 + 24,
        held: 270 - 48,
        // Of two topics, a message every 5.1 s: two at once, and one every 15 s. Of a third, one when both are live, and one when they are not.
        published: 5 + 5 + 1,
        dropped: 7 + 7,
        without_room: 1,
        attempts: 5 + 1,
        refused: 2,
    };
}

/// What came of the day is not what must.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unexpected {
    /// What came of it.
    pub outcome: Outcome,
    /// How often the counter wrapped, which has to be at least once.
    pub wraps: u64,
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { outcome, wraps } = self;
        write!(f, "expected {:?} and a counter that wraps; got {outcome:?} and {wraps} wraps", Outcome::EXPECTED)
    }
}

/// Adds one to the count that an answer belongs to.
fn count(decision: Decision, allowed: &mut u32, denied: &mut u32) {
    match decision {
        Decision::Allow => *allowed += 1,
        Decision::Deny { .. } => *denied += 1,
    }
}

/// Runs a day.
///
/// # Errors
///
/// [`Unexpected`] where the limiters decided otherwise than they must.
pub fn run<B: Board>(device: &mut Device<B>) -> Result<(), Unexpected> {
    let mut outcome = Outcome::default();
    log(device, &mut outcome);
    transmit(device, &mut outcome);
    publish(device, &mut outcome);
    log_in(device, &mut outcome);
    let wraps = device.wraps();
    device.board.print(format_args!("# the counter wrapped {wraps} times"));
    if outcome == Outcome::EXPECTED && wraps > 0 { Ok(()) } else { Err(Unexpected { outcome, wraps }) }
}

/// A sensor that fails ten times a second, for twelve seconds.
fn log<B: Board>(device: &mut Device<B>, outcome: &mut Outcome) {
    for sample in 0..120 {
        let printed = throttled!(device, "sensor", "sensor does not answer, sample {sample}");
        *(if printed { &mut outcome.logged } else { &mut outcome.suppressed }) += 1;
        device.sleep_millis(100);
    }
    if throttled!(device, "supply", "supply voltage is low") {
        outcome.logged += 1;
    }
}

/// A message of 1.5 s every 20 s, for an hour and a half.
fn transmit<B: Board>(device: &mut Device<B>, outcome: &mut Outcome) {
    let mut radio = Radio::default();
    for _ in 0..270 {
        if let Ok(decision) = radio.send(device, 1_500) {
            count(decision, &mut outcome.sent, &mut outcome.held);
        }
        device.sleep_millis(20_000);
    }
}

/// Two topics, more often than they may, and a third that finds no room until they have been quiet.
fn publish<B: Board>(device: &mut Device<B>, outcome: &mut Outcome) {
    let mut publisher = Publisher::default();
    let mut one = |device: &mut Device<B>, topic| match publisher.publish(device, topic) {
        Ok(decision) => count(decision, &mut outcome.published, &mut outcome.dropped),
        Err(_) => outcome.without_room += 1,
    };
    for _ in 0..12 {
        one(device, "temperature");
        one(device, "humidity");
        device.sleep_millis(5_100);
    }
    one(device, "alarm");
    device.sleep_millis(60_000);
    one(device, "alarm");
}

/// Someone who tries passwords, and pulls the plug; and, when it is over, someone who knows it.
fn log_in<B: Board>(device: &mut Device<B>, outcome: &mut Outcome) {
    let mut login = Login::restored(device);
    for attempt in 0..7 {
        if attempt == 3 {
            device.board.print(format_args!("# reset"));
            login = Login::restored(device);
        }
        count(login.attempt(device), &mut outcome.attempts, &mut outcome.refused);
        device.sleep_millis(1_000);
    }
    device.sleep_millis(15 * 60 * 1_000);
    count(login.attempt(device), &mut outcome.attempts, &mut outcome.refused);
}

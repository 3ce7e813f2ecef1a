//! How bytes are read as numbers, policies and steps.
//!
//! A byte is the number that it is, while that is small: so a case can be written, and read, with a hex editor. Larger ones wrap to
//! small numbers too, so that short cases meet themselves, but for the largest:
//!
//! | byte | |
//! | --- | --- |
//! | `C0` to `CF` | a time, as far after the latest before it as the low digit says; a cost, as far above the policy's limit |
//! | `D0` to `DF` | the same before it, and below it |
//! | `E0` to `EF` | an edge: see `WINDOWS`, `TIMES` and `UNITS` |
//! | `F0` to `F7` | the edge that the next byte says, moved by -4 to 3 |
//! | `F8` to `FF` | the eight bytes that follow, for units and costs four, lowest first |
//!
//! After its end, an input is all zeros.

use crate::key::{Action, Step};
use crate::oracle::policy::{LAST_TIMESTAMP, LONGEST_NS};
use crate::oracle::{Kind, Policy, Refill};
use crate::subject;

const WINDOWS: [u64; 8] = [
    LONGEST_NS,
    LONGEST_NS - 1,
    LONGEST_NS / 2,
    LONGEST_NS / 3 * 2,
    LONGEST_NS / u32::MAX as u64,
    u32::MAX as u64,
    60_000_000_000,
    86_400_000_000_000,
];
const TIMES: [u64; 8] = [
    LAST_TIMESTAMP,
    LAST_TIMESTAMP - LONGEST_NS,
    LONGEST_NS,
    LONGEST_NS - 1,
    LAST_TIMESTAMP - 20,
    LONGEST_NS / 2,
    1_700_000_000_000_000_000,
    u32::MAX as u64,
];
const UNITS: [u64; 6] = [u32::MAX as u64, u32::MAX as u64 - 1, 1 << 31, (1 << 31) - 1, 1 << 16, 1_000];

/// What is left of an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As many bytes as there are, up to `most`.
    pub(crate) fn bytes(&mut self, most: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let bytes = self.bytes(N);
        array[..bytes.len()].copy_from_slice(bytes);
        array
    }

    pub(crate) fn byte(&mut self) -> u8 {
        u8::from_le_bytes(self.array())
    }

    /// One of so many choices.
    pub(crate) fn choice(&mut self, choices: usize) -> usize {
        usize::from(self.byte()) % choices
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.choice(2) == 1
    }

    /// Any number at all.
    pub(crate) fn any(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    /// Bytes behind their length.
    pub(crate) fn block(&mut self) -> &'a [u8] {
        let length = self.choice(64);
        self.bytes(length)
    }

    /// A text behind its length.
    pub(crate) fn text(&mut self) -> String {
        String::from_utf8_lossy(self.block()).into_owned()
    }

    fn edge(&mut self, byte: u8, edges: &[u64]) -> Option<u64> {
        Some(match byte {
            0xE0..=0xEF => edges[usize::from(byte - 0xE0) % edges.len()],
            0xF0..=0xF7 => edges[self.choice(edges.len())].wrapping_add(byte.into()).wrapping_sub(0xF4),
            _ => return None,
        })
    }

    /// A window, or a number of nanoseconds that is none.
    pub(crate) fn window(&mut self) -> u64 {
        match self.byte() {
            byte @ 0..=0xDF => u64::from(byte) % 21,
            byte => self.edge(byte, &WINDOWS).unwrap_or_else(|| self.any()),
        }
    }

    pub(crate) fn units(&mut self) -> u32 {
        match self.byte() {
            byte @ 0..=0xDF => u32::from(byte) % 9,
            byte => self.far_units(byte),
        }
    }

    fn far_units(&mut self, byte: u8) -> u32 {
        match self.edge(byte, &UNITS) {
            Some(edge) => edge as u32,
            None => u32::from_le_bytes(self.array()),
        }
    }

    pub(crate) fn cost(&mut self, limit: u32) -> u32 {
        match self.byte() {
            byte @ 0..=0xBF => u32::from(byte) % 10,
            byte @ 0xC0..=0xCF => limit.saturating_add(u32::from(byte - 0xC0)),
            byte @ 0xD0..=0xDF => limit.saturating_sub(u32::from(byte - 0xD0)),
            byte => self.far_units(byte),
        }
    }

    /// A timestamp; it keeps the latest up to date.
    pub(crate) fn time(&mut self, latest: &mut u64) -> u64 {
        let time = match self.byte() {
            byte @ 0..=0xBF => u64::from(byte) % 64,
            byte @ 0xC0..=0xCF => latest.saturating_add(u64::from(byte - 0xC0)),
            byte @ 0xD0..=0xDF => latest.saturating_sub(u64::from(byte - 0xD0)),
            byte => self.edge(byte, &TIMES).unwrap_or_else(|| self.any()),
        };
        let time = time.min(LAST_TIMESTAMP);
        *latest = time.max(*latest);
        time
    }

    /// A policy of this kind. Where the settings are those of none, the crate has to say so too, and they are put right.
    ///
    /// A window: quota, window, and `01` with an origin for a grid. A log: quota, window. A bucket: quota, window, burst, and `01` with an
    /// origin for refill by interval.
    pub(crate) fn policy(&mut self, kind: Kind) -> Policy {
        let (quota, window_ns) = (self.units(), self.window());
        let read = match kind {
            Kind::FixedWindow => Policy::FixedWindow { quota, window_ns, grid: self.origin() },
            Kind::SlidingLog { .. } => Policy::SlidingLog { quota, window_ns },
            Kind::TokenBucket => {
                let burst = self.units();
                let refill = self.origin().map_or(Refill::Continuous, |origin_ns| Refill::Interval { origin_ns });
                Policy::TokenBucket { quota, window_ns, burst, refill }
            }
        };
        assert_eq!(subject::can_be_built(&read), read.is_valid(), "whether this is a policy: {read:?}");
        put_right(read)
    }

    fn origin(&mut self) -> Option<u64> {
        self.flag().then(|| self.time(&mut 0))
    }

    /// One to three policies, behind their number less one.
    pub(crate) fn policies(&mut self, kind: Kind) -> Vec<Policy> {
        (0..=self.choice(3)).map(|_| self.policy(kind)).collect()
    }

    /// What `step` reads, until nothing is left: up to `most`, for a longer case finds little that a shorter one does not.
    pub(crate) fn steps<T>(&mut self, most: usize, mut step: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut steps = Vec::new();
        while !self.is_empty() && steps.len() < most {
            steps.push(step(self));
        }
        steps
    }

    /// Three bytes: the policy and the action as two digits, the time, and the cost.
    pub(crate) fn step(&mut self, policies: &[Policy], latest: &mut u64) -> Step {
        let digits = self.byte();
        let action = [Action::Check, Action::Peek, Action::Charge, Action::Refund][usize::from(digits & 0xF) % 4];
        self.step_of(action, digits, policies, latest)
    }

    /// The rest of a step, whose action is known.
    pub(crate) fn step_of(&mut self, action: Action, digits: u8, policies: &[Policy], latest: &mut u64) -> Step {
        let policy = usize::from(digits >> 4) % policies.len();
        Step { action, at: self.time(latest), cost: self.cost(policies[policy].limit()), policy }
    }
}

/// The same policy, if it is one, or one that is near.
fn put_right(read: Policy) -> Policy {
    let (quota, window_ns) = (read.quota().max(1), read.window_ns().clamp(1, LONGEST_NS));
    let near = match read {
        Policy::FixedWindow { grid, .. } => Policy::FixedWindow { quota, window_ns, grid },
        Policy::SlidingLog { .. } => Policy::SlidingLog { quota, window_ns },
        Policy::TokenBucket { burst, refill, .. } => {
            let near = Policy::TokenBucket { quota, window_ns, burst: burst.max(1), refill };
            // A bucket of no more than the quota is full within a window.
            if near.is_valid() { near } else { Policy::TokenBucket { quota, window_ns, burst: quota, refill } }
        }
    };
    assert!(near.is_valid(), "{near:?}");
    near
}

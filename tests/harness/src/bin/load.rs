//! How often a `Table` is full, by its load.
//!
//! ```text
//! cargo run --release -p tollgate-harness --bin load -- --slots 65536 --keys 4000000
//! ```
//!
//! A table is filled and kept at a load of live states: at each step a new key comes, and another one's state expires, chosen at random, so that keys go in any
//! order. What has expired stays where it is until a new key needs the room.

use std::cell::Cell;
use std::hash::RandomState;
use std::process::ExitCode;
use std::rc::Rc;

use tollgate::store::{HeapBuckets, Table};
use tollgate::{State, Store, Timestamp};

const USAGE: &str = "usage: load [--slots N] [--keys N], both at least 1";

/// Live until it is told otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
struct Held(Option<Rc<Cell<bool>>>);

impl State for Held {
    fn is_expired(&self, _: Timestamp) -> bool {
        self.0.as_ref().is_none_or(|live| !live.get())
    }

    fn expires_at(&self) -> Timestamp {
        Timestamp::ZERO
    }
}

/// What is always the same: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(mixed ^ (mixed >> 31)) * bound as u128) >> 64) as usize
    }
}

/// How many found no room while the table was filled, and of so many keys after.
fn refused(slots: usize, live: usize, keys: u64) -> (u64, u64) {
    let mut table = Table::with_hasher(HeapBuckets::<u64, Held>::new(slots, 0), RandomState::new());
    let (mut random, mut held) = (Random(1), Vec::with_capacity(live));
    let (mut at_first, mut after) = (0, 0);
    let filling = live as u64;
    for key in 0..filling + keys {
        if held.len() >= live {
            let gone: Rc<Cell<bool>> = held.swap_remove(random.below(live));
            gone.set(false);
        }
        let life = Rc::new(Cell::new(true));
        let state = Held(Some(life.clone()));
        match (&mut table).update(&key, Timestamp::ZERO, |vacant, _| *vacant = state) {
            Ok(()) => held.push(life),
            Err(_) if key < filling => at_first += 1,
            Err(_) => after += 1,
        }
    }
    (at_first, after)
}

fn settings(mut arguments: impl Iterator<Item = String>) -> Option<(usize, u64)> {
    let (mut slots, mut keys) = (65_536, 4_000_000);
    while let Some(name) = arguments.next() {
        let number = arguments.next()?;
        match name.as_str() {
            "--slots" => slots = number.parse().ok().filter(|&slots| slots > 0)?,
            "--keys" => keys = number.parse().ok().filter(|&keys| keys > 0)?,
            _ => return None,
        }
    }
    Some((slots, keys))
}

fn main() -> ExitCode {
    let Some((slots, keys)) = settings(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    println!("{slots} slots, {keys} new keys at each load");
    println!("| load | full while it was filled | full after | of a million |");
    println!("| --- | --- | --- | --- |");
    for percent in [85, 88, 90, 92, 94, 96, 98] {
        let live = slots.saturating_mul(percent) / 100;
        let (at_first, after) = refused(slots, live.max(1), keys);
        println!("| {percent} % | {at_first} | {after} | {:.1} |", after as f64 * 1e6 / keys as f64);
    }
    ExitCode::SUCCESS
}

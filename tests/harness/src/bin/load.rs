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
use tollgate_harness::program::{Number, Random, numbers};

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

/// How many found no room while the table was filled, and of so many keys after.
fn refused(slots: usize, live: usize, keys: u64) -> (u64, u64) {
    let mut table = Table::with_hasher(HeapBuckets::<u64, Held>::new(slots, 0), RandomState::new());
    let (mut random, mut held) = (Random(1), Vec::with_capacity(live));
    let (mut at_first, mut after) = (0, 0);
    let filling = live as u64;
    for key in 0..filling + keys {
        if held.len() >= live {
            let gone: Rc<Cell<bool>> = held.swap_remove(random.below(filling) as usize);
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

fn main() -> ExitCode {
    let slots = Number { name: "--slots", default: 65_536, least: 1 };
    match numbers([slots, Number { name: "--keys", default: 4_000_000, least: 1 }]) {
        Ok([slots, keys]) => {
            by_load(slots as usize, keys);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("load: {why}");
            ExitCode::from(2)
        }
    }
}

fn by_load(slots: usize, keys: u64) {
    println!("{slots} slots, {keys} new keys at each load");
    println!("| load | full while it was filled | full after | of a million |");
    println!("| --- | --- | --- | --- |");
    for percent in [85, 88, 90, 92, 94, 96, 98] {
        let live = slots.saturating_mul(percent) / 100;
        let (at_first, after) = refused(slots, live.max(1), keys);
        println!("| {percent} % | {at_first} | {after} | {:.1} |", after as f64 * 1e6 / keys as f64);
    }
}

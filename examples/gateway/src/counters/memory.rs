//! [`Memory`]: states in this process, bounded and shared by all its threads.
//!
//! Keys are spread by their hash over shards, each a map behind a lock of its own that is held for one judgement, some hundred
//! nanoseconds. The hash is seeded at random, so nobody can aim at one shard.
//!
//! A shard is pruned of what has expired when it has doubled, which costs each new key O(1) in the long run. It has a hard cap. At the cap
//! a new key is refused ([`Full`]), and [`Unjudged`](crate::office::Unjudged) says what that means; known keys are judged as ever, and no
//! live state is dropped for a new one, or whoever can invent keys could wash off their own. There the map is pruned at most once a
//! second, so that a flood of new keys cannot make each request pay for a walk over all of them.
//!
//! The memory is thus at most the cap times a key and its state, twice that for the map's spare room: with 65,536 keys some 130 MiB if
//! every client has used up the edge throttle's log of 100 entries, and less than 20 MiB of windows or buckets.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::sync::Mutex;

use tollgate::store::Pruned;
use tollgate::{Full, State, Store, Timestamp, Wait};

use super::{Counters, Unavailable, lock};
use crate::rule::{Judge, Judgement};

/// More than there will be threads, so that two seldom meet.
const SHARDS: usize = 32;

/// The store of one process.
#[derive(Debug)]
pub struct Memory<S> {
    shards: [Mutex<Shard<S>>; SHARDS],
    hasher: RandomState,
    /// Of each shard.
    capacity: usize,
}

#[derive(Debug)]
struct Shard<S> {
    states: Pruned<HashMap<Box<[u8]>, S>>,
    /// The number of keys at which a new one is not simply added.
    enough: usize,
    /// When the next prune of a full shard is due.
    next_prune: Timestamp,
}

impl<S> Memory<S> {
    /// With room for some `max_keys` keys: each shard has its share of them, rounded up.
    pub fn new(max_keys: NonZeroUsize) -> Self {
        let shards = std::array::from_fn(|_| Mutex::new(Shard::default()));
        Self { shards, hasher: RandomState::new(), capacity: max_keys.get().div_ceil(SHARDS) }
    }

    fn shard(&self, key: &[u8]) -> &Mutex<Shard<S>> {
        // Below the number of shards, so it is a place there.
        let index = self.hasher.hash_one(key) % SHARDS as u64;
        &self.shards[index as usize]
    }
}

impl<S: State + Send + 'static> Counters<S> for Memory<S> {
    async fn judge(&self, rule: &impl Judge<S>, key: &[u8], now: Timestamp) -> Result<Judgement, Unavailable> {
        let mut shard = lock(self.shard(key));
        if shard.is_new_and_much(key) {
            shard.make_room(self.capacity, now)?;
        }
        let Ok(judgement) =
            shard.states.update(key, now, |state, read| rule.judge(state, read).counted_from(now, read));
        Ok(judgement)
    }
}

impl<S> Default for Shard<S> {
    fn default() -> Self {
        Self { states: Pruned::new(HashMap::new()), enough: 0, next_prune: Timestamp::ZERO }
    }
}

impl<S: State> Shard<S> {
    /// Below the least size at which it is worth while, nothing is pruned.
    const FEW: usize = 64;
    const PAUSE: Wait = Wait::from_secs(1);

    fn is_new_and_much(&self, key: &[u8]) -> bool {
        let map = self.states.map();
        map.len() >= self.enough && !map.contains_key(key)
    }

    fn make_room(&mut self, capacity: usize, now: Timestamp) -> Result<(), Full> {
        let is_full = self.states.map().len() >= capacity;
        if !is_full || now >= self.next_prune {
            self.states.prune(now);
            self.next_prune = now.saturating_add(Self::PAUSE);
        }
        let len = self.states.map().len();
        if len >= capacity {
            return Err(Full { capacity });
        }
        self.enough = len.saturating_mul(2).max(Self::FEW).min(capacity);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use tollgate::{FixedWindow, FixedWindowState};

    use super::*;
    use crate::rule::Named;

    const ONE: Named<FixedWindow> = Named::new("one", FixedWindow::constant(1, Duration::from_secs(60)));

    fn memory(max_keys: usize) -> Memory<FixedWindowState> {
        Memory::new(NonZeroUsize::new(max_keys).unwrap())
    }

    /// The seconds to wait, if the request is denied; an error if there is no room. In memory nothing waits.
    fn ask(memory: &Memory<FixedWindowState>, key: u64, secs: u64) -> Result<Option<u64>, Unavailable> {
        let key = key.to_be_bytes();
        let judged = pin!(memory.judge(&ONE, &key, Timestamp::from_secs(secs)));
        let Poll::Ready(judged) = judged.poll(&mut Context::from_waker(Waker::noop())) else { panic!("waits") };
        judged.map(|judgement| judgement.denied().map(|denied| denied.retry_after.secs()))
    }

    fn keys(memory: &Memory<FixedWindowState>) -> usize {
        memory.shards.iter().map(|shard| lock(shard).states.map().len()).sum()
    }

    #[test]
    fn memory_is_bounded_and_a_live_state_is_never_dropped_for_a_new_key() {
        let memory = memory(3_200);
        let admitted: Vec<u64> = (0..10_000).filter(|&key| ask(&memory, key, 0).is_ok()).collect();
        assert_eq!(keys(&memory), 3_200);
        assert_eq!(admitted.len(), 3_200);
        assert!(admitted.iter().all(|&key| matches!(ask(&memory, key, 59), Ok(Some(_)))));
    }

    #[test]
    fn a_full_store_has_room_again_when_its_states_have_expired() {
        let memory = memory(3_200);
        (0..10_000).for_each(|key| drop(ask(&memory, key, 0)));
        assert!(ask(&memory, 10_000, 59).is_err());
        assert!(matches!(ask(&memory, 10_001, 60), Ok(None)));
    }

    #[test]
    fn what_has_expired_is_pruned_as_new_keys_come() {
        let memory = memory(1_000_000);
        for second in 0..1_000 {
            (0..100).for_each(|key| assert!(matches!(ask(&memory, second * 100 + key, second), Ok(None))));
        }
        // 6,000 are live at any time: twice that, and what each shard has for the least.
        assert!(keys(&memory) <= 2 * 6_000 + 2 * SHARDS * Shard::<FixedWindowState>::FEW, "{}", keys(&memory));
    }

    #[test]
    fn a_late_request_finds_no_fresh_quota_where_a_state_was_forgotten() {
        let memory = memory(3_200);
        assert!(matches!(ask(&memory, 7, 0), Ok(None)));
        assert_eq!(
            memory.shards.iter().map(|shard| lock(shard).states.prune(Timestamp::from_secs(60))).sum::<usize>(),
            1
        );
        // As at 60 s, when the forgotten window ended, and told from the caller's 59 s.
        assert!(matches!(ask(&memory, 7, 59), Ok(None)));
        assert!(matches!(ask(&memory, 7, 59), Ok(Some(61))));
    }

    #[test]
    fn a_panic_under_a_lock_does_not_end_the_store() {
        struct Panics;
        impl Judge<FixedWindowState> for Panics {
            fn judge(&self, _: &mut FixedWindowState, _: Timestamp) -> Judgement {
                panic!("on purpose")
            }
        }
        let memory = memory(3_200);
        assert!(matches!(ask(&memory, 7, 0), Ok(None)));
        let poisoned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let key = 7_u64.to_be_bytes();
            let judged = pin!(memory.judge(&Panics, &key, Timestamp::ZERO));
            judged.poll(&mut Context::from_waker(Waker::noop())).is_ready()
        }));
        assert!(poisoned.is_err());
        assert!(matches!(ask(&memory, 7, 1), Ok(Some(_))));
    }
}

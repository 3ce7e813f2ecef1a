//! [`LogState`]: what was admitted and still counts, oldest first, in a ring.
//!
//! An entry is an expiry and the number of units admitted before it, counted from some start and wrapping: so the units of any run of entries
//! are one difference, and the entry at which enough of them will have expired is found by bisection. Expiries never fall from one entry to the
//! next. Entries that have expired stay until something is admitted, since a denial writes nothing.

use core::hash::{Hash, Hasher};

use super::memory::sealed::Entry;
use super::memory::{InPlace, LogMemory};
use crate::decision::Decision;
use crate::error::OutOfRange;
use crate::state::State;
use crate::time::{LAST_DEADLINE, LONGEST, Timestamp, Wait};

/// What a [`SlidingLog`](super::SlidingLog) remembers of a key, in a memory of the caller's choice:
/// [`SlidingLogArray`](super::SlidingLogArray), or [`SlidingLogState`](super::SlidingLogState).
///
/// Equal where the same units are remembered, wherever in the memory they lie.
///
/// ```
/// use tollgate::{SlidingLogArray, State, Timestamp};
///
/// assert!(SlidingLogArray::<4>::default().is_expired(Timestamp::ZERO));
/// ```
#[derive(Clone, Debug, Default)]
pub struct LogState<M> {
    /// The time read of the last admission or charge.
    last: u64,
    /// The count up to the newest entry. Never more than `u32::MAX` above that before the oldest.
    total: u32,
    /// Where in the memory the oldest entry is; where there is none, one that has expired.
    head: u32,
    /// Where the newest is, if there is one.
    newest: u32,
    len: u32,
    memory: M,
}

const _: () = assert!(size_of::<super::SlidingLogArray<10>>() <= 24 + 12 * 10);

impl<const N: usize> LogState<InPlace<N>> {
    /// The state of a key that was never seen, for a `static`.
    ///
    /// ```
    /// # use tollgate::SlidingLogArray;
    /// const FRESH: SlidingLogArray<4> = SlidingLogArray::new();
    /// assert_eq!(FRESH, SlidingLogArray::default());
    /// ```
    #[inline]
    pub const fn new() -> Self {
        Self { last: 0, total: 0, head: 0, newest: 0, len: 0, memory: InPlace::new() }
    }
}

/// The entries that count at some time: those from the first that has not expired.
pub(super) struct Live {
    /// How many entries before them have expired.
    dead: u32,
    /// The count before them.
    gone: u32,
    /// Their units.
    pub(super) used: u32,
}

impl<M: LogMemory> LogState<M> {
    /// The time to judge by: never before the last admission.
    #[inline]
    pub(super) fn read(&self, now: Timestamp) -> u64 {
        now.as_nanos().max(self.last)
    }

    /// Where in the memory the entry `index` is, counted from the oldest; or where the next one will be.
    #[inline]
    fn slot(&self, index: u32) -> u32 {
        // Cannot overflow: the memory has room for both, at 12 bytes an entry.
        let slot = self.head as usize + index as usize;
        let room = self.memory.room();
        (if slot < room { slot } else { slot - room }) as u32
    }

    /// The slot after another, in the ring.
    #[inline]
    fn next(&self, slot: u32) -> u32 {
        // Cannot overflow: it is one of at most 2^32 - 1.
        if slot + 1 < self.memory.room() as u32 { slot + 1 } else { 0 }
    }

    /// The entry `index`, which is there.
    #[inline]
    fn entry(&self, index: u32) -> Entry {
        self.memory.get(self.slot(index)).unwrap_or_default()
    }

    /// The newest entry, if there is one.
    #[inline]
    fn newest(&self) -> Option<Entry> {
        if self.len == 0 { None } else { self.memory.get(self.newest) }
    }

    /// The count before the entry `index`; that before the one after all others is the total.
    #[inline]
    fn count_before(&self, index: u32) -> u32 {
        if index < self.len { self.entry(index).before } else { self.total }
    }

    /// The first entry from `from` on for which `holds`, which must hold for all after it too; the length, if for none. At first it tries the
    /// next entry and the one after, then gallops, and bisects when it has come too far: O(log n) in the distance.
    #[inline]
    fn first(&self, from: u32, holds: impl Fn(u32) -> bool) -> u32 {
        let (mut low, mut high) = (from, self.len);
        while low < high {
            // Cannot overflow: below `high`. Once it is that which bounds the step, it stays so, and the rest is a bisection.
            let probe = low + ((low - from) / 2).min((high - low) / 2);
            if holds(probe) {
                high = probe;
            } else {
                low = probe + 1;
            }
        }
        low
    }

    #[inline]
    pub(super) fn live(&self, read: u64) -> Live {
        let dead = self.first(0, |index| self.entry(index).expiry > read);
        let gone = self.count_before(dead);
        Live { dead, gone, used: self.total.wrapping_sub(gone) }
    }

    /// Judges one unit in the case that is most frequent by far: at most one entry has expired, at most one unit is too many, and what is
    /// admitted is in time, and an entry of its own, for which there is room. Else `None`, and nothing is changed.
    #[inline]
    pub(super) fn judge_one(&mut self, quota: u32, window: u64, now: Timestamp) -> Option<Decision> {
        let read = now.as_nanos();
        let (mut head, mut len) = (self.head, self.len);
        let oldest = self.memory.get(head)?;
        if oldest.expiry > read {
            let used = self.total.wrapping_sub(oldest.before);
            if used == quota {
                // At the time of the last admission too, after which all entries expire.
                return Some(Decision::Deny { retry_after: Wait::from_nanos(oldest.expiry - read) });
            }
            if used > quota {
                return None;
            }
        } else {
            len = len.checked_sub(1)?;
            head = self.next(head);
            let oldest = self.memory.get(head)?;
            if len == 0 || oldest.expiry <= read || self.total.wrapping_sub(oldest.before) >= quota {
                return None;
            }
        }
        if self.last > read || !self.memory.fits(len) {
            return None;
        }
        // Cannot overflow: a deadline.
        let expiry = read + window;
        if self.memory.get(self.newest)?.expiry >= expiry {
            return None;
        }
        let newest = self.next(self.newest);
        self.memory.set(newest, Entry { expiry, before: self.total });
        self.last = read;
        self.total = self.total.wrapping_add(1);
        self.head = head;
        self.newest = newest;
        self.len = len + 1;
        Some(Decision::Allow)
    }

    /// Whether there is no room for another entry.
    #[inline]
    pub(super) fn is_full(&self, live: &Live) -> bool {
        self.len - live.dead >= M::MOST
    }

    /// When the oldest live entry expires.
    #[inline]
    pub(super) fn oldest_expires(&self, live: &Live) -> u64 {
        self.entry(live.dead).expiry
    }

    /// When `cost` will be admitted, at least 1 and at most the quota; `None`: now.
    #[inline]
    pub(super) fn admits_at(&self, live: &Live, cost: u32, quota: u32) -> Option<u64> {
        let most = quota - cost;
        if live.used > most {
            // So many of the oldest units must expire.
            let excess = live.used - most;
            let last = self.first(live.dead, |index| self.count_before(index + 1).wrapping_sub(live.gone) >= excess);
            return Some(self.entry(last).expiry);
        }
        if self.is_full(live) { Some(self.oldest_expires(live)) } else { None }
    }

    /// Adds units, which may be none, and drops what has expired.
    #[inline]
    pub(super) fn add(&mut self, live: Live, units: u32, read: u64, expires: u64) {
        self.last = read;
        self.head = self.slot(live.dead);
        self.len -= live.dead;
        if units == 0 {
            return;
        }
        match self.newest() {
            Some(newest) if expires <= newest.expiry || self.len >= M::MOST => {
                self.memory.set(self.newest, Entry { expiry: expires.max(newest.expiry), ..newest });
            }
            _ => {
                if !self.memory.fits(self.len) {
                    self.move_to_fit();
                }
                self.push(expires);
            }
        }
        self.total = self.total.wrapping_add(units);
    }

    /// Makes room for one more entry, and not for too many.
    fn move_to_fit(&mut self) {
        self.memory.fit(self.head, self.len);
        self.head = 0;
        self.newest = self.len.saturating_sub(1);
    }

    /// An entry after all others, of what will be counted next. There must be room.
    #[inline]
    fn push(&mut self, expiry: u64) {
        self.newest = self.slot(self.len);
        self.memory.set(self.newest, Entry { expiry, before: self.total });
        self.len += 1;
    }

    /// Takes back up to `units` of those that are live, the newest first.
    #[inline]
    pub(super) fn take_back(&mut self, live: &Live, units: u32) {
        self.total = self.total.wrapping_sub(units.min(live.used));
        let left = self.total.wrapping_sub(live.gone);
        self.len = self.first(live.dead, |index| self.entry(index).before.wrapping_sub(live.gone) >= left);
        self.newest = self.slot(self.len.saturating_sub(1));
        if self.len == 0 {
            self.memory.set(self.head, Entry::default());
        }
    }
}

impl<M: LogMemory> State for LogState<M> {
    #[inline]
    fn is_expired(&self, now: Timestamp) -> bool {
        now.as_nanos() >= self.deadline()
    }

    fn expires_at(&self) -> Timestamp {
        Timestamp::from_nanos(self.deadline())
    }
}

impl<M: LogMemory> LogState<M> {
    /// Where a refund has emptied the log, the time of its last admission stands.
    #[inline]
    fn deadline(&self) -> u64 {
        self.newest().map_or(0, |newest| newest.expiry).max(self.last)
    }

    /// The entries, oldest first: expiry and units.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u64, u32)> {
        (0..self.len).map(|index| {
            (self.entry(index).expiry, self.count_before(index + 1).wrapping_sub(self.count_before(index)))
        })
    }
}

/// From what was kept of one: [`for_entries`](Self::for_entries), then [`append`](Self::append) each, then [`last_read_at`](Self::last_read_at).
///
/// That a state is one is known when all of them have succeeded: entries hold at least a unit each and `u32::MAX` together, and all expire after
/// `last`, one later than the other, none more than 2^62 ns after it.
impl<M: LogMemory> LogState<M> {
    /// The most entries that there may be.
    pub(crate) const CAPACITY: u32 = M::MOST;

    /// How many entries there are.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The time read of the last admission or charge.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// An empty log, for so many entries and one more, which is what a log is read for.
    pub(crate) fn for_entries(entries: u32) -> Self {
        Self { memory: M::for_entries((entries as usize).saturating_add(1).min(M::MOST as usize)), ..Self::default() }
    }

    /// Adds an entry after all others.
    pub(crate) fn append(&mut self, expires: u64, units: u32) -> Result<(), OutOfRange> {
        let newest = self.newest().map_or(0, |newest| newest.expiry);
        let used = self.total.wrapping_sub(self.count_before(0));
        OutOfRange::test("entries", u64::from(self.len) + 1, 0, Self::CAPACITY.into())?;
        // Cannot overflow: a deadline.
        OutOfRange::test("expires", expires, newest + 1, LAST_DEADLINE)?;
        OutOfRange::test("units", units.into(), 1, (u32::MAX - used).into())?;
        if self.len as usize == self.memory.room() {
            self.move_to_fit();
        }
        self.push(expires);
        self.total = self.total.wrapping_add(units);
        Ok(())
    }

    /// The log with the time that it last read.
    pub(crate) fn last_read_at(self, last: u64) -> Result<Self, OutOfRange> {
        let (least, most) = match self.newest() {
            None => (0, Timestamp::MAX.as_nanos()),
            Some(newest) => {
                let first = self.entry(0).expiry;
                (newest.expiry.saturating_sub(LONGEST), first.saturating_sub(1).min(Timestamp::MAX.as_nanos()))
            }
        };
        OutOfRange::test("last", last, least, most)?;
        Ok(Self { last, ..self })
    }
}

impl<M: LogMemory> PartialEq for LogState<M> {
    fn eq(&self, other: &Self) -> bool {
        self.last == other.last && self.len == other.len && self.entries().eq(other.entries())
    }
}

impl<M: LogMemory> Eq for LogState<M> {}

impl<M: LogMemory> Hash for LogState<M> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.last, self.len).hash(hasher);
        self.entries().for_each(|entry| entry.hash(hasher));
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    #[cfg(feature = "alloc")]
    use super::super::{SlidingLogState, memory::sealed::Slots};
    use super::*;
    use crate::{SlidingLog, SlidingLogArray};

    const TEN: SlidingLog = SlidingLog::constant(10, Duration::from_nanos(10));

    /// A log of charges of so many units at such times, in nanoseconds.
    fn log(charges: &[(u64, u32)]) -> SlidingLogArray<4> {
        let mut log = SlidingLogArray::default();
        for (at, units) in charges {
            TEN.charge_to(&mut log, *units, Timestamp::from_nanos(*at));
        }
        log
    }

    #[test]
    fn equal_logs_remember_the_same_wherever_in_the_memory() {
        let here = log(&[(20, 1), (21, 2)]);
        let (together, after_others) = (log(&[(20, 1), (21, 1), (21, 1)]), log(&[(0, 3), (1, 4), (20, 1), (21, 2)]));
        assert_eq!(here, together, "equal timestamps share an entry");
        assert_eq!(here, after_others, "after what has expired");
        #[cfg(feature = "std")]
        {
            use core::hash::BuildHasher;
            let hasher = std::hash::RandomState::new();
            let here = hasher.hash_one(here);
            assert_eq!([together, after_others].map(|log| hasher.hash_one(log)), [here; 2]);
            assert_ne!(hasher.hash_one(log(&[(20, 1), (21, 3)])), here);
        }
    }

    #[test]
    #[cfg(feature = "alloc")]
    fn a_log_gives_its_memory_back_when_a_burst_is_over() {
        type Judge = fn(&SlidingLog, &mut SlidingLogState, Timestamp) -> bool;
        let by_one: Judge = |policy, log, now| policy.judge(log, now).is_allow();
        let by_cost: Judge = |policy, log, now| policy.judge_n(log, 1, now).is_ok_and(|decision| decision.is_allow());
        let policy = SlidingLog::constant(10_000, Duration::from_secs(60));
        for judge in [by_one, by_cost] {
            let mut log = SlidingLogState::default();
            assert!((0..8_000).all(|milli| judge(&policy, &mut log, Timestamp::from_millis(milli))));
            assert!((8_000..16_000).contains(&log.memory.room()));
            // Four at a time are live: each that comes lets one go.
            assert!((0..1_000).all(|check| judge(&policy, &mut log, Timestamp::from_secs(200 + 15 * check))));
            assert!(log.memory.room() <= 32, "{}", log.memory.room());
        }
        let mut given_back = SlidingLogState::default();
        assert!((0..8_000).all(|milli| by_one(&policy, &mut given_back, Timestamp::from_millis(milli))));
        policy.refund_to(&mut given_back, 7_990, Timestamp::from_secs(8));
        assert!((0..20).all(|check| by_one(&policy, &mut given_back, Timestamp::from_secs(8 + check))));
        assert!(given_back.memory.room() <= 256, "{}", given_back.memory.room());
    }

    #[test]
    fn logs_that_remember_something_else_are_not_equal() {
        let here = log(&[(20, 1), (21, 2)]);
        for other in [
            &[][..],
            &[(20, 1)],
            &[(20, 1), (21, 3)],
            &[(20, 2), (21, 1)],
            &[(20, 1), (22, 2)],
            &[(19, 1), (21, 2)],
            &[(21, 3)],
        ] {
            assert_ne!(here, log(other), "{other:?}");
        }
        let mut given_back = log(&[(20, 1)]);
        TEN.refund_to(&mut given_back, 1, Timestamp::from_nanos(20));
        assert_ne!(given_back, log(&[]), "the time last read stands");
        assert_eq!(given_back.expires_at(), Timestamp::from_nanos(20));
    }
}

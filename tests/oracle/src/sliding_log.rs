//! The sliding log: every admission, until it is one window old.

/// What is remembered of a key under sliding logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Log {
    /// How many entries there is room for; `None` for a log that grows.
    capacity: Option<u32>,
    /// The time last read by an admission or a charge.
    last: u64,
    /// Oldest first. No entry expires before an older one, and none is without units.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    expires: u64,
    units: u32,
}

impl Log {
    /// An empty log.
    ///
    /// # Panics
    ///
    /// Where there is room for nothing: such a log could never admit.
    pub(crate) fn new(capacity: Option<u32>) -> Self {
        assert_ne!(capacity, Some(0), "a log has room for one entry at least");
        Self { capacity, last: 0, entries: Vec::new() }
    }

    /// The units that count at `now`.
    pub(crate) fn used(&self, now: u64) -> u32 {
        self.live(self.read(now)).map(|entry| entry.units).sum()
    }

    /// Whether `cost` more units pass at `now`: the quota allows them, and there is room for one more entry, even if none were needed.
    pub(crate) fn allows(&self, quota: u32, cost: u32, now: u64) -> bool {
        let time = self.read(now);
        cost == 0 || (u64::from(self.used(time)) + u64::from(cost) <= u64::from(quota) && !self.is_full(time))
    }

    /// Counts `cost` units at `now`, admitted or charged, as far as a `u32` can count them.
    ///
    /// They expire one window later, but not before an older entry, and share the entry of those that expire with them. If there is no
    /// room for an entry (only a charge gets that far), they share the newest one, which then expires with them.
    pub(crate) fn count(&mut self, window_ns: u64, cost: u32, now: u64) {
        let time = self.read(now);
        self.last = time;
        self.entries.retain(|entry| time < entry.expires);
        let units = cost.min(u32::MAX - self.used(time));
        if units == 0 {
            return;
        }
        let full = self.is_full(time);
        match self.entries.last_mut() {
            Some(newest) if full || time + window_ns <= newest.expires => {
                newest.units += units;
                newest.expires = newest.expires.max(time + window_ns);
            }
            _ => self.entries.push(Entry { expires: time + window_ns, units }),
        }
    }

    /// Gives back `cost` units, if that many count at `now`, the newest first.
    pub(crate) fn refund(&mut self, cost: u32, now: u64) {
        let time = self.read(now);
        let mut owed = cost;
        for entry in self.entries.iter_mut().rev().take_while(|entry| time < entry.expires) {
            let back = owed.min(entry.units);
            entry.units -= back;
            owed -= back;
        }
        self.entries.retain(|entry| entry.units > 0);
    }

    /// From when on the key need not be remembered: all entries are dead, and no earlier time would have been read as a later one.
    pub(crate) fn expires_at(&self) -> u64 {
        self.entries.last().map_or(self.last, |newest| newest.expires.max(self.last))
    }

    fn read(&self, now: u64) -> u64 {
        now.max(self.last)
    }

    fn live(&self, time: u64) -> impl Iterator<Item = &Entry> {
        self.entries.iter().rev().take_while(move |entry| time < entry.expires)
    }

    fn is_full(&self, time: u64) -> bool {
        self.capacity.is_some_and(|capacity| self.live(time).count() as u64 >= u64::from(capacity))
    }
}

//! Where a log keeps its entries: in place, or in a box that grows.
//!
//! A slot that is not there takes nothing, so that no index can panic; the log asks only for those that are.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::fmt::Debug;

use sealed::Entry;

/// A memory for the entries of a [`LogState`](super::LogState): [`InPlace`] or [`Growing`]. Sealed: how it is used may change.
pub trait LogMemory: Clone + Debug + Default + sealed::Slots {}

impl<M: Clone + Debug + Default + sealed::Slots> LogMemory for M {}

pub(super) mod sealed {
    /// What was admitted at one time: when it expires, and the units that were admitted before it, counted from some start and wrapping.
    ///
    /// Packed, since it would be padded from 12 bytes to 16.
    #[derive(Clone, Copy, Debug, Default)]
    #[repr(C, packed(4))]
    pub struct Entry {
        pub expiry: u64,
        pub before: u32,
    }

    const _: () = assert!(size_of::<Entry>() == 12);

    pub trait Slots {
        /// The slots there may be.
        const MOST: u32;

        /// A memory that is empty, and will not move until there are more than so many entries.
        fn for_entries(entries: usize) -> Self;

        /// The slots there are.
        fn room(&self) -> usize;

        /// What is in a slot, if that is there.
        fn get(&self, slot: u32) -> Option<Entry>;

        fn set(&mut self, slot: u32, entry: Entry);

        /// Whether there is room for one more than `len` entries, and not for too many more.
        fn fits(&self, len: u32) -> bool;

        /// Makes it so for `len` entries, which start at `head` and then at zero.
        fn fit(&mut self, head: u32, len: u32);
    }
}

/// Room for `N` entries, in the state itself: 12 bytes an entry.
///
/// ```
/// use tollgate::{InPlace, LogState, SlidingLogArray};
///
/// let state: LogState<InPlace<4>> = SlidingLogArray::<4>::default();
/// ```
#[derive(Clone, Debug)]
pub struct InPlace<const N: usize>([Entry; N]);

impl<const N: usize> InPlace<N> {
    /// A capacity of zero does not compile.
    #[inline]
    pub(super) const fn new() -> Self {
        const { assert!(N > 0 && N <= u32::MAX as usize, "a log needs room for 1 to 2^32 - 1 entries") }
        Self([Entry { expiry: 0, before: 0 }; N])
    }
}

impl<const N: usize> Default for InPlace<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> sealed::Slots for InPlace<N> {
    const MOST: u32 = N as u32;

    #[inline]
    fn for_entries(_: usize) -> Self {
        Self::default()
    }

    #[inline]
    fn room(&self) -> usize {
        N
    }

    #[inline]
    fn get(&self, slot: u32) -> Option<Entry> {
        self.0.get(slot as usize).copied()
    }

    #[inline]
    fn set(&mut self, slot: u32, entry: Entry) {
        write(&mut self.0, slot, entry);
    }

    #[inline]
    fn fits(&self, len: u32) -> bool {
        (len as usize) < N
    }

    #[inline]
    fn fit(&mut self, _: u32, _: u32) {}
}

/// A box that doubles when the log fills it, and halves at an admission that finds less than a quarter of it used. Admissions fill it up to
/// the quota; only charges go beyond.
///
/// ```
/// use tollgate::{Growing, LogState, SlidingLogState};
///
/// let state: LogState<Growing> = SlidingLogState::default();
/// ```
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
#[derive(Clone, Debug, Default)]
pub struct Growing(Box<[Entry]>);

#[cfg(feature = "alloc")]
impl Growing {
    /// The first allocation. Up to four times that is never too much.
    const FEW: usize = 4;

    /// The room to have instead of one that does not fit so many entries and one more. A slot is a `u32`, and so is the number of slots.
    const fn better(room: usize, len: usize) -> usize {
        let most = <Self as sealed::Slots>::MOST as usize;
        match room.saturating_mul(2) {
            _ if len < room => room / 2,
            doubled if doubled > most => most,
            doubled if doubled < Self::FEW => Self::FEW,
            doubled => doubled,
        }
    }

    /// Copies the ring to the start of a new memory.
    #[cold]
    fn move_to(&mut self, room: usize, head: usize, len: usize) {
        let entries = self.0.iter().cycle().skip(head).take(len).copied();
        let rest = core::iter::repeat_n(Entry::default(), room.saturating_sub(len));
        self.0 = entries.chain(rest).collect();
    }
}

#[cfg(feature = "alloc")]
impl sealed::Slots for Growing {
    const MOST: u32 = u32::MAX;

    fn for_entries(entries: usize) -> Self {
        let mut memory = Self::default();
        memory.move_to(entries, 0, 0);
        memory
    }

    #[inline]
    fn room(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn get(&self, slot: u32) -> Option<Entry> {
        self.0.get(slot as usize).copied()
    }

    #[inline]
    fn set(&mut self, slot: u32, entry: Entry) {
        write(&mut self.0, slot, entry);
    }

    #[inline]
    fn fits(&self, len: u32) -> bool {
        let (room, len) = (self.room(), len as usize);
        // Where less than a quarter is used there is too much room. Less than half of what is left is used then, so it takes many admissions until it grows again.
        len < room && (room <= 4 * Self::FEW || len >= room / 4)
    }

    #[cold]
    fn fit(&mut self, head: u32, len: u32) {
        let (room, head, len) = (self.room(), head as usize, len as usize);
        self.move_to(Self::better(room, len), head, len);
    }
}

#[inline]
fn write(slots: &mut [Entry], slot: u32, entry: Entry) {
    if let Some(place) = slots.get_mut(slot as usize) {
        *place = entry;
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::sealed::Slots;
    use super::*;

    fn nth(entry: u32) -> Entry {
        Entry { expiry: u64::from(entry) + 1, before: entry + 1 }
    }

    fn parts(entry: Option<Entry>) -> Option<(u64, u32)> {
        entry.map(|entry| (entry.expiry, entry.before))
    }

    /// A memory of some room, with entries from `head` on that count up from 1.
    fn filled(room: usize, head: usize, len: usize) -> Growing {
        let mut memory = Growing::default();
        memory.move_to(room, 0, 0);
        for entry in 0..len {
            memory.set(((head + entry) % room) as u32, nth(entry as u32));
        }
        memory
    }

    /// Makes room where it is needed, or too much; whether it was.
    fn fitted(memory: &mut Growing, head: u32, len: u32) -> bool {
        let unfit = !memory.fits(len);
        if unfit {
            memory.fit(head, len);
        }
        unfit
    }

    fn is_in_order(memory: &Growing, len: u32) -> bool {
        (0..len).all(|slot| parts(memory.get(slot)) == parts(Some(nth(slot))))
    }

    #[test]
    fn it_doubles_when_it_is_full_and_keeps_the_entries_in_order() {
        let mut empty = Growing::default();
        assert!(fitted(&mut empty, 0, 0));
        assert_eq!(empty.room(), 4);
        for head in 0..4 {
            let mut memory = filled(4, head, 4);
            assert!(fitted(&mut memory, head as u32, 4));
            assert_eq!(memory.room(), 8);
            assert!(is_in_order(&memory, 4));
        }
        assert!(filled(4, 2, 3).fits(3), "there is room for one more");
    }

    #[test]
    fn it_never_has_more_slots_than_can_be_counted() {
        let most = u32::MAX as usize;
        for full in [1 << 31, (1 << 31) + 1, most - 1, most] {
            assert_eq!(Growing::better(full, full), most, "{full} slots");
        }
        assert_eq!(Growing::better((1 << 31) - 1, (1 << 31) - 1), most - 1);
    }

    #[test]
    fn it_halves_when_less_than_a_quarter_is_used_but_keeps_a_few() {
        for (room, len, left) in
            [(64, 16, 64), (64, 15, 32), (17, 3, 8), (17, 4, 17), (16, 3, 16), (16, 0, 16), (256, 0, 128)]
        {
            let head = room - 2;
            let mut memory = filled(room, head, len);
            assert_eq!(fitted(&mut memory, head as u32, len as u32), left < room, "{room} for {len}");
            assert_eq!(memory.room(), left, "{room} for {len}");
            if left < room {
                assert!(is_in_order(&memory, len as u32), "{room} for {len}");
            }
        }
    }

    #[test]
    fn a_slot_that_is_not_there_takes_nothing() {
        let mut memory = filled(4, 0, 4);
        memory.set(4, nth(9));
        assert_eq!(parts(memory.get(4)), None);
        assert_eq!(memory.room(), 4);
    }
}

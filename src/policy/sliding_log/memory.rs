//! Where a log keeps its entries: in place, or in boxes that grow.
//!
//! Expiries and counts are kept apart, since together they would be padded from 12 bytes to 16. A slot that is not there takes nothing, so that
//! no index can panic; the log asks only for those that are.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::fmt::Debug;

/// A memory for the entries of a [`LogState`](super::LogState): [`InPlace`] or [`Growing`]. Sealed: how it is used may change.
pub trait LogMemory: Clone + Debug + Default + sealed::Slots {}

impl<M: Clone + Debug + Default + sealed::Slots> LogMemory for M {}

pub(super) mod sealed {
    pub trait Slots {
        /// The slots there may be.
        const MOST: u32;

        /// A memory that is empty, and will not move until there are more than so many entries.
        fn for_entries(entries: usize) -> Self;

        /// The slots there are.
        fn room(&self) -> usize;

        /// The expiry in a slot, if that is there.
        fn expiry(&self, slot: u32) -> Option<u64>;

        /// The count in a slot, if that is there.
        fn count(&self, slot: u32) -> Option<u32>;

        fn set(&mut self, slot: u32, expiry: u64, count: u32);

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
pub struct InPlace<const N: usize> {
    expiries: [u64; N],
    counts: [u32; N],
}

impl<const N: usize> InPlace<N> {
    /// A capacity of zero does not compile.
    #[inline]
    pub(super) const fn new() -> Self {
        const { assert!(N > 0 && N <= u32::MAX as usize, "a log needs room for 1 to 2^32 - 1 entries") }
        Self { expiries: [0; N], counts: [0; N] }
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
    fn expiry(&self, slot: u32) -> Option<u64> {
        self.expiries.get(slot as usize).copied()
    }

    #[inline]
    fn count(&self, slot: u32) -> Option<u32> {
        self.counts.get(slot as usize).copied()
    }

    #[inline]
    fn set(&mut self, slot: u32, expiry: u64, count: u32) {
        write(&mut self.expiries, slot, expiry);
        write(&mut self.counts, slot, count);
    }

    #[inline]
    fn fits(&self, _: u32) -> bool {
        true
    }

    #[inline]
    fn fit(&mut self, _: u32, _: u32) {}
}

/// Boxes that grow with the log, and shrink when a burst is over. Admissions fill them up to the quota; only charges go beyond.
///
/// ```
/// use tollgate::{Growing, LogState, SlidingLogState};
///
/// let state: LogState<Growing> = SlidingLogState::default();
/// ```
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
#[derive(Clone, Debug, Default)]
pub struct Growing {
    expiries: Box<[u64]>,
    counts: Box<[u32]>,
}

#[cfg(feature = "alloc")]
impl Growing {
    /// The first allocation, and the least that is left after shrinking.
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

    #[cold]
    fn move_to(&mut self, room: usize, head: usize, len: usize) {
        self.expiries = unrolled(&self.expiries, room, head, len);
        self.counts = unrolled(&self.counts, room, head, len);
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
        self.expiries.len()
    }

    #[inline]
    fn expiry(&self, slot: u32) -> Option<u64> {
        self.expiries.get(slot as usize).copied()
    }

    #[inline]
    fn count(&self, slot: u32) -> Option<u32> {
        self.counts.get(slot as usize).copied()
    }

    #[inline]
    fn set(&mut self, slot: u32, expiry: u64, count: u32) {
        write(&mut self.expiries, slot, expiry);
        write(&mut self.counts, slot, count);
    }

    #[inline]
    fn fits(&self, len: u32) -> bool {
        let (room, len) = (self.room(), len as usize);
        // Less than an eighth is too much room, so that it takes many admissions until it grows again.
        len < room && (room <= 8 * Self::FEW || len >= room / 8)
    }

    #[cold]
    fn fit(&mut self, head: u32, len: u32) {
        let (room, head, len) = (self.room(), head as usize, len as usize);
        self.move_to(Self::better(room, len), head, len);
    }
}

#[inline]
fn write<T>(slots: &mut [T], slot: u32, value: T) {
    if let Some(place) = slots.get_mut(slot as usize) {
        *place = value;
    }
}

/// A copy of a ring in a new memory, from its start.
#[cfg(feature = "alloc")]
fn unrolled<T: Copy + Default>(ring: &[T], room: usize, head: usize, len: usize) -> Box<[T]> {
    let entries = ring.iter().cycle().skip(head).take(len).copied();
    let rest = core::iter::repeat_n(T::default(), room.saturating_sub(len));
    entries.chain(rest).collect()
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::sealed::Slots;
    use super::*;

    /// A memory of some room, with entries from `head` on that count up from 1.
    fn filled(room: usize, head: usize, len: usize) -> Growing {
        let mut memory = Growing::default();
        memory.move_to(room, 0, 0);
        for entry in 0..len {
            memory.set(((head + entry) % room) as u32, entry as u64 + 1, entry as u32 + 1);
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
        (0..len).all(|slot| memory.expiry(slot) == Some(u64::from(slot) + 1) && memory.count(slot) == Some(slot + 1))
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
    fn it_halves_when_an_eighth_is_used_but_keeps_a_few() {
        for (room, len, left) in
            [(64, 8, 64), (64, 7, 32), (33, 3, 16), (33, 4, 33), (32, 3, 32), (32, 0, 32), (256, 0, 128)]
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
        memory.set(4, 9, 9);
        assert_eq!((memory.expiry(4), memory.count(4)), (None, None));
        assert_eq!(memory.room(), 4);
    }
}

//! Sixteen slots and their tags: what a [`Table`](super::Table) is made of. Where a key belongs is in `home.rs`.

use core::array;
use core::ops::RangeInclusive;

/// Slots in a bucket.
pub(super) const SLOTS: usize = 16;

/// Each byte of a word.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// A tag that no key has: nothing is in the slot.
const EMPTY: u8 = 0;
/// A tag that no key has: nothing may be in the slot.
const CLOSED: u8 = 1;
/// The tags of keys. They differ from those two in more than the lowest bit, so that [`Tags::like`] never takes such a slot for a key's.
pub(super) const TAGS: RangeInclusive<u8> = 2..=0xFF;

/// Some of a bucket's slots: of four bits the highest stands for one.
#[derive(Clone, Copy)]
pub(super) struct Those(u64);

impl Those {
    /// The first of them, below [`SLOTS`].
    #[inline]
    pub(super) fn first(self) -> Option<usize> {
        let Self(bits) = self;
        (bits != 0).then_some(bits.trailing_zeros() as usize / 4 % SLOTS)
    }

    /// Them without the first. Not an iterator, which would take it away before it is known whether that is needed.
    #[inline]
    pub(super) fn after_first(self) -> Self {
        let Self(bits) = self;
        // Takes the lowest bit away; of none there is none.
        Self(bits & bits.wrapping_sub(1))
    }
}

/// The tags of a bucket's slots: of a key a byte of its hash, so that few keys are compared in vain. Those of even slots are in the first word, those of odd ones
/// in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tags([u64; 2]);

impl Tags {
    /// All slots are empty.
    pub(super) const EMPTY: Self = Self([0; 2]);

    /// Only so many slots may be used.
    #[cfg(feature = "alloc")]
    pub(super) fn with_open(slots: usize) -> Self {
        let mut tags = Self::EMPTY;
        for slot in slots..SLOTS {
            tags.set(slot, CLOSED);
        }
        tags
    }

    /// The slots whose tag it is, and perhaps some whose tag differs in the lowest bit.
    #[inline]
    pub(super) fn like(self, tag: u8) -> Those {
        let Self([even, odd]) = self;
        // A byte that is zero sets its high bit here. So may a one above such a byte, by the borrow.
        let zeros = |word: u64| {
            let other = word ^ (u64::from(tag) * LOW);
            other.wrapping_sub(LOW) & !other & HIGH
        };
        Those(zeros(even) >> 4 | zeros(odd))
    }

    /// The tag of the key in a slot, where there is one.
    pub(super) fn get(self, slot: usize) -> Option<u8> {
        let byte = (self.0.get(slot % 2)? >> (slot / 2 % 8 * 8)) as u8;
        TAGS.contains(&byte).then_some(byte)
    }

    /// A slot that is empty.
    pub(super) fn empty(self) -> Option<usize> {
        // The first that is told is the lowest of its word, with no zero byte below it that could borrow: so it is right.
        self.like(EMPTY).first()
    }

    /// The slots that hold keys.
    pub(super) fn taken(self) -> impl Iterator<Item = usize> {
        (0..SLOTS).filter(move |&slot| self.get(slot).is_some())
    }

    /// How many keys there may be.
    pub(super) fn open(self) -> usize {
        self.0.iter().flat_map(|word| word.to_le_bytes()).filter(|&tag| tag != CLOSED).count()
    }

    /// Gives a slot the tag of its key.
    pub(super) fn set(&mut self, slot: usize, tag: u8) {
        let shift = slot / 2 % 8 * 8;
        if let Some(word) = self.0.get_mut(slot % 2) {
            *word = *word & !(0xFF << shift) | u64::from(tag) << shift;
        }
    }

    /// Makes a slot empty.
    pub(super) fn clear(&mut self, slot: usize) {
        self.set(slot, EMPTY);
    }
}

/// Room for sixteen keys and their states.
///
/// It begins with a cache line, so that what has a power of two of bytes, up to a line's, lies in one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Bucket<K, S>([(K, S); SLOTS]);

impl<K: Clone, S: Default> Bucket<K, S> {
    pub(super) fn vacant(key: &K) -> Self {
        Self(array::from_fn(|_| (key.clone(), S::default())))
    }
}

impl<K, S> Bucket<K, S> {
    #[inline]
    pub(super) fn get(&self, slot: usize) -> Option<&(K, S)> {
        self.0.get(slot)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, slot: usize) -> Option<&mut (K, S)> {
        self.0.get_mut(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Those {
        fn all(self) -> impl Iterator<Item = usize> {
            core::iter::successors(Some(self), |those| Some(those.after_first())).map_while(Self::first)
        }
    }

    #[test]
    fn a_tag_is_found_where_it_was_set() {
        for slot in 0..SLOTS {
            for tag in TAGS {
                let mut tags = Tags::EMPTY;
                tags.set(slot, tag);
                assert!(tags.like(tag).all().eq([slot]), "{tag} in {slot}");
                assert_eq!(tags.get(slot), Some(tag));
                assert!(tags.taken().eq([slot]));
                tags.clear(slot);
                assert_eq!(tags, Tags::EMPTY);
            }
        }
    }

    #[test]
    fn no_tag_is_overlooked_and_no_empty_slot_taken_for_a_key_s() {
        for beside in [EMPTY, CLOSED, 2, 3, 0x7F, 0x80, 0x81, 0xFE, 0xFF] {
            for tag in TAGS {
                for slot in 0..SLOTS {
                    let mut tags = Tags::EMPTY;
                    (0..SLOTS).for_each(|other| tags.set(other, beside));
                    tags.set(slot, tag);
                    assert!(tags.like(tag).all().any(|found| found == slot), "{tag} in {slot} beside {beside}");
                    assert!(
                        tags.like(tag).all().all(|found| tags.get(found).is_some()),
                        "{tag} in {slot} beside {beside}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_empty_slot_is_empty() {
        for beside in [CLOSED, 2, 0x7F, 0x80, 0xFF] {
            for slot in 0..SLOTS {
                let mut tags = Tags::EMPTY;
                (0..SLOTS).for_each(|other| tags.set(other, beside));
                assert_eq!(tags.empty(), None);
                tags.clear(slot);
                let first = tags.empty().expect("one is");
                assert_eq!(first, slot);
            }
        }
    }

    #[test]
    #[cfg(feature = "alloc")]
    fn a_closed_slot_holds_nothing() {
        let tags = Tags::with_open(3);
        assert_eq!((tags.open(), tags.taken().count(), tags.empty()), (3, 0, Some(0)));
        assert_eq!((tags.get(2), tags.get(3), Tags::with_open(0).empty()), (None, None, None));
    }
}

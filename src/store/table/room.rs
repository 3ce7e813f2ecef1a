//! How a [`Table`] makes room for a new key, and how its slots are emptied.

use super::bucket::{Bucket, SLOTS, Tags};
use super::home::Home;
use super::{Buckets, Entry, Place, Table};
use crate::state::State;
use crate::time::Timestamp;

/// Room for a new key.
pub(super) struct Room {
    /// Where it goes.
    place: Place,
    /// Where what is there goes first, unless it has expired.
    moved: Option<Place>,
}

impl<M: Buckets, H> Table<M, H> {
    /// Empties all slots.
    #[cfg(feature = "std")]
    pub(super) fn clear(&mut self)
    where
        M: Buckets<Key: Clone, State: Default>,
    {
        for bucket in 0..self.memory.tags().len() {
            let tags = self.memory.tags().get(bucket).copied();
            for slot in tags.into_iter().flat_map(Tags::taken) {
                self.empty(Place { bucket, slot });
            }
        }
    }

    /// Empties a slot, and gives what was in it.
    pub(super) fn empty(&mut self, place: Place) -> Option<Entry<M>>
    where
        M: Buckets<Key: Clone, State: Default>,
    {
        let nothing = (self.memory.vacant().clone(), M::State::default());
        let (tags, buckets) = self.memory.parts_mut();
        tags.get_mut(place.bucket)?.clear(place.slot);
        Some(core::mem::replace(buckets.get_mut(place.bucket)?.get_mut(place.slot)?, nothing))
    }

    /// A slot of a bucket whose state has expired.
    pub(super) fn expired(&self, bucket: usize, now: Timestamp) -> Option<usize>
    where
        M::State: State,
    {
        let (tags, slots) = (self.memory.tags().get(bucket)?, self.memory.buckets().get(bucket)?);
        tags.taken().find(|&slot| slots.get(slot).is_some_and(|(_, state)| state.is_expired(now)))
    }

    /// A slot of a bucket that is empty; else, one whose state has expired.
    fn free(&self, bucket: usize, now: Timestamp) -> Option<Place>
    where
        M::State: State,
    {
        let empty = self.memory.tags().get(bucket)?.empty();
        let slot = empty.or_else(|| self.expired(bucket, now))?;
        Some(Place { bucket, slot })
    }

    /// Room for a new key: in its first bucket, in its other one, or where a key in one of them can move to that one's other.
    pub(super) fn room(&self, home: Home, now: Timestamp) -> Option<Room>
    where
        M::State: State,
    {
        let both = [home.first, self.other(home.first, home.tag)];
        let free = both.into_iter().find_map(|bucket| self.free(bucket, now));
        if let Some(place) = free {
            return Some(Room { place, moved: None });
        }
        both.into_iter().find_map(|bucket| {
            let tags = self.memory.tags().get(bucket)?;
            (0..SLOTS).find_map(|slot| {
                let there = self.other(bucket, tags.get(slot)?);
                let moved = if there == bucket { None } else { self.free(there, now) };
                moved.map(|moved| Room { place: Place { bucket, slot }, moved: Some(moved) })
            })
        })
    }

    /// Puts a new key where there is room for it.
    pub(super) fn put(&mut self, room: Room, tag: u8, key: M::Key, state: M::State)
    where
        M::State: State,
    {
        let Room { place, moved } = room;
        let forgotten = match moved {
            None => self.replace(place, tag, (key, state)),
            Some(to) => {
                let mover = self.replace(place, tag, (key, state));
                mover.and_then(|(tag, entry)| self.replace(to, tag, entry))
            }
        };
        if let Some((_, (_, state))) = forgotten {
            self.horizon = self.horizon.max(state.expires_at());
        }
    }

    /// Puts an entry into a slot, and gives the one that was there.
    fn replace(&mut self, place: Place, tag: u8, entry: Entry<M>) -> Option<(u8, Entry<M>)> {
        let (tags, buckets) = self.memory.parts_mut();
        let tags: &mut Tags = tags.get_mut(place.bucket)?;
        let bucket: &mut Bucket<_, _> = buckets.get_mut(place.bucket)?;
        let old = tags.get(place.slot);
        tags.set(place.slot, tag);
        let entry = core::mem::replace(bucket.get_mut(place.slot)?, entry);
        old.map(|tag| (tag, entry))
    }
}

//! heapless's maps, in [`Bounded`](super::Bounded): `IndexMap` with any hasher (`FnvIndexMap`), hashed, and `LinearMap`, scanned.
//!
//! Nothing else of heapless is needed here. Its `String` is a buffer for every formatter as it is, since those are `Display` and it is
//! [`core::fmt::Write`]. Its `Vec` and `Deque` are no memory for a log: a log in place is a ring of a fixed capacity already, of 12 bytes an
//! entry where a `Deque` of pairs pads them to 16, and is searched by halves, for which a `Deque` has two slices to look through.

use core::hash::{BuildHasher, Hash};

use heapless::{IndexMap, LinearMap};

use super::bounded::BoundedMap;
use super::map::{Prune, unexpired};
use crate::state::State;
use crate::time::Timestamp;

macro_rules! heapless_map {
    ([$($generics:tt)*] $map:ty, $remove:ident, $($bound:tt)+) => {
        impl<K: Clone + $($bound)+, S: State, $($generics)* const N: usize> BoundedMap for $map {
            type Key = K;
            type State = S;

            #[inline]
            fn capacity(&self) -> usize {
                N
            }

            #[inline]
            fn len(&self) -> usize {
                self.len()
            }

            fn iter(&self) -> impl Iterator<Item = (&K, &S)> {
                self.iter()
            }

            #[inline]
            fn get(&self, key: &K) -> Option<&S> {
                self.get(key)
            }

            #[inline]
            fn get_mut(&mut self, key: &K) -> Option<&mut S> {
                self.get_mut(key)
            }

            fn insert(&mut self, key: K, state: S) {
                // Fails only where there is no room.
                let _ = self.insert(key, state);
            }

            fn remove(&mut self, key: &K) {
                self.$remove(key);
            }
        }

        impl<K: $($bound)+, S: State, $($generics)* const N: usize> Prune for $map {
            fn drop_expired(&mut self, now: Timestamp, forgotten: impl FnMut(Timestamp)) {
                self.retain(unexpired(now, forgotten));
            }
        }
    };
}

heapless_map!([H: BuildHasher,] IndexMap<K, S, H, N>, swap_remove, Eq + Hash);
heapless_map!([] LinearMap<K, S, N>, remove, Eq);

//! The memory of a table: the caller's own ([`ArrayBuckets`]), or on the heap ([`HeapBuckets`]).

use core::array;

use super::bucket::{Bucket, Tags};

/// Memory for a [`Table`](super::Table): [`ArrayBuckets`], [`HeapBuckets`], or a `&mut` to one.
///
/// ```
/// use tollgate::FixedWindowState;
/// use tollgate::store::{ArrayBuckets, Table};
/// # use std::hash::RandomState;
///
/// let mut memory: ArrayBuckets<u8, FixedWindowState, 2> = ArrayBuckets::new(0);
/// let table: Table<&mut ArrayBuckets<u8, FixedWindowState, 2>, RandomState> = Table::new(&mut memory);
/// assert_eq!(table.capacity(), 32);
/// ```
pub trait Buckets: Parts<Self::Key, Self::State> {
    /// What the keys are.
    type Key;
    /// What is remembered of a key.
    type State;
}

/// What only this module can make: as many tags as buckets.
pub trait Parts<K, S> {
    fn tags(&self) -> &[Tags];
    fn buckets(&self) -> &[Bucket<K, S>];
    fn parts_mut(&mut self) -> (&mut [Tags], &mut [Bucket<K, S>]);
    /// What the empty slots hold.
    fn vacant(&self) -> &K;
}

macro_rules! parts {
    () => {
        #[inline]
        fn tags(&self) -> &[Tags] {
            &self.tags
        }

        #[inline]
        fn buckets(&self) -> &[Bucket<K, S>] {
            &self.buckets
        }

        #[inline]
        fn parts_mut(&mut self) -> (&mut [Tags], &mut [Bucket<K, S>]) {
            (&mut self.tags, &mut self.buckets)
        }

        #[inline]
        fn vacant(&self) -> &K {
            &self.vacant
        }
    };
}

/// Room for `16 * N` keys, without `alloc`: in a variable that outlives its use.
///
/// ```
/// use tollgate::TokenBucketState;
/// use tollgate::store::ArrayBuckets;
///
/// let room_for_64: ArrayBuckets<u32, TokenBucketState, 4> = ArrayBuckets::new(0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayBuckets<K, S, const N: usize> {
    tags: [Tags; N],
    buckets: [Bucket<K, S>; N],
    vacant: K,
}

impl<K: Clone, S: Default, const N: usize> ArrayBuckets<K, S, N> {
    /// With a key, any one, for the slots that are empty: it is not found there.
    ///
    /// ```
    /// # use tollgate::{store::ArrayBuckets, FixedWindowState};
    /// let memory: ArrayBuckets<&str, FixedWindowState, 1> = ArrayBuckets::new("");
    /// ```
    pub fn new(vacant: K) -> Self {
        Self { tags: [Tags::EMPTY; N], buckets: array::from_fn(|_| Bucket::vacant(&vacant)), vacant }
    }
}

impl<K, S, const N: usize> Buckets for ArrayBuckets<K, S, N> {
    type Key = K;
    type State = S;
}

impl<K, S, const N: usize> Parts<K, S> for ArrayBuckets<K, S, N> {
    parts!();
}

impl<M: Buckets> Buckets for &mut M {
    type Key = M::Key;
    type State = M::State;
}

impl<M: Buckets> Parts<M::Key, M::State> for &mut M {
    #[inline]
    fn tags(&self) -> &[Tags] {
        (**self).tags()
    }

    #[inline]
    fn buckets(&self) -> &[Bucket<M::Key, M::State>] {
        (**self).buckets()
    }

    #[inline]
    fn parts_mut(&mut self) -> (&mut [Tags], &mut [Bucket<M::Key, M::State>]) {
        (**self).parts_mut()
    }

    #[inline]
    fn vacant(&self) -> &M::Key {
        (**self).vacant()
    }
}

#[cfg(feature = "alloc")]
pub use heap::HeapBuckets;

#[cfg(feature = "alloc")]
mod heap {
    use alloc::boxed::Box;

    use super::super::bucket::SLOTS;
    use super::{Bucket, Buckets, Parts, Tags};

    /// Room for a number of keys on the heap, taken at once and never again.
    ///
    /// ```
    /// use tollgate::TokenBucketState;
    /// use tollgate::store::{HeapBuckets, Table};
    ///
    /// let clients = Table::new(HeapBuckets::<u64, TokenBucketState>::new(100_000, 0));
    /// assert_eq!(clients.capacity(), 100_000);
    /// ```
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct HeapBuckets<K, S> {
        tags: Box<[Tags]>,
        buckets: Box<[Bucket<K, S>]>,
        vacant: K,
    }

    impl<K: Clone, S: Default> HeapBuckets<K, S> {
        /// For exactly so many keys; of each bucket, some slots may stay unused. The key, any one, is for the slots that are empty: it is
        /// not found there.
        ///
        /// # Panics
        ///
        /// As `Vec::with_capacity` does, where that is more memory than a program can address; and where there is less than it takes, the allocator
        /// ends the program. That nothing panics holds for what clients send: let the size be yours, or bound it.
        ///
        /// ```
        /// # use tollgate::{store::HeapBuckets, FixedWindowState};
        /// let memory: HeapBuckets<String, FixedWindowState> = HeapBuckets::new(1000, String::new());
        /// ```
        pub fn new(capacity: usize, vacant: K) -> Self {
            let buckets = 0..capacity.div_ceil(SLOTS);
            // Spread evenly: what is left over, alone in a bucket, would be too few for the keys that belong there. Without buckets, none is asked.
            let (each, over) = (capacity / buckets.end.max(1), capacity % buckets.end.max(1));
            let open = |bucket: usize| each + usize::from(bucket < over);
            Self {
                tags: buckets.clone().map(|bucket| Tags::with_open(open(bucket))).collect(),
                buckets: buckets.map(|_| Bucket::vacant(&vacant)).collect(),
                vacant,
            }
        }

        /// With room to spare, so that so many live keys are within the [load](super::super::Table#load) for which a table is made; in whole
        /// buckets, since a part of one takes as much memory. Up to 16 keys all have room.
        ///
        /// # Panics
        ///
        /// As [`new`](Self::new) does.
        ///
        /// ```
        /// # use tollgate::{store::{HeapBuckets, Table}, FixedWindowState};
        /// let table = Table::new(HeapBuckets::<u64, FixedWindowState>::for_keys(900_000, 0));
        /// assert_eq!(table.capacity(), 1_000_000);
        /// ```
        pub fn for_keys(keys: usize, vacant: K) -> Self {
            let spare = if keys <= SLOTS { 0 } else { keys.div_ceil(9) };
            Self::new(keys.saturating_add(spare).div_ceil(SLOTS).saturating_mul(SLOTS), vacant)
        }
    }

    impl<K, S> Buckets for HeapBuckets<K, S> {
        type Key = K;
        type State = S;
    }

    impl<K, S> Parts<K, S> for HeapBuckets<K, S> {
        parts!();
    }
}

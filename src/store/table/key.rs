//! What finds a key of a table ([`FoundAs`]).

use core::hash::Hash;

/// What a key of type `K` is found as, and made of when it is added: with `alloc` anything that it borrows as (`str` for a `String`), else a `K` alone.
///
/// There is nothing to implement: `K` has to be `Borrow<Q> + From<Q::Owned>`.
///
/// ```
/// use tollgate::store::FoundAs;
///
/// let key: String = "203.0.113.9".owned();
/// assert!("203.0.113.9".finds(&key));
/// ```
pub trait FoundAs<K>: Hash {
    /// Whether it is this key.
    fn finds(&self, key: &K) -> bool;

    /// The key to add.
    fn owned(&self) -> K;
}

#[cfg(feature = "alloc")]
impl<Q, K> FoundAs<K> for Q
where
    Q: Hash + Eq + alloc::borrow::ToOwned + ?Sized,
    K: core::borrow::Borrow<Q> + From<Q::Owned>,
{
    #[inline]
    fn finds(&self, key: &K) -> bool {
        self == key.borrow()
    }

    fn owned(&self) -> K {
        K::from(self.to_owned())
    }
}

#[cfg(not(feature = "alloc"))]
impl<K: Hash + Eq + Clone> FoundAs<K> for K {
    #[inline]
    fn finds(&self, key: &K) -> bool {
        self == key
    }

    fn owned(&self) -> K {
        self.clone()
    }
}

//! [`CompositeKey`], a key of several [`Part`]s that cannot be mistaken for one of other parts. Its bytes are made in [`encoding`].

mod encoding;

use core::borrow::Borrow;
use core::cmp::Ordering;
use core::error::Error;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::client::ClientKey;
use super::prefix::Prefix;

pub use encoding::{KeyParts, key_len, read_key, write_key};

/// The value of one part of a key. Made by `From` out of text, bytes, numbers, prefixes and [`ClientKey`]s.
///
/// Values of two kinds are never the same, even if their bytes are.
///
/// ```
/// use tollgate::identity::{CompositeKey, Part};
///
/// let text = CompositeKey::<16>::new(&[("id", Part::from("7"))]);
/// let bytes = CompositeKey::<16>::new(&[("id", Part::from(&b"7"[..]))]);
/// assert_ne!(text, bytes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part<'a> {
    /// Any text: a tenant, an endpoint, the id of a key.
    Text(&'a str),
    /// Any bytes.
    Bytes(&'a [u8]),
    /// A number.
    Number(u64),
    /// A client with an address.
    Network(Prefix),
    /// A client without one, by the name of the fallback.
    Fallback(&'a str),
}

/// A key of several tagged parts in a fixed space of `N` bytes, without allocation.
///
/// It is found in a map by itself or by its bytes. Two keys are equal if they have the same tags and values in the same order. A part takes
/// three bytes besides its tag and its value (more where one of them is longer than 127 bytes).
///
/// ```
/// use std::collections::HashMap;
/// use tollgate::identity::{CompositeKey, KeyTooLong};
///
/// type Key = CompositeKey<48>;
/// let mut used: HashMap<Key, u32> = HashMap::new();
///
/// let key = Key::new(&[("tenant", "acme".into()), ("endpoint", "/v1/orders".into())])?;
/// used.insert(key, 1);
/// assert_eq!(used.get(key.as_bytes()), Some(&1));
///
/// // Not the same, though the same letters.
/// assert_ne!(key, Key::new(&[("tenant", "acme/v1".into()), ("endpoint", "/orders".into())])?);
/// assert_ne!(key, Key::new(&[("endpoint", "acme".into()), ("tenant", "/v1/orders".into())])?);
/// # Ok::<(), KeyTooLong>(())
/// ```
///
/// For a map with keys of another type: [`CompositeKey::as_bytes`] finds a `Vec<u8>`, [`CompositeKey::to_array`] is a plain array, and
/// [`write_key`] writes into memory of the caller's.
#[derive(Clone, Copy)]
pub struct CompositeKey<const N: usize> {
    len: u16,
    /// Zero from `len` on.
    bytes: [u8; N],
}

impl<const N: usize> CompositeKey<N> {
    /// The key of these parts, each a tag and a value.
    ///
    /// # Errors
    ///
    /// [`KeyTooLong`] if it takes more than `N` bytes, or more than 65,535. It is never cut: two keys could become one.
    ///
    /// ```
    /// use tollgate::identity::{CompositeKey, KeyTooLong};
    ///
    /// let parts = [("key", "9f2c41aa".into()), ("family", "rest".into())];
    /// assert!(CompositeKey::<32>::new(&parts).is_ok());
    /// assert_eq!(CompositeKey::<16>::new(&parts), Err(KeyTooLong { needed: 27, capacity: 16 }));
    /// ```
    pub fn new(parts: &[(&str, Part<'_>)]) -> Result<Self, KeyTooLong> {
        let mut bytes = [0; N];
        let needed = write_key(parts, &mut bytes)?.len();
        let len = u16::try_from(needed).map_err(|_| KeyTooLong { needed, capacity: usize::from(u16::MAX) })?;
        Ok(Self { len, bytes })
    }

    /// The bytes of the key, for a map or a database. [`read_key`] makes them parts again.
    ///
    /// ```
    /// # use tollgate::identity::CompositeKey;
    /// let key = CompositeKey::<16>::new(&[("k", "v".into())])?;
    /// assert_eq!(key.as_bytes(), b"t\x01k\x01v");
    /// # Ok::<(), tollgate::identity::KeyTooLong>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&self.bytes)
    }

    /// The bytes with zeros behind them, where keys of one size are wanted. Different keys stay different.
    ///
    /// ```
    /// # use tollgate::identity::CompositeKey;
    /// let key = CompositeKey::<8>::new(&[("k", "v".into())])?;
    /// assert_eq!(key.to_array(), *b"t\x01k\x01v\0\0\0");
    /// # Ok::<(), tollgate::identity::KeyTooLong>(())
    /// ```
    pub const fn to_array(&self) -> [u8; N] {
        self.bytes
    }
}

impl<const N: usize> AsRef<[u8]> for CompositeKey<N> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// `Eq`, `Ord` and `Hash` are those of the bytes, as this asks for.
impl<const N: usize> Borrow<[u8]> for CompositeKey<N> {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<const N: usize> PartialEq for CompositeKey<N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> Eq for CompositeKey<N> {}

impl<const N: usize> PartialOrd for CompositeKey<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Ord for CompositeKey<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl<const N: usize> Hash for CompositeKey<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

/// The parts, for logs: `{"tenant": Text("acme")}`.
impl<const N: usize> fmt::Debug for CompositeKey<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(read_key(self.as_bytes()).flatten()).finish()
    }
}

impl<'a> From<&'a str> for Part<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Part<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<u64> for Part<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<Prefix> for Part<'_> {
    fn from(prefix: Prefix) -> Self {
        Self::Network(prefix)
    }
}

impl From<ClientKey> for Part<'_> {
    fn from(key: ClientKey) -> Self {
        match key {
            ClientKey::Network(prefix) => Self::Network(prefix),
            ClientKey::Fallback(name) => Self::Fallback(name),
        }
    }
}

/// A key takes more bytes than there are for it.
///
/// ```
/// use tollgate::identity::CompositeKey;
///
/// let error = CompositeKey::<4>::new(&[("tenant", "acme".into())]).unwrap_err();
/// assert_eq!(error.to_string(), "the key takes 13 bytes and there is room for 4: give it more, or hash its longest part first");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTooLong {
    /// How many bytes the key takes.
    pub needed: usize,
    /// How many there are.
    pub capacity: usize,
}

impl fmt::Display for KeyTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, capacity } = self;
        write!(
            f,
            "the key takes {needed} bytes and there is room for {capacity}: give it more, or hash its longest part first"
        )
    }
}

impl Error for KeyTooLong {}

/// Bytes that [`write_key`] did not write, or not whole.
///
/// ```
/// # use tollgate::identity::{MalformedKey, read_key};
/// let error = read_key(b"t\x06tenant\x04ac").next().unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "no part of a composite key can be read at byte 0: the key was cut, or written by something else");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedKey {
    /// Where the part starts that cannot be read.
    pub at: usize,
}

impl fmt::Display for MalformedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at } = self;
        write!(f, "no part of a composite key can be read at byte {at}: the key was cut, or written by something else")
    }
}

impl Error for MalformedKey {}

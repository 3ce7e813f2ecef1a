//! [`Client`], who is calling: its address, its [`ClientKey`], and its [`Origin`].

use core::error::Error;
use core::fmt;
use core::net::IpAddr;

use super::prefix::Prefix;

/// Who is calling, as a [`Resolver`](super::Resolver) found it.
///
/// [`Client::key`] is what to limit by. Its `Display` is what to show the client itself: its whole address, or the name of the fallback.
///
/// ```
/// use core::net::IpAddr;
/// use tollgate::identity::{Origin, Resolver, Source, Trust};
///
/// let resolver = Resolver::new(&[Source::X_REAL_IP, Source::PEER]).trusting(Trust::Hops(1));
/// let client = resolver.resolve(None, [("x-real-ip", "2001:db8:1:2:3:4:5:6")]);
///
/// assert_eq!(client.to_string(), "2001:db8:1:2:3:4:5:6");
/// assert_eq!(client.key().to_string(), "2001:db8:1:2::/64");
/// assert_eq!(client.origin(), Origin::Header("x-real-ip"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client<'a> {
    pub(super) address: Option<IpAddr>,
    pub(super) key: ClientKey,
    pub(super) origin: Origin<'a>,
}

impl<'a> Client<'a> {
    /// The whole address, as the client itself knows it. None if none was found.
    ///
    /// ```
    /// # use core::net::IpAddr;
    /// # use tollgate::identity::{Resolver, Source};
    /// let resolver = Resolver::new(&[Source::PEER]);
    /// let peer: IpAddr = "2001:db8::1".parse().unwrap();
    /// assert_eq!(resolver.resolve(peer, [("host", "example.com")]).address(), Some(peer));
    /// assert_eq!(resolver.resolve(None, [("host", "example.com")]).address(), None);
    /// ```
    pub const fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// What to limit by.
    ///
    /// ```
    /// # use core::net::IpAddr;
    /// # use tollgate::identity::{Resolver, Source};
    /// # let headers = [("host", "example.com")];
    /// let resolver = Resolver::new(&[Source::PEER]);
    /// let one = resolver.resolve("2001:db8::1".parse::<IpAddr>().ok(), headers);
    /// let other = resolver.resolve("2001:db8::2".parse::<IpAddr>().ok(), headers);
    /// assert_eq!(one.key(), other.key()); // one network, one key
    /// ```
    pub const fn key(&self) -> ClientKey {
        self.key
    }

    /// Where it was found, for logs.
    ///
    /// ```
    /// # use tollgate::identity::{Origin, Resolver, Source};
    /// let client = Resolver::new(&[Source::PEER]).resolve(None, [("host", "example.com")]);
    /// assert_eq!(client.origin(), Origin::Fallback);
    /// ```
    pub const fn origin(&self) -> Origin<'a> {
        self.origin
    }
}

impl fmt::Display for Client<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(address) => fmt::Display::fmt(&address, f),
            None => fmt::Display::fmt(&self.key, f),
        }
    }
}

/// What a client is limited by: a small `Copy` value, fit for the key of any map.
///
/// A client with an address and the fallback never have the same key, whatever the fallback is called; but their texts may be the same, so
/// keep the key itself in a map, or make it part of a [`CompositeKey`](super::CompositeKey).
///
/// ```
/// use std::collections::HashMap;
/// use tollgate::identity::ClientKey;
///
/// let mut calls: HashMap<ClientKey, u32> = HashMap::new();
/// *calls.entry(ClientKey::Network("192.0.2.1".parse().unwrap())).or_default() += 1;
/// assert_eq!(calls.get(&ClientKey::Fallback("192.0.2.1")), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientKey {
    /// An IPv4 address whole, or the network of an IPv6 one.
    Network(Prefix),
    /// Nothing is known of the client: all such clients are one.
    Fallback(&'static str),
}

impl ClientKey {
    /// The key of an address that is known to be the client's: an IPv4 address whole, and so much of an IPv6 one.
    ///
    /// For a socket with nothing in front of it, and for what has found the client already. It is the key that a
    /// [`Resolver`](super::Resolver) gives: mapped IPv4 (`::ffff:192.0.2.1`) is IPv4. What a translator made of IPv4 is IPv6 here, unlike in
    /// [`Resolver::key_of`](super::Resolver::key_of), which can be [told](super::Resolver::nat64_as_ipv4).
    ///
    /// ```
    /// use core::net::IpAddr;
    /// use tollgate::identity::{ClientKey, Ipv6KeyBits};
    ///
    /// let peer: IpAddr = "2001:db8:1:2:3:4:5:6".parse().unwrap(); // such as `connection.peer_addr()?.ip()`
    /// assert_eq!(ClientKey::of(peer, Ipv6KeyBits::NETWORK).to_string(), "2001:db8:1:2::/64");
    /// ```
    pub const fn of(address: IpAddr, ipv6: Ipv6KeyBits) -> Self {
        // No IPv6 key has fewer bits than an IPv4 address has, so that one stays whole.
        Self::Network(Prefix::around(address, ipv6.get()))
    }
}

/// A whole address without its length, `192.0.2.1`; a network with it, `2001:db8:1:2::/64`; the name of the fallback.
impl fmt::Display for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(prefix) if prefix.is_whole() => fmt::Display::fmt(&prefix.address(), f),
            Self::Network(prefix) => fmt::Display::fmt(prefix, f),
            Self::Fallback(name) => f.pad(name),
        }
    }
}

/// Where a client was found. Its `Display` is for logs: `peer`, the name of the header, or `fallback`.
///
/// ```
/// use tollgate::identity::Origin;
///
/// assert_eq!(Origin::Header("x-forwarded-for").to_string(), "x-forwarded-for");
/// assert_eq!(Origin::Peer.to_string(), "peer");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin<'a> {
    /// It is the address of the connection.
    Peer,
    /// In the header of this name, as the source spells it.
    Header(&'a str),
    /// Nowhere.
    Fallback,
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Peer => "peer",
            Self::Header(name) => name,
            Self::Fallback => "fallback",
        })
    }
}

/// How much of an IPv6 address is its key, 32 to 128 bits: 64 unless set.
///
/// A subscriber has at least a /64 (RFC 6177), and may use another address of it for each call: so a key of more than 64 bits limits
/// nobody who does not want it. Many have a /56 or a /48; a shorter key limits those too, and their neighbours where they have less.
///
/// ```
/// use tollgate::identity::{Ipv6KeyBits, KeyBitsOutOfRange};
///
/// const SITE: Ipv6KeyBits = Ipv6KeyBits::constant(48);
/// assert_eq!(SITE.get(), 48);
/// assert_eq!(Ipv6KeyBits::default().get(), 64);
/// assert_eq!(Ipv6KeyBits::new(16), Err(KeyBitsOutOfRange { given: 16 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ipv6KeyBits(u8);

impl Ipv6KeyBits {
    /// 64, one network.
    ///
    /// ```
    /// # use tollgate::identity::Ipv6KeyBits;
    /// assert_eq!(Ipv6KeyBits::NETWORK, Ipv6KeyBits::default());
    /// ```
    pub const NETWORK: Self = Self(64);

    /// 128: addresses are keys as they are. For reproducing systems that do it this way.
    ///
    /// ```
    /// # use tollgate::identity::Ipv6KeyBits;
    /// assert_eq!(Ipv6KeyBits::WHOLE.get(), 128);
    /// ```
    pub const WHOLE: Self = Self(128);

    const LEAST: u8 = 32;
    const MOST: u8 = 128;

    /// So many bits.
    ///
    /// # Errors
    ///
    /// [`KeyBitsOutOfRange`] if they are not 32 to 128.
    ///
    /// ```
    /// # use tollgate::identity::Ipv6KeyBits;
    /// assert!(Ipv6KeyBits::new(56).is_ok());
    /// assert!(Ipv6KeyBits::new(129).is_err());
    /// ```
    pub const fn new(bits: u8) -> Result<Self, KeyBitsOutOfRange> {
        if bits < Self::LEAST || bits > Self::MOST {
            return Err(KeyBitsOutOfRange { given: bits });
        }
        Ok(Self(bits))
    }

    /// [`Ipv6KeyBits::new`] for numbers that stand in the source: a bad one does not compile.
    ///
    /// # Panics
    ///
    /// If called at run time with what `new` refuses. In a `const` that is a build failure, which is the use of it.
    ///
    /// ```
    /// # use tollgate::identity::Ipv6KeyBits;
    /// const SITE: Ipv6KeyBits = Ipv6KeyBits::constant(56);
    /// ```
    pub const fn constant(bits: u8) -> Self {
        match Self::new(bits) {
            Ok(bits) => bits,
            Err(_) => panic!("the key of an IPv6 address has 32 to 128 bits"),
        }
    }

    /// The number of bits.
    ///
    /// ```
    /// # use tollgate::identity::Ipv6KeyBits;
    /// assert_eq!(Ipv6KeyBits::constant(56).get(), 56);
    /// ```
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for Ipv6KeyBits {
    fn default() -> Self {
        Self::NETWORK
    }
}

/// The key of an IPv6 address was to have fewer than 32 bits or more than 128.
///
/// ```
/// use tollgate::identity::Ipv6KeyBits;
///
/// assert_eq!(
///     Ipv6KeyBits::new(24).unwrap_err().to_string(),
///     "24 bits of an IPv6 address are no key: use 32 to 128, and 64 where nothing speaks against it"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyBitsOutOfRange {
    /// The number given.
    pub given: u8,
}

impl fmt::Display for KeyBitsOutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} bits of an IPv6 address are no key: use 32 to 128, and 64 where nothing speaks against it",
            self.given
        )
    }
}

impl Error for KeyBitsOutOfRange {}

//! [`Prefix`], a range of addresses: the proxies to be trusted, and what an address is masked to in a key.

use core::error::Error;
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::str::FromStr;

/// All addresses that share their first bits: `10.0.0.0/8`, `2001:db8::/32`, or one address whole.
///
/// IPv4-mapped IPv6 (`::ffff:10.0.0.5`, RFC 4291 section 2.5.5.2) is IPv4 here, both as a prefix and as an address that is looked for: a
/// socket that serves both families cannot make a proxy unknown.
///
/// ```
/// use tollgate::identity::Prefix;
///
/// let proxies: Prefix = "10.0.0.0/8".parse()?;
/// assert!(proxies.contains("10.1.2.3".parse()?));
/// assert!(proxies.contains("::ffff:10.1.2.3".parse()?));
/// assert!(!proxies.contains("192.0.2.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix {
    /// Canonical, with no bit set beyond the first `bits`: so that equal ranges are equal values.
    address: IpAddr,
    /// At most 32 or 128, by the family.
    bits: u8,
}

impl Prefix {
    /// The hosts' own addresses: `127.0.0.0/8` and `::1` (RFC 1122, RFC 4291).
    ///
    /// ```
    /// # use tollgate::identity::Prefix;
    /// assert!(Prefix::LOOPBACK.iter().any(|p| p.contains("127.0.0.1".parse().unwrap())));
    /// ```
    pub const LOOPBACK: [Self; 2] =
        [Self::constant(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), 8), Self::whole(IpAddr::V6(Ipv6Addr::LOCALHOST))];

    /// The addresses of private networks: `10.0.0.0/8`, `172.16.0.0/12`, `192.168.0.0/16` (RFC 1918) and `fc00::/7` (RFC 4193).
    ///
    /// Trust these only where nobody but your own proxies has such an address: in a network whose clients are private too, each of them
    /// could name any client it likes.
    ///
    /// ```
    /// # use tollgate::identity::Prefix;
    /// assert!(Prefix::PRIVATE.iter().any(|p| p.contains("172.20.0.1".parse().unwrap())));
    /// ```
    pub const PRIVATE: [Self; 4] = [
        Self::constant(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8),
        Self::constant(IpAddr::V4(Ipv4Addr::new(172, 16, 0, 0)), 12),
        Self::constant(IpAddr::V4(Ipv4Addr::new(192, 168, 0, 0)), 16),
        Self::constant(IpAddr::V6(Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0)), 7),
    ];

    /// The addresses that share their first `bits` with `address`. A mapped prefix, such as `::ffff:10.0.0.0/104`, becomes the IPv4 one.
    ///
    /// # Errors
    ///
    /// [`PrefixError::TooLong`] if the family has fewer bits, and [`PrefixError::HostBits`] if `address` has bits set beyond `bits`:
    /// `10.0.0.5/8` may be a slip for `10.0.0.5/32`, and trusting too many is the worse of two guesses.
    ///
    /// ```
    /// use core::net::{IpAddr, Ipv4Addr};
    /// use tollgate::identity::{Prefix, PrefixError};
    ///
    /// let ten = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0));
    /// assert_eq!(Prefix::new(ten, 8)?.to_string(), "10.0.0.0/8");
    /// assert_eq!(Prefix::new(ten, 33), Err(PrefixError::TooLong { bits: 33, most: 32 }));
    /// # Ok::<(), PrefixError>(())
    /// ```
    pub const fn new(address: IpAddr, bits: u8) -> Result<Self, PrefixError> {
        if bits > width(address) {
            return Err(PrefixError::TooLong { bits, most: width(address) });
        }
        let network = masked(address, bits);
        if !same(network, address) {
            return Err(PrefixError::HostBits { address, bits, network });
        }
        // Bits 80 to 95 of a mapped address are set, so one that got here has more than 95.
        let bits = if matches!((address, address.to_canonical()), (IpAddr::V6(_), IpAddr::V4(_))) {
            bits.saturating_sub(96)
        } else {
            bits
        };
        Ok(Self { address: address.to_canonical(), bits })
    }

    /// [`Prefix::new`] for prefixes that stand in the source: a bad one does not compile.
    ///
    /// # Panics
    ///
    /// If called at run time with what `new` refuses. In a `const` that is a build failure, which is the use of it.
    ///
    /// ```
    /// use core::net::{IpAddr, Ipv4Addr};
    /// use tollgate::identity::Prefix;
    ///
    /// const BALANCERS: [Prefix; 1] = [Prefix::constant(IpAddr::V4(Ipv4Addr::new(10, 0, 64, 0)), 18)];
    /// assert!(BALANCERS[0].contains("10.0.127.255".parse().unwrap()));
    /// ```
    pub const fn constant(address: IpAddr, bits: u8) -> Self {
        match Self::new(address, bits) {
            Ok(prefix) => prefix,
            Err(PrefixError::HostBits { .. }) => panic!("the address has bits set beyond the prefix length"),
            Err(_) => panic!("a prefix has at most 32 bits for IPv4, and 128 for IPv6"),
        }
    }

    /// One address and no other.
    ///
    /// ```
    /// # use tollgate::identity::Prefix;
    /// assert_eq!(Prefix::whole("192.0.2.1".parse().unwrap()).to_string(), "192.0.2.1/32");
    /// ```
    pub const fn whole(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self { address, bits: width(address) }
    }

    /// The range of `bits` that `address` lies in; the address whole if its family has no more. Mapped IPv4 is IPv4, and has 32.
    ///
    /// For keys of one's own. What a client is usually limited by is [`ClientKey::of`](super::ClientKey::of).
    ///
    /// ```
    /// use core::net::{IpAddr, Ipv4Addr};
    /// use tollgate::identity::{ClientKey, Prefix};
    ///
    /// let client = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 33));
    /// assert_eq!(ClientKey::Network(Prefix::around(client, 24)).to_string(), "192.0.2.0/24");
    /// ```
    pub const fn around(address: IpAddr, bits: u8) -> Self {
        let address = address.to_canonical();
        let bits = if bits < width(address) { bits } else { width(address) };
        Self { address: masked(address, bits), bits }
    }

    /// Whether `address` is in this range.
    ///
    /// ```
    /// # use tollgate::identity::Prefix;
    /// let everything: Prefix = "::/0".parse().unwrap();
    /// assert!(everything.contains("2001:db8::1".parse().unwrap()));
    /// assert!(!everything.contains("192.0.2.1".parse().unwrap())); // all of IPv6, and none of IPv4
    /// ```
    pub const fn contains(&self, address: IpAddr) -> bool {
        same(masked(address.to_canonical(), self.bits), self.address)
    }

    /// The first address of the range.
    ///
    /// ```
    /// # use tollgate::identity::Prefix;
    /// assert_eq!("10.0.0.0/8".parse::<Prefix>().unwrap().address().to_string(), "10.0.0.0");
    /// ```
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// How many leading bits are shared: the number behind the slash.
    ///
    /// ```
    /// # use tollgate::identity::Prefix;
    /// assert_eq!("10.0.0.0/8".parse::<Prefix>().unwrap().bits(), 8);
    /// ```
    pub const fn bits(&self) -> u8 {
        self.bits
    }

    /// Whether the range is a single address.
    ///
    /// ```
    /// # use tollgate::identity::Prefix;
    /// assert!("::1".parse::<Prefix>().unwrap().is_whole());
    /// ```
    pub const fn is_whole(&self) -> bool {
        self.bits == width(self.address)
    }
}

/// Always with its length, `192.0.2.1/32`: what [`FromStr`] reads back as the same prefix.
impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An address, or an address and a length: `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`.
impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Self, PrefixError> {
        let address = |text: &str| text.parse::<IpAddr>().map_err(|_| PrefixError::Address);
        let Some((first, bits)) = text.split_once('/') else {
            return Ok(Self::whole(address(text)?));
        };
        let address = address(first)?;
        if !bits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(PrefixError::Length);
        }
        Self::new(address, bits.parse().map_err(|_| PrefixError::Length)?)
    }
}

/// Why something is not a [`Prefix`].
///
/// ```
/// use tollgate::identity::{Prefix, PrefixError};
///
/// assert_eq!("ten".parse::<Prefix>(), Err(PrefixError::Address));
/// let slip = "10.0.0.5/8".parse::<Prefix>().unwrap_err();
/// assert_eq!(slip.to_string(), "10.0.0.5/8 has bits set beyond the first 8: write 10.0.0.0/8 for the range, or 10.0.0.5 for the one address");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PrefixError {
    /// What stands before the slash (or the whole text, without one) is not an address.
    Address,
    /// What stands behind the slash is not a number from 0 to 255 in decimal digits.
    Length,
    /// The length is longer than an address of this family.
    TooLong {
        /// The length given.
        bits: u8,
        /// The longest that the family allows.
        most: u8,
    },
    /// The address has bits set beyond the length.
    HostBits {
        /// The address given.
        address: IpAddr,
        /// The length given.
        bits: u8,
        /// The first address of the range that it lies in.
        network: IpAddr,
    },
}

impl fmt::Display for PrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => f.write_str("not an address: a prefix is written 10.0.0.0/8, 2001:db8::/32 or 192.0.2.1"),
            Self::Length => {
                f.write_str("the length behind the slash is not a number: write 0 to 32 for IPv4, 0 to 128 for IPv6")
            }
            Self::TooLong { bits, most } => {
                write!(f, "a prefix length of {bits} is too long: an address of this family has {most} bits")
            }
            Self::HostBits { address, bits, network } => write!(
                f,
                "{address}/{bits} has bits set beyond the first {bits}: write {network}/{bits} for the range, or {address} for the one address"
            ),
        }
    }
}

impl Error for PrefixError {}

/// How many bits an address of this family has.
const fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// The address with all but its first `bits` cleared.
const fn masked(address: IpAddr, bits: u8) -> IpAddr {
    // A shift by the whole width (no bits are kept) or more is `None`.
    match address {
        IpAddr::V4(v4) => {
            let mask = match u32::MAX.checked_shl(32_u32.saturating_sub(bits as u32)) {
                Some(mask) => mask,
                None => 0,
            };
            IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask))
        }
        IpAddr::V6(v6) => {
            let mask = match u128::MAX.checked_shl(128_u32.saturating_sub(bits as u32)) {
                Some(mask) => mask,
                None => 0,
            };
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask))
        }
    }
}

/// `==`, which is not to be had in `const`.
const fn same(one: IpAddr, other: IpAddr) -> bool {
    match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => one.to_bits() == other.to_bits(),
        (IpAddr::V6(one), IpAddr::V6(other)) => one.to_bits() == other.to_bits(),
        _ => false,
    }
}

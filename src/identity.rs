//! Who is calling: the client behind proxies, and the key to limit it by.
//!
//! A [`Resolver`] takes the address of the peer and the lines of the headers, in order, and gives a [`Client`]. It reads no socket and keeps
//! nothing. What is asked of a key besides the client (a tenant, an endpoint) goes into a [`CompositeKey`]. Nothing here knows of policies
//! or stores.
//!
//! ```
//! use core::net::{IpAddr, Ipv4Addr};
//! use tollgate::identity::{Prefix, Resolver, Source, Trust};
//!
//! const PROXIES: [Prefix; 1] = [Prefix::constant(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8)];
//! const WHO: Resolver = Resolver::new(&[Source::X_FORWARDED_FOR, Source::PEER]).trusting(Trust::Proxies(&PROXIES));
//!
//! let proxy = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 5));
//! let stranger = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 20));
//! let headers = [("Host", "example.com"), ("X-Forwarded-For", "9.9.9.9, 203.0.113.7")]; // the client wrote the first, the proxy the second
//!
//! assert_eq!(WHO.resolve(proxy, headers).to_string(), "203.0.113.7");
//! assert_eq!(WHO.resolve(stranger, headers).to_string(), "198.51.100.20"); // what it sends is not believed
//! ```
//!
//! # What to set up
//!
//! | in front of the service | sources | trust |
//! | --- | --- | --- |
//! | nothing | [`PEER`](Source::PEER) | [`Nobody`](Trust::Nobody) |
//! | proxies of known addresses that append to a chain | [`X_FORWARDED_FOR`](Source::X_FORWARDED_FOR) or [`FORWARDED`](Source::FORWARDED), `PEER` | [`Proxies`](Trust::Proxies) |
//! | a load balancer whose addresses change, and no way around it | `X_FORWARDED_FOR`, `PEER` | [`Hops(1)`](Trust::Hops); one more for each proxy in front of it |
//! | a network that writes over a header of its own | [`CF_CONNECTING_IP`](Source::CF_CONNECTING_IP) or another [`header`](Source::header), `PEER` | `Proxies`, its published prefixes |
//! | a proxy on a Unix socket | `X_FORWARDED_FOR` | `Hops(1)`: there is no peer |
//!
//! Of the headers, name the one that the proxies write, and not a second in case: **a header that they do not write is passed on as the client
//! sent it**.
//!
//! # What comes of what
//!
//! Sources are tried in order; the first that has an answer gives it.
//!
//! | found | answer |
//! | --- | --- |
//! | a header from a peer that is not trusted | as if it were not there |
//! | no such header, or nothing in it | the next source; so a trusted peer that sends none is itself the client, by `PEER` |
//! | a header with one address that is not readable, or is there twice | the next source |
//! | a chain, a hop of which is neither trusted nor readable | the hop right of it, the last that vouched for anything; right of the last is the peer |
//! | a chain of trusted hops only | its leftmost |
//! | a chain of fewer hops than are counted | the peer; without one, the fallback |
//! | a chain with an unreadable hop at the count | the next readable right of it, at last the peer; without one, the fallback |
//! | with [`SpoofableFirstHop`](Trust::SpoofableFirstHop), a chain whose first hop is not readable | the next source |
//! | nothing in any source | the fallback |
//!
//! So a chain, once it is there and is believed from its end, decides: a client that could break it gets no further than the proxy that it went
//! through, and never to the next source, whose header may be its own.
//!
//! # Cost
//!
//! Linear in the bytes of the headers, at worst for every source: a chain is read once, or three times if hops are counted. Each hop that is
//! read is compared with each trusted prefix. No allocation; the stack holds one address of at most 80 characters.

mod chain;
mod client;
mod composite;
mod cost;
mod forwarded;
mod node;
mod prefix;
mod source;
#[cfg(test)]
mod tests;
mod text;

use core::net::IpAddr;

use chain::{End, Reader};
use source::{Form, Place};

use crate::header_lines;

pub use client::{Client, ClientKey, Ipv6KeyBits, KeyBitsOutOfRange, Origin};
pub use composite::{CompositeKey, KeyParts, KeyTooLong, MalformedKey, Part, key_len, read_key, write_key};
pub use prefix::{Prefix, PrefixError};
pub use source::{Source, Trust};

/// Finds out who is calling, from a list of sources and a rule of whom to believe.
///
/// It borrows what it is made of and is a handful of words: build it in a `const`, or where it is used, from settings read at the start.
///
/// ```
/// use core::net::IpAddr;
/// use tollgate::identity::{Ipv6KeyBits, Prefix, Resolver, Source, Trust};
///
/// struct Settings {
///     proxies: Vec<Prefix>,
///     ipv6: Ipv6KeyBits,
/// }
///
/// impl Settings {
///     fn resolver(&self) -> Resolver<'_> {
///         Resolver::new(&[Source::FORWARDED, Source::PEER]).trusting(Trust::Proxies(&self.proxies)).ipv6_key(self.ipv6)
///     }
/// }
///
/// let settings = Settings { proxies: vec!["2001:db8::/48".parse()?], ipv6: Ipv6KeyBits::new(56)? };
/// let peer: IpAddr = "2001:db8::5".parse()?;
/// let client = settings.resolver().resolve(peer, [("forwarded", r#"for="[2001:db8:aaaa:bbcc::1]""#)]);
/// assert_eq!(client.key().to_string(), "2001:db8:aaaa:bb00::/56");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolver<'a> {
    sources: &'a [Source<'a>],
    trust: Trust<'a>,
    ipv6_key: Ipv6KeyBits,
    nat64: bool,
    fallback: &'static str,
}

impl<'a> Resolver<'a> {
    /// A resolver that tries these sources in order and, until told [otherwise](Resolver::trusting), believes no header.
    ///
    /// ```
    /// use tollgate::identity::{Resolver, Source};
    ///
    /// let resolver = Resolver::new(&[Source::X_FORWARDED_FOR]);
    /// assert_eq!(resolver.resolve(None, [("x-forwarded-for", "9.9.9.9")]).to_string(), "anonymous");
    /// ```
    pub const fn new(sources: &'a [Source<'a>]) -> Self {
        Self { sources, trust: Trust::Nobody, ipv6_key: Ipv6KeyBits::NETWORK, nat64: false, fallback: "anonymous" }
    }

    /// Whose headers are believed, for all sources without a rule of their own.
    ///
    /// ```
    /// # use tollgate::identity::{Resolver, Source, Trust};
    /// const WHO: Resolver = Resolver::new(&[Source::X_FORWARDED_FOR, Source::PEER]).trusting(Trust::Hops(1));
    /// assert_eq!(WHO.resolve(None, [("x-forwarded-for", "9.9.9.9, 192.0.2.1")]).to_string(), "192.0.2.1");
    /// ```
    pub const fn trusting(self, trust: Trust<'a>) -> Self {
        Self { trust, ..self }
    }

    /// How much of an IPv6 address is its key.
    ///
    /// ```
    /// # use core::net::IpAddr;
    /// # use tollgate::identity::{Ipv6KeyBits, Resolver, Source};
    /// const WHO: Resolver = Resolver::new(&[Source::PEER]).ipv6_key(Ipv6KeyBits::WHOLE);
    /// let peer: IpAddr = "2001:db8::1".parse().unwrap();
    /// assert_eq!(WHO.key_of(peer).to_string(), "2001:db8::1");
    /// ```
    pub const fn ipv6_key(self, bits: Ipv6KeyBits) -> Self {
        Self { ipv6_key: bits, ..self }
    }

    /// Reads addresses in `64:ff9b::/96`, the well-known prefix of RFC 6052, as the IPv4 ones that they stand for.
    ///
    /// A service in an IPv6-only network sees its IPv4 clients so. Without this, all of them are in one /64, and are one client. Proxies are then
    /// trusted by their IPv4 addresses, too.
    ///
    /// ```
    /// # use core::net::IpAddr;
    /// # use tollgate::identity::{Resolver, Source};
    /// const WHO: Resolver = Resolver::new(&[Source::PEER]).nat64_as_ipv4();
    /// let peer: IpAddr = "64:ff9b::192.0.2.33".parse().unwrap();
    /// assert_eq!(WHO.key_of(peer).to_string(), "192.0.2.33");
    /// ```
    pub const fn nat64_as_ipv4(self) -> Self {
        Self { nat64: true, ..self }
    }

    /// The name of the client of which nothing is known, instead of `anonymous`. All such clients share one key.
    ///
    /// ```
    /// # use tollgate::identity::{Resolver, Source};
    /// const WHO: Resolver = Resolver::new(&[Source::PEER]).fallback("local");
    /// assert_eq!(WHO.resolve(None, [("host", "example.com")]).to_string(), "local");
    /// ```
    pub const fn fallback(self, name: &'static str) -> Self {
        Self { fallback: name, ..self }
    }

    /// Who is calling, given the address that the connection comes from, if it has one, and the header lines in the order in which they came.
    ///
    /// The headers are gone through anew for each source, hence `Clone`: a reference to a header map will do, or an iterator over a slice.
    /// Names are found in either case; names and values may be any bytes.
    ///
    /// # Cost
    ///
    /// For each source, until one answers: once over the lines, and over the bytes of those that bear its name. See the
    /// [module](self#cost).
    ///
    /// ```
    /// use core::net::IpAddr;
    /// use tollgate::identity::{Prefix, Resolver, Source, Trust};
    ///
    /// struct Line<'a> { name: &'a str, value: &'a [u8] } // as a parser gives them
    /// let lines = [Line { name: "X-Forwarded-For", value: b"9.9.9.9" }, Line { name: "X-Forwarded-For", value: b"203.0.113.7" }];
    ///
    /// let resolver = Resolver::new(&[Source::X_FORWARDED_FOR, Source::PEER]).trusting(Trust::Proxies(&Prefix::LOOPBACK));
    /// let peer: IpAddr = "127.0.0.1".parse().unwrap();
    /// let client = resolver.resolve(peer, lines.iter().map(|line| (line.name, line.value)));
    /// assert_eq!(client.to_string(), "203.0.113.7"); // two lines are one list
    /// ```
    pub fn resolve<H, N, V>(&self, peer: impl Into<Option<IpAddr>>, headers: H) -> Client<'a>
    where
        H: IntoIterator<Item = (N, V)> + Clone,
        N: AsRef<[u8]>,
        V: AsRef<[u8]>,
    {
        let peer = peer.into().map(|peer| chain::canonical(peer, self.nat64));
        for source in self.sources {
            let found = match source.place {
                Place::Peer => peer.map(|peer| (peer, Origin::Peer)),
                Place::Header(name, form) => {
                    let trust = source.trust.unwrap_or(self.trust);
                    let believed = trust.believes(peer);
                    let end = if believed {
                        self.read(form, trust, || header_lines::named(&headers, name))
                    } else {
                        End::Absent
                    };
                    match end {
                        End::Hop(address) => Some((address, Origin::Header(name))),
                        // It decides without a peer too: what the next source names may be the client's own.
                        End::Peer => match peer {
                            Some(peer) => Some((peer, Origin::Peer)),
                            None => break,
                        },
                        End::Absent => None,
                    }
                }
            };
            if let Some((address, origin)) = found {
                return Client { address: Some(address), key: self.key_of(address), origin };
            }
        }
        Client { address: None, key: ClientKey::Fallback(self.fallback), origin: Origin::Fallback }
    }

    /// The key of an address that is known to be the client's, by this resolver's settings: no source is asked.
    ///
    /// Where there are no settings to keep, and no NAT64, [`ClientKey::of`] is simpler.
    ///
    /// ```
    /// # use core::net::IpAddr;
    /// # use tollgate::identity::{Ipv6KeyBits, Resolver, Source};
    /// const WHO: Resolver = Resolver::new(&[Source::PEER]).ipv6_key(Ipv6KeyBits::constant(48)).nat64_as_ipv4();
    /// let key_of = |address: &str| WHO.key_of(address.parse().unwrap()).to_string();
    /// assert_eq!(key_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1::/48");
    /// assert_eq!(key_of("64:ff9b::192.0.2.33"), "192.0.2.33");
    /// ```
    pub const fn key_of(&self, address: IpAddr) -> ClientKey {
        ClientKey::of(chain::canonical(address, self.nat64), self.ipv6_key)
    }

    /// What a header says that is believed.
    fn read<V, L>(&self, form: Form, trust: Trust<'_>, lines: impl Fn() -> L) -> End
    where
        V: AsRef<[u8]>,
        L: Iterator<Item = V>,
    {
        let reader = Reader { syntax: form.syntax(), nat64: self.nat64 };
        match (form, trust) {
            (_, Trust::Nobody) => End::Absent,
            (Form::One, _) => reader.only(lines()),
            (Form::Chain(_), Trust::Proxies(trusted)) => reader.past_trusted(lines(), trusted),
            (Form::Chain(_), Trust::Hops(count)) => reader.past_count(lines, usize::from(count)),
            (Form::Chain(_), Trust::SpoofableFirstHop) => reader.first_hop(lines()),
        }
    }
}

//! [`Source`], where a client's address may be found, and [`Trust`], from whom it is believed.

use core::net::IpAddr;

use super::chain::Syntax;
use super::prefix::Prefix;

/// A place where the client's address may be found. A [`Resolver`](super::Resolver) tries a list of them in order.
///
/// List only headers that your proxies *write*: a proxy passes on what it does not know, so a header that it never writes is the client's
/// own, whoever the peer is. A header with one address must be written over by the proxy; a chain may be appended to.
///
/// ```
/// use tollgate::identity::Source;
///
/// // As a proxy in front of the service writes it, else the peer.
/// const SOURCES: [Source; 2] = [Source::X_FORWARDED_FOR, Source::PEER];
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    pub(super) place: Place<'a>,
    pub(super) trust: Option<Trust<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    Peer,
    Header(&'a str, Form),
}

/// What stands in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One address.
    One,
    /// A hop for each proxy that it came by.
    Chain(Syntax),
}

impl<'a> Source<'a> {
    /// The address that the connection comes from.
    ///
    /// ```
    /// # use core::net::{IpAddr, Ipv4Addr};
    /// use tollgate::identity::{Resolver, Source};
    ///
    /// let peer = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    /// let client = Resolver::new(&[Source::PEER]).resolve(peer, [("x-forwarded-for", "9.9.9.9")]);
    /// assert_eq!(client.address(), Some(peer));
    /// ```
    pub const PEER: Self = Self::at(Place::Peer);

    /// `X-Forwarded-For`, the chain that most proxies append to.
    ///
    /// ```
    /// # use tollgate::identity::Source;
    /// assert_eq!(Source::X_FORWARDED_FOR, Source::chain("x-forwarded-for"));
    /// ```
    pub const X_FORWARDED_FOR: Self = Self::chain("x-forwarded-for");

    /// `Forwarded`, the chain of RFC 7239: its `for` parameters.
    ///
    /// ```
    /// use tollgate::identity::{Resolver, Source, Trust};
    ///
    /// let resolver = Resolver::new(&[Source::FORWARDED]).trusting(Trust::Hops(1));
    /// let line = ("Forwarded", r#"for=192.0.2.60;proto=http, for="[2001:db8:cafe::17]:4711""#);
    /// assert_eq!(resolver.resolve(None, [line]).to_string(), "2001:db8:cafe::17");
    /// ```
    pub const FORWARDED: Self = Self::at(Place::Header("forwarded", Form::Chain(Syntax::Forwarded)));

    /// `CF-Connecting-IP`, one address, as Cloudflare writes it. To be believed from Cloudflare's addresses only.
    ///
    /// ```
    /// # use tollgate::identity::Source;
    /// assert_eq!(Source::CF_CONNECTING_IP, Source::header("cf-connecting-ip"));
    /// ```
    pub const CF_CONNECTING_IP: Self = Self::header("cf-connecting-ip");

    /// `X-Real-IP`, one address, as many reverse proxies are set up to write it.
    ///
    /// ```
    /// # use tollgate::identity::Source;
    /// assert_eq!(Source::X_REAL_IP, Source::header("x-real-ip"));
    /// ```
    pub const X_REAL_IP: Self = Self::header("x-real-ip");

    /// A header with one address, by its name in either case. Two addresses, in one line or in two, are none.
    ///
    /// ```
    /// use tollgate::identity::{Resolver, Source, Trust};
    ///
    /// const SOURCES: [Source; 1] = [Source::header("Fly-Client-IP")];
    /// let resolver = Resolver::new(&SOURCES).trusting(Trust::Hops(1));
    /// assert_eq!(resolver.resolve(None, [("fly-client-ip", "192.0.2.1")]).to_string(), "192.0.2.1");
    /// assert_eq!(resolver.resolve(None, [("fly-client-ip", "192.0.2.1, 192.0.2.2")]).to_string(), "anonymous");
    /// ```
    pub const fn header(name: &'a str) -> Self {
        Self::at(Place::Header(name, Form::One))
    }

    /// A chain written like `X-Forwarded-For` under another name, in either case.
    ///
    /// ```
    /// # use tollgate::identity::Source;
    /// const BEHIND_TWO_MESHES: Source = Source::chain("X-Original-Forwarded-For");
    /// ```
    pub const fn chain(name: &'a str) -> Self {
        Self::at(Place::Header(name, Form::Chain(Syntax::List)))
    }

    /// The same source, believed by a rule of its own instead of the resolver's.
    ///
    /// ```
    /// use core::net::{IpAddr, Ipv4Addr};
    /// use tollgate::identity::{Prefix, Resolver, Source, Trust};
    ///
    /// const fn prefix(octets: [u8; 4], bits: u8) -> Prefix {
    ///     let [a, b, c, d] = octets;
    ///     Prefix::constant(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), bits)
    /// }
    /// const CDN: [Prefix; 1] = [prefix([173, 245, 48, 0], 20)];
    /// const BALANCERS: [Prefix; 1] = [prefix([10, 0, 0, 0], 8)];
    ///
    /// // Some calls come from the CDN, some through our own balancers, which pass on a forged CF-Connecting-IP as it is.
    /// const WHO: Resolver = Resolver::new(&[
    ///     Source::CF_CONNECTING_IP.trusting(Trust::Proxies(&CDN)),
    ///     Source::X_FORWARDED_FOR.trusting(Trust::Proxies(&BALANCERS)),
    ///     Source::PEER,
    /// ]);
    /// let headers = [("cf-connecting-ip", "9.9.9.9"), ("x-forwarded-for", "203.0.113.7")];
    /// let balancer: IpAddr = "10.0.0.5".parse().unwrap();
    /// assert_eq!(WHO.resolve(balancer, headers).to_string(), "203.0.113.7");
    /// ```
    pub const fn trusting(self, trust: Trust<'a>) -> Self {
        Self { trust: Some(trust), ..self }
    }

    const fn at(place: Place<'a>) -> Self {
        Self { place, trust: None }
    }
}

/// Whose headers are believed.
///
/// ```
/// use core::net::IpAddr;
/// use tollgate::identity::{Prefix, Resolver, Source, Trust};
///
/// let resolver = Resolver::new(&[Source::X_FORWARDED_FOR, Source::PEER]);
/// let peer: IpAddr = "10.0.0.5".parse()?;
/// let line = [("x-forwarded-for", "9.9.9.9, 203.0.113.7, 10.1.2.3")];
/// let who = |trust| resolver.trusting(trust).resolve(peer, line).to_string();
///
/// let proxies: [Prefix; 1] = ["10.0.0.0/8".parse()?];
/// assert_eq!(who(Trust::Nobody), "10.0.0.5");
/// assert_eq!(who(Trust::Proxies(&proxies)), "203.0.113.7");
/// assert_eq!(who(Trust::Hops(2)), "203.0.113.7");
/// assert_eq!(who(Trust::Hops(4)), "10.0.0.5"); // shorter than it can be: it did not come by four proxies
/// assert_eq!(who(Trust::SpoofableFirstHop), "9.9.9.9");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust<'a> {
    /// No header is believed. The default.
    #[default]
    Nobody,
    /// Headers are believed if the peer is one of these. A chain is walked from the right, past each hop that is one of them.
    ///
    /// Whoever has one of these addresses can name any client it likes: list the proxies, rather than the network that they share with others.
    Proxies(&'a [Prefix]),
    /// There are so many proxies, one behind the other, and no way around them: the peer is the innermost, whatever its address. The client is
    /// the hop that the outermost one wrote: with `Hops(1)` the last of a chain. With `Hops(0)` no header is believed.
    ///
    /// If a call can come past some of the proxies, its chain is long enough only if the client made it so: then use [`Trust::Proxies`].
    Hops(u8),
    /// Headers are believed whoever sends them, and the client is the first hop of a chain. **Every caller chooses its own key**, a new
    /// one for each call if it likes; so this limits only those who do not mind. For reproducing systems that do it this way.
    SpoofableFirstHop,
}

impl Form {
    pub(super) const fn syntax(self) -> Syntax {
        match self {
            Self::One => Syntax::List,
            Self::Chain(syntax) => syntax,
        }
    }
}

impl Trust<'_> {
    /// Whether a header that comes from this peer is believed at all.
    pub(super) fn believes(&self, peer: Option<IpAddr>) -> bool {
        match self {
            Self::Nobody => false,
            Self::Proxies(trusted) => peer.is_some_and(|peer| trusted.iter().any(|prefix| prefix.contains(peer))),
            Self::Hops(count) => *count > 0,
            Self::SpoofableFirstHop => true,
        }
    }
}

//! Chains of hops: `X-Forwarded-For` and `Forwarded`, as one list over all their lines, walked from the right.
//!
//! Each proxy appends the address that it was called from, so what is right of an honest hop is honest too, and what is left of a
//! client is what the client made up. The rightmost hop of every chain is not written in it: it is the peer.
//!
//! Lines come in order and only forward, with as many as a client likes; so the walk goes forward over the lines, and backward in each.

use core::net::{IpAddr, Ipv4Addr};

use super::prefix::Prefix;
use super::text::{split_around, trim};
use super::{cost, forwarded, node};

/// How the hops of a chain are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Addresses with commas between them, each perhaps in quotes.
    List,
    /// RFC 7239.
    Forwarded,
}

/// How a hop becomes an address.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub(super) syntax: Syntax,
    /// Addresses in `64:ff9b::/96` are IPv4.
    pub(super) nat64: bool,
}

/// Where a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The chain is empty.
    Absent,
    /// At a hop of the chain.
    Hop(IpAddr),
    /// At the peer: nothing in the chain can be relied on.
    Peer,
}

impl Reader {
    fn address(&self, element: &[u8]) -> Option<IpAddr> {
        let address = match self.syntax {
            Syntax::List => node::address(unquoted(element)),
            Syntax::Forwarded => forwarded::address(element),
        };
        address.map(|address| canonical(address, self.nat64))
    }

    /// The elements of a line that are not empty, from the right.
    fn elements<'v>(&self, line: &'v [u8]) -> impl Iterator<Item = &'v [u8]> {
        let last_comma = match self.syntax {
            Syntax::List => last_comma,
            Syntax::Forwarded => forwarded::last_comma,
        };
        let mut rest = Some(line);
        let split = core::iter::from_fn(move || {
            let line = rest.take()?;
            match last_comma(line).and_then(|at| split_around(line, at)) {
                Some((left, element)) => {
                    rest = Some(left);
                    Some(element)
                }
                None => Some(line),
            }
        });
        // RFC 9110 section 5.6.1: a recipient ignores empty elements of a list.
        split.map(trim).filter(|element| !element.is_empty())
    }

    /// `before`, and one for each element of the line.
    fn count(&self, line: &[u8], before: usize) -> usize {
        self.elements(line).fold(before, |count, _| count.saturating_add(1))
    }

    /// The first hop from the right that is not trusted. Where that is no address, the hop right of it, which is the last that vouched for
    /// anything; where all are trusted, the leftmost.
    pub(super) fn past_trusted<V: AsRef<[u8]>>(&self, lines: impl Iterator<Item = V>, trusted: &[Prefix]) -> End {
        let mut seen = false;
        let mut found = None;
        for line in lines {
            // Where the walk would end if no line followed, or if all that follow were trusted.
            let mut leftmost_trusted = None;
            let mut ended = None;
            for element in self.elements(line.as_ref()) {
                seen = true;
                match self.address(element) {
                    Some(hop) if trusted.iter().any(|prefix| prefix.contains(hop)) => leftmost_trusted = Some(hop),
                    hop => {
                        ended = Some(hop.or(leftmost_trusted));
                        break;
                    }
                }
            }
            found = ended.unwrap_or(found.or(leftmost_trusted));
        }
        let broken = if seen { End::Peer } else { End::Absent };
        found.map_or(broken, End::Hop)
    }

    /// The hop that the outermost of `count` proxies was called from, the peer being the innermost. Where that is no address, the
    /// next one right of it that is; where the chain has fewer hops, the peer: the call came past the proxies.
    pub(super) fn past_count<V, L>(&self, lines: impl Fn() -> L, count: usize) -> End
    where
        V: AsRef<[u8]>,
        L: Iterator<Item = V>,
    {
        // Saturates only where an iterator yields the same memory again and again: a hop takes a byte of it.
        let hops = lines().fold(0, |hops, line| self.count(line.as_ref(), hops));
        if hops == 0 {
            return End::Absent;
        }
        if hops < count {
            return End::Peer;
        }
        let mut found = None;
        let mut right_of_line = hops;
        for line in lines() {
            let line = line.as_ref();
            right_of_line = right_of_line.saturating_sub(self.count(line, 0));
            let within_count = self.elements(line).take(count.saturating_sub(right_of_line));
            let leftmost = within_count.filter_map(|element| self.address(element)).last();
            found = found.or(leftmost);
        }
        found.map_or(End::Peer, End::Hop)
    }

    /// The leftmost hop, which anyone may have written. Absent if that is no address: there is nobody to vouch for another.
    pub(super) fn first_hop<V: AsRef<[u8]>>(&self, mut lines: impl Iterator<Item = V>) -> End {
        let first = lines.find_map(|line| self.elements(line.as_ref()).last().map(|element| self.address(element)));
        first.flatten().map_or(End::Absent, End::Hop)
    }

    /// The one address of a header that is no chain. Absent if there is none, or more than one: a list does not say which of them is meant.
    pub(super) fn only<V: AsRef<[u8]>>(&self, lines: impl Iterator<Item = V>) -> End {
        let mut found = End::Absent;
        for line in lines {
            let value = trim(line.as_ref());
            if value.is_empty() {
                continue;
            }
            if found != End::Absent {
                return End::Absent;
            }
            match self.address(value) {
                Some(address) => found = End::Hop(address),
                None => return End::Absent,
            }
        }
        found
    }
}

/// The address in its one form: mapped IPv4 is IPv4, and so is, if asked for, what a translator made of IPv4 (RFC 6052 section 2.1).
pub(super) const fn canonical(address: IpAddr, nat64: bool) -> IpAddr {
    let address = address.to_canonical();
    let IpAddr::V6(v6) = address else { return address };
    match v6.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, ..] if nat64 => {
            let [.., a, b, c, d] = v6.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        _ => address,
    }
}

fn last_comma(line: &[u8]) -> Option<usize> {
    line.iter().rposition(|byte| {
        cost::bytes(1);
        *byte == b','
    })
}

fn unquoted(element: &[u8]) -> &[u8] {
    match element {
        [b'"', inside @ .., b'"'] => inside,
        _ => element,
    }
}

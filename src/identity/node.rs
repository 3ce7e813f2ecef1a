//! One hop as a header writes it, made an address: `203.0.113.7:51234`, `[2001:db8::1%eth0]:443`, `unknown`.
//!
//! What cannot be an address is `None`. Where one hop ends and the next begins is known in [`chain`](super::chain).

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::str;

use super::cost;

/// The longest text that may be an address: 45 characters of IPv6 with an IPv4 tail, a zone of 24, brackets, a port, and some to spare.
pub(super) const LONGEST: usize = 80;

/// The address in `text`, which may carry a port; IPv6 also brackets and a zone. `unknown` and obfuscated identifiers have none.
///
/// This is the node of RFC 7239 section 6, and it allows what is found in `X-Forwarded-For` besides: IPv6 without brackets (then without a
/// port). The zone is dropped: it means something to the host that wrote it only.
pub(super) fn address(text: &[u8]) -> Option<IpAddr> {
    if text.len() > LONGEST {
        return None;
    }
    cost::bytes(text.len());
    let text = str::from_utf8(text).ok()?;
    if let Some(bracketed) = text.strip_prefix('[') {
        let (inside, behind) = bracketed.split_once(']')?;
        let plain = behind.is_empty() || behind.strip_prefix(':').is_some_and(is_port);
        return if plain { v6(inside) } else { None };
    }
    match text.split_once(':') {
        Some((_, behind)) if behind.contains(':') => v6(text),
        Some((host, port)) => {
            if is_port(port) {
                v4(host)
            } else {
                None
            }
        }
        None => v4(text),
    }
}

fn v4(text: &str) -> Option<IpAddr> {
    text.parse().ok().map(|v4: Ipv4Addr| IpAddr::V4(v4))
}

/// IPv6, perhaps with a zone (RFC 4007 section 11); mapped IPv4 becomes IPv4.
fn v6(text: &str) -> Option<IpAddr> {
    let text = match text.split_once('%') {
        Some((address, zone)) if is_name(zone) => address,
        Some(_) => return None,
        None => text,
    };
    text.parse().ok().map(|v6: Ipv6Addr| v6.to_canonical())
}

/// A port, or an obfuscated one: an underscore and a name (RFC 7239 section 6).
fn is_port(text: &str) -> bool {
    match text.strip_prefix('_') {
        Some(name) => is_name(name),
        // `parse` alone would allow a sign.
        None => text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 5 && text.parse::<u16>().is_ok(),
    }
}

/// Letters, digits and `.`, `_`, `-`, `~`, `%`, at least one: a zone, also one with its `%` escaped as in an URI (`%25eth0`).
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-~%".contains(&byte))
}

//! The elements of `Forwarded` (RFC 7239 section 4): `for="[2001:db8::1]:443";proto=https;by=10.0.0.5`.
//!
//! # Why it is read from the right
//!
//! A client may send `Forwarded: for=x;by="` and a proxy may append `, for=203.0.113.7`. Read from the left, the quote swallows what the
//! proxy wrote. Read from the right, what the proxies wrote comes first, whole, and the walk ends before it gets to what the client wrote.

use core::net::IpAddr;

use super::text::{split_around, trim};
use super::{cost, node};

/// Where the last comma of `line` outside of quotes stands. A quote that is never opened runs to the start of the line.
pub(super) fn last_comma(line: &[u8]) -> Option<usize> {
    let mut quoted = false;
    let mut rest = line;
    while let [before @ .., byte] = rest {
        cost::bytes(1);
        match byte {
            b',' if !quoted => return Some(before.len()),
            b'"' if !ends_escaping(before) => quoted = !quoted,
            _ => {}
        }
        rest = before;
    }
    None
}

/// The address that an element's `for` names. None if it has no `for` or two, if that is no address, or if any quote of the element is amiss.
pub(super) fn address(element: &[u8]) -> Option<IpAddr> {
    let mut named = None;
    let mut rest = Some(element);
    while let Some(pairs) = rest {
        let (pair, others) = match first_semicolon(pairs).and_then(|at| split_around(pairs, at)) {
            Some((pair, others)) => (pair, Some(others)),
            None => (pairs, None),
        };
        rest = others;
        let pair = trim(pair);
        if pair.is_empty() {
            continue;
        }
        let equals = pair.iter().position(|byte| is(*byte, b'='))?;
        let (name, value) = split_around(pair, equals)?;
        let (name, value) = (plain(name)?, content(value)?);
        if name.eq_ignore_ascii_case(b"for") && named.replace(value).is_some() {
            return None;
        }
    }
    let mut buffer = [0; node::LONGEST];
    node::address(unescaped(named?, &mut buffer)?)
}

/// Where the first semicolon outside of quotes stands. Escapes outside of them are refused by [`plain`], wherever they stand.
fn first_semicolon(pairs: &[u8]) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    pairs.iter().position(|byte| {
        cost::bytes(1);
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        *byte == b';' && !quoted
    })
}

/// The text, unless there is a quote or an escape in it.
fn plain(text: &[u8]) -> Option<&[u8]> {
    if text.iter().any(|byte| is(*byte, b'"') || *byte == b'\\') { None } else { Some(text) }
}

/// What stands inside the quotes of a value, still escaped, or a plain value. None if its quotes do not match.
fn content(value: &[u8]) -> Option<&[u8]> {
    let [b'"', inside @ .., b'"'] = value else {
        return plain(value);
    };
    let mut escaped = false;
    let closed_early = inside.iter().any(|byte| {
        let closes = is(*byte, b'"') && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    });
    if closed_early || escaped { None } else { Some(inside) }
}

/// Quoted pairs (RFC 9110 section 5.6.4) undone. None if more than the buffer is left.
fn unescaped<'b>(content: &[u8], buffer: &'b mut [u8; node::LONGEST]) -> Option<&'b [u8]> {
    let mut len = 0;
    let mut bytes = content.iter();
    while let Some(mut byte) = bytes.next() {
        cost::bytes(1);
        if *byte == b'\\' {
            byte = bytes.next()?;
        }
        *buffer.get_mut(len)? = *byte;
        len += 1; // Cannot overflow: `len` is an index of the buffer.
    }
    buffer.get(..len)
}

/// Whether `before` ends with an odd number of backslashes, so that what follows is not a delimiter.
fn ends_escaping(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| is(**byte, b'\\')).fold(false, |odd, _| !odd)
}

fn is(byte: u8, wanted: u8) -> bool {
    cost::bytes(1);
    byte == wanted
}

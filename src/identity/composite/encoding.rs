//! The bytes of a composite key, written and read back.
//!
//! Each part is a byte for its kind (never zero), its tag and its value, the last two behind their length. So the bytes can be read back in one
//! way only, no key is the start of another with zeros behind it, and a tenant called `a:b` is not the tenant `a` with something that is called `b`.
//!
//! | kind | value |
//! | --- | --- |
//! | `t` text | UTF-8 |
//! | `b` bytes | as they are |
//! | `n` number | 8 bytes, the highest first |
//! | `4`, `6` network | a byte for its length in bits, and as many bytes of the address as that takes |
//! | `f` fallback | UTF-8 |
//!
//! Lengths are LEB128: 7 bits a byte, the lowest first, with the high bit set on all but the last; never longer than need be.

use core::mem;
use core::net::IpAddr;
use core::str;

use super::{KeyTooLong, MalformedKey, Part};
use crate::identity::prefix::Prefix;

/// How many bytes [`write_key`] takes for these parts.
///
/// ```
/// use tollgate::identity::{key_len, write_key};
///
/// let parts = [("tenant", "acme".into())];
/// let mut key = vec![0; key_len(&parts)]; // for a HashMap<Vec<u8>, _>
/// write_key(&parts, &mut key)?;
/// # Ok::<(), tollgate::identity::KeyTooLong>(())
/// ```
pub fn key_len(parts: &[(&str, Part<'_>)]) -> usize {
    let part_len = |(tag, part): &(&str, Part<'_>)| {
        [delimited_len(tag.len()), delimited_len(part.len())].into_iter().fold(1, usize::saturating_add)
    };
    parts.iter().map(part_len).fold(0, usize::saturating_add)
}

/// Writes the key of these parts, each a tag and a value, to the start of `buffer`, and gives what it wrote.
///
/// # Errors
///
/// [`KeyTooLong`] if the buffer is too short. What is in it then is no key.
///
/// ```
/// use std::collections::HashMap;
/// use tollgate::identity::write_key;
///
/// let mut used: HashMap<Vec<u8>, u32> = HashMap::new();
/// let mut buffer = [0; 256];
/// let key: &[u8] = write_key(&[("tenant", "acme".into()), ("shard", 7_u64.into())], &mut buffer)?;
/// assert_eq!(used.get(key), None); // looked up without an allocation
/// used.insert(key.to_vec(), 1);
/// # Ok::<(), tollgate::identity::KeyTooLong>(())
/// ```
pub fn write_key<'b>(parts: &[(&str, Part<'_>)], buffer: &'b mut [u8]) -> Result<&'b [u8], KeyTooLong> {
    let capacity = buffer.len();
    let mut writer = Writer { free: &mut *buffer };
    let written = parts.iter().try_for_each(|(tag, part)| writer.part(tag, part));
    let free = writer.free.len();
    written
        .and_then(|()| buffer.get(..capacity.saturating_sub(free)))
        .ok_or_else(|| KeyTooLong { needed: key_len(parts), capacity })
}

/// The tags and values of a key, read back from its bytes: for logs, and for keys that a database has kept.
///
/// ```
/// use tollgate::identity::{CompositeKey, MalformedKey, Part, read_key};
///
/// let key = CompositeKey::<32>::new(&[("tenant", "acme".into()), ("shard", 7_u64.into())]).unwrap();
/// let parts: Result<Vec<_>, MalformedKey> = read_key(key.as_bytes()).collect();
/// assert_eq!(parts?, [("tenant", Part::Text("acme")), ("shard", Part::Number(7))]);
/// # Ok::<(), MalformedKey>(())
/// ```
pub fn read_key(bytes: &[u8]) -> KeyParts<'_> {
    KeyParts { key: bytes, rest: bytes }
}

/// The parts of a key, in order; ends after the first error. Made by [`read_key`].
///
/// ```
/// # use tollgate::identity::{MalformedKey, Part, read_key};
/// let mut parts = read_key(b"t\x01k\x01vt\x01k\x05v");
/// assert_eq!(parts.next(), Some(Ok(("k", Part::Text("v")))));
/// assert_eq!(parts.next(), Some(Err(MalformedKey { at: 5 })));
/// assert_eq!(parts.next(), None);
/// ```
#[derive(Clone, Debug)]
pub struct KeyParts<'a> {
    key: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Iterator for KeyParts<'a> {
    type Item = Result<(&'a str, Part<'a>), MalformedKey>;

    fn next(&mut self) -> Option<Self::Item> {
        // Taken, so that nothing is left after an error.
        let part = mem::take(&mut self.rest);
        let (kind, mut rest) = part.split_first()?;
        let Some(read) = read_part(*kind, &mut rest) else {
            return Some(Err(MalformedKey { at: self.key.len().saturating_sub(part.len()) }));
        };
        self.rest = rest;
        Some(Ok(read))
    }
}

impl<'a> Part<'a> {
    const fn kind(&self) -> u8 {
        match self {
            Self::Text(_) => b't',
            Self::Bytes(_) => b'b',
            Self::Number(_) => b'n',
            Self::Fallback(_) => b'f',
            Self::Network(prefix) => match prefix.address() {
                IpAddr::V4(_) => b'4',
                IpAddr::V6(_) => b'6',
            },
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Fallback(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Number(_) => 8,
            Self::Network(prefix) => octets_in(prefix.bits()).saturating_add(1),
        }
    }

    fn read(kind: u8, value: &'a [u8]) -> Option<Self> {
        Some(match kind {
            b't' => Self::Text(str::from_utf8(value).ok()?),
            b'f' => Self::Fallback(str::from_utf8(value).ok()?),
            b'b' => Self::Bytes(value),
            b'n' => Self::Number(u64::from_be_bytes(value.try_into().ok()?)),
            b'4' => Self::Network(read_network::<4>(value)?),
            b'6' => {
                let prefix = read_network::<16>(value)?;
                // A mapped prefix is written as IPv4.
                prefix.address().is_ipv6().then_some(Self::Network(prefix))?
            }
            _ => return None,
        })
    }
}

/// What is still free of a buffer. `None` is for too little of it.
struct Writer<'b> {
    free: &'b mut [u8],
}

impl Writer<'_> {
    fn part(&mut self, tag: &str, part: &Part<'_>) -> Option<()> {
        self.bytes(&[part.kind()])?;
        self.len(tag.len())?;
        self.bytes(tag.as_bytes())?;
        self.len(part.len())?;
        match part {
            Part::Text(text) | Part::Fallback(text) => self.bytes(text.as_bytes()),
            Part::Bytes(bytes) => self.bytes(bytes),
            Part::Number(number) => self.bytes(&number.to_be_bytes()),
            Part::Network(prefix) => {
                self.bytes(&[prefix.bits()])?;
                let octets = octets_in(prefix.bits());
                match prefix.address() {
                    IpAddr::V4(v4) => self.bytes(v4.octets().get(..octets)?),
                    IpAddr::V6(v6) => self.bytes(v6.octets().get(..octets)?),
                }
            }
        }
    }

    fn len(&mut self, mut len: usize) -> Option<()> {
        while len > 0x7f {
            self.bytes(&[len as u8 | 0x80])?; // The low 7 bits, and that more follow.
            len >>= 7;
        }
        self.bytes(&[len as u8])
    }

    fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        let (here, free) = mem::take(&mut self.free).split_at_mut_checked(bytes.len())?;
        here.copy_from_slice(bytes); // Cannot panic: split off at that length.
        self.free = free;
        Some(())
    }
}

fn read_part<'a>(kind: u8, rest: &mut &'a [u8]) -> Option<(&'a str, Part<'a>)> {
    let tag = str::from_utf8(read_delimited(rest)?).ok()?;
    Some((tag, Part::read(kind, read_delimited(rest)?)?))
}

fn read_delimited<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = read_len(rest)?;
    let (value, behind) = rest.split_at_checked(len)?;
    *rest = behind;
    Some(value)
}

fn read_len(rest: &mut &[u8]) -> Option<usize> {
    let mut len = 0_usize;
    let mut shift = 0_u32;
    loop {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        let low = usize::from(byte & 0x7f);
        let part = low.checked_shl(shift)?;
        if part >> shift != low || (*byte == 0 && shift > 0) {
            return None; // More than an address can hold, or a zero at the end that need not be there.
        }
        len |= part;
        if byte & 0x80 == 0 {
            return Some(len);
        }
        shift = shift.saturating_add(7);
    }
}

fn read_network<const OCTETS: usize>(value: &[u8]) -> Option<Prefix>
where
    IpAddr: From<[u8; OCTETS]>,
{
    let (bits, found) = value.split_first()?;
    let mut octets = [0; OCTETS];
    let touched = octets.get_mut(..octets_in(*bits))?;
    if touched.len() != found.len() {
        return None;
    }
    touched.copy_from_slice(found); // Cannot panic: of one length.
    Prefix::new(octets.into(), *bits).ok()
}

/// How many octets the first `bits` bits touch.
fn octets_in(bits: u8) -> usize {
    usize::from(bits.div_ceil(8))
}

/// How long a value of that length is, with its length in front.
fn delimited_len(len: usize) -> usize {
    let bits = usize::BITS - len.leading_zeros();
    let prefix = bits.div_ceil(7).max(1);
    len.saturating_add(prefix as usize)
}

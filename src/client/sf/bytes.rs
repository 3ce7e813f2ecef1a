//! Byte sequences (RFC 9651, section 4.2.7): base64 between colons.

use super::Cursor;

/// Bytes that a server has sent, such as a partition key. Borrowed from the field, and decoded as they are asked for.
///
/// ```
/// use tollgate::client::draft_10;
///
/// let mut limits = draft_10::limits([r#""peruser";r=5;pk=:QXBwLTk5OQ==:"#]).unwrap();
/// let key = limits.next().and_then(|limit| limit.partition_key).unwrap();
/// assert_eq!(key, *b"App-999");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    /// Digits alone, without padding.
    digits: &'a [u8],
}

impl<'a> Bytes<'a> {
    /// The bytes.
    ///
    /// ```
    /// # use tollgate::client::draft_10;
    /// let mut limits = draft_10::limits([r#""peruser";r=5;pk=:AP8=:"#]).unwrap();
    /// let key = limits.next().and_then(|limit| limit.partition_key).unwrap();
    /// assert!(key.iter().eq([0x00, 0xFF]));
    /// ```
    pub fn iter(self) -> impl Iterator<Item = u8> + Clone + 'a {
        // Four digits of six bits are three bytes. What is left of the last digit is padding, whatever it is.
        self.digits.chunks(4).flat_map(|group| {
            let bits =
                (0..4).fold(0_u32, |bits, at| bits << 6 | group.get(at).and_then(|byte| value(*byte)).unwrap_or(0));
            let [_, bytes @ ..] = bits.to_be_bytes();
            bytes.into_iter().take(group.len().saturating_sub(1))
        })
    }
}

impl PartialEq for Bytes<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Bytes<'_> {}

impl PartialEq<[u8]> for Bytes<'_> {
    fn eq(&self, other: &[u8]) -> bool {
        self.iter().eq(other.iter().copied())
    }
}

impl<const N: usize> PartialEq<[u8; N]> for Bytes<'_> {
    fn eq(&self, other: &[u8; N]) -> bool {
        *self == *other.as_slice()
    }
}

impl<'a> Cursor<'a> {
    /// Padding may be missing, and may be any bits, as the RFC advises; it may not be too long.
    pub(super) fn bytes(&mut self) -> Option<Bytes<'a>> {
        self.expect(b':')?;
        let digits = self.skip(|byte| value(byte).is_some());
        let padding = self.skip(|byte| byte == b'=').len();
        self.expect(b':')?;
        let room = match digits.len() % 4 {
            0 => 0,
            2 => 2,
            3 => 1,
            _ => return None,
        };
        (padding <= room).then_some(Bytes { digits })
    }
}

/// The six bits of a digit (RFC 4648, section 4).
const fn value(digit: u8) -> Option<u32> {
    // Cannot underflow or overflow: each sum ends at 25, 51 or 61.
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value as u32)
}

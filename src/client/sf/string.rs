//! Strings and display strings (RFC 9651, sections 4.2.5 and 4.2.10).

use core::fmt::{self, Display, Write};

use super::Cursor;

/// A text that a server has sent, such as the name of a policy: printable ASCII.
///
/// It is borrowed from the field as it stands there, escapes included; what is printed and compared is what was meant.
///
/// ```
/// use tollgate::client::draft_10;
///
/// let mut limits = draft_10::limits([r#""the \"big\" one";r=5;t=3"#]).unwrap();
/// let name = limits.next().unwrap().name;
/// assert_eq!(name, r#"the "big" one"#);
/// assert_eq!(name.to_string(), r#"the "big" one"#);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    /// Its characters.
    ///
    /// ```
    /// # use tollgate::client::draft_10;
    /// let mut limits = draft_10::limits([r#""a\\b";r=5"#]).unwrap();
    /// assert!(limits.next().unwrap().name.chars().eq(['a', '\\', 'b']));
    /// ```
    pub fn chars(self) -> impl Iterator<Item = char> + Clone + 'a {
        let mut escaped = false;
        let unescaped = move |byte: &u8| {
            escaped = *byte == b'\\' && !escaped;
            if escaped { None } else { Some(char::from(*byte)) }
        };
        self.0.iter().filter_map(unescaped)
    }
}

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|character| f.write_char(character))
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.chars().eq(other.chars())
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.chars().eq(other.chars())
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn string(&mut self) -> Option<Text<'a>> {
        self.expect(b'"')?;
        let start = *self;
        loop {
            let before = *self;
            match self.next()? {
                b'"' => return Some(Text(start.up_to(before))),
                b'\\' => self.expect(b'"').or_else(|| self.expect(b'\\'))?,
                b' '..=b'~' => {}
                _ => return None,
            }
        }
    }

    /// Printable ASCII, with other bytes as `%` and two digits, that make UTF-8 together.
    pub(super) fn display_string(&mut self) -> Option<()> {
        self.expect(b'%')?;
        self.expect(b'"')?;
        let mut text = Utf8::default();
        loop {
            match self.next()? {
                b'"' => return text.is_whole().then_some(()),
                b'%' => {
                    // Cannot overflow: each is below 16.
                    let byte = hex_digit(self.next()?)? * 16 + hex_digit(self.next()?)?;
                    text.push(byte)?;
                }
                byte @ b' '..=b'~' => text.push(byte)?,
                _ => return None,
            }
        }
    }
}

/// Of a digit in lower case, the only one that section 4.2.10 allows.
const fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        // Cannot underflow or overflow: at most 9, and at most 15.
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// Takes bytes one by one, as long as they are UTF-8.
#[derive(Default)]
struct Utf8 {
    /// The bytes of a character so far.
    character: [u8; 4],
    len: usize,
    /// How many bytes it has. Zero between characters.
    needed: usize,
}

impl Utf8 {
    fn is_whole(&self) -> bool {
        self.needed == 0
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        if self.needed == 0 {
            self.len = 0;
            self.needed = match byte {
                0..=0x7F => return Some(()),
                0xC0..=0xDF => 2,
                0xE0..=0xEF => 3,
                0xF0..=0xF7 => 4,
                _ => return None,
            };
        }
        *self.character.get_mut(self.len)? = byte;
        self.len += 1; // Cannot overflow: `len` was an index.
        if self.len == self.needed {
            self.needed = 0;
            core::str::from_utf8(self.character.get(..self.len)?).ok()?;
        }
        Some(())
    }
}

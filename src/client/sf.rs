//! Structured fields (RFC 9651), read as its section 4.2 says, to the letter: lists and dictionaries, of items and of inner lists.
//!
//! [`Members`] walks one line of a field and owns nothing; [`Field`] puts several lines together. All types of values are read, and what no
//! rate limit field needs the content of becomes [`Value::Other`]. Which field has which parameters is known to the modules of the drafts.

mod bytes;
mod field;
mod string;
#[cfg(test)]
mod tests;

use super::text::digit;
use crate::header_lines::trim;

pub use bytes::Bytes;
pub(super) use field::{Field, Malformed, field};
pub use string::Text;

/// A bare item (section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Integer(i64),
    Text(Text<'a>),
    Bytes(Bytes<'a>),
    /// A decimal, a token, a boolean, a date or a display string: well-formed, and of a type that no field here has.
    Other,
}

impl Value<'_> {
    /// A number of things: an integer that is not negative.
    pub(super) fn count(self) -> Option<u64> {
        match self {
            Self::Integer(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }
}

/// A member of a list or a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member<'a> {
    /// Empty in a list.
    pub(super) key: &'a [u8],
    /// None for an inner list.
    pub(super) value: Option<Value<'a>>,
    pub(super) params: Params<'a>,
}

/// What the members of a field are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    List,
    Dictionary,
}

/// The members of one line, in order; at the first error the only one that matters, and the end.
#[derive(Clone, Debug)]
pub(super) struct Members<'a> {
    rest: Cursor<'a>,
    shape: Shape,
    /// Whether a member has come, so that a comma must.
    begun: bool,
}

impl<'a> Members<'a> {
    /// Blanks around a line are no part of it (RFC 9110, section 5.5).
    pub(super) fn new(line: &'a [u8], shape: Shape) -> Self {
        Self { rest: Cursor(trim(line)), shape, begun: false }
    }

    /// Between members: a comma, with blanks around it or not.
    fn separator(&mut self) -> Option<()> {
        self.rest.skip(is_blank);
        self.rest.expect(b',')?;
        self.rest.skip(is_blank);
        Some(())
    }

    fn member(&mut self) -> Option<Member<'a>> {
        if self.shape == Shape::List {
            return self.rest.member(&[]);
        }
        let key = self.rest.key()?;
        if self.rest.expect(b'=').is_some() {
            return self.rest.member(key);
        }
        // A key alone is true.
        Some(Member { key, value: Some(Value::Other), params: self.rest.params()? })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rest.peek()?;
        let separator = if self.begun { self.separator() } else { Some(()) };
        self.begun = true;
        let member = separator.and_then(|()| self.member()).ok_or(Malformed);
        if member.is_err() {
            self.rest = Cursor(&[]);
        }
        Some(member)
    }
}

/// The parameters of a member, well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Params<'a>(&'a [u8]);

impl<'a> Params<'a> {
    /// The value of that name. Of several, the last counts (section 4.2.3.2).
    pub(super) fn get(self, name: &[u8]) -> Option<Value<'a>> {
        let mut rest = Cursor(self.0);
        let all = core::iter::from_fn(|| rest.param());
        all.filter(|(key, _)| *key == name).last().map(|(_, value)| value)
    }
}

/// What is still to be read. A method that returns none has found an error, and how far it got does not matter.
#[derive(Clone, Copy, Debug)]
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn peek(self) -> Option<u8> {
        self.0.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Goes past this byte, or stays.
    fn expect(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// Goes past the bytes that are so, and returns them.
    fn skip(&mut self, so: impl Fn(u8) -> bool) -> &'a [u8] {
        let len = self.0.iter().position(|byte| !so(*byte)).unwrap_or(self.0.len());
        let (skipped, rest) = self.0.split_at_checked(len).unwrap_or((self.0, &[]));
        self.0 = rest;
        skipped
    }

    /// What another cursor, further on, has gone past.
    fn up_to(self, further: Cursor<'a>) -> &'a [u8] {
        // Cannot underflow: what is left of it is a part of what is left of this.
        let len = self.0.len().saturating_sub(further.0.len());
        self.0.get(..len).unwrap_or_default()
    }

    fn member(&mut self, key: &'a [u8]) -> Option<Member<'a>> {
        let value = if self.peek() == Some(b'(') {
            self.inner_list()?;
            None
        } else {
            Some(self.value()?)
        };
        Some(Member { key, value, params: self.params()? })
    }

    /// Section 4.2.1.2, without the parameters of the list.
    fn inner_list(&mut self) -> Option<()> {
        self.expect(b'(')?;
        loop {
            self.skip(|byte| byte == b' ');
            if self.expect(b')').is_some() {
                return Some(());
            }
            self.value()?;
            self.params()?;
            if !matches!(self.peek()?, b' ' | b')') {
                return None;
            }
        }
    }

    /// Section 4.2.3.2.
    fn params(&mut self) -> Option<Params<'a>> {
        let start = *self;
        while self.peek() == Some(b';') {
            self.param()?;
        }
        Some(Params(start.up_to(*self)))
    }

    fn param(&mut self) -> Option<(&'a [u8], Value<'a>)> {
        self.expect(b';')?;
        self.skip(|byte| byte == b' ');
        let key = self.key()?;
        let value = if self.expect(b'=').is_some() { self.value()? } else { Value::Other };
        Some((key, value))
    }

    /// Section 4.2.3.3.
    fn key(&mut self) -> Option<&'a [u8]> {
        if !matches!(self.peek()?, b'a'..=b'z' | b'*') {
            return None;
        }
        Some(self.skip(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*')))
    }

    /// Section 4.2.3.1.
    fn value(&mut self) -> Option<Value<'a>> {
        match self.peek()? {
            b'-' | b'0'..=b'9' => self.number(),
            b'"' => self.string().map(Value::Text),
            b':' => self.bytes().map(Value::Bytes),
            b'a'..=b'z' | b'A'..=b'Z' | b'*' => {
                self.skip(is_in_token);
                Some(Value::Other)
            }
            b'?' => {
                self.expect(b'?')?;
                self.expect(b'0').or_else(|| self.expect(b'1')).map(|()| Value::Other)
            }
            b'@' => {
                self.expect(b'@')?;
                // A date is a whole number of seconds.
                matches!(self.number()?, Value::Integer(_)).then_some(Value::Other)
            }
            b'%' => self.display_string().map(|()| Value::Other),
            _ => None,
        }
    }

    /// Section 4.2.4.
    fn number(&mut self) -> Option<Value<'a>> {
        let negative = self.expect(b'-').is_some();
        let whole = self.skip(|byte| byte.is_ascii_digit());
        if self.expect(b'.').is_some() {
            let fraction = self.skip(|byte| byte.is_ascii_digit());
            let fits = (1..=12).contains(&whole.len()) && (1..=3).contains(&fraction.len());
            return fits.then_some(Value::Other);
        }
        if !(1..=15).contains(&whole.len()) {
            return None;
        }
        // Cannot overflow: at most 15 digits.
        let number = whole.iter().try_fold(0, |number, byte| Some(number * 10 + i64::from(digit(*byte)?)))?;
        Some(Value::Integer(if negative { -number } else { number }))
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Of a token, whatever follows its first character (section 3.3.4; RFC 9110, section 5.6.2).
fn is_in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte)
}

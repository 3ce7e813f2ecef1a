//! Structured fields (RFC 9651), as far as the rate limit fields use them: strings, integers, byte sequences and lists.
//!
//! Written in the one canonical form of its section 4.1: members of a list are joined by a comma and a space, parameters follow a `;`
//! without a space. There is no parser here.

use core::error::Error;
use core::fmt::{self, Display, Write};

/// The name of a policy or of a unit: a text that a structured field can carry as a string.
///
/// That is printable ASCII, `0x20` to `0x7E` (RFC 9651, section 3.3.3). It is checked when the name is made, so that sending it cannot
/// fail. The name is borrowed: from the source, or from a configuration that lives as long as the server does.
///
/// ```
/// use tollgate::format::Name;
///
/// const BURST: Name = Name::constant("burst");
/// assert_eq!(BURST.as_str(), "burst");
///
/// let error = Name::new("größe").unwrap_err();
/// assert_eq!((error.at, error.byte), (2, 0xC3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name<'a>(&'a str);

impl<'a> Name<'a> {
    /// A name from a setting.
    ///
    /// # Errors
    ///
    /// [`NameError`] where a byte is not printable ASCII.
    ///
    /// ```
    /// # use tollgate::format::Name;
    /// assert!(Name::new(r#"a "quoted" name"#).is_ok());
    /// assert!(Name::new("two\r\nlines").is_err());
    /// ```
    pub const fn new(name: &'a str) -> Result<Self, NameError> {
        let mut rest = name.as_bytes();
        while let [byte, after @ ..] = rest {
            if !matches!(byte, b' '..=b'~') {
                // Cannot underflow: the rest is a part of the name.
                return Err(NameError { at: name.len() - rest.len(), byte: *byte });
            }
            rest = after;
        }
        Ok(Self(name))
    }

    /// The text as it was given.
    ///
    /// ```
    /// # use tollgate::format::Name;
    /// assert_eq!(Name::constant("daily").as_str(), "daily");
    /// ```
    pub const fn as_str(self) -> &'a str {
        self.0
    }
}

impl Name<'static> {
    /// A name for a `const`, where a bad one fails the build.
    ///
    /// # Panics
    ///
    /// Where [`new`](Name::new) gives an error, if called at run time.
    ///
    /// ```
    /// # use tollgate::format::Name;
    /// const DAILY: Name = Name::constant("daily");
    /// ```
    ///
    /// ```compile_fail,E0080
    /// # use tollgate::format::Name;
    /// const DAILY: Name = Name::constant("täglich");
    /// ```
    pub const fn constant(name: &'static str) -> Self {
        match Self::new(name) {
            Ok(name) => name,
            Err(_) => panic!("a name must be of printable ASCII, 0x20 to 0x7E"),
        }
    }
}

/// The text as it was given. Header fields have it in quotes.
impl Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Why a text cannot be a [`Name`].
///
/// ```
/// # use tollgate::format::Name;
/// assert_eq!(
///     Name::new("per\tminute").unwrap_err().to_string(),
///     "byte 3 of the name is 0x09; a header field can carry printable ASCII only, 0x20 to 0x7E: choose another name"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct NameError {
    /// Where the first byte that cannot be sent stands, counted from 0.
    pub at: usize,
    /// The byte.
    pub byte: u8,
}

impl Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, byte } = self;
        write!(
            f,
            "byte {at} of the name is 0x{byte:02X}; a header field can carry printable ASCII only, 0x20 to 0x7E: choose another name"
        )
    }
}

impl Error for NameError {}

/// A [`Name`] as a structured string: in quotes, with `"` and `\` escaped (section 4.1.6).
///
/// ```
/// use tollgate::format::Name;
/// use tollgate::format::sf::Quoted;
///
/// assert_eq!(Quoted(Name::constant(r#"a "b" \c"#)).to_string(), r#""a \"b\" \\c""#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quoted<'a>(pub Name<'a>);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.as_str().chars() {
            if matches!(character, '"' | '\\') {
                f.write_char('\\')?;
            }
            f.write_char(character)?;
        }
        f.write_char('"')
    }
}

/// A whole number of at most 15 digits; a larger one is written as [`Integer::MAX`] (section 3.3.1).
///
/// ```
/// use tollgate::format::sf::Integer;
///
/// assert_eq!(Integer(60).to_string(), "60");
/// assert_eq!(Integer(u64::MAX).to_string(), "999999999999999");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer(pub u64);

impl Integer {
    /// The largest number that a structured field can carry.
    ///
    /// ```
    /// # use tollgate::format::sf::Integer;
    /// assert_eq!(Integer::MAX.0, 999_999_999_999_999);
    /// ```
    pub const MAX: Self = Self(999_999_999_999_999);
}

impl Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0.min(Self::MAX.0), f)
    }
}

/// A byte sequence: base64 with padding, between colons (section 4.1.8; RFC 4648, section 4).
///
/// ```
/// use tollgate::format::sf::Bytes;
///
/// assert_eq!(Bytes(b"App-999").to_string(), ":QXBwLTk5OQ==:");
/// assert_eq!(Bytes(b"").to_string(), "::");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Display for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(':')?;
        for group in self.0.chunks(3) {
            let mut padded = [0; 3];
            padded.iter_mut().zip(group).for_each(|(place, byte)| *place = *byte);
            let [a, b, c] = padded;
            let digits = [a >> 2, a << 4 | b >> 4, b << 2 | c >> 6, c];
            // Of a group of n bytes, the first n + 1 digits say something.
            for (place, digit) in digits.into_iter().enumerate() {
                f.write_char(if place <= group.len() { base64_digit(digit) } else { '=' })?;
            }
        }
        f.write_char(':')
    }
}

/// The digit of the lower six bits.
const fn base64_digit(bits: u8) -> char {
    let bits = bits & 0x3F;
    // Cannot overflow: each sum ends at or before `Z`, `z` or `9`.
    let digit = match bits {
        0..26 => b'A' + bits,
        26..52 => b'a' + (bits - 26),
        52..62 => b'0' + (bits - 52),
        62 => b'+',
        _ => b'/',
    };
    digit as char
}

/// A list of at least one item, such as several policies in one field.
///
/// A list of none cannot be made, since a field with an empty list is not to be sent (section 4.1).
///
/// ```
/// use tollgate::format::sf::{Integer, List};
///
/// assert_eq!(List::new(&[Integer(1), Integer(2)]).unwrap().to_string(), "1, 2");
/// assert_eq!(List::<Integer>::new(&[]), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct List<'a, T>(&'a [T]);

impl<'a, T> List<'a, T> {
    /// The items as a list, unless there are none.
    ///
    /// ```
    /// # use tollgate::format::sf::{Integer, List};
    /// const WINDOWS: Option<List<Integer>> = List::new(&[Integer(60)]);
    /// assert!(WINDOWS.is_some());
    /// ```
    pub const fn new(items: &'a [T]) -> Option<Self> {
        if items.is_empty() { None } else { Some(Self(items)) }
    }

    /// The items, at least one.
    ///
    /// ```
    /// # use tollgate::format::sf::{Integer, List};
    /// assert_eq!(List::new(&[Integer(60)]).unwrap().items(), [Integer(60)]);
    /// ```
    pub const fn items(self) -> &'a [T] {
        self.0
    }
}

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for item in self.0 {
            write!(f, "{separator}{item}")?;
            separator = ", ";
        }
        Ok(())
    }
}

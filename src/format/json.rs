//! A writer of JSON objects, on which the bodies here are built: for shapes of your own.
//!
//! It writes what `JSON.stringify` would: compact, members in the order in which they are given, non-ASCII as it is, and of the
//! characters of a string only those escaped that must be. It allocates nothing, and what it writes is always well-formed.
//!
//! ```
//! use tollgate::format::json;
//!
//! let body = json::object(|body| {
//!     body.member("error").object(|error| {
//!         error.member("code").string("rate_limited");
//!         error.member("message").string(format_args!("Retry in {} s", 34));
//!     });
//!     body.member("policies").array(|policies| {
//!         policies.element().string("burst");
//!         policies.element().string("daily");
//!     });
//!     body.member("retry_after").integer(34);
//! });
//! assert_eq!(
//!     body.to_string(),
//!     r#"{"error":{"code":"rate_limited","message":"Retry in 34 s"},"policies":["burst","daily"],"retry_after":34}"#
//! );
//! ```

use core::fmt::{self, Display, Write};

/// An object of the members that `members` writes. It is called anew for each rendering.
///
/// ```
/// use tollgate::format::json;
///
/// assert_eq!(json::object(|_| ()).to_string(), "{}");
/// ```
pub const fn object<F: Fn(&mut Members<'_>)>(members: F) -> Object<F> {
    Object { members, escape: Escape::AsStringify }
}

/// An object, to be rendered. Made by [`object`].
///
/// ```
/// use tollgate::format::json;
///
/// let body = json::object(|body| body.member("ok").boolean(true));
/// assert_eq!(body.to_string(), r#"{"ok":true}"#);
/// ```
#[derive(Clone, Copy)]
pub struct Object<F> {
    members: F,
    escape: Escape,
}

impl<F: Fn(&mut Members<'_>)> Object<F> {
    /// The same object, fit for one line of a log: whatever its strings hold, no reader takes a part of it for a line of its own.
    ///
    /// Beyond what JSON demands, it escapes delete, the C1 controls (among them the line break U+0085), the separators of lines and
    /// paragraphs U+2028 and U+2029, and the controls of writing direction, which make a viewer show text in another order.
    ///
    /// ```
    /// use tollgate::format::json;
    ///
    /// let record = json::object(|record| record.member("key").string("a\u{2028}level=info"));
    /// assert_eq!(record.on_one_line().to_string(), r#"{"key":"a\u2028level=info"}"#);
    /// ```
    #[must_use = "this makes an object, and leaves the one it is made from as it is"]
    pub fn on_one_line(self) -> Self {
        Self { escape: Escape::OnOneLine, ..self }
    }
}

impl<F: Fn(&mut Members<'_>)> Display for Object<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sink { out: f, escape: self.escape }.object(&self.members)
    }
}

/// Writes the members of an object.
///
/// ```
/// use tollgate::format::json;
///
/// let body = json::object(|body| {
///     body.member("a").integer(1);
///     body.member("b").integer(2);
/// });
/// assert_eq!(body.to_string(), r#"{"a":1,"b":2}"#);
/// ```
pub struct Members<'a> {
    sink: Sink<'a>,
    separator: &'static str,
    result: fmt::Result,
}

impl Members<'_> {
    /// The next member, whose value is then given. A name that is given twice is written twice.
    ///
    /// ```
    /// # use tollgate::format::json;
    /// let body = json::object(|body| body.member("quoted \"name\"").null());
    /// assert_eq!(body.to_string(), r#"{"quoted \"name\"":null}"#);
    /// ```
    pub fn member(&mut self, name: &str) -> Value<'_> {
        let Self { sink, separator, result } = self;
        *result = result.and_then(|()| {
            sink.out.write_str(separator)?;
            sink.string(name)?;
            sink.out.write_char(':')
        });
        *separator = ",";
        Value { place: Some((sink.reborrow(), result)) }
    }
}

/// Writes the elements of an array.
///
/// ```
/// use tollgate::format::json;
///
/// let body = json::object(|body| {
///     body.member("windows").array(|windows| [1, 60, 3600].map(|secs| windows.element().integer(secs)));
/// });
/// assert_eq!(body.to_string(), r#"{"windows":[1,60,3600]}"#);
/// ```
pub struct Elements<'a> {
    sink: Sink<'a>,
    separator: &'static str,
    result: fmt::Result,
}

impl Elements<'_> {
    /// The next element, whose value is then given.
    ///
    /// ```
    /// # use tollgate::format::json;
    /// let body = json::object(|body| body.member("flags").array(|flags| flags.element().boolean(true)));
    /// assert_eq!(body.to_string(), r#"{"flags":[true]}"#);
    /// ```
    pub fn element(&mut self) -> Value<'_> {
        let Self { sink, separator, result } = self;
        *result = result.and_then(|()| sink.out.write_str(separator));
        *separator = ",";
        Value { place: Some((sink.reborrow(), result)) }
    }
}

/// The place of one value, to be filled once. Left as it is, it holds `null`.
///
/// ```
/// use tollgate::format::json;
///
/// let body = json::object(|body| {
///     let forgotten = body.member("a");
///     drop(forgotten);
///     body.member("b").integer(2);
/// });
/// assert_eq!(body.to_string(), r#"{"a":null,"b":2}"#);
/// ```
#[must_use = "a place that is given no value holds `null`"]
pub struct Value<'a> {
    place: Option<(Sink<'a>, &'a mut fmt::Result)>,
}

impl Value<'_> {
    /// A string: of text, of arguments ([`format_args!`]), of anything that implements [`Display`].
    ///
    /// ```
    /// # use tollgate::format::json;
    /// # use core::net::Ipv4Addr;
    /// let body = json::object(|body| body.member("ip").string(Ipv4Addr::LOCALHOST));
    /// assert_eq!(body.to_string(), r#"{"ip":"127.0.0.1"}"#);
    /// ```
    pub fn string(mut self, value: impl Display) {
        self.fill(|sink| sink.string(value));
    }

    /// A whole number. Beyond 2^53 a reader that keeps numbers as floats loses digits: give it a string.
    ///
    /// ```
    /// # use tollgate::format::json;
    /// let body = json::object(|body| body.member("n").integer(u64::MAX));
    /// assert_eq!(body.to_string(), r#"{"n":18446744073709551615}"#);
    /// ```
    pub fn integer(mut self, value: u64) {
        self.fill(|sink| write!(sink.out, "{value}"));
    }

    /// A whole number that may be below zero.
    ///
    /// ```
    /// # use tollgate::format::json;
    /// let body = json::object(|body| body.member("n").signed_integer(-1));
    /// assert_eq!(body.to_string(), r#"{"n":-1}"#);
    /// ```
    pub fn signed_integer(mut self, value: i64) {
        self.fill(|sink| write!(sink.out, "{value}"));
    }

    /// `true` or `false`.
    ///
    /// ```
    /// # use tollgate::format::json;
    /// let body = json::object(|body| body.member("ok").boolean(false));
    /// assert_eq!(body.to_string(), r#"{"ok":false}"#);
    /// ```
    pub fn boolean(mut self, value: bool) {
        self.fill(|sink| write!(sink.out, "{value}"));
    }

    /// `null`.
    ///
    /// ```
    /// # use tollgate::format::json;
    /// let body = json::object(|body| body.member("key").null());
    /// assert_eq!(body.to_string(), r#"{"key":null}"#);
    /// ```
    pub fn null(self) {
        drop(self);
    }

    /// An object of the members that `members` writes.
    ///
    /// ```
    /// # use tollgate::format::json;
    /// let body = json::object(|body| body.member("error").object(|error| error.member("code").string("full")));
    /// assert_eq!(body.to_string(), r#"{"error":{"code":"full"}}"#);
    /// ```
    pub fn object<R>(mut self, members: impl FnOnce(&mut Members<'_>) -> R) {
        self.fill(|sink| sink.object(members));
    }

    /// An array of the elements that `elements` writes.
    ///
    /// ```
    /// # use tollgate::format::json;
    /// let body = json::object(|body| body.member("none").array(|_| ()));
    /// assert_eq!(body.to_string(), r#"{"none":[]}"#);
    /// ```
    pub fn array<R>(mut self, elements: impl FnOnce(&mut Elements<'_>) -> R) {
        self.fill(|sink| sink.array(elements));
    }

    fn fill(&mut self, write: impl FnOnce(&mut Sink<'_>) -> fmt::Result) {
        if let Some((mut sink, result)) = self.place.take() {
            *result = result.and_then(|()| write(&mut sink));
        }
    }
}

impl Drop for Value<'_> {
    fn drop(&mut self) {
        self.fill(|sink| sink.out.write_str("null"));
    }
}

/// Where the text goes, and how its strings are escaped.
struct Sink<'a> {
    out: &'a mut dyn Write,
    escape: Escape,
}

impl Sink<'_> {
    fn reborrow(&mut self) -> Sink<'_> {
        Sink { out: self.out, escape: self.escape }
    }

    fn string(&mut self, value: impl Display) -> fmt::Result {
        self.out.write_char('"')?;
        write!(Escaped { out: self.out, escape: self.escape }, "{value}")?;
        self.out.write_char('"')
    }

    fn object<R>(&mut self, members: impl FnOnce(&mut Members<'_>) -> R) -> fmt::Result {
        self.out.write_char('{')?;
        let mut within = Members { sink: self.reborrow(), separator: "", result: Ok(()) };
        members(&mut within);
        within.result?;
        self.out.write_char('}')
    }

    fn array<R>(&mut self, elements: impl FnOnce(&mut Elements<'_>) -> R) -> fmt::Result {
        self.out.write_char('[')?;
        let mut within = Elements { sink: self.reborrow(), separator: "", result: Ok(()) };
        elements(&mut within);
        within.result?;
        self.out.write_char(']')
    }
}

/// Which characters of a string are escaped.
#[derive(Clone, Copy)]
pub(super) enum Escape {
    /// Those that `JSON.stringify` escapes (ECMA-262, `QuoteJSONString`), which are those that JSON forbids (RFC 8259, section 7). The
    /// lone surrogates that it escapes as well cannot be in a `str`.
    AsStringify,
    /// Those, and all by which a reader may tell lines, or show text in another order.
    OnOneLine,
}

impl Escape {
    fn applies_to(self, character: char) -> bool {
        match character {
            '"' | '\\' | '\0'..='\x1F' => true,
            '\x7F'..='\u{9F}' | '\u{2028}' | '\u{2029}' => matches!(self, Self::OnOneLine),
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                matches!(self, Self::OnOneLine)
            }
            _ => false,
        }
    }
}

/// Passes text on with its characters escaped.
pub(super) struct Escaped<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) escape: Escape,
}

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Each piece but the last ends in a character to escape.
        for piece in text.split_inclusive(|character| self.escape.applies_to(character)) {
            let mut characters = piece.chars();
            match characters.next_back() {
                Some(last) if self.escape.applies_to(last) => {
                    self.out.write_str(characters.as_str())?;
                    write_escape(self.out, last)?;
                }
                _ => self.out.write_str(piece)?,
            }
        }
        Ok(())
    }
}

/// A character of the basic plane as its escape, the short one where there is one.
fn write_escape(out: &mut dyn Write, character: char) -> fmt::Result {
    match character {
        '"' => out.write_str("\\\""),
        '\\' => out.write_str("\\\\"),
        '\x08' => out.write_str("\\b"),
        '\x0C' => out.write_str("\\f"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        other => write!(out, "\\u{:04x}", u32::from(other)),
    }
}

//! [`render`]: any formatter into a buffer of fixed size, for those who have no allocator.

use core::error::Error;
use core::fmt::{self, Display, Write};

/// Renders a formatter into `buffer`, whole or not at all.
///
/// ```
/// use tollgate::format::{RenderError, json, render};
///
/// let body = json::object(|body| body.member("ok").boolean(false));
/// assert_eq!(render(&body, &mut [0; 16]), Ok(r#"{"ok":false}"#));
/// assert_eq!(render(&body, &mut [0; 8]), Err(RenderError::TooSmall { needed: 12, capacity: 8 }));
/// ```
///
/// # Errors
///
/// [`RenderError::TooSmall`] where the text is longer than the buffer, which then holds a part of it that is not for sending;
/// [`RenderError::Value`] where the value itself reports an error. No formatter of this crate does.
///
/// # Cost
///
/// The text is written once, and read once to prove it UTF-8.
pub fn render<'b, T: Display + ?Sized>(value: &T, buffer: &'b mut [u8]) -> Result<&'b str, RenderError> {
    let mut cursor = Cursor { buffer, needed: 0 };
    write!(cursor, "{value}").map_err(|fmt::Error| RenderError::Value)?;
    let Cursor { buffer, needed } = cursor;
    let capacity = buffer.len();
    let text = buffer.get(..needed).ok_or(RenderError::TooSmall { needed, capacity })?;
    // Always `Ok`: whole strings were written, one after another.
    core::str::from_utf8(text).map_err(|_| RenderError::Value)
}

/// Why a text could not be rendered into a buffer.
///
/// ```
/// use tollgate::format::RenderError;
///
/// let error = RenderError::TooSmall { needed: 12, capacity: 8 };
/// assert_eq!(error.to_string(), "the text takes 12 bytes and the buffer has 8: give it a larger one");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RenderError {
    /// The buffer is too small.
    TooSmall {
        /// The bytes that the text takes.
        needed: usize,
        /// The bytes that the buffer has.
        capacity: usize,
    },
    /// The value reported an error while it was written.
    Value,
}

impl Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall { needed, capacity } => {
                write!(f, "the text takes {needed} bytes and the buffer has {capacity}: give it a larger one")
            }
            Self::Value => f.write_str("the value reported an error while it was written: see its own `Display`"),
        }
    }
}

impl Error for RenderError {}

/// Writes what fits, and counts everything.
struct Cursor<'b> {
    buffer: &'b mut [u8],
    /// The length of the text so far. Once it is more than the buffer's, nothing is written any more.
    needed: usize,
}

impl Write for Cursor<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let start = self.needed;
        self.needed = start.saturating_add(text.len());
        if let Some(room) = self.buffer.get_mut(start..self.needed) {
            room.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
        }
        Ok(())
    }
}

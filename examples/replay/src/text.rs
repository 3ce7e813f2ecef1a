//! Text from outside, made fit for a line on a terminal, and for markup: keys, names and excerpts come from whoever sent the requests.

use std::fmt::{self, Write as _};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` on one line of at most `width` columns: what would steer a terminal is escaped, what is too long ends in `…`.
pub(crate) fn shown(text: &str, width: usize) -> String {
    let mut line = String::new();
    let (mut used, mut room_for_ellipsis) = (0, 0);
    for c in text.chars() {
        let before = line.len();
        match c {
            '"' | '\'' | '\\' => line.push(c),
            // Marks that would join what stands before them are escaped too.
            _ if c.width() == Some(0) => line.extend(c.escape_unicode()),
            _ => line.extend(c.escape_debug()),
        }
        used += line[before..].width();
        if used > width {
            line.truncate(room_for_ellipsis);
            line.push('…');
            break;
        }
        if used < width {
            room_for_ellipsis = line.len();
        }
    }
    line
}

/// As [`shown`], for bytes that need not be text, in quotes.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    // Four bytes at most for a character: no more than this many can be shown.
    let head = &bytes[..bytes.len().min(4 * EXCERPT)];
    format!("\"{}\"", shown(&String::from_utf8_lossy(head), EXCERPT))
}

/// Columns of an excerpt: enough to recognise a line by.
const EXCERPT: usize = 40;

/// Text as it stands in XML or HTML, between tags or in a quoted attribute. What XML has no place for at all (control characters) is to be
/// made fit by [`shown`] before.
pub(crate) fn xml(text: &str) -> Xml<'_> {
    Xml(text)
}

/// See [`xml`].
pub(crate) struct Xml<'a>(&'a str);

impl fmt::Display for Xml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            c => f.write_char(c),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_markup_stays_text() {
        let text = "<script>alert(\"1\")</script> & 'x' é";
        let expected = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; é";
        assert_eq!(xml(text).to_string(), expected);
    }

    #[test]
    fn text_that_fits_is_as_it_was() {
        assert_eq!(shown("GET /a?b=\"c\" \\ 'd'", 40), "GET /a?b=\"c\" \\ 'd'");
        assert_eq!(shown("exactly", 7), "exactly");
        assert_eq!(shown("", 7), "");
    }

    #[test]
    fn text_that_does_not_fit_ends_in_an_ellipsis_within_the_width() {
        assert_eq!(shown("exactly!", 7), "exactl…");
        // A wide character counts twice.
        assert_eq!(shown("日本語日本語", 7), "日本語…");
        assert_eq!(shown("日本語日本語", 8), "日本語…");
    }

    #[test]
    fn nothing_can_steer_the_terminal() {
        assert_eq!(shown("a\x1b[2Jb\nc\0", 40), "a\\u{1b}[2Jb\\nc\\0");
        assert_eq!(shown("\u{202e}a", 40), "\\u{202e}a");
        assert_eq!(shown("\u{85}", 40), "\\u{85}");
        assert_eq!(shown("e\u{301}", 40), "e\\u{301}");
    }

    #[test]
    fn an_excerpt_of_bytes_is_short_and_quoted() {
        assert_eq!(excerpt(b"ab\xffc"), "\"ab\u{fffd}c\"");
        assert!(excerpt(&[b'x'; 1 << 20]).chars().count() <= EXCERPT + 2);
    }
}

//! Physical lines, one at a time in one buffer that never grows beyond [`LIMIT`].

use std::io::{self, BufRead};

/// The longest line that is read, 1 MiB: what is longer is no request, and is passed over without being held.
pub(crate) const LIMIT: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line without its line feed (a carriage return before it stays).
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Whole(&'a [u8]),
    TooLong,
}

/// The lines of an input, numbered from 1. A byte order mark before the first is no part of it.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
    too_long: bool,
    /// Whether the line in the buffer was looked at, but not taken.
    peeked: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), number: 0, too_long: false, peeked: false }
    }

    /// The next line and its number.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        if !self.peeked && !self.read()? {
            return Ok(None);
        }
        self.peeked = false;
        Ok(Some((self.number, self.current())))
    }

    /// The next line that is not blank, without taking it. Blank lines before it are gone.
    pub(crate) fn peek(&mut self) -> io::Result<Option<Line<'_>>> {
        while !self.peeked {
            if !self.read()? {
                return Ok(None);
            }
            self.peeked = self.too_long || !self.buffer.trim_ascii().is_empty();
        }
        Ok(Some(self.current()))
    }

    fn current(&self) -> Line<'_> {
        if self.too_long { Line::TooLong } else { Line::Whole(&self.buffer) }
    }

    /// Reads a line into the buffer; `false` at the end of the input.
    fn read(&mut self) -> io::Result<bool> {
        self.buffer.clear();
        self.too_long = false;
        let mut any = false;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            any = true;
            let feed = memchr::memchr(b'\n', available);
            let part = &available[..feed.unwrap_or(available.len())];
            if self.buffer.len() + part.len() > LIMIT {
                self.too_long = true;
                self.buffer.clear();
            }
            if !self.too_long {
                self.buffer.extend_from_slice(part);
            }
            let used = part.len() + usize::from(feed.is_some());
            self.input.consume(used);
            if feed.is_some() {
                break;
            }
        }
        if any {
            self.number += 1;
            if self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.drain(..BYTE_ORDER_MARK.len());
            }
        }
        Ok(any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    /// All lines, read through a buffer of `capacity` bytes.
    fn lines(input: &[u8], capacity: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines::new(BufReader::with_capacity(capacity, input));
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next().unwrap() {
            all.push(match line {
                Line::Whole(line) => Some(line.to_vec()),
                Line::TooLong => None,
            });
            assert_eq!(number, all.len() as u64);
        }
        all
    }

    fn whole(lines: &[&str]) -> Vec<Option<Vec<u8>>> {
        lines.iter().map(|line| Some(line.as_bytes().to_vec())).collect()
    }

    #[test]
    fn lines_are_split_at_line_feeds_whatever_the_buffer() {
        for capacity in [1, 2, 3, 64] {
            assert_eq!(lines(b"", capacity), whole(&[]));
            assert_eq!(lines(b"\n", capacity), whole(&[""]));
            assert_eq!(lines(b"ab\r\n\ncd", capacity), whole(&["ab\r", "", "cd"]));
            assert_eq!(lines(b"ab\0c\n", capacity), whole(&["ab\0c"]));
        }
    }

    #[test]
    fn a_byte_order_mark_is_dropped_once_and_at_the_start_only() {
        assert_eq!(lines(b"\xef\xbb\xbfa\n\xef\xbb\xbfb", 2), whole(&["a", "\u{feff}b"]));
    }

    #[test]
    fn a_line_above_the_limit_is_passed_over_and_the_next_one_read() {
        let mut input = vec![b'a'; LIMIT];
        input.push(b'\n');
        input.extend(vec![b'b'; LIMIT + 1]);
        input.extend(b"\nc");
        let found = lines(&input, 8192);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].as_ref().map(Vec::len), Some(LIMIT));
        assert_eq!(found[1], None);
        assert_eq!(found[2].as_deref(), Some(&b"c"[..]));
    }

    #[test]
    fn the_buffer_stays_within_the_limit_on_a_line_without_end() {
        let mut lines = Lines::new(BufReader::new(io::repeat(b'x').take(64 << 20)));
        assert_eq!(lines.next().unwrap(), Some((1, Line::TooLong)));
        // A vector may double when it grows.
        assert!(lines.buffer.capacity() <= 2 * LIMIT, "{}", lines.buffer.capacity());
    }

    #[test]
    fn a_peek_takes_blank_lines_and_nothing_else() {
        let mut lines = Lines::new(&b"\n \r\nab\ncd\n"[..]);
        assert_eq!(lines.peek().unwrap(), Some(Line::Whole(b"ab")));
        assert_eq!(lines.peek().unwrap(), Some(Line::Whole(b"ab")));
        assert_eq!(lines.next().unwrap(), Some((3, Line::Whole(b"ab"))));
        assert_eq!(lines.next().unwrap(), Some((4, Line::Whole(b"cd"))));
        assert_eq!(lines.next().unwrap(), None);
        assert_eq!(lines.peek().unwrap(), None);
    }
}

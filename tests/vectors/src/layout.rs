//! How values are written: a whole file with one step a line, or all on one line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

/// How integers of 64 bits are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integers {
    /// As JSON numbers, exactly.
    #[default]
    Numbers,
    /// As strings of digits, for readers whose numbers are floats.
    Strings,
}

/// A file of cases, readable: what lies no deeper than a step begins a line, the rest stays on it.
pub fn to_layout<T: Serialize>(value: &T, integers: Integers) -> serde_json::Result<String> {
    write(value, Layout { integers, lines_to: 3, depth: 0, filled: false }).map(|text| text + "\n")
}

/// Any value on one line, without the line's end.
pub fn to_line<T: Serialize>(value: &T, integers: Integers) -> serde_json::Result<String> {
    write(value, Layout { integers, lines_to: 0, depth: 0, filled: false })
}

fn write<T: Serialize>(value: &T, layout: Layout) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, layout))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

struct Layout {
    integers: Integers,
    /// Arrays down to this depth, and objects above it, have a line for each value. None at zero.
    lines_to: usize,
    /// How many arrays and objects are open.
    depth: usize,
    /// Whether the innermost of them has a value already.
    filled: bool,
}

impl Layout {
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, has_lines: bool, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if has_lines && self.filled {
            self.line(out)?;
        }
        self.filled = true;
        out.write_all(bracket)
    }

    /// Between two values, or before the first.
    fn next<W: ?Sized + Write>(&mut self, out: &mut W, has_lines: bool, first: bool) -> io::Result<()> {
        match (has_lines, first) {
            (true, true) => {}
            (true, false) => out.write_all(b",")?,
            (false, true) => return Ok(()),
            (false, false) => return out.write_all(b", "),
        }
        self.line(out)
    }

    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b" "))
    }

    fn array_has_lines(&self) -> bool {
        self.depth <= self.lines_to + 1 && self.lines_to > 0
    }

    fn object_has_lines(&self) -> bool {
        self.depth <= self.lines_to
    }
}

impl Formatter for Layout {
    fn write_u64<W: ?Sized + Write>(&mut self, out: &mut W, value: u64) -> io::Result<()> {
        match self.integers {
            Integers::Numbers => write!(out, "{value}"),
            Integers::Strings => write!(out, "\"{value}\""),
        }
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, self.array_has_lines(), first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let has_lines = self.array_has_lines();
        self.close(out, has_lines, b"]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, self.object_has_lines(), first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let has_lines = self.object_has_lines();
        self.close(out, has_lines, b"}")
    }
}

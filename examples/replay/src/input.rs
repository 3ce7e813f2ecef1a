//! From bytes to requests: a time, a cost and a key for each line that has them, and a reason for each that has not.
//!
//! Each format is a file beside this one. None holds more than a line, and a line is at most [`lines::LIMIT`] bytes.

mod clf;
mod csv;
mod jsonl;
mod lines;
mod number;

use std::fmt;
use std::io::BufRead;

use clap::ValueEnum;

use crate::error::Error;
use crate::text::{excerpt, shown};
use clf::Clf;
use csv::Csv;
use jsonl::Jsonl;
use lines::{Line, Lines};

pub(crate) use clf::ClfKey;

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Common or combined log format, as Apache and nginx write it
    Clf,
    /// A header, a column at_ns, at_us, at_ms or at_s, the key's column, and perhaps a column `cost`
    Csv,
    /// One object a line, with members named as the columns of csv
    Jsonl,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clf => "clf",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        })
    }
}

impl Format {
    /// The format of a file with this first line: an object is `jsonl`, a list with a column of times `csv`, all else `clf`.
    fn of(first: &[u8]) -> Self {
        let first = first.trim_ascii();
        let is_time = |name: &[u8]| {
            let name = name.trim_ascii();
            number::Unit::of(name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name))
                .is_some()
        };
        match first {
            [b'{', ..] => Self::Jsonl,
            _ if first.split(|&byte| byte == b',').any(is_time) => Self::Csv,
            _ => Self::Clf,
        }
    }
}

/// A request, but for its key, which is left in [`Requests::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The physical line on which it begins, from 1.
    pub(crate) line: u64,
    /// Nanoseconds since the input's epoch, at most `2^63 - 1`.
    pub(crate) at_ns: u64,
    /// In quota units. No quota is above `u32::MAX`, but an input may ask for more.
    pub(crate) cost: u64,
}

/// What a format makes of a line, given a buffer for the key.
trait Parse {
    /// The request that ends on this line; `None` if it goes on in the next.
    fn line(&mut self, number: u64, line: &[u8], key: &mut String) -> Result<Option<Request>, Reason>;

    /// Where the request that goes on began, if one does.
    fn begun(&self) -> Option<u64> {
        None
    }

    /// Gives up the request that goes on.
    fn abandon(&mut self) {}
}

/// The requests of an input, in file order.
pub(crate) struct Requests<R> {
    lines: Lines<R>,
    parser: Box<dyn Parse>,
    key: String,
    skipped: Skipped,
    name: String,
    format: Format,
    told: bool,
}

impl<R: BufRead> Requests<R> {
    /// Opens `input`, called `name`, whose format is told from its first line if none is given. `key` is a key's name as the format has
    /// it, or the format's usual one.
    ///
    /// # Errors
    ///
    /// What cannot be read, and a key that the format or the header does not have.
    pub(crate) fn new(input: R, name: &str, format: Option<Format>, key: Option<&str>) -> Result<Self, Error> {
        let mut lines = Lines::new(input);
        let told = format.is_none();
        let format = match format {
            Some(format) => format,
            None => match lines.peek().map_err(Error::reading(name))? {
                Some(Line::Whole(first)) => Format::of(first),
                Some(Line::TooLong) | None => Format::Clf,
            },
        };
        let parser: Box<dyn Parse> = match format {
            Format::Clf => {
                let key = key.unwrap_or("ip");
                Box::new(Clf::new(ClfKey::parse(key).ok_or_else(|| unknown_key(key, told))?))
            }
            Format::Csv => Box::new(Csv::open(&mut lines, name, key.unwrap_or("key"))?),
            Format::Jsonl => Box::new(Jsonl::new(key.unwrap_or("key"))),
        };
        Ok(Self { lines, parser, key: String::new(), skipped: Skipped::default(), name: name.to_owned(), format, told })
    }

    /// The next request. Lines that are none are counted and passed over, and so are blank ones, uncounted.
    ///
    /// # Errors
    ///
    /// What cannot be read, and an input that ends without a request.
    pub(crate) fn next(&mut self) -> Result<Option<Request>, Error> {
        loop {
            let Some((number, line)) = self.lines.next().map_err(Error::reading(&self.name))? else {
                if let Some(begun) = self.parser.begun() {
                    self.parser.abandon();
                    self.skipped.add(begun, Reason::QuoteLeftOpen);
                }
                return Ok(None);
            };
            let begun = self.parser.begun();
            let parsed = match line {
                Line::Whole(line) if begun.is_none() && line.trim_ascii().is_empty() => continue,
                Line::Whole(line) => self.parser.line(number, line, &mut self.key),
                Line::TooLong => {
                    self.parser.abandon();
                    Err(Reason::TooLong)
                }
            };
            match parsed {
                Ok(Some(request)) => return Ok(Some(request)),
                Ok(None) => {}
                Err(reason) => self.skipped.add(begun.unwrap_or(number), reason),
            }
        }
    }

    /// The key of the request that was read last.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// The lines that were no requests.
    pub(crate) fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// Why there was nothing to judge, for an input that ended without a request.
    pub(crate) fn nothing(&self) -> Error {
        let format = self.format;
        let why = match self.skipped.first.first() {
            None if format == Format::Csv => "nothing follows its header".to_owned(),
            None => "it is empty".to_owned(),
            Some((line, reason)) => {
                let count = self.skipped.count;
                let told = if self.told { "; --format names another format (clf, csv, jsonl)" } else { "" };
                format!("none of its lines ({count}) can be read as {format}; line {line}: {reason}{told}")
            }
        };
        Error::NoRequest { name: self.name.clone(), why }
    }
}

fn unknown_key(key: &str, told: bool) -> Error {
    let hint = if told { "; for a column of another format, say --format csv or --format jsonl" } else { "" };
    Error::UnknownKey { key: shown(key, 60), hint }
}

/// The lines that could not be parsed: how many, and the first few.
#[derive(Debug, Default)]
pub(crate) struct Skipped {
    count: u64,
    first: Vec<(u64, Reason)>,
}

impl Skipped {
    const NAMED: usize = 5;

    fn add(&mut self, line: u64, reason: Reason) {
        self.count += 1;
        if self.first.len() < Self::NAMED {
            self.first.push((line, reason));
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// A line for each of the first few, then the count of the rest.
impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (line, reason) in &self.first {
            writeln!(f, "line {line}: {reason}")?;
        }
        match self.count - self.first.len() as u64 {
            0 => Ok(()),
            1 => writeln!(f, "and 1 more line that could not be parsed"),
            more => writeln!(f, "and {more} more lines that could not be parsed"),
        }
    }
}

/// Why a line is no request.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    #[error("longer than {} bytes", lines::LIMIT)]
    TooLong,
    #[error("a quoted field is not closed at the end of the input")]
    QuoteLeftOpen,
    #[error("expected {what}, found {}", excerpt(found))]
    Expected { what: &'static str, found: Box<[u8]> },
    #[error("the time is before 1970-01-01 00:00:00 UTC, the earliest that can be judged")]
    TooEarly,
    #[error("the time is after 2262-04-11 23:47:16 UTC, the latest that can be judged")]
    TooLate,
    #[error("{0} is not a whole number: {1}")]
    NotWhole(&'static str, String),
    #[error("a cost below zero")]
    NegativeCost,
    #[error("a cost above {}", u64::MAX)]
    HugeCost,
    #[error("{found} fields, where the header has {expected}")]
    Fields { found: usize, expected: usize },
    #[error("no {0}")]
    Missing(String),
    #[error("not a JSON object: {0}")]
    Json(String),
}

impl Reason {
    /// `found` is cut to what can be shown: a reason outlives its line.
    fn expected(what: &'static str, found: &[u8]) -> Self {
        Self::Expected { what, found: found[..found.len().min(256)].into() }
    }
}

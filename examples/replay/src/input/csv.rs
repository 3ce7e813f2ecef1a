//! Comma-separated values with a header: a column of times, one of keys, and perhaps one of costs.
//!
//! A quoted field may hold line breaks, so a record is some physical lines; they are fed one by one to `csv-core`, which keeps no more
//! than the record. One that grows beyond [`LIMIT`], as after a stray quote, is given up, and reading goes on at the next line.

use std::io::BufRead;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

use super::lines::{LIMIT, Line, Lines};
use super::number::{Unit, cost, integer};
use super::{Parse, Reason, Request};
use crate::error::Error;
use crate::text::shown;

/// Rows under a header that was understood.
pub(super) struct Csv {
    record: Record,
    columns: usize,
    time: (usize, Unit),
    key: usize,
    cost: Option<usize>,
}

impl Csv {
    /// Reads the header of the input called `name`, and finds the columns in it.
    pub(super) fn open<R: BufRead>(lines: &mut Lines<R>, name: &str, key: &str) -> Result<Self, Error> {
        let record = header(lines, name)?;
        let titles: Vec<String> =
            record.fields().map(|title| String::from_utf8_lossy(title.trim_ascii()).into_owned()).collect();
        let column = |title: &str| titles.iter().position(|each| each == title);
        let listed = || shown(&titles.join(", "), 200);
        let time = Unit::ALL.into_iter().find_map(|unit| Some((column(unit.name())?, unit)));
        let time = time.ok_or_else(|| Error::NoTimeColumn { name: name.to_owned(), columns: listed() })?;
        let key = column(key).ok_or_else(|| Error::UnknownColumn {
            name: name.to_owned(),
            key: shown(key, 60),
            columns: listed(),
        })?;
        Ok(Self { time, key, cost: column("cost"), columns: titles.len(), record })
    }

    /// The request in a record of as many fields as the header has.
    fn request(&self, line: u64, key: &mut String) -> Result<Request, Reason> {
        let found = self.record.fields().count();
        if found != self.columns {
            return Err(Reason::Fields { found, expected: self.columns });
        }
        let (column, unit) = self.time;
        let at_ns = unit.at_ns(integer(unit.name(), self.record.field(column))?)?;
        let cost = match self.cost.map(|column| self.record.field(column)) {
            Some(field) if !field.trim_ascii().is_empty() => cost(integer("cost", field)?)?,
            Some(_) | None => 1,
        };
        key.clear();
        key.push_str(&String::from_utf8_lossy(self.record.field(self.key)));
        Ok(Request { line, at_ns, cost })
    }
}

impl Parse for Csv {
    fn line(&mut self, number: u64, line: &[u8], key: &mut String) -> Result<Option<Request>, Reason> {
        let begun = self.record.begun.unwrap_or(number);
        match self.record.feed(number, line) {
            Ok(true) => self.request(begun, key).map(Some),
            Ok(false) => Ok(None),
            Err(reason) => {
                self.record.abandon();
                Err(reason)
            }
        }
    }

    fn begun(&self) -> Option<u64> {
        self.record.begun
    }

    fn abandon(&mut self) {
        self.record.abandon();
    }
}

fn header<R: BufRead>(lines: &mut Lines<R>, name: &str) -> Result<Record, Error> {
    let mut record = Record::new();
    let bad = |line, reason: Reason| Error::BadHeader { name: name.to_owned(), line, reason: reason.to_string() };
    if lines.peek().map_err(Error::reading(name))?.is_none() {
        return Err(Error::NoRequest { name: name.to_owned(), why: "it is empty".to_owned() });
    }
    while let Some((number, line)) = lines.next().map_err(Error::reading(name))? {
        let complete = match line {
            Line::Whole(line) => record.feed(number, line),
            Line::TooLong => Err(Reason::TooLong),
        };
        if complete.map_err(|reason| bad(number, reason))? {
            return Ok(record);
        }
    }
    Err(bad(record.begun.unwrap_or(1), Reason::QuoteLeftOpen))
}

/// One record: the text of its fields end to end, and where each ends.
struct Record {
    reader: Reader,
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
    /// The line on which a record began that is not complete.
    begun: Option<u64>,
}

impl Record {
    fn new() -> Self {
        // Lines come without their ends, so only a line feed ends a record; a carriage return before it is taken off in `feed`.
        let reader = ReaderBuilder::new().terminator(Terminator::Any(b'\n')).build();
        Self { reader, text: vec![0; 256], text_len: 0, ends: vec![0; 16], ends_len: 0, begun: None }
    }

    /// Adds a line; whether the record is complete with it. A record that is complete makes way for the next.
    fn feed(&mut self, number: u64, line: &[u8]) -> Result<bool, Reason> {
        if self.begun.is_none() {
            self.begun = Some(number);
            (self.text_len, self.ends_len) = (0, 0);
        }
        if !line.is_empty() && self.read(line)? || !self.read(b"\n")? {
            return Ok(false);
        }
        self.begun = None;
        if line.ends_with(b"\r") && self.text[..self.text_len].ends_with(b"\r") {
            self.text_len -= 1;
            if let Some(last) = self.ends[..self.ends_len].last_mut() {
                *last -= 1;
            }
        }
        Ok(true)
    }

    /// Adds a part of a line, which is not empty: to the parser, no input is the end of it.
    fn read(&mut self, mut part: &[u8]) -> Result<bool, Reason> {
        loop {
            let (text, ends) = (&mut self.text[self.text_len..], &mut self.ends[self.ends_len..]);
            let (result, used, written, ended) = self.reader.read_record(part, text, ends);
            part = &part[used..];
            self.text_len += written;
            self.ends_len += ended;
            match result {
                ReadRecordResult::OutputFull if self.text.len() >= LIMIT => return Err(Reason::TooLong),
                ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::InputEmpty => return Ok(false),
                ReadRecordResult::Record | ReadRecordResult::End => return Ok(true),
            }
        }
    }

    fn abandon(&mut self) {
        self.reader.reset();
        self.begun = None;
    }

    fn fields(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends_len).map(|index| self.field(index))
    }

    /// A field of a complete record, empty beyond its last.
    fn field(&self, index: usize) -> &[u8] {
        let ends = &self.ends[..self.ends_len];
        let start = index.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
        ends.get(index).and_then(|&end| self.text.get(start..end)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time, the cost and the key of a request, or the reason why it is none.
    type Parsed = Result<(u64, u64, String), Reason>;

    /// What is made of `input`, by line.
    fn read(input: &[u8], key: &str) -> Vec<(u64, Parsed)> {
        let mut lines = Lines::new(input);
        let mut csv = Csv::open(&mut lines, "input", key).unwrap();
        let mut all = Vec::new();
        let mut buffer = String::new();
        while let Some((number, line)) = lines.next().unwrap() {
            let Line::Whole(line) = line else { panic!("line {number} is too long") };
            let begun = csv.begun().unwrap_or(number);
            match csv.line(number, line, &mut buffer) {
                Ok(None) => {}
                Ok(Some(Request { line, at_ns, cost })) => all.push((line, Ok((at_ns, cost, buffer.clone())))),
                Err(reason) => all.push((begun, Err(reason))),
            }
        }
        all
    }

    fn request(at_ns: u64, cost: u64, key: &str) -> Parsed {
        Ok((at_ns, cost, key.to_owned()))
    }

    fn opening(input: &[u8], key: &str) -> String {
        Csv::open(&mut Lines::new(input), "input", key).err().unwrap().to_string()
    }

    #[test]
    fn columns_are_found_by_name_in_any_order() {
        assert_eq!(read(b"cost,who,at_ms\n2,ann,7\n", "who"), [(2, request(7_000_000, 2, "ann"))]);
        assert_eq!(read(b" at_s , key \r\n7,ann\r\n", "key"), [(2, request(7_000_000_000, 1, "ann"))]);
    }

    #[test]
    fn an_empty_cost_is_one() {
        assert_eq!(read(b"at_ns,key,cost\n1,a,\n", "key"), [(2, request(1, 1, "a"))]);
    }

    #[test]
    fn the_finest_of_several_times_counts() {
        assert_eq!(read(b"at_s,at_us,key\n1,1000001,a\n", "key"), [(2, request(1_000_001_000, 1, "a"))]);
    }

    #[test]
    fn quoted_fields_may_hold_quotes_commas_and_line_breaks_and_lines_are_counted() {
        let input = b"at_ns,key\n1,\"a,\"\"b\"\"\"\n2,\"c\r\n\n d\"\r\n3,e";
        let expected = [(2, request(1, 1, "a,\"b\"")), (3, request(2, 1, "c\r\n\n d")), (6, request(3, 1, "e"))];
        assert_eq!(read(input, "key"), expected);
    }

    #[test]
    fn a_row_of_other_length_than_the_header_is_no_request() {
        let input = b"at_ns,key\n1\n1,a,b\n2,b\n";
        let fields = |found| Err(Reason::Fields { found, expected: 2 });
        assert_eq!(read(input, "key"), [(2, fields(1)), (3, fields(3)), (4, request(2, 1, "b"))]);
    }

    #[test]
    fn bad_times_and_costs_are_no_requests() {
        let found = read(b"at_s,key,cost\n1.5,a,1\n-1,a,1\n9223372037,a,1\n1,a,-1\n1,a,x\n", "key");
        let reasons: Vec<_> = found.into_iter().map(|(_, parsed)| parsed.unwrap_err()).collect();
        assert!(matches!(reasons[0], Reason::NotWhole("at_s", _)), "{reasons:?}");
        assert_eq!(reasons[1..4], [Reason::TooEarly, Reason::TooLate, Reason::NegativeCost]);
        assert!(matches!(reasons[4], Reason::NotWhole("cost", _)), "{reasons:?}");
    }

    #[test]
    fn keys_that_are_not_utf_8_are_replaced() {
        assert_eq!(read(b"at_ns,key\n1,a\xff\0\n", "key"), [(2, request(1, 1, "a\u{fffd}\0"))]);
    }

    #[test]
    fn a_stray_quote_costs_one_record_of_limited_length() {
        let filler = "2,ordinary\n".repeat(2 * LIMIT / 11);
        let input = format!("at_ns,key\n1,\"stray\n{filler}3,after\n");
        let found = read(input.as_bytes(), "key");
        assert_eq!(found[0], (2, Err(Reason::TooLong)));
        assert!(found.len() > LIMIT / 11, "{}", found.len());
        assert_eq!(found[found.len() - 1].1, request(3, 1, "after"));
        assert!(found[1..].iter().all(|(_, parsed)| parsed.is_ok()));
    }

    #[test]
    fn the_text_of_a_record_stays_within_the_limit() {
        let mut lines = Lines::new(&b"at_ns,key\n"[..]);
        let mut csv = Csv::open(&mut lines, "input", "key").unwrap();
        let mut line = b"1,\"".to_vec();
        line.resize(LIMIT, b'x');
        assert_eq!(csv.line(2, &line, &mut String::new()), Ok(None));
        assert_eq!(csv.line(3, &line, &mut String::new()), Err(Reason::TooLong));
        assert!(csv.record.text.capacity() <= 2 * LIMIT);
    }

    #[test]
    fn a_header_without_the_columns_says_which_it_has() {
        let unknown = opening(b"at_ns,who,what\n1,a,b\n", "key");
        assert!(unknown.contains("no column `key`") && unknown.contains("at_ns, who, what"), "{unknown}");
        let timeless = opening(b"time,key\n1,a\n", "key");
        assert!(timeless.contains("at_ns, at_us, at_ms or at_s") && timeless.contains("time, key"), "{timeless}");
        assert!(opening(b"", "key").contains("empty"));
        assert!(opening(b"at_ns,\"key\n1,a\n", "key").contains("line 1: a quoted field is not closed"));
    }
}

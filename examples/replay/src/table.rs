//! Tables, for the report and the page, and how times and shares stand in them.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use unicode_width::UnicodeWidthStr;

/// A point in time, in UTC, if the input's epoch is that of Unix.
pub(crate) fn date(nanos: u64) -> String {
    // Within the calendar: at most 2262.
    Timestamp::from_nanosecond(nanos.into()).map_or_else(|_| format!("{nanos} ns"), |time| time.to_string())
}

/// A length of time: `1h 2m 3s`.
pub(crate) fn length(nanos: u64) -> String {
    format!("{:#}", SignedDuration::from_nanos_i128(nanos.into()))
}

/// A share with one decimal, rounded half up.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    share(part, whole, 1)
}

/// A share with three decimals, where one would not tell it from its neighbours.
pub(crate) fn percent_finely(part: u64, whole: u64) -> String {
    share(part, whole, 3)
}

fn share(part: u64, whole: u64, decimals: usize) -> String {
    let (part, whole, one) = (u128::from(part), u128::from(whole.max(1)), 10u128.pow(decimals as u32));
    let parts = (part * 200 * one + whole) / (2 * whole);
    format!("{}.{:0decimals$}%", parts / one, parts % one)
}

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows in aligned columns; on a terminal two spaces apart. Of one with names for its columns, they are the first row.
pub(crate) struct Table {
    pub(crate) columns: Vec<Align>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: impl IntoIterator<Item = Align>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column| self.rows.iter().filter_map(|row| row.get(column)).map(|cell: &String| cell.width()).max();
        let widths: Vec<usize> = (0..self.columns.len()).map(|column| width(column).unwrap_or(0)).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, align), width) in row.iter().zip(&self.columns).zip(&widths) {
                let padding = " ".repeat(width - cell.width());
                match align {
                    Align::Left => line.extend([cell, padding.as_str(), "  "]),
                    Align::Right => line.extend([padding.as_str(), cell, "  "]),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_half_up() {
        for (part, whole, expected) in
            [(0, 0, "0.0%"), (1, 3, "33.3%"), (1, 2_000, "0.1%"), (1, 2_001, "0.0%"), (7, 7, "100.0%")]
        {
            assert_eq!(percent(part, whole), expected);
        }
        assert_eq!(percent_finely(22, 2_169), "1.014%");
        assert_eq!(percent_finely(u64::MAX, u64::MAX), "100.000%");
    }
}

//! The counts of a run, for people: aligned, without thousands separators, so that a number can be searched for.

use std::fmt;

use indexmap::IndexSet;
use jiff::{SignedDuration, Timestamp};
use unicode_width::UnicodeWidthStr;

use crate::cli::{Order, Settings};
use crate::input::{Format, Skipped};
use crate::judge::{Compose, KeyId};
use crate::tally::{Answers, Longest, Tally};
use crate::text::shown;

/// Columns of a key: an IPv6 address fits, a user agent is recognised.
const KEY_WIDTH: usize = 48;

/// A finished run.
pub(crate) struct Report<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) name: &'a str,
    pub(crate) format: Format,
    pub(crate) skipped: &'a Skipped,
    pub(crate) keys: &'a IndexSet<Box<str>>,
    pub(crate) tally: &'a Tally,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.facts())?;
        match &self.tally.answers[..] {
            [answers] if self.settings.compose != Compose::Independent => {
                write!(f, "\n{}", self.together(answers))?;
                write!(f, "\n{}", self.policies())?;
            }
            answers => write!(f, "\n{}", self.compared(answers))?,
        }
        let top = self.tally.most_refused(self.settings.top);
        if top.is_empty() { Ok(()) } else { write!(f, "\n{}", self.top(&top)) }
    }
}

impl Report<'_> {
    /// What was read and how it was judged.
    fn facts(&self) -> Table {
        let mut facts = Table::new([Align::Left, Align::Left]);
        let format = self.format;
        let key = self.settings.key.as_deref().unwrap_or(if format == Format::Clf { "ip" } else { "key" });
        facts.row(["Input".to_owned(), format!("{} ({format}, by {})", self.name, shown(key, KEY_WIDTH))]);
        if self.skipped.count() > 0 {
            facts.row(["Not parsed".to_owned(), format!("lines: {}", self.skipped.count())]);
        }
        if let Some((first, last)) = self.tally.span {
            facts.row(["Time".to_owned(), format!("{} to {} ({})", date(first), date(last), length(last - first))]);
        }
        let order = match self.settings.order {
            Order::ByTime => "by time".to_owned(),
            Order::AsItComes { tolerance: None } => "as in the file".to_owned(),
            Order::AsItComes { tolerance: Some(tolerance) } => {
                format!("as in the file, through Monotonic with a tolerance of {}", length(tolerance.as_nanos()))
            }
        };
        facts.row(["Order".to_owned(), order]);
        let compose = match self.settings.compose {
            _ if self.settings.policies.len() == 1 => return facts,
            Compose::Each => "each in turn, the first denial ends it",
            Compose::All => "all or none",
            Compose::Independent => "independent, compared",
        };
        facts.row(["Policies".to_owned(), compose.to_owned()]);
        facts
    }

    /// The answers of policies that work together.
    fn together(&self, answers: &Answers) -> Table {
        let mut counts = Table::new([Align::Left, Align::Right, Align::Right, Align::Left]);
        let requests = self.tally.requests;
        let mut count = |name: &str, count: u64, of: Option<u64>| {
            let share = of.map(|all| percent(count, all)).unwrap_or_default();
            counts.row([name.to_owned(), count.to_string(), share, String::new()]);
        };
        count("Requests", requests, None);
        count("  allowed", answers.allowed, Some(requests));
        count("  denied", answers.refused.denied, Some(requests));
        count("  never", answers.refused.never, Some(requests));
        count("Keys", self.tally.keys() as u64, None);
        count("  limited", answers.limited() as u64, Some(self.tally.keys() as u64));
        if let Some(Longest { wait, key, line }) = answers.longest {
            let whose = format!("for {} at line {line}", self.key(key));
            counts.row(["Longest wait".to_owned(), length(wait.as_nanos()), String::new(), whose]);
        }
        counts
    }

    /// What each of several policies that work together had to do with it.
    fn policies(&self) -> Table {
        let mut policies = Table::new([Align::Left, Align::Left, Align::Right, Align::Right]);
        policies.row(["", "Policy", "denied", "never"].map(str::to_owned));
        for (index, (policy, refused)) in self.settings.policies.iter().zip(&self.tally.by_policy).enumerate() {
            policies.row([
                index.to_string(),
                policy.to_string(),
                refused.denied.to_string(),
                refused.never.to_string(),
            ]);
        }
        policies
    }

    /// Policies that were asked alone, side by side.
    fn compared(&self, answers: &[Answers]) -> Table {
        let mut table = Table::new([Align::Left, Align::Left].into_iter().chain([Align::Right; 8]));
        table.row(
            ["", "Policy", "requests", "allowed", "denied", "share", "never", "keys", "limited", "longest wait"]
                .map(str::to_owned),
        );
        for (index, (policy, answers)) in self.settings.policies.iter().zip(answers).enumerate() {
            let longest = answers.longest.map_or("none".to_owned(), |longest| length(longest.wait.as_nanos()));
            table.row([
                index.to_string(),
                policy.to_string(),
                self.tally.requests.to_string(),
                answers.allowed.to_string(),
                answers.refused.denied.to_string(),
                percent(answers.refused.denied, self.tally.requests),
                answers.refused.never.to_string(),
                self.tally.keys().to_string(),
                answers.limited().to_string(),
                longest,
            ]);
        }
        table
    }

    /// The keys that were refused most; what never passes has a column only where there is such.
    fn top(&self, keys: &[KeyId]) -> Table {
        let answers = &self.tally.answers;
        let never = answers.iter().any(|answers| answers.refused.never > 0);
        let each = if never { 3 } else { 2 };
        let mut table =
            Table::new([Align::Left, Align::Right].into_iter().chain(vec![Align::Right; each * answers.len()]));
        let mut head = vec!["Keys denied most".to_owned(), "requests".to_owned()];
        for index in 0..answers.len() {
            let by = if answers.len() > 1 { format!(" by {index}") } else { String::new() };
            head.push(format!("denied{by}"));
            if never {
                head.push("never".to_owned());
            }
            head.push("share".to_owned());
        }
        table.row(head);
        for &key in keys {
            let requests = self.tally.requests_of(key);
            let mut row = vec![self.key(key), requests.to_string()];
            for answers in answers {
                let refused = answers.of_key(key);
                row.push(refused.denied.to_string());
                if never {
                    row.push(refused.never.to_string());
                }
                row.push(percent(refused.total(), requests));
            }
            table.row(row);
        }
        table
    }

    fn key(&self, key: KeyId) -> String {
        match self.keys.get_index(key).map(AsRef::as_ref).unwrap_or_default() {
            "" => "(empty)".to_owned(),
            key => shown(key, KEY_WIDTH),
        }
    }
}

/// A point in time, in UTC, if the input's epoch is that of Unix.
fn date(nanos: u64) -> String {
    // Within the calendar: at most 2262.
    Timestamp::from_nanosecond(nanos.into()).map_or_else(|_| format!("{nanos} ns"), |time| time.to_string())
}

/// A length of time: `1h 2m 3s`.
fn length(nanos: u64) -> String {
    format!("{:#}", SignedDuration::from_nanos_i128(nanos.into()))
}

/// A share with one decimal, rounded half up.
fn percent(part: u64, whole: u64) -> String {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    let tenths = (part * 2000 + whole) / (2 * whole);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

#[derive(Clone, Copy)]
enum Align {
    Left,
    Right,
}

/// Rows in aligned columns, two spaces apart.
struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(columns: impl IntoIterator<Item = Align>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
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

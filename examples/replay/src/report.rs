//! The counts of a run, for people: aligned, without thousands separators, so that a number can be searched for.

use std::fmt;

use crate::cli::{Order, Settings};
use crate::input::{Format, Skipped};
use crate::judge::{Compose, KeyId};
use crate::suggest::{Found, Share};
use crate::table::{Align, Table, date, length, percent, percent_finely};
use crate::tally::{Answers, Longest, Tally};
use crate::text::shown;
use crate::traffic::Keys;

/// Columns of a key: an IPv6 address fits, a user agent is recognised.
const KEY_WIDTH: usize = 48;

/// A finished run.
pub(crate) struct Report<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) name: &'a str,
    pub(crate) format: Format,
    pub(crate) skipped: &'a Skipped,
    pub(crate) keys: &'a Keys,
    pub(crate) tally: &'a Tally,
    /// By policy, where suggestions were asked for.
    pub(crate) suggestions: Option<(Share, Vec<Found>)>,
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
        if let Some(top) = self.top() {
            write!(f, "\n{top}")?;
        }
        if let Some(suggestions) = self.suggestions() {
            write!(f, "\n{suggestions}")?;
        }
        Ok(())
    }
}

impl Report<'_> {
    /// What was read and how it was judged.
    pub(crate) fn facts(&self) -> Table {
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
    pub(crate) fn together(&self, answers: &Answers) -> Table {
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
    pub(crate) fn policies(&self) -> Table {
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
    pub(crate) fn compared(&self, answers: &[Answers]) -> Table {
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

    /// The keys that were refused most, if any was; what never passes has a column only where there is such.
    pub(crate) fn top(&self) -> Option<Table> {
        let keys = self.tally.most_refused(self.settings.top);
        if keys.is_empty() {
            return None;
        }
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
        for key in keys {
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
        Some(table)
    }

    /// The smallest quotas that refuse few enough, each policy by itself, if they were asked for.
    pub(crate) fn suggestions(&self) -> Option<Table> {
        let (share, found) = self.suggestions.as_ref()?;
        let mut table = Table::new([Align::Left, Align::Left].into_iter().chain([Align::Right; 4]));
        let head = format!("Smallest quota that refuses at most {share}, each alone");
        table.row(["", head.as_str(), "refused", "share", "with one less", "share"].map(str::to_owned));
        let share = |count: u64| percent_finely(count, self.tally.requests);
        for (index, (policy, found)) in self.settings.policies.iter().zip(found).enumerate() {
            let (text, refused, with_less) = match found {
                Found::Least { policy, refused, with_less } => (policy.to_string(), Some(*refused), *with_less),
                Found::None => (format!("none was found for {policy}"), None, None),
                Found::Between { from, enough, refused } => (
                    format!("{enough} is enough, none below {from} is; between them not all were tried"),
                    Some(*refused),
                    None,
                ),
            };
            let counts = [refused, with_less].into_iter().flat_map(|count| match count {
                Some(count) => [count.to_string(), share(count)],
                None => [String::new(), String::new()],
            });
            table.row([index.to_string(), text].into_iter().chain(counts));
        }
        Some(table)
    }

    pub(crate) fn key(&self, key: KeyId) -> String {
        key_shown(self.keys.name(key))
    }
}

/// A key as people read it, whatever it is made of.
pub(crate) fn key_shown(key: &str) -> String {
    if key.is_empty() { "(empty)".to_owned() } else { shown(key, KEY_WIDTH) }
}

//! The report as one page that needs nothing else: no script, no font, no other file, and it says so to the browser. What is drawn is there
//! as a table too.

use std::fmt::{self, Write};

use crate::error::Error;
use crate::figure;
use crate::judge::{Compose, Policy};
use crate::overview::{Counts, Overview};
use crate::plots;
use crate::report::{Report, key_shown};
use crate::table::{Align, Table, date, percent};
use crate::text::xml;
use crate::trace::Trace;

/// Rows of a table that stands for a picture, at most.
const MOST_ROWS: usize = 24;

/// What the page shows.
pub(crate) struct Page<'a> {
    pub(crate) report: &'a Report<'a>,
    pub(crate) overview: &'a Overview,
    pub(crate) trace: &'a Trace,
}

impl Page<'_> {
    /// The whole page.
    ///
    /// # Errors
    ///
    /// What the plotting library refuses.
    pub(crate) fn html(&self) -> Result<String, Error> {
        let policies = &self.report.settings.policies;
        let independent = self.report.settings.compose == Compose::Independent;
        let over_time = plots::over_time(self.overview, policies, independent, plots::NARROW).part()?;
        let key = key_shown(self.report.keys.name(self.trace.key));
        let traffic = plots::of_key(self.trace, &key, plots::NARROW).part()?;
        let mut html = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut html, &over_time, &key, &traffic);
        Ok(html)
    }

    fn write(&self, html: &mut String, over_time: &str, key: &str, traffic: &str) -> fmt::Result {
        let (report, tally) = (self.report, self.report.tally);
        let name = xml(report.name);
        write!(
            html,
            "{HEAD}<title>replay: {name}</title>\n<style>{}{CSS}</style>\n</head>\n<body>\n",
            figure::style()
        )?;
        write!(html, "<header>\n<h1>What the limits make of {name}</h1>\n<dl>\n")?;
        for row in &report.facts().rows {
            writeln!(html, "<div><dt>{}</dt><dd>{}</dd></div>", xml(&row[0]), xml(&row[1]))?;
        }
        html.push_str("</dl>\n</header>\n<main>\n");

        match &tally.answers[..] {
            [answers] if report.settings.compose != Compose::Independent => {
                section(html, "totals", "Totals", "", |html| {
                    table(html, "Totals", &report.together(answers), Head::No)
                })?;
                section(html, "policies", "On whose account", "", |html| {
                    table(html, "On whose account", &report.policies(), Head::Yes)
                })?;
            }
            answers => section(html, "policies", "The policies compared", "wide", |html| {
                table(html, "The policies compared", &report.compared(answers), Head::Yes)
            })?,
        }
        if let Some(suggestions) = report.suggestions() {
            section(html, "suggested", "Quotas that would do", "wide", |html| {
                table(html, "Quotas that would do", &suggestions, Head::Yes)
            })?;
        }
        // Side by side where there is room: what is short under one another, and what is tall.
        html.push_str("<div class=\"column\">\n");
        section(html, "over-time", "Requests over time", "", |html| {
            picture(html, over_time, "Requests over time", &self.over_time())
        })?;
        section(html, "waits", "How long callers were told to wait", "", |html| self.waits(html))?;
        section(html, "keys", "Keys denied most", "", |html| match report.top() {
            Some(top) => table(html, "Keys denied most", &top, Head::Yes),
            None => html.write_str("<p>No key was denied.</p>\n"),
        })?;
        html.push_str("</div>\n");
        section(html, "traffic", &plots::title_of_key(self.trace, key), "", |html| {
            picture(html, traffic, "Traffic of the key", &self.traffic())
        })?;
        html.push_str("</main>\n</body>\n</html>\n");
        Ok(())
    }

    /// What the answers are called: by policy, or nothing where there is one for all.
    fn names(&self) -> Vec<String> {
        let settings = self.report.settings;
        if settings.compose == Compose::Independent {
            settings.policies.iter().map(Policy::to_string).collect()
        } else {
            vec!["requests".to_owned()]
        }
    }

    fn waits(&self, html: &mut String) -> fmt::Result {
        let waits = self.overview.waits();
        if waits.is_empty() {
            return html.write_str("<p>Nobody was told to wait.</p>\n");
        }
        let columns = self.names().len();
        let totals: Vec<u64> =
            (0..columns).map(|answer| waits.iter().map(|(_, counts)| counts[answer]).sum::<u64>()).collect();
        scroll(html, "How long callers were told to wait", |html| {
            html.push_str("<thead><tr><th scope=\"col\">wait</th>");
            for name in self.names() {
                write!(html, "<th scope=\"col\" class=\"n\">{}</th>", xml(&name))?;
            }
            html.push_str("</tr></thead>\n<tbody>\n");
            for (name, counts) in &waits {
                write!(html, "<tr><th scope=\"row\">{}</th>", xml(name))?;
                for (count, total) in counts.iter().zip(&totals) {
                    number(html, &count.to_string(), Some(&percent(*count, *total)))?;
                }
                html.push_str("</tr>\n");
            }
            html.write_str("</tbody>\n")
        })
    }

    /// The picture of requests over time as a table, of fewer and longer times.
    fn over_time(&self) -> Table {
        let names = self.names();
        let answers: Vec<&[Counts]> = self.overview.over_time().collect();
        let never = answers.iter().any(|counts| counts.iter().any(|count| count.never > 0));
        let each = if never { 3 } else { 2 };
        let mut table = Table::new([Align::Left].into_iter().chain(vec![Align::Right; each * answers.len()]));
        let mut head = vec!["from".to_owned()];
        for name in &names {
            let by = if names.len() > 1 { format!(" by {name}") } else { String::new() };
            head.extend([format!("allowed{by}"), format!("denied{by}")]);
            if never {
                head.push(format!("never{by}"));
            }
        }
        table.row(head);
        let bins = self.overview.bins();
        for first in (0..bins.count()).step_by(bins.count().div_ceil(MOST_ROWS)) {
            let last = (first + bins.count().div_ceil(MOST_ROWS)).min(bins.count());
            let mut row = vec![date(bins.begin(first))];
            for counts in &answers {
                let mut sum = Counts::default();
                counts[first..last].iter().for_each(|count| sum.add(count));
                row.extend([sum.allowed.to_string(), sum.denied.to_string()]);
                if never {
                    row.push(sum.never.to_string());
                }
            }
            table.row(row);
        }
        table
    }

    /// The picture of a key's traffic as a table, of fewer and longer times.
    fn traffic(&self) -> Table {
        let (bins, lanes) = (&self.trace.bins, &self.trace.lanes);
        let mut table = Table::new([Align::Left].into_iter().chain(vec![Align::Right; 4 * lanes.len()]));
        let mut head = vec!["from".to_owned()];
        for (index, _) in lanes.iter().enumerate() {
            let by = if lanes.len() > 1 { format!(" by {index}") } else { String::new() };
            head.extend(
                ["allowed", "refused", "most in a window", "least remaining"].map(|name| format!("{name}{by}")),
            );
        }
        table.row(head);
        for first in (0..bins.count()).step_by(bins.count().div_ceil(MOST_ROWS)) {
            let last = (first + bins.count().div_ceil(MOST_ROWS)).min(bins.count());
            let mut row = vec![date(bins.begin(first))];
            for lane in lanes {
                let (bars, levels) = (&lane.bars[first..last], &lane.levels[first..last]);
                let refused = bars.iter().map(|bar| bar.denied + bar.never + bar.elsewhere).sum::<u64>();
                row.push(bars.iter().map(|bar| bar.allowed).sum::<u64>().to_string());
                row.push(refused.to_string());
                row.push(levels.iter().map(|level| level.used).max().unwrap_or(0).to_string());
                row.push(levels.iter().map(|level| level.remaining).min().unwrap_or(0).to_string());
            }
            table.row(row);
        }
        table
    }
}

/// Whether the first row of a table has the names of its columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    Yes,
    No,
}

fn section(
    html: &mut String,
    id: &str,
    title: &str,
    class: &str,
    content: impl FnOnce(&mut String) -> fmt::Result,
) -> fmt::Result {
    writeln!(html, "<section class=\"{class}\" aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>", xml(title))?;
    content(html)?;
    html.write_str("</section>\n")
}

/// A picture, and the same as a table for who asks for it.
fn picture(html: &mut String, svg: &str, name: &str, numbers: &Table) -> fmt::Result {
    write!(html, "<figure>\n{svg}</figure>\n<details>\n<summary>As a table</summary>\n")?;
    table(html, name, numbers, Head::Yes)?;
    html.write_str("</details>\n")
}

/// A table that scrolls by itself where it is too wide, by keyboard too.
fn scroll(html: &mut String, name: &str, content: impl FnOnce(&mut String) -> fmt::Result) -> fmt::Result {
    write!(html, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n", xml(name))?;
    content(html)?;
    html.write_str("</table>\n</div>\n")
}

fn table(html: &mut String, name: &str, table: &Table, head: Head) -> fmt::Result {
    let (names, rows) = match table.rows.split_first() {
        Some((names, rows)) if head == Head::Yes => (Some(names), rows),
        _ => (None, table.rows.as_slice()),
    };
    // A row is named by its first cell, or, where that is a number, by the second.
    let named = if names.is_some_and(|names| names.first().is_some_and(String::is_empty)) { 1 } else { 0 };
    scroll(html, name, |html| {
        if let Some(names) = names {
            html.push_str("<thead><tr>");
            for (name, align) in names.iter().zip(&table.columns) {
                match name.as_str() {
                    "" => html.push_str("<td></td>"),
                    name if *align == Align::Right => write!(html, "<th scope=\"col\" class=\"n\">{}</th>", xml(name))?,
                    name => write!(html, "<th scope=\"col\">{}</th>", xml(name))?,
                }
            }
            html.push_str("</tr></thead>\n");
        }
        html.push_str("<tbody>\n");
        for row in rows {
            html.push_str("<tr>");
            for (index, (cell, align)) in row.iter().zip(&table.columns).enumerate() {
                match align {
                    _ if index == named => {
                        let inner = if cell.starts_with(' ') { " class=\"in\"" } else { "" };
                        write!(html, "<th scope=\"row\"{inner}>{}</th>", xml(cell.trim_start()))?;
                    }
                    Align::Right => number(html, cell, cell.ends_with('%').then_some(cell))?,
                    Align::Left => write!(html, "<td>{}</td>", xml(cell))?,
                }
            }
            html.push_str("</tr>\n");
        }
        html.write_str("</tbody>\n")
    })
}

/// A cell with a number, and behind it a bar as long as its share.
fn number(html: &mut String, text: &str, share: Option<&str>) -> fmt::Result {
    match share {
        Some(share) => write!(html, "<td class=\"n share\" style=\"--share:{}\">{}</td>", xml(share), xml(text)),
        None => write!(html, "<td class=\"n\">{}</td>", xml(text)),
    }
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<meta name=\"referrer\" content=\"no-referrer\">
";

const CSS: &str = "
:root{color-scheme:light dark;--page:#f6f8fa;--card:#fff;--ink:#1f2328;--muted:#59636e;--line:#d1d9e0;--tint:#cfe5f3}
@media(prefers-color-scheme:dark){:root{--page:#010409;--card:#0d1117;--ink:#e6edf3;--muted:#9198a1;--line:#2a313c;--tint:#16405f}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.25rem;max-width:76rem;background:var(--page);color:var(--ink);
font:0.9375rem/1.5 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.25rem 0 1rem}
h2{font-size:1.0625rem;line-height:1.3;margin:0 0 .75rem}
dl{display:flex;flex-wrap:wrap;gap:.75rem 2rem;margin:0 0 1.25rem}
dt{color:var(--muted);font-size:.8125rem}
dd{margin:0}
.column{display:grid;gap:1rem;min-width:0}
main{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,29rem),1fr));gap:1rem;align-items:start}
section{min-width:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1rem}
.wide{grid-column:1/-1}
figure{margin:0 0 .5rem}
figure svg{display:block;width:100%;height:auto;max-width:40rem;margin:0 auto}
summary{cursor:pointer;color:var(--muted);padding:.25rem 0}
.scroll{overflow-x:auto}
.scroll:focus-visible,summary:focus-visible{outline:2px solid currentColor;outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.875rem}
th,td{padding:.3rem .5rem;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--line)}
tbody tr:last-child>*{border-bottom:0}
thead th{color:var(--muted);font-weight:600;vertical-align:bottom}
tbody th{font-weight:400;min-width:8rem}
.in{padding-left:1.5rem}
.n{text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:normal}
.share{background:linear-gradient(to left,var(--tint) var(--share),transparent 0) no-repeat right 0 top .2rem/100% 1.6em}
@media print{body{background:none}section{break-inside:avoid}}
";

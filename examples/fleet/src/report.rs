//! The table.

use std::fmt::Write as _;

use crate::cli::Simulation;
use crate::outcome::Figures;

/// A way to share, and what came of it.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) figures: Figures,
}

/// The figures as a table in Markdown. The first row is what one limiter would have done, with which the others are compared.
pub(crate) fn table(simulation: &Simulation, requests: usize, rows: &[Row]) -> String {
    let Simulation { traffic, settings, delay, service, seed } = simulation;
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "{} nodes share {}: {requests} requests in {} s, {:.0} % of them at one node; a message takes {delay:?}, the server {service:?}; \
         clocks differ by up to {:?}; seed {seed}.\n",
        settings.nodes,
        settings.policy,
        traffic.length.as_secs(),
        traffic.hot * 100.0,
        settings.skew(),
    );
    out.push_str("| way | admitted | of one limiter's | densest window | wait, median | wait, 99 % | questions a request | conflicts an admission | gave up |\n");
    out.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    let one = rows.first().map_or(0, |row| row.figures.admitted);
    for Row { name, figures } in rows {
        let _ = writeln!(
            out,
            "| {name} | {} | {:.1} % | {} | {} | {} | {:.2} | {:.2} | {} |",
            figures.admitted,
            share(figures.admitted as u64, one) * 100.0,
            figures.densest,
            millis(figures.median),
            millis(figures.slowest),
            share(figures.questions, requests),
            share(figures.conflicts, figures.admitted),
            figures.gave_up,
        );
    }
    out
}

fn share(part: u64, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn millis(nanos: u64) -> String {
    if nanos == 0 { "none".to_owned() } else { format!("{:.2} ms", nanos as f64 / 1e6) }
}

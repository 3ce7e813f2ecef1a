//! Figures as a Markdown table.

use std::fmt::Write;

use crate::measure::Figures;

/// The first row is what all ratios are to.
pub fn ratios(title: &str, figures: &[Figures]) -> String {
    let mut text = format!(
        "\n### {title}\n\n| | quickest, ns | its ratio | median ratio | half of all rounds |\n| --- | --- | --- | --- | --- |\n"
    );
    for Figures { name, quickest, least, median, quartiles: [low, high] } in figures {
        writeln!(text, "| {name} | {quickest:.2} | {least:.2} | {median:.2} | {low:.2} to {high:.2} |")
            .expect("a string grows");
    }
    text
}

pub fn bytes(title: &str, rows: &[(String, f64)]) -> String {
    let mut text = format!("\n### {title}\n\n| | bytes a key |\n| --- | --- |\n");
    for (name, bytes) in rows {
        writeln!(text, "| {name} | {bytes:.1} |").expect("a string grows");
    }
    text
}

/// The processor, the compiler and how many threads there are.
pub fn machine() -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown", |model| model.trim_start_matches(['\t', ' ', ':']).trim());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {threads} threads, {}, {}", std::env::consts::OS, env!("RUSTC_VERSION"))
}

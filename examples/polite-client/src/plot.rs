//! The arrivals of all runs, as a drawing in SVG: a chart for each, with the same scales.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use plotters::prelude::*;

use crate::cli::Error;
use crate::tally::{INTERVAL, Run};

const WIDTH: u32 = 1000;
const HEIGHT: u32 = 240;
const PASSED: RGBColor = RGBColor(0x2C, 0x7F, 0xB8);
const REFUSED: RGBColor = RGBColor(0xD9, 0x5F, 0x0E);

/// Sees whether a file can be written, so that no run is made in vain.
///
/// # Errors
///
/// Where it cannot.
pub fn can_write(path: &Path) -> Result<(), Error> {
    let opened = File::options().write(true).create(true).truncate(false).open(path);
    opened.map(drop).map_err(|error| Error::Write { path: path.to_owned(), error })
}

/// Writes the drawing to a file.
///
/// # Errors
///
/// Where that cannot be written.
pub fn write(path: &Path, runs: &[Run]) -> Result<(), Error> {
    let drawing = draw(runs).map_err(Error::Plot)?;
    fs::write(path, drawing).map_err(|error| Error::Write { path: path.to_owned(), error })
}

/// The drawing.
///
/// # Errors
///
/// What the plotting library finds amiss.
pub fn draw(runs: &[Run]) -> Result<String, String> {
    let mut drawing = String::new();
    charts(runs, &mut drawing).map_err(|error| error.to_string())?;
    Ok(drawing)
}

fn charts(runs: &[Run], drawing: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    // At least one, so that there is a drawing.
    let rows = runs.len().max(1);
    let height = HEIGHT * u32::try_from(rows)?;
    let root = SVGBackend::with_string(drawing, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let intervals = runs.iter().map(|run| index(run.elapsed)).max().unwrap_or(0) + 1;
    let counts: Vec<_> = runs.iter().map(|run| counted(run, intervals)).collect();
    let most = counts.iter().flatten().map(|(passed, refused)| passed + refused).max().unwrap_or(0).max(1);
    for (area, (run, counts)) in root.split_evenly((rows, 1)).iter().zip(runs.iter().zip(&counts)) {
        let name = format!("{:?}", run.strategy).to_lowercase();
        let caption = format!("{name}: {} requests, {} of them refused", run.arrivals.len(), run.refused());
        let mut chart = ChartBuilder::on(area)
            .caption(caption, ("sans-serif", 16))
            .margin(8)
            .x_label_area_size(34)
            .y_label_area_size(44)
            .build_cartesian_2d(0_f64..seconds(intervals), 0..most)?;
        chart.configure_mesh().disable_x_mesh().x_desc("seconds").y_desc("requests in 100 ms").y_labels(5).draw()?;
        let bar = |at: usize, from, to, color: RGBColor| {
            Rectangle::new([(seconds(at), from), (seconds(at + 1), to)], color.filled())
        };
        let filled = || counts.iter().enumerate();
        chart.draw_series(filled().map(|(at, (passed, _))| bar(at, 0, *passed, PASSED)))?;
        chart.draw_series(filled().map(|(at, (passed, refused))| bar(at, *passed, passed + refused, REFUSED)))?;
    }
    root.present()?;
    Ok(())
}

/// Which interval a moment is in.
fn index(at: Duration) -> usize {
    usize::try_from(at.as_nanos() / INTERVAL.as_nanos()).unwrap_or(usize::MAX - 1)
}

fn seconds(intervals: usize) -> f64 {
    intervals as f64 * INTERVAL.as_secs_f64()
}

/// How many passed, and how many were refused, in each interval.
fn counted(run: &Run, intervals: usize) -> Vec<(usize, usize)> {
    let mut counts = vec![(0, 0); intervals];
    for arrival in &run.arrivals {
        if let Some((passed, refused)) = counts.get_mut(index(arrival.at)) {
            *(if arrival.is_refused() { refused } else { passed }) += 1;
        }
    }
    counts
}

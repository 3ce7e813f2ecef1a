//! How long the slowest checks take: millions of checks by key, each timed, of which some add a key.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use plotters::prelude::*;

/// Nanoseconds, sorted into buckets that are at most 1/32 apart.
pub struct Histogram {
    counts: Vec<u64>,
    most: u64,
}

const STEPS: u32 = 32;

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; 64 * STEPS as usize], most: 0 }
    }
}

impl Histogram {
    fn bucket(nanos: u64) -> usize {
        let nanos = nanos.max(u64::from(STEPS));
        let power = nanos.ilog2() - STEPS.ilog2();
        power as usize * STEPS as usize + (nanos >> power) as usize - STEPS as usize
    }

    fn start(bucket: usize) -> u64 {
        let (power, step) = (bucket / STEPS as usize, bucket % STEPS as usize);
        (u64::from(STEPS) + step as u64) << power
    }

    fn record(&mut self, nanos: u64) {
        self.counts[Self::bucket(nanos)] += 1;
        self.most = self.most.max(nanos);
    }

    /// The least time that this share of the checks did not exceed.
    pub fn quantile(&self, share: f64) -> u64 {
        let wanted = (self.counts.iter().sum::<u64>() as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Self::start(bucket);
            }
        }
        self.most
    }

    pub fn most(&self) -> u64 {
        self.most
    }
}

/// Times each of so many calls, with what reading the clock itself takes.
pub fn time_each(calls: u64, mut call: impl FnMut(u64)) -> Histogram {
    let mut histogram = Histogram::default();
    for index in 0..calls {
        let start = Instant::now();
        call(index);
        histogram.record(start.elapsed().as_nanos() as u64);
    }
    histogram
}

/// Time over how many of all checks took longer, both by powers of ten.
pub fn plot(path: &Path, title: &str, series: &[(String, Histogram)]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (900, 500)).into_drawing_area();
    root.fill(&WHITE)?;
    let most = series.iter().map(|(_, histogram)| histogram.most).max().unwrap_or(1).max(100) as f64;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(70)
        .build_cartesian_2d((1.0..1e7_f64).log_scale(), (10.0..most * 1.5).log_scale())?;
    chart.configure_mesh().x_desc("one check in so many takes longer").y_desc("nanoseconds").draw()?;
    for (index, (name, histogram)) in series.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let points = (0..=70).map(|tenth| {
            let one_in = 10_f64.powf(f64::from(tenth) / 10.0);
            (one_in, histogram.quantile(1.0 - 1.0 / one_in) as f64)
        });
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().position(SeriesLabelPosition::UpperLeft).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_close() {
        for nanos in [32, 33, 63, 64, 1_000, 123_456_789] {
            let start = Histogram::start(Histogram::bucket(nanos));
            assert!(start <= nanos && nanos - start <= nanos / u64::from(STEPS), "{nanos} in {start}");
        }
    }

    #[test]
    fn quantiles_are_of_what_was_recorded() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|hundred| histogram.record(hundred * 1_024));
        assert_eq!(histogram.quantile(0.5), 50 * 1_024);
        assert_eq!(histogram.most(), 100 * 1_024);
    }
}

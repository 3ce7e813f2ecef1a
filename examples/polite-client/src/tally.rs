//! [`Run`]: what a run comes down to.

use std::fmt::{self, Display};
use std::time::Duration;

use crate::strategy::Strategy;

/// The head of the table of which each run is a line.
pub const HEAD: &str = "strategy  requests   429s  elapsed  most requests in 100 ms";

/// Requests are counted in intervals as long as this.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// A request that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When, from the start.
    pub at: Duration,
    /// The status of its answer.
    pub status: u16,
}

impl Arrival {
    /// Whether it was refused for now.
    pub fn is_refused(&self) -> bool {
        self.status == 429
    }
}

/// A run of one strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which.
    pub strategy: Strategy,
    /// All its requests, in the order of time.
    pub arrivals: Vec<Arrival>,
    /// Until the last answer.
    pub elapsed: Duration,
}

impl Run {
    /// Of these requests, in any order.
    pub fn new(strategy: Strategy, mut arrivals: Vec<Arrival>, elapsed: Duration) -> Self {
        arrivals.sort_by_key(|arrival| arrival.at);
        Self { strategy, arrivals, elapsed }
    }

    /// How many requests were refused.
    pub fn refused(&self) -> usize {
        self.arrivals.iter().filter(|arrival| arrival.is_refused()).count()
    }

    /// The most requests in any 100 ms, wherever they begin.
    pub fn peak(&self) -> usize {
        let mut first = 0;
        let within = self.arrivals.iter().enumerate().map(|(last, arrival)| {
            while arrival.at.saturating_sub(self.arrivals[first].at) >= INTERVAL {
                first += 1; // At most `last`, which is no time from itself.
            }
            last - first + 1
        });
        within.max().unwrap_or(0)
    }
}

impl Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{:?}", self.strategy).to_lowercase();
        let (requests, refused, secs) = (self.arrivals.len(), self.refused(), self.elapsed.as_secs_f64());
        write!(f, "{name:<8} {requests:>9} {refused:>6} {secs:>6.1} s {:>24}", self.peak())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(millis: &[u64]) -> Run {
        let arrival = |&millis: &u64| Arrival { at: Duration::from_millis(millis), status: 200 };
        Run::new(Strategy::Naive, millis.iter().map(arrival).collect(), Duration::ZERO)
    }

    #[test]
    fn the_peak_is_that_of_any_interval() {
        assert_eq!(run(&[]).peak(), 0);
        assert_eq!(run(&[5]).peak(), 1);
        assert_eq!(run(&[0, 100, 200]).peak(), 1);
        assert_eq!(run(&[250, 0, 50, 99, 100, 149]).peak(), 4); // from 50 to 149
    }

    #[test]
    fn a_line_fits_its_head() {
        let line = run(&[0, 1, 2]).to_string();
        assert_eq!(line.len(), HEAD.len());
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["naive", "3", "0", "0.0", "s", "3"]);
    }
}

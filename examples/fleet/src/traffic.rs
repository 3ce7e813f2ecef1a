//! The requests that all ways of sharing are given alike.

use std::time::Duration;

/// A request, and the node that it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) at: u64,
    pub(crate) node: usize,
}

/// What traffic there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traffic {
    pub(crate) nodes: usize,
    /// Requests a second at all nodes together, on average.
    pub(crate) rate: f64,
    /// The part of them that comes to the first node; the others share the rest evenly.
    pub(crate) hot: f64,
    pub(crate) length: Duration,
}

impl Traffic {
    /// Independent arrivals (a Poisson process), in the order of time.
    pub(crate) fn requests(&self, seed: u64) -> Vec<Request> {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mean_gap, length) = (1e9 / self.rate, self.length.as_nanos() as f64);
        let mut requests = Vec::new();
        let mut at = 0.0;
        loop {
            // What a uniform draw is for an exponential gap; never the logarithm of zero.
            at -= mean_gap * (1.0 - random.f64()).ln();
            if at >= length {
                return requests;
            }
            let node = if self.nodes == 1 || random.f64() < self.hot { 0 } else { random.usize(1..self.nodes) };
            requests.push(Request { at: at as u64, node });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_as_much_as_was_asked_for_and_where() {
        let traffic = Traffic { nodes: 4, rate: 1000.0, hot: 0.5, length: Duration::from_secs(100) };
        let requests = traffic.requests(1);
        assert!((99_000..101_000).contains(&requests.len()), "{}", requests.len());
        assert!(requests.windows(2).all(|pair| pair[0].at <= pair[1].at));
        let at = |node| requests.iter().filter(|request| request.node == node).count();
        assert!((49_000..51_000).contains(&at(0)), "{}", at(0));
        assert!((1..4).all(|node| (16_000..17_500).contains(&at(node))));
        assert_eq!(traffic.requests(1), requests);
        assert_ne!(traffic.requests(2), requests);
    }
}

//! The log of denials, a structured line for each, and the readout: counts by endpoint, and the last few. The log has the path that was asked for,
//! the readout the route.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::sync::Mutex;

use tollgate::Timestamp;
use tollgate::format::json::Members;
use tollgate::format::{Denial as Record, RetryAfter};

use crate::counters::lock;
use crate::rule::Denied;

/// The error class, by which denials are found in the log.
const ERROR: &str = Record::<&str>::ERROR;

/// How many of the last denials the readout tells.
pub const LAST: usize = 16;

/// What is counted and told, where no route was found: paths are the callers' own, there is no end of them, and what is in one may be a secret.
pub const OTHER: &str = "other";

/// The longest path that is logged.
const LONGEST_PATH: usize = 128;

/// A denial, to be recorded.
pub struct Denial<'a> {
    /// The route, as the router knows it, if there is one.
    pub endpoint: Option<&'a str>,
    /// What was asked for. The log has it, and nobody else.
    pub path: &'a str,
    /// Whose limit it was.
    pub who: &'a dyn Display,
    /// By which policy, and for how long.
    pub denied: Denied,
    /// When.
    pub at: Timestamp,
}

/// What was denied since the start.
#[derive(Debug, Default)]
pub struct Denials(Mutex<Tally>);

#[derive(Debug, Default)]
struct Tally {
    total: u64,
    /// As many as there are routes, and one.
    by_endpoint: BTreeMap<String, u64>,
    last: VecDeque<Last>,
}

#[derive(Debug)]
struct Last {
    endpoint: String,
    policy: &'static str,
    retry_after: RetryAfter,
    at: Timestamp,
}

impl Denials {
    /// Logs a denial, and remembers it for the readout.
    pub fn record(&self, denial: &Denial<'_>) {
        let Denial { endpoint, path, who, denied: Denied { policy, retry_after }, at } = *denial;
        tracing::warn!(
            error = ERROR,
            endpoint = shortened(path),
            client = who.to_string(),
            policy,
            retry_after_seconds = retry_after.secs(),
            time_ms = millis(at),
            "denied"
        );
        let endpoint = endpoint.unwrap_or(OTHER);
        let mut tally = lock(&self.0);
        tally.total = tally.total.saturating_add(1);
        match tally.by_endpoint.get_mut(endpoint) {
            Some(count) => *count = count.saturating_add(1),
            None => drop(tally.by_endpoint.insert(endpoint.to_owned(), 1)),
        }
        if tally.last.len() == LAST {
            tally.last.pop_front();
        }
        tally.last.push_back(Last { endpoint: endpoint.to_owned(), policy, retry_after, at });
    }

    /// Writes the readout. It names no caller, and no path but the routes that there are: everybody may read it.
    pub fn readout(&self, readout: &mut Members<'_>) {
        let tally = lock(&self.0);
        readout.member("total").integer(tally.total);
        readout.member("by_endpoint").object(|counts| {
            tally.by_endpoint.iter().for_each(|(endpoint, &count)| counts.member(endpoint).integer(count));
        });
        readout.member("last").array(|denials| {
            for last in &tally.last {
                denials.element().object(|denial| {
                    denial.member("error").string(ERROR);
                    denial.member("endpoint").string(&last.endpoint);
                    denial.member("policy").string(last.policy);
                    denial.member("retry_after_seconds").integer(last.retry_after.secs());
                    denial.member("time_ms").integer(millis(last.at));
                });
            }
        });
    }
}

const fn millis(at: Timestamp) -> u64 {
    at.as_nanos() / 1_000_000
}

/// At most so many bytes of a path, of whole characters.
fn shortened(path: &str) -> &str {
    let end = (0..=LONGEST_PATH.min(path.len())).rev().find(|&end| path.is_char_boundary(end));
    end.and_then(|end| path.get(..end)).unwrap_or_default()
}

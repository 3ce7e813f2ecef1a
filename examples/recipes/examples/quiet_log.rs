//! A filter for `tracing`: each call site may write five lines in ten seconds, and what it suppressed is counted.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tollgate::{FixedWindow, FixedWindowState, Timestamp};
use tracing::{Event, Subscriber, callsite::Identifier};
use tracing_subscriber::{layer::Context, layer::Filter, prelude::*};

const LINES: FixedWindow = FixedWindow::constant(5, Duration::from_secs(10));

struct Quiet {
    start: Instant,
    sites: Arc<Mutex<HashMap<Identifier, (FixedWindowState, u32)>>>,
}

impl<S: Subscriber> Filter<S> for Quiet {
    fn enabled(&self, _: &tracing::Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }
    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let (state, suppressed) = sites.entry(event.metadata().callsite()).or_default();
        let passes = LINES.judge(state, Timestamp::since_epoch(self.start.elapsed())).is_allow();
        if !passes {
            *suppressed = suppressed.saturating_add(1);
        } else if *suppressed > 0 {
            eprintln!("{} lines like the next were suppressed", std::mem::take(suppressed));
        }
        passes
    }
}

fn main() {
    let sites = Arc::default();
    let quiet = Quiet { start: Instant::now(), sites: Arc::clone(&sites) };
    tracing_subscriber::registry().with(tracing_subscriber::fmt::layer().with_filter(quiet)).init();
    (0..1000).for_each(|attempt| tracing::warn!(attempt, "the disk is full"));
    let last: u64 = sites.lock().unwrap_or_else(PoisonError::into_inner).values().map(|site| u64::from(site.1)).sum();
    eprintln!("{last} lines were suppressed since");
}

//! A filter for `tracing`: each call site may write five lines in ten seconds, and what it suppressed is counted.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tollgate::{FixedWindow, FixedWindowState, Timestamp};
use tracing::callsite::Identifier;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Filter, SubscriberExt};
use tracing_subscriber::{Layer, util::SubscriberInitExt};

const LINES: FixedWindow = FixedWindow::constant(5, Duration::from_secs(10));

struct Quiet {
    start: Instant,
    sites: Mutex<HashMap<Identifier, (FixedWindowState, u32)>>,
}

impl<S: Subscriber> Filter<S> for Quiet {
    fn enabled(&self, _: &tracing::Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }
    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let (state, suppressed) = sites.entry(event.metadata().callsite()).or_default();
        let passes = LINES.judge(state, Timestamp::since_epoch(self.start.elapsed())).is_allow();
        let before = if passes { std::mem::take(suppressed) } else { 0 };
        *suppressed += u32::from(!passes);
        if before > 0 {
            eprintln!("{before} lines like the next were suppressed");
        }
        passes
    }
}

fn main() {
    let quiet = Quiet { start: Instant::now(), sites: Mutex::default() };
    tracing_subscriber::registry().with(tracing_subscriber::fmt::layer().with_filter(quiet)).init();
    (0..1000).for_each(|attempt| tracing::warn!(attempt, "the disk is full"));
}

//! Layer 1, the edge throttle: 100 requests a minute for each address, exactly.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::MatchedPath;
use axum::http::Method;
use axum::http::request::Parts;
use tollgate::format::body::signals::EdgeThrottle;
use tollgate::{SlidingLog, SlidingLogState};

use super::{HEALTH, STATUS};
use crate::answer;
use crate::counters::{Counters, Key};
use crate::layer::{Limiter, Verdict};
use crate::office::Office;
use crate::rule::Named;

const PER_MINUTE: u32 = 100;

const EDGE: Named<SlidingLog> = Named::new("edge", SlidingLog::constant(PER_MINUTE, Duration::from_secs(60)));

pub(super) struct Edge<C> {
    pub(super) office: Arc<Office>,
    pub(super) counters: C,
}

impl<C: Counters<SlidingLogState>> Limiter for Edge<C> {
    async fn judge(&self, request: &mut Parts) -> Verdict {
        if is_exempt(request) {
            return Verdict::Pass(Vec::new());
        }
        let arrival = self.office.reception.arrival(request);
        let outcome = match Key::new(&[("client", arrival.client.into())]) {
            Ok(key) => self.counters.judge(&EDGE, key.as_bytes(), arrival.now).await,
            Err(error) => Err(error.into()),
        };
        self.office.verdict(request, arrival, &arrival.client, outcome, |denied| {
            let body = EdgeThrottle::new(PER_MINUTE, denied.retry_after, arrival.client);
            answer::denied(body, denied.retry_after)
        })
    }
}

/// By the route that the router found: a path that merely looks like one of these is counted. So is `HEAD`.
fn is_exempt(request: &Parts) -> bool {
    let route = request.extensions.get().map(MatchedPath::as_str);
    request.method == Method::GET && matches!(route, Some(HEALTH | STATUS))
}

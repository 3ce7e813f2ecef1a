//! The system `signals`: an edge throttle for each address in front of everything, and behind it a token bucket for each family of
//! endpoints, with a quota of the day for one of them.

mod edge;
mod family;

use std::sync::Arc;

use axum::Router;
use axum::response::Response;
use axum::routing::{MethodRouter, any, post};
use tollgate::SlidingLogState;
use tollgate::format::json;
use tollgate::identity::Source;

use crate::answer;
use crate::counters::Counters;
use crate::credentials::Keys;
use crate::layer::Limit;
use crate::office::Office;
use crate::rule::Usage;

use edge::Edge;
use family::{Family, PerFamily};

/// Where a client's address is looked for.
pub(crate) const SOURCES: &[Source<'static>] =
    &[Source::CF_CONNECTING_IP, Source::X_FORWARDED_FOR, Source::X_REAL_IP, Source::PEER];

const HEALTH: &str = "/api/health";
const STATUS: &str = "/api/status";

/// The system. Layer 1 counts in `edge`; layer 2 in `counters`, and without it there is none.
pub fn router<E, C>(office: &Arc<Office>, keys: &Arc<Keys>, edge: E, counters: Option<Arc<C>>) -> Router
where
    E: Counters<SlidingLogState>,
    C: Counters<Usage>,
{
    let family = |family, endpoint: MethodRouter| match &counters {
        None => endpoint,
        Some(counters) => endpoint.layer(Limit::new(PerFamily {
            family,
            office: Arc::clone(office),
            keys: Arc::clone(keys),
            counters: Arc::clone(counters),
        })),
    };
    // What another method does at one of these paths is of no family.
    let only_post = |limited| any(answer::done).merge(family(limited, post(answer::done)));
    let health = {
        let office = Arc::clone(office);
        move || std::future::ready(health(&office))
    };
    // The family is part of the key, so the four share a bucket.
    let rest = || family(Family::Rest, any(answer::done));
    Router::new()
        .route("/api/intel", rest())
        .route("/api/mcp", rest())
        .route("/api/audits", rest())
        .route("/api/goals", rest())
        .route("/api/keys", only_post(Family::Issuance))
        .route("/v1/signals/{signal}/evaluate", only_post(Family::Signals))
        .route(HEALTH, any(health))
        .route(STATUS, any(answer::done))
        .fallback(answer::done)
        .layer(Limit::new(Edge { office: Arc::clone(office), counters: edge }))
}

fn health(office: &Office) -> Response {
    answer::ok(json::object(|body| {
        body.member("status").string("ok");
        body.member("rate_limited").object(|readout| office.denials.readout(readout));
    }))
}

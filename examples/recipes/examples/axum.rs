//! axum: a middleware that limits by the address of the peer. Try `curl -i localhost:3000` a few times.
use std::hash::RandomState;
use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request};
use axum::http::{StatusCode, header::RETRY_AFTER};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get};
use tollgate::identity::{ClientKey, Resolver, Source};
use tollgate::store::{HeapBuckets, Sharded, Table};
use tollgate::{Decision, Timestamp, TokenBucket, TokenBucketState};

const LIMIT: TokenBucket = TokenBucket::constant(3, Duration::from_secs(10));
const WHO: Resolver = Resolver::new(&[Source::PEER]);
static START: LazyLock<Instant> = LazyLock::new(Instant::now);
static CLIENTS: LazyLock<Sharded<Table<HeapBuckets<ClientKey, TokenBucketState>, RandomState>>> =
    LazyLock::new(|| Sharded::new(|n| Table::new(HeapBuckets::for_keys(20_000 / n, ClientKey::Fallback("")))));

async fn limit(ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request, next: Next) -> Response {
    let client = WHO.resolve(peer.ip(), request.headers()).key();
    match LIMIT.check(&*CLIENTS, &client, Timestamp::since_epoch(START.elapsed())) {
        Ok(Decision::Allow) => next.run(request).await,
        Ok(Decision::Deny { retry_after }) => {
            let wait = [(RETRY_AFTER, retry_after.as_secs_ceil().to_string())];
            (StatusCode::TOO_MANY_REQUESTS, wait, "too many requests\n").into_response()
        }
        Err(full) => (StatusCode::SERVICE_UNAVAILABLE, format!("{full}\n")).into_response(),
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let app = Router::new().route("/", get("hello\n")).layer(from_fn(limit));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await
}

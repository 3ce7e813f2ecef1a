//! hyper: limits by the client behind a proxy on this machine. Try `curl -i -H 'X-Forwarded-For: 203.0.113.9' localhost:3000`.
use hyper::{Request, Response, StatusCode, body::Incoming, header, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::time::{Duration, Instant};
use std::{hash::RandomState, sync::LazyLock};
use tollgate::identity::{ClientKey, Prefix, Resolver, Source, Trust};
use tollgate::store::{HeapBuckets, Sharded, Table};
use tollgate::{Decision, SlidingLog, SlidingLogArray, Timestamp};

const LIMIT: SlidingLog = SlidingLog::constant(3, Duration::from_secs(10));
const WHO: Resolver =
    Resolver::new(&[Source::X_FORWARDED_FOR, Source::PEER]).trusting(Trust::Proxies(&Prefix::LOOPBACK));
static START: LazyLock<Instant> = LazyLock::new(Instant::now);
static CLIENTS: LazyLock<Sharded<Table<HeapBuckets<ClientKey, SlidingLogArray<3>>, RandomState>>> =
    LazyLock::new(|| Sharded::new(|n| Table::new(HeapBuckets::for_keys(20_000 / n, ClientKey::Fallback("")))));

async fn answer(request: Request<Incoming>, peer: std::net::IpAddr) -> hyper::http::Result<Response<String>> {
    let client = WHO.resolve(peer, request.headers()).key();
    match LIMIT.check(&*CLIENTS, &client, Timestamp::since_epoch(START.elapsed())) {
        Ok(Decision::Allow) => Ok(Response::new(format!("hello, {client}\n"))),
        Ok(Decision::Deny { retry_after }) => Response::builder()
            .status(StatusCode::TOO_MANY_REQUESTS)
            .header(header::RETRY_AFTER, retry_after.as_secs_ceil())
            .body("too many requests\n".to_owned()),
        Err(full) => Response::builder().status(StatusCode::SERVICE_UNAVAILABLE).body(format!("{full}\n")),
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    loop {
        let Ok((stream, peer)) = listener.accept().await.inspect_err(|error| eprintln!("{error}")) else {
            tokio::time::sleep(Duration::from_millis(50)).await; // until a descriptor is free
            continue;
        };
        let service = service_fn(move |request| answer(request, peer.ip()));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

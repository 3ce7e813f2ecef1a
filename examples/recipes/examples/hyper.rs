//! hyper: a service that limits by the client behind a proxy on this machine. Try `curl -i -H 'X-Forwarded-For: 203.0.113.9' localhost:3000`.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use http_body_util::Full;
use hyper::{Request, Response, body::Bytes, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tollgate::identity::{ClientKey, Prefix, Resolver, Source, Trust};
use tollgate::{Decision, SlidingLog, SlidingLogState};

const LIMIT: SlidingLog = SlidingLog::constant(3, Duration::from_secs(10));
const WHO: Resolver =
    Resolver::new(&[Source::X_FORWARDED_FOR, Source::PEER]).trusting(Trust::Proxies(&Prefix::LOOPBACK));
type Clients = Mutex<HashMap<ClientKey, SlidingLogState>>;

fn answer(request: &Request<Incoming>, peer: std::net::IpAddr, clients: &Clients) -> Response<Full<Bytes>> {
    let client = WHO.resolve(peer, request.headers()).key();
    let mut clients = clients.lock().unwrap_or_else(PoisonError::into_inner);
    let Ok(decision) = LIMIT.check(&mut *clients, &client, SystemTime::now().into());
    let mut response = Response::new(Full::from(format!("hello, {client}\n")));
    if let Decision::Deny { retry_after } = decision {
        *response.status_mut() = hyper::StatusCode::TOO_MANY_REQUESTS;
        response.headers_mut().insert(hyper::header::RETRY_AFTER, retry_after.as_secs_ceil().into());
    }
    response
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let (clients, listener) = (Arc::new(Clients::default()), tokio::net::TcpListener::bind("127.0.0.1:3000").await?);
    loop {
        let (stream, peer) = listener.accept().await?;
        let clients = Arc::clone(&clients);
        let service =
            service_fn(move |request| std::future::ready(Ok::<_, hyper::Error>(answer(&request, peer.ip(), &clients))));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

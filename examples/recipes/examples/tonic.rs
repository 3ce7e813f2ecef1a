//! tonic: an interceptor that limits by the network of the peer, and says how long to wait in the metadata.
use std::hash::RandomState;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use tollgate::identity::{ClientKey, Ipv6KeyBits};
use tollgate::store::{HeapBuckets, Sharded, Table};
use tollgate::{Decision, Timestamp, TokenBucket, TokenBucketState};
use tonic::{Request, Status, transport::server::TcpConnectInfo};

const LIMIT: TokenBucket = TokenBucket::constant(100, Duration::from_secs(1));
static START: LazyLock<Instant> = LazyLock::new(Instant::now);
static CLIENTS: LazyLock<Sharded<Table<HeapBuckets<ClientKey, TokenBucketState>, RandomState>>> =
    LazyLock::new(|| Sharded::new(|n| Table::new(HeapBuckets::for_keys(20_000 / n, ClientKey::Fallback("")))));

fn limit(request: Request<()>) -> Result<Request<()>, Status> {
    let peer = request.extensions().get::<TcpConnectInfo>().and_then(TcpConnectInfo::remote_addr);
    let peer = peer.ok_or_else(|| Status::internal("no address to limit by"))?;
    let key = ClientKey::of(peer.ip(), Ipv6KeyBits::NETWORK);
    match LIMIT.check(&*CLIENTS, &key, Timestamp::since_epoch(START.elapsed())) {
        Ok(Decision::Allow) => Ok(request),
        Ok(Decision::Deny { retry_after }) => {
            let mut status = Status::resource_exhausted("too many requests");
            // What gRPC clients back off by, in milliseconds.
            status.metadata_mut().insert("grpc-retry-pushback-ms", retry_after.as_millis_ceil().into());
            Err(status)
        }
        Err(full) => Err(Status::unavailable(full.to_string())),
    }
}

fn main() {
    // let server = GreeterServer::with_interceptor(MyGreeter::default(), limit);
    println!("without a connection: {}", limit(Request::new(())).unwrap_err());
}

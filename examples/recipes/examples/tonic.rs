//! tonic: an interceptor that limits by the address of the peer, and says how long to wait in the metadata.
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tollgate::{Decision, TokenBucket, TokenBucketState};
use tonic::{Request, Status, service::Interceptor, transport::server::TcpConnectInfo};

const LIMIT: TokenBucket = TokenBucket::constant(100, Duration::from_secs(1));

#[derive(Clone, Default)]
struct Limit(Arc<Mutex<HashMap<IpAddr, TokenBucketState>>>);

impl Interceptor for Limit {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let peer = request.extensions().get::<TcpConnectInfo>().and_then(TcpConnectInfo::remote_addr);
        let peer = peer.ok_or_else(|| Status::internal("no address to limit by"))?;
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(decision) = LIMIT.check(&mut *clients, &peer.ip(), SystemTime::now().into());
        match decision {
            Decision::Allow => Ok(request),
            Decision::Deny { retry_after } => {
                let mut status = Status::resource_exhausted("too many requests");
                // What gRPC clients back off by, in milliseconds.
                status.metadata_mut().insert("grpc-retry-pushback-ms", retry_after.as_millis_ceil().into());
                Err(status)
            }
        }
    }
}

fn main() {
    // let server = GreeterServer::with_interceptor(MyGreeter::default(), Limit::default());
    let status = Limit::default().call(Request::new(())).unwrap_err();
    println!("without a connection: {status}");
}

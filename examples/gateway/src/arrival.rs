//! Who is calling, and when: found once for each request, and left in its extensions for the limiters further in.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::SystemTime;

use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use tollgate::identity::{ClientKey, Ipv6KeyBits, Prefix, Resolver, Source, Trust};
use tollgate::{Monotonic, Timestamp, Wait};

use crate::counters::lock;

/// The header by which a test brings its own clock.
pub const TIME_HEADER: &str = "x-test-now-ms";

/// Who is calling, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Both systems take addresses as keys as they are, so this is also the client's address.
    pub client: ClientKey,
    /// Since the Unix epoch.
    pub now: Timestamp,
}

/// Whose headers are believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trusted {
    /// Everybody's, and the first hop of a chain. The systems' own way.
    FirstHop,
    /// Those of these proxies.
    Proxies(Vec<Prefix>),
}

/// Receives requests: knows where to look for the client, whom to believe, and the time.
#[derive(Debug)]
pub struct Reception {
    sources: &'static [Source<'static>],
    trusted: Trusted,
    time_header: bool,
    clock: Mutex<Monotonic>,
}

impl Reception {
    /// With the sources of a client's address, in order. With `time_header`, a request may bring its own time.
    pub fn new(sources: &'static [Source<'static>], trusted: Trusted, time_header: bool) -> Self {
        /// Steps back up to this are jitter of the wall clock.
        const JITTER: Wait = Wait::from_secs(1);
        Self { sources, trusted, time_header, clock: Mutex::new(Monotonic::new(JITTER)) }
    }

    /// Who is calling and when, found at the first question.
    pub fn arrival(&self, request: &mut Parts) -> Arrival {
        if let Some(arrival) = request.extensions.get::<Arrival>() {
            return *arrival;
        }
        let peer = request.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let trust = match &self.trusted {
            Trusted::FirstHop => Trust::SpoofableFirstHop,
            Trusted::Proxies(proxies) => Trust::Proxies(proxies),
        };
        let resolver = Resolver::new(self.sources).trusting(trust).ipv6_key(Ipv6KeyBits::WHOLE);
        let client = resolver.resolve(peer, &request.headers).key();
        let arrival = Arrival { client, now: self.now(&request.headers) };
        request.extensions.insert(arrival);
        arrival
    }

    fn now(&self, headers: &HeaderMap) -> Timestamp {
        let given = headers.get(TIME_HEADER).filter(|_| self.time_header);
        let millis = given.and_then(|value| value.to_str().ok()?.parse().ok());
        millis.map(Timestamp::from_millis).unwrap_or_else(|| {
            // Read under the lock, so that samples come in turn.
            let mut clock = lock(&self.clock);
            clock.advance(SystemTime::now().into())
        })
    }
}

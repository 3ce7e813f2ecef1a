//! The limiter's place in a service: a tower [`Layer`] around a route or a whole router. To be copied: it needs `axum`, `tower`, and nothing
//! else of this package.
//!
//! What decides is a [`Limiter`], a handful of lines that are yours: the key, the policy, the store, and what a refusal looks like. Layers
//! nest: an outer one is asked first, what it counted stands when an inner one stops the request, and the fields of both are in the answer.
//!
//! ```
//! use std::hash::RandomState;
//! use std::time::{Duration, SystemTime};
//!
//! use axum::http::{StatusCode, header::RETRY_AFTER, request::Parts};
//! use axum::{Router, response::IntoResponse, routing::get};
//! use gateway::layer::{Limit, Limiter, Verdict};
//! use tollgate::identity::CompositeKey;
//! use tollgate::store::{HeapBuckets, Sharded, Table};
//! use tollgate::{Decision, TokenBucket, TokenBucketState};
//!
//! const TEN_A_SECOND: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
//!
//! /// Whoever calls chooses what is in the header. So a key has at most 64 bytes, and there is room for so many keys and no more.
//! type Tenant = CompositeKey<64>;
//!
//! /// Ten a second for each tenant.
//! struct PerTenant(Sharded<Table<HeapBuckets<Tenant, TokenBucketState>, RandomState>>);
//!
//! impl PerTenant {
//!     fn with_room_for(tenants: usize) -> Self {
//!         let nobody = || Tenant::new(&[]).expect("nothing fits");
//!         Self(Sharded::new(|shards| Table::new(HeapBuckets::for_keys(tenants / shards, nobody()))))
//!     }
//! }
//!
//! impl Limiter for PerTenant {
//!     async fn judge(&self, request: &mut Parts) -> Verdict {
//!         let tenant = request.headers.get("x-tenant").map_or(&b""[..], |tenant| tenant.as_bytes());
//!         let Ok(tenant) = Tenant::new(&[("tenant", tenant.into())]) else {
//!             return Verdict::Stop(StatusCode::BAD_REQUEST.into_response());
//!         };
//!         match TEN_A_SECOND.check(&self.0, &tenant, SystemTime::now().into()) {
//!             Ok(Decision::Allow) => Verdict::Pass(Vec::new()),
//!             Ok(Decision::Deny { retry_after }) => {
//!                 let fields = [(RETRY_AFTER, retry_after.as_secs_ceil().to_string())];
//!                 Verdict::Stop((StatusCode::TOO_MANY_REQUESTS, fields).into_response())
//!             }
//!             Err(full) => Verdict::Stop((StatusCode::SERVICE_UNAVAILABLE, full.to_string()).into_response()),
//!         }
//!     }
//! }
//!
//! let app: Router = Router::new().route("/orders", get("none")).route_layer(Limit::new(PerTenant::with_room_for(20_000)));
//! ```

use std::future::Future;
use std::iter;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use tower::{Layer, Service};

/// Decides whether a request may pass.
pub trait Limiter: Send + Sync + 'static {
    /// Judges a request by all but its body. What it learns it may leave in the extensions, for those behind it.
    fn judge(&self, request: &mut Parts) -> impl Future<Output = Verdict> + Send;
}

/// What becomes of a request.
#[derive(Debug)]
pub enum Verdict {
    /// It goes on, and these fields are added to its answer. They hold lists: where a layer further in sends one too, this one's is put in front.
    Pass(Vec<(HeaderName, HeaderValue)>),
    /// It gets this answer.
    Stop(Response),
}

/// The layer of a limiter. All services that it makes share the one limiter.
#[derive(Debug)]
pub struct Limit<L>(Arc<L>);

impl<L> Limit<L> {
    /// Around a limiter.
    pub fn new(limiter: L) -> Self {
        Self(Arc::new(limiter))
    }
}

impl<L> Clone for Limit<L> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<L, S> Layer<S> for Limit<L> {
    type Service = Limited<L, S>;

    fn layer(&self, inner: S) -> Limited<L, S> {
        Limited { limiter: Arc::clone(&self.0), inner }
    }
}

/// A service with a limiter in front.
#[derive(Debug)]
pub struct Limited<L, S> {
    limiter: Arc<L>,
    inner: S,
}

impl<L, S: Clone> Clone for Limited<L, S> {
    fn clone(&self) -> Self {
        Self { limiter: Arc::clone(&self.limiter), inner: self.inner.clone() }
    }
}

impl<L, S> Service<Request> for Limited<L, S>
where
    L: Limiter,
    S: Service<Request, Response = Response, Future: Send> + Clone + Send + 'static,
{
    type Response = Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let limiter = Arc::clone(&self.limiter);
        // The clone is not ready, and the one that is must be used.
        let next = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, next);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            match limiter.judge(&mut parts).await {
                Verdict::Stop(response) => Ok(response),
                Verdict::Pass(fields) => {
                    let mut response = inner.call(Request::from_parts(parts, body)).await?;
                    for (name, value) in fields {
                        put_in_front(&mut response, name, value);
                    }
                    Ok(response)
                }
            }
        })
    }
}

/// The lines that are there already are one list with this value, and stay behind it.
fn put_in_front(response: &mut Response, name: HeaderName, value: HeaderValue) {
    let headers = response.headers_mut();
    let inner = headers.get_all(&name).iter();
    let lines: Vec<_> = iter::once(&value).chain(inner).map(HeaderValue::as_bytes).collect();
    // What is joined of values by a comma and a space is a value.
    let joined = HeaderValue::from_bytes(&lines.join(&b", "[..])).unwrap_or(value);
    headers.insert(name, joined);
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::header::VARY;

    use super::*;

    #[test]
    fn a_value_is_put_in_front_of_all_lines_that_are_there() {
        for (inner, expected) in [
            (&[][..], "outer"),
            (&["a;r=1"], "outer, a;r=1"),
            (&["a;r=1", "b;r=2"], "outer, a;r=1, b;r=2"),
            (&["a;r=1, b;r=2", "", "c"], "outer, a;r=1, b;r=2, , c"),
        ] {
            let mut response = Response::new(Body::empty());
            for line in inner {
                response.headers_mut().append(VARY, HeaderValue::from_static(line));
            }
            put_in_front(&mut response, VARY, HeaderValue::from_static("outer"));
            let lines: Vec<_> = response.headers().get_all(VARY).iter().collect();
            assert_eq!(lines, [expected], "{inner:?}");
        }
    }
}

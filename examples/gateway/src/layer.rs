//! The limiter's place in a service: a tower [`Layer`] around a route or a whole router. To be copied: it needs `axum`, `tower`, and nothing
//! else of this package.
//!
//! What decides is a [`Limiter`], a handful of lines that are yours: the key, the policy, the store, and what a refusal looks like. Layers
//! nest: an outer one is asked first, what it counted stands when an inner one stops the request, and the fields of both are in the answer.
//!
//! ```
//! use std::collections::HashMap;
//! use std::sync::{Mutex, PoisonError};
//! use std::time::{Duration, SystemTime};
//!
//! use axum::http::{StatusCode, header::RETRY_AFTER, request::Parts};
//! use axum::{Router, response::IntoResponse, routing::get};
//! use gateway::layer::{Limit, Limiter, Verdict};
//! use tollgate::{Decision, TokenBucket, TokenBucketState};
//!
//! const TEN_A_SECOND: TokenBucket = TokenBucket::constant(10, Duration::from_secs(1));
//!
//! /// Ten a second for each tenant.
//! #[derive(Default)]
//! struct PerTenant(Mutex<HashMap<Vec<u8>, TokenBucketState>>);
//!
//! impl Limiter for PerTenant {
//!     async fn judge(&self, request: &mut Parts) -> Verdict {
//!         let tenant = request.headers.get("x-tenant").map_or(&b""[..], |tenant| tenant.as_bytes());
//!         let mut tenants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
//!         let Ok(decision) = TEN_A_SECOND.check(&mut *tenants, tenant, SystemTime::now().into());
//!         match decision {
//!             Decision::Allow => Verdict::Pass(Vec::new()),
//!             Decision::Deny { retry_after } => {
//!                 let fields = [(RETRY_AFTER, retry_after.as_secs_ceil().to_string())];
//!                 Verdict::Stop((StatusCode::TOO_MANY_REQUESTS, fields).into_response())
//!             }
//!         }
//!     }
//! }
//!
//! let app: Router = Router::new().route("/orders", get("none")).route_layer(Limit::new(PerTenant::default()));
//! ```

use std::future::Future;
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

fn put_in_front(response: &mut Response, name: HeaderName, value: HeaderValue) {
    let inner = response.headers_mut().remove(&name);
    let joined =
        inner.and_then(|inner| HeaderValue::from_bytes(&[value.as_bytes(), inner.as_bytes()].join(&b", "[..])).ok());
    response.headers_mut().insert(name, joined.unwrap_or(value));
}

//! actix-web: a middleware that limits by an API key. Try `curl -i -H 'X-Api-Key: k1' localhost:3000`.
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, Error, HttpResponse, HttpServer, error::InternalError, http::header::RETRY_AFTER, web};
use tollgate::{Decision, TokenBucket, TokenBucketState};

const LIMIT: TokenBucket = TokenBucket::constant(3, Duration::from_secs(10));
static KEYS: [(&str, Mutex<TokenBucketState>); 2] = [("k1", Mutex::new(NEW)), ("k2", Mutex::new(NEW))];
const NEW: TokenBucketState = TokenBucketState::new();

fn check(key: &str) -> Result<(), Error> {
    let refusal = |response| InternalError::from_response("refused", response);
    let known = KEYS.iter().find(|(known, _)| *known == key);
    let (_, state) = known.ok_or_else(|| refusal(HttpResponse::Unauthorized().finish()))?;
    match LIMIT.judge(&mut state.lock().unwrap_or_else(PoisonError::into_inner), SystemTime::now().into()) {
        Decision::Allow => Ok(()),
        Decision::Deny { retry_after: wait } => {
            Err(refusal(HttpResponse::TooManyRequests().insert_header((RETRY_AFTER, wait.as_secs_ceil())).finish()))?
        }
    }
}

async fn limit(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let key = request.headers().get("x-api-key").and_then(|value| value.to_str().ok());
    check(key.unwrap_or_default())?;
    next.call(request).await
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let app = || App::new().wrap(from_fn(limit)).default_service(web::to(|| async { "hello\n" }));
    HttpServer::new(app).bind("127.0.0.1:3000")?.run().await
}

//! actix-web: a middleware that limits by an API key. Try `curl -i -H 'X-Api-Key: k1' localhost:3000`.
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, Error, HttpResponse, HttpServer, error::InternalError, http::header::RETRY_AFTER, web};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tollgate::{Decision, Timestamp, TokenBucket, TokenBucketState};

const LIMIT: TokenBucket = TokenBucket::constant(3, Duration::from_secs(10));
static KEYS: [(&str, Mutex<TokenBucketState>); 1] = [("k1", Mutex::new(TokenBucketState::new()))];
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

fn check(key: &str) -> Result<(), Error> {
    let refusal = |response| InternalError::from_response("refused", response);
    let known = KEYS.iter().find(|(known, _)| *known == key);
    let (_, state) = known.ok_or_else(|| refusal(HttpResponse::Unauthorized().finish()))?;
    let now = Timestamp::since_epoch(START.elapsed());
    match LIMIT.judge(&mut state.lock().unwrap_or_else(PoisonError::into_inner), now) {
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

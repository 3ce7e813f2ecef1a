//! Responses in JSON: of a handler, and of a refusal. The shapes of refusals are `tollgate`'s.

use std::fmt::Display;

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use tollgate::format::{RetryAfter, body, json};

/// 200, with a body in JSON.
pub fn ok(body: impl Display) -> Response {
    json(StatusCode::OK, body)
}

/// What stands behind the limiter, wherever there is nothing else.
pub async fn done() -> Response {
    ok(json::object(|body| body.member("ok").boolean(true)))
}

/// 429, with `Retry-After`.
pub fn denied(body: impl Display, retry_after: RetryAfter) -> Response {
    with_retry_after(denied_without_retry_after(body), retry_after)
}

/// 429, for a system that tells the delay in the body alone.
pub fn denied_without_retry_after(body: impl Display) -> Response {
    json(StatusCode::TOO_MANY_REQUESTS, body)
}

/// 401, for a call without a key or a session.
pub fn unauthorized() -> Response {
    let body = json::object(|body| {
        body.member("error").object(|error| {
            error.member("code").string("unauthorized");
            error.member("message").string("An API key or a session is required");
        });
    });
    let mut response = json(StatusCode::UNAUTHORIZED, body);
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// 503, where a store cannot say whether the request may pass.
pub fn unavailable(retry_after: RetryAfter) -> Response {
    let body = json::object(|body| body.member("error").string("rate_limiter_unavailable"));
    with_retry_after(json(StatusCode::SERVICE_UNAVAILABLE, body), retry_after)
}

fn json(status: StatusCode, body: impl Display) -> Response {
    (status, [(CONTENT_TYPE, HeaderValue::from_static(body::CONTENT_TYPE))], body.to_string()).into_response()
}

fn with_retry_after(mut response: Response, retry_after: RetryAfter) -> Response {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after.secs()));
    response
}

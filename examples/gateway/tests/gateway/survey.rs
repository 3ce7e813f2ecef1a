//! The table of `survey`, row by row.

use axum::http::{Method, StatusCode};

use super::server::{Server, get, post};

const PER_CLIENT: &str = r#"{"error":{"code":"rate_limited","message":"Too many requests"}}"#;
const PER_API_KEY: &str = r#"{"error":{"code":"rate_limited","message":"API key rate limit exceeded"}}"#;

/// A surface admits its quota, denies one more, and is free again one window after its first hit, whoever hammers.
async fn assert_surface(server: &Server, path: &str, name: &str, quota: usize) {
    let policy = format!(r#""{name}";q={quota};w=60"#);
    let first = server.ask(&get(path)).await;
    first.assert_passed(Some((&policy, &format!(r#""{name}";r={};t=60"#, quota - 1))));

    let statuses = server.ask_times(quota - 2, &get(path).later(20_000)).await;
    assert!(statuses.iter().all(|&status| status == 200));
    let last = server.ask(&post(path).later(20_000)).await;
    last.assert_passed(Some((&policy, &format!(r#""{name}";r=0;t=40"#))));

    let denied = server.ask(&get(path).later(20_000)).await;
    denied.assert_denied(PER_CLIENT, Some("40"), (&policy, &format!(r#""{name}";r=0;t=40"#)));
    let hammering = server.ask_times(50, &get(path).later(59_000)).await;
    assert!(hammering.iter().all(|&status| status == 429));
    let rounded_up = server.ask(&get(path).later(59_999)).await;
    rounded_up.assert_denied(PER_CLIENT, Some("1"), (&policy, &format!(r#""{name}";r=0;t=1"#)));

    let again = server.ask(&get(path).later(60_000)).await;
    again.assert_passed(Some((&policy, &format!(r#""{name}";r={};t=60"#, quota - 1))));
    let other = server.ask(&get(path).headers(&[("cf-connecting-ip", "203.0.113.10")])).await;
    assert_eq!(other.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_surface_has_its_quota_and_counters_of_its_own() {
    let server = Server::start("survey").await;
    // In one server, by one client: none takes from another.
    assert_surface(&server, "/public/surveys/42/questions", "surveys", 30).await;
    assert_surface(&server, "/r/spring", "links", 60).await;
    assert_surface(&server, "/public/signups", "signups", 30).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_paths_of_a_surface_count_together() {
    let server = Server::start("survey").await;
    for path in ["/public/surveys/a", "/public/surveys/b/c", "/public/surveys/"].repeat(10) {
        assert_eq!(server.ask(&get(path)).await.status, StatusCode::OK);
    }
    assert_eq!(server.ask(&get("/public/surveys/d")).await.status, StatusCode::TOO_MANY_REQUESTS);
    // Not of the surface, so never limited.
    server.ask(&get("/public/surveys")).await.assert_passed(None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_and_unlisted_paths_are_never_limited() {
    let server = Server::start("survey").await;
    for path in ["/health", "/health/ready", "/", "/public/other", "/r/a/b", "/public/signups/x", "/v2/x"] {
        assert!(server.ask_times(70, &get(path)).await.iter().all(|&status| status == 200), "{path}");
        server.ask(&get(path)).await.assert_passed(None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_api_key_has_600_a_minute_on_all_of_v1() {
    let server = Server::start("survey").await;
    let with = |path, key| get(path).header("authorization", key);
    let policy = r#""api-key";q=600;w=60"#;
    let first = server.ask(&with("/v1/surveys", "Bearer pk_1")).await;
    first.assert_passed(Some((policy, r#""api-key";r=599;t=60"#)));
    for path in ["/v1/surveys", "/v1/", "/v1/a/b/c"] {
        let elsewhere = with(path, "Bearer pk_1").later(26_500).headers(&[("authorization", "Bearer pk_1")]);
        assert!(server.ask_times(200 - usize::from(path == "/v1/"), &elsewhere).await.iter().all(|&s| s == 200));
    }
    let denied = server.ask(&with("/v1/surveys", "Bearer pk_1").later(26_500)).await;
    denied.assert_denied(PER_API_KEY, Some("34"), (policy, r#""api-key";r=0;t=34"#));
    // Another key, from the same client, has its own.
    let other = server.ask(&with("/v1/surveys", "Bearer pk_2").later(26_500)).await;
    other.assert_passed(Some((policy, r#""api-key";r=599;t=60"#)));
    let again = server.ask(&with("/v1/surveys", "Bearer pk_1").later(60_000)).await;
    again.assert_passed(Some((policy, r#""api-key";r=599;t=60"#)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_never_metered_and_a_stranger_is_turned_away_uncounted() {
    let server = Server::start("survey").await;
    let person = get("/v1/surveys").header("cookie", "theme=dark; session=abc");
    assert!(server.ask_times(700, &person).await.iter().all(|&status| status == 200));
    server.ask(&person).await.assert_passed(None);

    for stranger in
        [get("/v1/surveys"), get("/v1/").method(Method::PUT), get("/v1/x").header("authorization", "Basic pk_1")]
    {
        let answer = server.ask(&stranger).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert_eq!(answer.header("ratelimit"), None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_client_is_found_in_the_systems_own_order() {
    let server = Server::start("survey").await;
    let remaining = async |headers: &[(&str, &str)]| {
        let answer = server.ask(&get("/public/signups").headers(headers)).await;
        answer.header("ratelimit").map(str::to_owned)
    };
    let left = |left: u32| Some(format!(r#""signups";r={left};t=60"#));
    assert_eq!(remaining(&[("cf-connecting-ip", "192.0.2.1"), ("x-forwarded-for", "192.0.2.2")]).await, left(29));
    assert_eq!(remaining(&[("cf-connecting-ip", "192.0.2.1")]).await, left(28));
    assert_eq!(remaining(&[("x-forwarded-for", "192.0.2.1, 10.0.0.1")]).await, left(27));
    assert_eq!(remaining(&[("x-forwarded-for", "192.0.2.2, 192.0.2.1")]).await, left(29));
    // Without either: one `anonymous` for all, whatever their peer or another header says.
    assert_eq!(remaining(&[]).await, left(29));
    assert_eq!(remaining(&[("x-real-ip", "192.0.2.1")]).await, left(28));
    // IPv6 addresses are keys as they are.
    assert_eq!(remaining(&[("cf-connecting-ip", "2001:db8::1")]).await, left(29));
    assert_eq!(remaining(&[("cf-connecting-ip", "2001:db8::2")]).await, left(29));
}

//! The tables of `signals`, row by row.

use std::io::Write;

use axum::http::{Method, StatusCode};
use serde_json::Value;

use super::server::{NOW, Server, get, post};

const EDGE: &str = r#""edge";q=100;w=60"#;
const REST: &str = r#""edge";q=100;w=60, "rest";q=10;w=60, "daily";q=200;w=86400"#;

fn edge_body(seconds: u64, ip: &str) -> String {
    let (error, message) = ("rate_limited", "Too many requests — 100 per minute per IP.");
    format!(r#"{{"error":"{error}","message":"{message}","retry_after_seconds":{seconds},"ip":"{ip}"}}"#)
}

/// A file of keys, as long as it is held.
fn keys() -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"# id,tier\nk_free,free\nk_pro,pro\nk_team,team\n").unwrap();
    file
}

async fn with_keys() -> (Server, tempfile::NamedTempFile) {
    let file = keys();
    (Server::start(&format!("signals --keys {}", file.path().display())).await, file)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edge_passes_100_denies_the_101st_and_recovers_one_window_after_the_oldest() {
    let server = Server::start("signals").await;
    server.ask(&get("/")).await.assert_passed(Some((EDGE, r#""edge";r=99;t=60"#)));
    let statuses = server.ask_times(98, &get("/").later(26_000)).await;
    assert!(statuses.iter().all(|&status| status == 200));
    server.ask(&get("/").later(26_000)).await.assert_passed(Some((EDGE, r#""edge";r=0;t=34"#)));

    let denied = server.ask(&get("/").later(26_000)).await;
    denied.assert_denied(&edge_body(34, "203.0.113.9"), Some("34"), (EDGE, r#""edge";r=0;t=34"#));
    let hammering = server.ask_times(150, &get("/").later(40_000)).await;
    assert!(hammering.iter().all(|&status| status == 429));
    let denied = server.ask(&get("/").later(59_999)).await;
    denied.assert_denied(&edge_body(1, "203.0.113.9"), Some("1"), (EDGE, r#""edge";r=0;t=1"#));

    // The oldest has aged out, and nothing else: one more passes.
    server.ask(&get("/").later(60_000)).await.assert_passed(Some((EDGE, r#""edge";r=0;t=26"#)));
    assert_eq!(server.ask(&get("/").later(60_000)).await.status, StatusCode::TOO_MANY_REQUESTS);
    // And the other 99 one window after theirs.
    server.ask(&get("/").later(86_000)).await.assert_passed(Some((EDGE, r#""edge";r=98;t=34"#)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_get_of_health_and_status_is_exempt() {
    let server = Server::start("signals").await;
    for path in ["/api/health", "/api/status", "/api/health?verbose=1"] {
        let answer = server.ask(&get(path)).await;
        assert_eq!((answer.status, answer.header("ratelimit")), (StatusCode::OK, None), "{path}");
    }
    // Whatever the router takes for another path, or another method, is counted.
    let looks =
        ["/api/health/", "//api/health", "/api/%68ealth", "/API/health", "/api/status;", "/api/health/.", "/api"];
    let methods = [Method::POST, Method::HEAD, Method::OPTIONS, Method::PUT];
    let methods =
        methods.into_iter().flat_map(|m| [get("/api/health").method(m.clone()), get("/api/status").method(m)]);
    let mut remaining = 100;
    for question in looks.into_iter().map(get).chain(methods) {
        remaining -= 1;
        let answer = server.ask(&question).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.header("ratelimit"), Some(format!(r#""edge";r={remaining};t=60"#).as_str()));
    }
    assert!(server.ask_times(remaining, &post("/api/health")).await.iter().all(|&status| status == 200));
    assert_eq!(server.ask(&post("/api/status")).await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(server.ask(&get("/api/status")).await.status, StatusCode::OK);
    assert_eq!(server.ask(&get("/api/health")).await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rest_is_one_bucket_for_four_endpoints_refilled_by_the_minute() {
    let server = Server::start("signals").await;
    let first = server.ask(&get("/api/intel")).await;
    first.assert_passed(Some((REST, r#""edge";r=99;t=60, "rest";r=9;t=34, "daily";r=199;t=6394"#)));
    for path in ["/api/mcp", "/api/audits", "/api/goals"].repeat(3) {
        assert_eq!(server.ask(&post(path)).await.status, StatusCode::OK);
    }
    let body = r#"{"ok":false,"error":"rate_limit_exceeded","retry_after_seconds":34}"#;
    let limits = r#""edge";r=89;t=60, "rest";r=0;t=34, "daily";r=190;t=6394"#;
    server.ask(&get("/api/mcp")).await.assert_denied(body, Some("34"), (REST, limits));

    let body = r#"{"ok":false,"error":"rate_limit_exceeded","retry_after_seconds":1}"#;
    let limits = r#""edge";r=88;t=27, "rest";r=0;t=1, "daily";r=190;t=6361"#;
    server.ask(&get("/api/goals").later(33_999)).await.assert_denied(body, Some("1"), (REST, limits));
    // Nothing was written by those: all ten are back at once.
    let next = server.ask(&get("/api/intel").later(34_000)).await;
    next.assert_passed(Some((REST, r#""edge";r=87;t=26, "rest";r=9;t=60, "daily";r=189;t=6360"#)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edge_has_counted_what_a_bucket_then_rejects() {
    let server = Server::start("signals").await;
    let statuses = server.ask_times(100, &get("/api/intel")).await;
    assert!(statuses[..10].iter().all(|&status| status == 200));
    assert!(statuses[10..].iter().all(|&status| status == 429));
    let denied = server.ask(&get("/api/intel")).await;
    denied.assert_denied(&edge_body(60, "203.0.113.9"), Some("60"), (EDGE, r#""edge";r=0;t=60"#));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn issuance_has_a_window_of_an_hour_and_is_a_post() {
    const ON_THE_HOUR: u64 = 1_699_999_200_000;
    let server = Server::start("signals").await;
    let issue = post("/api/keys").at(ON_THE_HOUR);
    let policy = r#""edge";q=100;w=60, "issuance";q=5;w=3600"#;
    server.ask(&issue).await.assert_passed(Some((policy, r#""edge";r=99;t=60, "issuance";r=4;t=3600"#)));
    assert!(server.ask_times(4, &issue).await.iter().all(|&status| status == 200));
    let body = r#"{"ok":false,"error":"issuance_rate_limit_exceeded","retry_after_seconds":3600}"#;
    let limits = r#""edge";r=94;t=60, "issuance";r=0;t=3600"#;
    server.ask(&issue).await.assert_denied(body, Some("3600"), (policy, limits));
    // The list of keys is not their issuance.
    server.ask(&get("/api/keys").at(ON_THE_HOUR)).await.assert_passed(Some((EDGE, r#""edge";r=93;t=60"#)));
    assert_eq!(server.ask(&issue.clone().at(ON_THE_HOUR + 3_599_999)).await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(server.ask(&issue.at(ON_THE_HOUR + 3_600_000)).await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_evaluation_is_denied_with_its_id_and_without_retry_after() {
    let server = Server::start("signals").await;
    let evaluate = |signal| post(signal).later(0);
    let policy = r#""edge";q=100;w=60, "signals";q=60;w=60"#;
    let first = server.ask(&evaluate("/v1/signals/churn/evaluate")).await;
    first.assert_passed(Some((policy, r#""edge";r=99;t=60, "signals";r=59;t=34"#)));
    assert!(server.ask_times(59, &evaluate("/v1/signals/fit/evaluate")).await.iter().all(|&status| status == 200));

    let mut ids = Vec::new();
    for remaining in [39, 38] {
        let denied = server.ask(&evaluate("/v1/signals/churn/evaluate")).await;
        let body = String::from_utf8(denied.body.to_vec()).unwrap();
        let id = body.strip_prefix(r#"{"request_id":"req_"#).and_then(|rest| rest.get(..16)).unwrap().to_owned();
        assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        let message = r#""message":"Rate limit exceeded; retry in 34s.","retry_after_seconds":34"#;
        let body = format!(r#"{{"request_id":"req_{id}","ok":false,"error":"rate_limited",{message}}}"#);
        let limits = format!(r#""edge";r={remaining};t=60, "signals";r=0;t=34"#);
        denied.assert_denied(&body, None, (policy, &limits));
        ids.push(id);
    }
    assert_ne!(ids[0], ids[1]);
    server.ask(&get("/v1/signals/churn/evaluate")).await.assert_passed(Some((EDGE, r#""edge";r=37;t=60"#)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_quota_of_the_day_ends_with_the_utc_day_and_leaves_the_bucket_alone() {
    const MIDNIGHT: u64 = 1_700_006_400_000;
    let server = Server::start("signals").await;
    for minute in 0..20 {
        let statuses = server.ask_times(10, &get("/api/intel").later(minute * 60_000)).await;
        assert!(statuses.iter().all(|&status| status == 200), "{minute}");
    }
    let body = r#"{"ok":false,"error":"daily_quota_exceeded","retry_after_seconds":5194}"#;
    let limits = r#""edge";r=99;t=60, "rest";r=10, "daily";r=0;t=5194"#;
    let denied = server.ask(&get("/api/goals").later(20 * 60_000)).await;
    denied.assert_denied(body, Some("5194"), (REST, limits));
    // Other families go on.
    assert_eq!(server.ask(&post("/v1/signals/fit/evaluate").later(20 * 60_000)).await.status, StatusCode::OK);

    let last_moment = server.ask(&get("/api/intel").at(MIDNIGHT - 1)).await;
    assert_eq!(last_moment.header("retry-after"), Some("1"));
    let next_day = server.ask(&get("/api/intel").at(MIDNIGHT)).await;
    let limits = r#""edge";r=98;t=60, "rest";r=9;t=60, "daily";r=199;t=86400"#;
    next_day.assert_passed(Some((REST, limits)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_has_its_tier_and_one_bucket_wherever_it_is_used() {
    let (server, _file) = with_keys().await;
    let with = |key, ip| get("/api/intel").headers(&[("authorization", key), ("cf-connecting-ip", ip)]);
    let passed = async |times, key, ip| {
        let statuses = server.ask_times(times, &with(key, ip)).await;
        statuses.iter().filter(|&&status| status == 200).count()
    };
    let team = server.ask(&with("Bearer k_team", "192.0.2.1")).await;
    let policy = r#""edge";q=100;w=60, "rest";q=600;w=60, "daily";q=100000;w=86400"#;
    team.assert_passed(Some((policy, r#""edge";r=99;t=60, "rest";r=599;t=34, "daily";r=99999;t=6394"#)));

    // One bucket for the key, from two addresses.
    assert_eq!(passed(40, "Bearer k_pro", "192.0.2.2").await, 40);
    assert_eq!(passed(40, "Bearer k_pro", "192.0.2.3").await, 20);
    // A free key is not the address that it comes from, nor is an unknown key one: that is anonymous.
    assert_eq!(passed(11, "Bearer k_free", "192.0.2.4").await, 10);
    assert_eq!(passed(5, "Bearer k_unknown", "192.0.2.4").await, 5);
    assert_eq!(passed(11, "Bearer k_other", "192.0.2.4").await, 5);

    // Several keys behind one address share its layer 1: 99 of the team's, and no more for anybody.
    assert_eq!(passed(99, "Bearer k_team", "192.0.2.1").await, 99);
    let denied = server.ask(&with("Bearer k_free", "192.0.2.1")).await;
    denied.assert_denied(&edge_body(60, "192.0.2.1"), Some("60"), (EDGE, r#""edge";r=0;t=60"#));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_store_layer_2_is_skipped_and_layer_1_stays() {
    let server = Server::start("signals --no-store").await;
    server.ask(&get("/api/intel")).await.assert_passed(Some((EDGE, r#""edge";r=99;t=60"#)));
    for question in [post("/api/keys"), post("/v1/signals/fit/evaluate"), get("/api/goals")] {
        assert!(server.ask_times(33, &question).await.iter().all(|&status| status == 200));
    }
    assert_eq!(server.ask(&get("/api/intel")).await.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_reads_out_denials_by_endpoint_and_the_last_few() {
    let server = Server::start("signals").await;
    let readout = async || serde_json::from_slice::<Value>(&server.ask(&get("/api/health")).await.body).unwrap();
    let empty = serde_json::json!({"status": "ok", "rate_limited": {"total": 0, "by_endpoint": {}, "last": []}});
    assert_eq!(readout().await, empty);

    server.ask_times(13, &get("/api/intel")).await;
    server.ask_times(61, &post("/v1/signals/fit/evaluate")).await;
    server.ask_times(26, &get("/")).await;
    server.ask_times(19, &get("/reset/secret")).await;
    server.ask(&post("/v1/signals/secret/evaluate")).await;
    let told = readout().await["rate_limited"].clone();
    assert_eq!(told["total"], 3 + 1 + 20);
    let counts = serde_json::json!({"/api/intel": 3, "/v1/signals/{signal}/evaluate": 2, "other": 19});
    assert_eq!(told["by_endpoint"], counts);
    let last = told["last"].as_array().unwrap();
    assert_eq!(last.len(), gateway::denials::LAST);
    // Everybody may read it, so it has the routes, and not what stood in their place.
    let denial = |endpoint| {
        serde_json::json!({
            "error": "rate_limited", "endpoint": endpoint, "policy": "edge", "retry_after_seconds": 60, "time_ms": NOW,
        })
    };
    let (latest, earlier) = last.split_last().unwrap();
    assert_eq!(*latest, denial("/v1/signals/{signal}/evaluate"));
    assert!(earlier.iter().all(|told| *told == denial("other")), "{last:?}");
}

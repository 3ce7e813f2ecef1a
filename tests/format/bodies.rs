//! The bodies of both systems, problem details and plain text, byte for byte.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use tollgate::Wait;
use tollgate::format::body::signals::{EdgeThrottle, Evaluation, Family};
use tollgate::format::body::text::TooManyRequests;
use tollgate::format::body::{self, survey, text};
use tollgate::format::problem::{self, Problem, ProblemType};
use tollgate::format::{Name, RetryAfter};

use crate::denied;

fn after(seconds: u64) -> RetryAfter {
    RetryAfter::new(denied(Wait::from_secs(seconds))).unwrap()
}

#[test]
fn the_survey_system_answers_as_it_does() {
    assert_eq!(survey::PER_CLIENT.to_string(), r#"{"error":{"code":"rate_limited","message":"Too many requests"}}"#);
    assert_eq!(
        survey::PER_API_KEY.to_string(),
        r#"{"error":{"code":"rate_limited","message":"API key rate limit exceeded"}}"#
    );
}

#[test]
fn the_signals_system_answers_as_it_does() {
    let edge = r#"{"error":"rate_limited","message":"Too many requests — 100 per minute per IP.","retry_after_seconds":34,"ip":"203.0.113.9"}"#;
    assert_eq!(EdgeThrottle::new(100, after(34), "203.0.113.9").to_string(), edge);
    assert_eq!(EdgeThrottle::new(100, after(34), Ipv4Addr::new(203, 0, 113, 9)).to_string(), edge);
    assert!(edge.as_bytes().windows(3).any(|bytes| bytes == [0xE2, 0x80, 0x94]), "the dash is an em dash in UTF-8");
    let v6 = EdgeThrottle::new(100, after(1), IpAddr::V6(Ipv6Addr::LOCALHOST)).to_string();
    assert!(v6.ends_with(r#","retry_after_seconds":1,"ip":"::1"}"#));

    for (body, written) in [
        (Family::rest(after(34)), r#"{"ok":false,"error":"rate_limit_exceeded","retry_after_seconds":34}"#),
        (
            Family::issuance(after(3600)),
            r#"{"ok":false,"error":"issuance_rate_limit_exceeded","retry_after_seconds":3600}"#,
        ),
        (Family::daily(after(34)), r#"{"ok":false,"error":"daily_quota_exceeded","retry_after_seconds":34}"#),
    ] {
        assert_eq!(body.to_string(), written);
    }
    assert_eq!(
        Evaluation::new("req_9f2c…", after(34)).to_string(),
        r#"{"request_id":"req_9f2c…","ok":false,"error":"rate_limited","message":"Rate limit exceeded; retry in 34s.","retry_after_seconds":34}"#
    );
}

#[test]
fn problems_are_those_of_the_draft() {
    const DAILY_AND_BANDWIDTH: [Name; 2] = [Name::constant("daily"), Name::constant("bandwidth")];
    const HOURLY: [Name; 1] = [Name::constant("hourly")];
    for (problem, violated, status, written) in [
        (
            ProblemType::QuotaExceeded,
            &DAILY_AND_BANDWIDTH[..],
            429,
            r#"{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request cannot be satisfied as assigned quota has been exceeded","violated-policies":["daily","bandwidth"]}"#,
        ),
        (
            ProblemType::TemporaryReducedCapacity,
            &HOURLY,
            503,
            r#"{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Request cannot be satisfied due to temporary server capacity constraints","violated-policies":["hourly"]}"#,
        ),
        (
            ProblemType::AbnormalUsageDetected,
            &HOURLY,
            429,
            r#"{"type":"https://iana.org/assignments/http-problem-types#abnormal-usage-detected","title":"Request not satisifed due to detection of abnormal request pattern","violated-policies":["hourly"]}"#,
        ),
    ] {
        assert_eq!(Problem::new(problem, violated).to_string(), written);
        assert_eq!(problem.status(), status);
        let full = Problem::new(problem, violated).instance("/i").detail("d").with_status().title("t").to_string();
        let read: serde_json::Value = serde_json::from_str(&full).unwrap();
        let members = ["type", "title", "status", "detail", "instance", "violated-policies"];
        let places = members.map(|member| full.find(&format!(r#""{member}":"#)).unwrap());
        assert!(places.is_sorted(), "the members keep their order: {full}");
        assert_eq!((&read["status"], &read["title"]), (&status.into(), &"t".into()));
    }
}

#[test]
fn plain_text_is_a_sentence() {
    assert_eq!(TooManyRequests(after(1)).to_string(), "Too many requests. Retry in 1 second.");
    assert_eq!(TooManyRequests(after(3600)).to_string(), "Too many requests. Retry in 3600 seconds.");
}

#[test]
fn content_types() {
    let types = [body::CONTENT_TYPE, problem::CONTENT_TYPE, text::CONTENT_TYPE];
    assert_eq!(types, ["application/json", "application/problem+json", "text/plain; charset=utf-8"]);
    assert_eq!(body::STATUS, 429);
}

proptest! {
    /// Whatever comes from outside, the body stays the object that it is.
    #[test]
    fn input_cannot_break_out_of_a_body(input in any::<String>(), seconds in 0..100_000u64) {
        let told = seconds.max(1);
        let read = |body: String| serde_json::from_str::<serde_json::Value>(&body).unwrap();
        prop_assert_eq!(
            read(EdgeThrottle::new(7, after(seconds), &input).to_string()),
            serde_json::json!({
                "error": "rate_limited", "message": "Too many requests — 7 per minute per IP.",
                "retry_after_seconds": told, "ip": input,
            })
        );
        prop_assert_eq!(
            read(Evaluation::new(&input, after(seconds)).to_string()),
            serde_json::json!({
                "request_id": input, "ok": false, "error": "rate_limited",
                "message": format!("Rate limit exceeded; retry in {told}s."), "retry_after_seconds": told,
            })
        );
        prop_assert_eq!(
            read(Family::new(&input, after(seconds)).to_string()),
            serde_json::json!({ "ok": false, "error": input, "retry_after_seconds": told })
        );
        prop_assert_eq!(
            read(survey::RateLimited::new(&input).to_string()),
            serde_json::json!({ "error": { "code": "rate_limited", "message": input } })
        );
        prop_assert_eq!(
            read(Problem::new(ProblemType::QuotaExceeded, &[]).title(&input).detail(&input).instance(&input).to_string()),
            serde_json::json!({
                "type": ProblemType::QuotaExceeded.uri(), "title": input, "detail": input, "instance": input,
                "violated-policies": [],
            })
        );
    }
}

//! The cases of `tests/vectors/format.json`, which is for implementations in any language.

use core::time::Duration;

use serde_json::{Value, json};
use tollgate::format::body::signals::{EdgeThrottle, Evaluation, Family};
use tollgate::format::body::survey;
use tollgate::format::body::text::TooManyRequests;
use tollgate::format::problem::{Problem, ProblemType};
use tollgate::format::sf::{Bytes, Integer, List, Quoted};
use tollgate::format::x_ratelimit::XRateLimit;
use tollgate::format::{Denial, Name, Quota, RetryAfter, draft_06, draft_07, draft_10, json};
use tollgate::{Decision, Status, Timestamp, Wait};

fn number(case: &Value, member: &str) -> u64 {
    case[member].as_u64().unwrap_or_else(|| panic!("{member} is missing in {case}"))
}

fn small(case: &Value, member: &str) -> u32 {
    u32::try_from(number(case, member)).unwrap()
}

fn text<'a>(case: &'a Value, member: &str) -> &'a str {
    case[member].as_str().unwrap_or_else(|| panic!("{member} is missing in {case}"))
}

fn array<'a>(case: &'a Value, member: &str) -> &'a [Value] {
    case[member].as_array().unwrap_or_else(|| panic!("{member} is missing in {case}"))
}

fn wait(case: &Value, member: &str) -> Wait {
    Wait::from_nanos(number(case, member))
}

fn decision(case: &Value) -> Decision {
    match &case["retry_after_ns"] {
        Value::Null => Decision::Allow,
        nanos => Decision::Deny { retry_after: Wait::from_nanos(nanos.as_u64().unwrap()) },
    }
}

fn retry_after(case: &Value) -> RetryAfter {
    RetryAfter::new(decision(case)).unwrap()
}

fn status(case: &Value) -> Status {
    Status::new(small(case, "limit"), small(case, "remaining"), wait(case, "grows_in_ns"), wait(case, "full_in_ns"))
}

fn quota(case: &Value) -> Quota {
    let quota = Quota::new(small(case, "quota"), Duration::from_nanos(number(case, "window_ns")));
    case["burst"].as_u64().map_or(quota, |burst| quota.with_burst(u32::try_from(burst).unwrap()))
}

fn bytes(hex: &Value) -> Option<Vec<u8>> {
    let digits: Vec<u8> = hex.as_str()?.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn policies(case: &Value) -> String {
    let keys: Vec<_> = array(case, "policies").iter().map(|policy| bytes(&policy["partition_key"])).collect();
    let policies = array(case, "policies").iter().zip(&keys).map(|(case, key)| {
        let mut policy = draft_10::Policy::new(Name::new(text(case, "name")).unwrap(), quota(case));
        if let Some(unit) = case["unit"].as_str() {
            policy = policy.unit(draft_10::QuotaUnit::Other(Name::new(unit).unwrap()));
        }
        if let Some(scale) = case["scale"].as_u64() {
            policy = policy.scaled(u32::try_from(scale).unwrap());
        }
        key.as_ref().map_or(policy, |key| policy.partition_key(key))
    });
    List::new(&policies.collect::<Vec<_>>()).unwrap().to_string()
}

fn limits(case: &Value) -> Value {
    let keys: Vec<_> = array(case, "limits").iter().map(|limit| bytes(&limit["partition_key"])).collect();
    let limits: Vec<_> = array(case, "limits")
        .iter()
        .zip(&keys)
        .map(|(case, key)| {
            let limit = draft_10::Limit::new(Name::new(text(case, "name")).unwrap(), &status(case));
            key.as_ref().map_or(limit, |key| limit.partition_key(key))
        })
        .collect();
    let mut fields = json!({ "ratelimit": List::new(&limits).unwrap().to_string() });
    if let Some(retry_after) = draft_10::retry_after(decision(case), &limits) {
        fields["retry-after"] = retry_after.to_string().into();
    }
    fields
}

/// Folds the statuses of a case into a value that tells of one of them.
fn closest<T>(case: &Value, new: impl Fn(Decision, &Status) -> T, and: impl Fn(T, &Status) -> T) -> T {
    let statuses: Vec<_> = array(case, "statuses").iter().map(status).collect();
    let (first, others) = statuses.split_first().unwrap();
    others.iter().fold(new(decision(case), first), and)
}

fn x_ratelimit(case: &Value) -> Value {
    let limit = closest(case, XRateLimit::new, XRateLimit::and);
    let reset = match case["unix_now_ns"].as_u64() {
        Some(now) => limit.reset_at(Timestamp::from_nanos(now)).to_string(),
        None => limit.reset_after().to_string(),
    };
    json!({
        "x-ratelimit-limit": limit.limit().to_string(),
        "x-ratelimit-remaining": limit.remaining().to_string(),
        "x-ratelimit-reset": reset,
    })
}

fn quota_policies(case: &Value) -> Result<String, &'static str> {
    let quotas: Vec<_> = array(case, "policies").iter().map(quota).collect();
    draft_07::QuotaPolicies::new(&quotas).map(|policies| policies.to_string()).map_err(|_| "quota-policies")
}

fn problem(case: &Value) -> String {
    let problem = match text(case, "problem") {
        "quota-exceeded" => ProblemType::QuotaExceeded,
        "temporary-reduced-capacity" => ProblemType::TemporaryReducedCapacity,
        "abnormal-usage-detected" => ProblemType::AbnormalUsageDetected,
        other => panic!("no problem type {other}"),
    };
    let names: Vec<_> = array(case, "violated").iter().map(|name| Name::new(name.as_str().unwrap()).unwrap()).collect();
    let mut body = Problem::new(problem, &names);
    if let Some(status) = case["status"].as_u64() {
        assert_eq!(status, u64::from(problem.status()));
        body = body.with_status();
    }
    if let Some(detail) = case["detail"].as_str() {
        body = body.detail(detail);
    }
    if let Some(instance) = case["instance"].as_str() {
        body = body.instance(instance);
    }
    body.to_string()
}

fn denial(case: &Value) -> Denial<'_, &str> {
    Denial {
        endpoint: text(case, "endpoint"),
        key: text(case, "key"),
        policy: text(case, "policy"),
        retry_after: retry_after(case),
        at: Timestamp::from_nanos(number(case, "at_ns")),
    }
}

/// What the formatter of a case renders: a text, or a text for each field, or the name of an error.
fn rendered(case: &Value) -> Result<Value, &'static str> {
    let value = match text(case, "formatter") {
        "sf-string" => Quoted(Name::new(text(case, "text")).map_err(|_| "name")?).to_string(),
        "sf-integer" => Integer(number(case, "number")).to_string(),
        "sf-bytes" => Bytes(&bytes(&case["bytes"]).unwrap()).to_string(),
        "json-string" => json::object(|object| object.member("s").string(text(case, "text"))).to_string(),
        "retry-after" => return Ok(RetryAfter::new(decision(case)).map(|delay| delay.to_string()).into()),
        "draft-10-policies" => policies(case),
        "draft-10-limits" => return Ok(limits(case)),
        "draft-07" => closest(case, draft_07::RateLimit::new, draft_07::RateLimit::and).to_string(),
        "draft-06" => {
            let limit = closest(case, draft_06::RateLimit::new, draft_06::RateLimit::and);
            return Ok(limit.fields().into_iter().map(|(name, value)| (name, value.to_string())).collect());
        }
        "quota-policies" => quota_policies(case)?,
        "x-ratelimit" => return Ok(x_ratelimit(case)),
        "survey-client" => survey::PER_CLIENT.to_string(),
        "survey-api-key" => survey::PER_API_KEY.to_string(),
        "signals-edge" => EdgeThrottle::new(small(case, "per_minute"), retry_after(case), text(case, "ip")).to_string(),
        "signals-family" => Family::new(text(case, "code"), retry_after(case)).to_string(),
        "signals-evaluation" => Evaluation::new(text(case, "request_id"), retry_after(case)).to_string(),
        "text" => TooManyRequests(retry_after(case)).to_string(),
        "problem" => problem(case),
        "denial-line" => denial(case).to_string(),
        "denial-json" => denial(case).json().to_string(),
        other => panic!("no formatter {other}"),
    };
    Ok(value.into())
}

#[test]
fn every_vector_holds() {
    let file: Value = serde_json::from_str(include_str!("../vectors/format.json")).unwrap();
    let cases = array(&file, "cases");
    assert!(cases.len() > 140, "the file holds {} cases", cases.len());
    for case in cases {
        match rendered(case) {
            Ok(value) => assert_eq!(value, case["renders"], "{case}"),
            Err(error) => assert_eq!(case["error"], error, "{case}"),
        }
    }
}

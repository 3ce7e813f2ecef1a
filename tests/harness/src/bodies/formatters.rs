//! Every formatter, with arbitrary strings and numbers, read by parsers of other people's.
//!
//! A case is four texts, each behind its length (below 64), bytes behind theirs, and then the numbers in the order in which they are
//! read here. What is left is a JSON object: up to three members, each a name and a value, of which a byte is the kind (`00` null, `01` and
//! `02` numbers, `03` a text, `04` an array, `05` an object, `06` true).

use core::fmt::Display;
use core::time::Duration;

use serde_json::{Value, json};
use sfv::{BareItem, Dictionary, FieldType, Item, List, ListEntry, Parser};
use tollgate::format::{Denial, Name, Quota, RenderError, RetryAfter, draft_06, draft_07, draft_10, render};
use tollgate::format::{body, problem, sf, x_ratelimit};
use tollgate::{Decision, Status, Timestamp, Wait};

use super::input::Input;
use crate::json::{assert_as_by_serde_json, could_forge};

/// Runs a case.
///
/// # Panics
///
/// Where what is rendered is not valid, or is read as something else.
pub fn run(case: &[u8]) {
    let mut input = Input::new(case);
    let given = Given::read(&mut input);
    headers(&given);
    names(&given);
    bodies(&given);
    problems(&given);
    denial(&given);
    any_json(&mut input);
}

/// What there is to tell.
struct Given {
    texts: [String; 4],
    bytes: Vec<u8>,
    quota: Quota,
    scale: u32,
    decision: Decision,
    status: Status,
    other: Status,
    at: Timestamp,
    room: usize,
}

impl Given {
    fn read(input: &mut Input<'_>) -> Self {
        let texts = [(); 4].map(|()| input.text());
        let bytes = input.block().to_vec();
        let quota = Quota::new(input.units(), Duration::new(input.window(), input.units() % 1_000_000_000));
        let quota = if input.flag() { quota.with_burst(input.units()) } else { quota };
        let wait = |input: &mut Input<'_>| Wait::from_nanos(input.window());
        let status = |input: &mut Input<'_>| Status::new(input.units(), input.units(), wait(input), wait(input));
        let (scale, first, other) = (input.units(), status(input), status(input));
        let decision = if input.flag() { Decision::Deny { retry_after: wait(input) } } else { Decision::Allow };
        let (at, room) = (Timestamp::from_nanos(input.time(&mut 0)), input.choice(256));
        Self { texts, bytes, quota, scale, decision, status: first, other, at, room }
    }

    fn retry_after(&self) -> RetryAfter {
        RetryAfter::new(self.decision).unwrap_or(RetryAfter::after(self.status.grows_in))
    }

    /// What is rendered, which a buffer holds if it has the room.
    fn rendered(&self, value: &impl Display) -> String {
        let text = value.to_string();
        let mut buffer = vec![0; self.room];
        match render(value, &mut buffer) {
            Ok(rendered) => assert_eq!(rendered, text, "in a buffer"),
            Err(RenderError::TooSmall { needed, capacity }) => {
                assert_eq!((needed, capacity), (text.len(), self.room), "{text:?}");
                assert!(needed > capacity, "{text:?} fits into {capacity} bytes");
            }
            Err(error) => panic!("{text:?} is not rendered: {error}"),
        }
        text
    }

    /// What stands in a header: visible, in ASCII, and not empty.
    fn field(&self, value: &impl Display) -> String {
        let field = self.rendered(value);
        assert!(field.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "no value of a header: {field:?}");
        assert!(!field.is_empty() && field.trim() == field, "nothing, or blanks around it: {field:?}");
        field
    }

    fn digits(&self, value: &impl Display) -> u64 {
        let field = self.field(value);
        assert!(field.bytes().all(|byte| byte.is_ascii_digit()), "{field:?}");
        field.parse().expect("a number of 64 bits")
    }

    fn json(&self, value: &impl Display) -> Value {
        let text = self.rendered(value);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("no JSON, {error}: {text}"))
    }
}

/// Reads a structured field, which has to be in its canonical form.
fn structured<T: FieldType>(field: &str, parsed: Result<T, sfv::Error>, written: impl Fn(&T) -> Option<String>) -> T {
    let value = parsed.unwrap_or_else(|error| panic!("no structured field, {error}: {field}"));
    assert_eq!(written(&value).as_deref(), Some(field), "not in canonical form");
    value
}

fn items(field: &str) -> Vec<Item> {
    let list = structured(field, Parser::new(field).parse::<List>(), List::serialize);
    let item = |entry| match entry {
        ListEntry::Item(item) => item,
        ListEntry::InnerList(_) => panic!("a list within {field}"),
    };
    list.into_iter().map(item).collect()
}

/// Seconds as a structured field has them, with 15 digits at most.
fn integer(number: u64) -> BareItem {
    let number = number.min(999_999_999_999_999);
    BareItem::Integer(i64::try_from(number).expect("below 2^63").try_into().expect("in range"))
}

fn headers(given: &Given) {
    let Given { decision, status, quota, scale, .. } = given;
    if let (Some(field), Some(wait)) = (RetryAfter::new(*decision), decision.retry_after()) {
        assert_eq!(given.digits(&field), wait.as_secs_ceil().max(1), "Retry-After");
    }

    let limit = x_ratelimit::XRateLimit::new(*decision, status).and(&given.other);
    let now = given.at.as_nanos();
    let reset_at = given.digits(&limit.reset_at(given.at));
    assert!(reset_at >= now.div_ceil(1_000_000_000), "a reset at {reset_at} s has passed at {now} ns");
    given.digits(&limit.reset_after());

    let limit = draft_06::RateLimit::new(*decision, status).and(&given.other);
    for (_, value) in limit.fields() {
        let field = given.field(&value);
        let item = structured(&field, Parser::new(&field).parse::<Item>(), |item| Some(item.serialize()));
        assert_eq!(item.bare_item, integer(value.0), "{field}");
    }
    let field = given.field(&draft_07::RateLimit::new(*decision, status).and(&given.other));
    let dictionary = structured(&field, Parser::new(&field).parse::<Dictionary>(), Dictionary::serialize);
    assert_eq!(dictionary.len(), 3, "{field}");

    let quotas = [*quota, Quota::new(*scale, Duration::from_nanos(now))];
    for quotas in [&quotas[..1], &quotas[..]] {
        match draft_06::QuotaPolicies::new(quotas) {
            Ok(policies) => assert_eq!(items(&given.field(&policies)).len(), quotas.len()),
            Err(error) => assert!(quotas.len() == 2 && quotas[0].units() == quotas[1].units(), "{error}"),
        }
    }
}

/// Names are strings of structured fields, or refused.
fn names(given: &Given) {
    let Given { texts, bytes, quota, scale, status, .. } = given;
    let name = |text| {
        let name = Name::new(text);
        let printable = str::bytes(text).all(|byte| (b' '..=b'~').contains(&byte));
        assert_eq!(name.is_ok(), printable, "{text:?}");
        name.ok()
    };
    let (Some(first), Some(second)) = (name(&texts[0]), name(&texts[1])) else { return };

    let plain = draft_10::Policy::new(first, *quota);
    let whole = draft_10::Policy::new(second, *quota).scaled(*scale).unit(draft_10::QuotaUnit::Other(first));
    let policies = [plain, whole.partition_key(bytes), plain.without_window()];
    let limit = draft_10::Limit::new(second, status);
    let limits = [limit, limit.scaled(*scale).partition_key(bytes), draft_10::Limit::new(first, &given.other)];
    let policies = given.field(&sf::List::new(&policies).expect("three items"));
    let limits = given.field(&sf::List::new(&limits).expect("three items"));
    for (field, names) in [(policies, [first, second, first]), (limits, [second, second, first])] {
        let items = items(&field);
        let read: Vec<_> = items.iter().map(|item| item.bare_item.as_string().map(|name| name.as_str())).collect();
        assert_eq!(read, names.map(|name| Some(name.as_str())), "{field}");
        let key = items[1].params.get("pk").map(|key| key.as_byte_sequence());
        assert_eq!(key, Some(Some(&bytes[..])), "{field}");
    }
}

fn bodies(given: &Given) {
    let retry_after = given.retry_after();
    let (text, secs) = (&given.texts[2], retry_after.secs());
    let edge = given.json(&body::signals::EdgeThrottle::new(given.scale, retry_after, text));
    assert_eq!((&edge["ip"], &edge["retry_after_seconds"]), (&json!(text), &json!(secs)));
    let family = given.json(&body::signals::Family::new(text, retry_after));
    assert_eq!(family, json!({ "ok": false, "error": text, "retry_after_seconds": secs }));
    let evaluation = given.json(&body::signals::Evaluation::new(text, retry_after));
    assert_eq!((&evaluation["request_id"], &evaluation["retry_after_seconds"]), (&json!(text), &json!(secs)));
    let survey = given.json(&body::survey::RateLimited::new(text));
    assert_eq!(survey["error"]["message"], json!(text));
    assert!(given.rendered(&body::text::TooManyRequests(retry_after)).contains(&secs.to_string()));
}

fn problems(given: &Given) {
    let [first, second, detail, instance] = &given.texts;
    let names: Vec<_> = [first, second].into_iter().filter_map(|text| Name::new(text).ok()).collect();
    let kinds = [
        problem::ProblemType::QuotaExceeded,
        problem::ProblemType::TemporaryReducedCapacity,
        problem::ProblemType::AbnormalUsageDetected,
    ];
    for kind in kinds {
        let problem = problem::Problem::new(kind, &names);
        let whole = given.json(&problem.title(second).detail(detail).instance(instance).with_status());
        let names: Vec<_> = names.iter().map(|name| name.as_str()).collect();
        let expected = json!({
            "type": kind.uri(), "title": second, "detail": detail, "instance": instance, "status": kind.status(),
            "violated-policies": names,
        });
        assert_eq!(whole, expected);
        assert_eq!(given.json(&problem)["violated-policies"], json!(names));
    }
}

/// The record of a denial is one line, whatever is in it.
fn denial(given: &Given) {
    let [endpoint, policy, key, _] = &given.texts;
    let denial = Denial { endpoint, key, policy, retry_after: given.retry_after(), at: given.at };
    let expected = json!({
        "error": "rate_limited", "endpoint": endpoint, "key": key, "policy": policy,
        "retry_after_seconds": given.retry_after().secs(), "time_ms": given.at.as_nanos() / 1_000_000,
    });
    assert_eq!(given.json(&denial.json()), expected);
    for line in [given.rendered(&denial), given.rendered(&denial.json())] {
        assert!(!line.contains(could_forge), "more than one line, or in another direction: {line:?}");
    }
}

/// The writer itself.
fn any_json(input: &mut Input<'_>) {
    let Value::Object(members) = object(input, 4) else { unreachable!("an object is one") };
    assert_as_by_serde_json(&members);
}

fn value(input: &mut Input<'_>, depth: usize) -> Value {
    match input.choice(7) {
        1 => input.any().into(),
        2 => (input.any() as i64).into(),
        3 => input.text().into(),
        4 if depth > 0 => (0..input.choice(4)).map(|_| value(input, depth - 1)).collect(),
        5 if depth > 0 => object(input, depth - 1),
        6 => true.into(),
        _ => Value::Null,
    }
}

fn object(input: &mut Input<'_>, depth: usize) -> Value {
    let members = input.choice(4);
    Value::Object((0..members).map(|_| (input.text(), value(input, depth))).collect())
}

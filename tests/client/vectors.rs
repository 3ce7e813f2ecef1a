//! The cases of `tests/vectors/client.json`, which is for implementations in any language.

use core::num::NonZeroU32;
use core::time::Duration;
use std::collections::HashSet;

use serde::Deserialize;
use tollgate::client::x_ratelimit::Reset;
use tollgate::client::{Advice, Backoff, HttpDate, Jitter, Next, Reader, Retries, RetryAfter, Spent};
use tollgate::{Timestamp, Wait};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    why: String,
    #[serde(flatten)]
    question: Question,
}

#[derive(Deserialize)]
#[serde(tag = "read", rename_all = "kebab-case")]
enum Question {
    RetryAfter(RetryAfterCase),
    Answer(AnswerCase),
    Backoff(BackoffCase),
}

#[derive(Deserialize)]
struct RetryAfterCase {
    value: String,
    date: Option<String>,
    unix_now_ns: Option<u64>,
    wait_ns: Option<u64>,
}

#[derive(Deserialize)]
struct AnswerCase {
    status: u16,
    headers: Vec<(String, String)>,
    unix_now_ns: Option<u64>,
    x_reset: Option<XReset>,
    advice: Told,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum XReset {
    InSeconds,
    InMillis,
    AtUnixSeconds,
    AtUnixMillis,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Told {
    Proceed,
    BackOff,
    #[serde(rename = "wait_ns")]
    Wait(u64),
}

#[derive(Deserialize)]
struct BackoffCase {
    base_ns: u64,
    cap_ns: u64,
    jitter: Spread,
    attempts: Option<NonZeroU32>,
    within_ns: Option<u64>,
    patience_ns: Option<u64>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Spread {
    None,
    Full,
    Equal,
    Decorrelated,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    at_ns: u64,
    told_ns: Option<u64>,
    random: u64,
    next: Then,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Then {
    #[serde(rename = "retry_ns")]
    Retry(u64),
    #[serde(rename = "too_long_ns")]
    TooLong(u64),
    Attempts,
    Time,
}

fn file() -> File {
    serde_json::from_str(include_str!("../vectors/client.json")).unwrap()
}

fn retry_after(case: &RetryAfterCase, what: &str) {
    let date = case.date.as_ref().and_then(HttpDate::read);
    let now = case.unix_now_ns.map(Timestamp::from_nanos);
    let wait = RetryAfter::read(&case.value).and_then(|told| told.wait(date, now));
    assert_eq!(wait, case.wait_ns.map(Wait::from_nanos), "{what}");
    // And in an answer.
    let mut lines = vec![("Retry-After", &case.value)];
    lines.extend(case.date.as_ref().map(|date| ("Date", date)));
    let reader = now.map_or(Reader::new(), |now| Reader::new().at(now));
    assert_eq!(reader.read(503, lines).retry_after, wait, "{what}");
}

fn answer(case: &AnswerCase, what: &str) {
    let mut reader = Reader::new();
    if let Some(now) = case.unix_now_ns {
        reader = reader.at(Timestamp::from_nanos(now));
    }
    if let Some(reset) = case.x_reset {
        reader = reader.x_ratelimit(match reset {
            XReset::InSeconds => Reset::InSeconds,
            XReset::InMillis => Reset::InMillis,
            XReset::AtUnixSeconds => Reset::AtUnixSeconds,
            XReset::AtUnixMillis => Reset::AtUnixMillis,
        });
    }
    let advice = reader.read(case.status, case.headers.iter().map(|(name, value)| (name, value))).advice();
    let expected = match case.advice {
        Told::Proceed => Advice::Proceed,
        Told::BackOff => Advice::BackOff,
        Told::Wait(nanos) => Advice::Wait(Wait::from_nanos(nanos)),
    };
    assert_eq!(advice, expected, "{what}");
}

fn backoff(case: &BackoffCase, what: &str) {
    let mut rule = Backoff::new(Duration::from_nanos(case.base_ns), Duration::from_nanos(case.cap_ns)).unwrap();
    rule = rule.jitter(match case.jitter {
        Spread::None => Jitter::None,
        Spread::Full => Jitter::Full,
        Spread::Equal => Jitter::Equal,
        Spread::Decorrelated => Jitter::Decorrelated,
    });
    if let Some(attempts) = case.attempts {
        rule = rule.attempts(attempts);
    }
    if let Some(within) = case.within_ns {
        rule = rule.within(Duration::from_nanos(within));
    }
    if let Some(patience) = case.patience_ns {
        rule = rule.patience(Duration::from_nanos(patience));
    }
    let mut retries = Retries::default();
    for (index, step) in case.steps.iter().enumerate() {
        let told = step.told_ns.map(Wait::from_nanos);
        let next = rule.next(&mut retries, told, Timestamp::from_nanos(step.at_ns), step.random);
        let expected = match step.next {
            Then::Retry(nanos) => Next::Retry { after: Wait::from_nanos(nanos) },
            Then::TooLong(nanos) => Next::TooLong { wait: Wait::from_nanos(nanos) },
            Then::Attempts => Next::GiveUp(Spent::Attempts),
            Then::Time => Next::GiveUp(Spent::Time),
        };
        assert_eq!(next, expected, "{what}, step {index}");
    }
}

#[test]
fn every_case_is_answered_as_it_says() {
    for Case { name, why, question } in file().cases {
        let what = format!("{name:?} ({why})");
        match question {
            Question::RetryAfter(case) => retry_after(&case, &what),
            Question::Answer(case) => answer(&case, &what),
            Question::Backoff(case) => backoff(&case, &what),
        }
    }
}

#[test]
fn every_case_has_a_name_of_its_own_and_says_why() {
    let File { about, cases } = file();
    assert!(about.contains("client.md"));
    let names: HashSet<_> = cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), cases.len());
    assert!(cases.iter().all(|case| !case.why.is_empty()));
}

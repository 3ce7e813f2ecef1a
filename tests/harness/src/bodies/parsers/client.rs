//! What a client reads: the fields of answers, held against an implementation of structured fields of its own.

use sfv::{BareItem, Dictionary, FieldType, List, ListEntry, Parameters, Parser};
use tollgate::client::x_ratelimit::Reset;
use tollgate::client::{Advice, HttpDate, Reader, RetryAfter, draft_06, draft_07, draft_10};
use tollgate::{Timestamp, Wait};

const NOW: Timestamp = Timestamp::from_secs(1_792_567_560);

/// A name, what remains, the seconds until more does, and a partition key.
type Limit = (String, u64, Option<u64>, Option<Vec<u8>>);

/// The case as the value of a `Retry-After`, and as a date.
pub(super) fn retry_after(case: &[u8]) {
    let padded = [b" \t", case, b"\t "].concat();
    let read = RetryAfter::read(case);
    assert_eq!(RetryAfter::read(&padded), read, "blanks are no part of it");
    let wait = read.and_then(|read| read.wait(None, Some(NOW)));
    match read {
        Some(RetryAfter::Delay(_)) => {
            let digits = std::str::from_utf8(case).expect("digits").trim_matches([' ', '\t']);
            assert!(digits.bytes().all(|byte| byte.is_ascii_digit()), "{digits:?}");
            let secs = digits.parse().unwrap_or(u64::MAX);
            assert_eq!(wait, Some(Wait::from_nanos(secs.saturating_mul(1_000_000_000))), "{digits:?}");
        }
        Some(RetryAfter::Until(date)) => {
            assert_eq!(HttpDate::read(case), Some(date));
            let own = read.and_then(|read| read.wait(Some(date), Some(NOW)));
            assert!(own.is_none_or(Wait::is_zero), "a date is no wait from itself");
            assert_eq!(wait.is_some(), date.unix_secs(Some(NOW)).is_some());
        }
        None => assert_eq!(HttpDate::read(case), None),
    }
}

/// The case as the lines of each field of an answer.
pub(super) fn answers(case: &[u8]) {
    let lines: Vec<_> = case.split(|byte| *byte == b'\n').collect();
    let limits = limits(&lines);
    let limit = limit(&lines);
    assert!(limits.is_none() || limit.is_none(), "no value is of two drafts");
    for name in ["RateLimit", "ratelimit-remaining", "x-ratelimit-reset", "retry-after", "date", "age", "other"] {
        let told = [("ratelimit-reset", &b"5"[..]), ("x-ratelimit-remaining", b"0")];
        let fields = lines.iter().map(|line| (name, *line)).chain(told);
        let reading = Reader::new().at(NOW).x_ratelimit(Reset::AtUnixMillis).read(429, fields);
        assert_eq!(reading.advice() == Advice::BackOff, reading.retry_after.or(reading.exhausted).is_none());
        if name == "RateLimit" && (limits.is_some() || limit.is_some()) {
            let least = limits.iter().flatten().map(|limit| limit.1).chain(limit.map(|limit| limit.1)).min();
            assert_eq!(reading.remaining, least);
        }
    }
}

/// The lines as one value, if each is a value, or all of them are blank.
fn joined<T: FieldType>(lines: &[&[u8]]) -> Option<T> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let trimmed = lines.iter().map(|line| {
        let start = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
        let end = line.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
        &line[start..end]
    });
    let parse = |line: &[u8]| Parser::new(line).parse::<T>().ok();
    let trimmed: Vec<_> = trimmed.collect();
    let each = trimmed.iter().all(|line| parse(line).is_some());
    each.then(|| parse(&trimmed.join(&b", "[..]))).flatten()
}

fn count(item: &BareItem) -> Option<u64> {
    match item {
        BareItem::Integer(number) => u64::try_from(i64::from(*number)).ok(),
        _ => None,
    }
}

/// None where it is there and is not so.
fn optional<T>(params: &Parameters, name: &str, read: impl Fn(&BareItem) -> Option<T>) -> Option<Option<T>> {
    let key = sfv::KeyRef::from_str(name).expect("a key");
    params.get(key).map_or(Some(None), |item| read(item).map(Some))
}

fn limits(lines: &[&[u8]]) -> Option<Vec<Limit>> {
    let read = draft_10::limits(lines.iter().copied()).map(|limits| {
        let plain = |limit: draft_10::Limit<'_>| {
            let secs = limit.grows_in.map(|wait| wait.as_nanos());
            (limit.name.to_string(), limit.remaining, secs, limit.partition_key.map(|key| key.iter().collect()))
        };
        limits.map(plain).collect::<Vec<Limit>>()
    });
    let expected = joined::<List>(lines).filter(|list| !list.is_empty()).and_then(|list| {
        let plain = |member: &ListEntry| {
            let ListEntry::Item(item) = member else { return None };
            let BareItem::String(name) = &item.bare_item else { return None };
            let grows_in = optional(&item.params, "t", count)?.map(|secs| secs.saturating_mul(1_000_000_000));
            let key = optional(&item.params, "pk", |item| match item {
                BareItem::ByteSequence(bytes) => Some(bytes.clone()),
                _ => None,
            })?;
            Some((name.as_str().to_owned(), optional(&item.params, "r", count)??, grows_in, key))
        };
        list.iter().map(plain).collect::<Option<Vec<Limit>>>()
    });
    assert_eq!(read, expected, "{:?}", lines.iter().map(|line| String::from_utf8_lossy(line)).collect::<Vec<_>>());
    if let [line] = lines {
        // A list of one number is what a field of draft 06 is.
        let number = joined::<sfv::Item>(&[line]).and_then(|item| count(&item.bare_item));
        assert_eq!(draft_06::integer([line]), number, "{:?}", String::from_utf8_lossy(line));
    }
    read
}

/// What may be used, what remains, and the nanoseconds until the reset.
fn limit(lines: &[&[u8]]) -> Option<(u64, u64, u64)> {
    let read = draft_07::limit(lines.iter().copied());
    let read = read.map(|limit| (limit.limit, limit.remaining, limit.reset.as_nanos()));
    let expected = joined::<Dictionary>(lines).and_then(|members| {
        let number = |name: &str| match members.get(sfv::KeyRef::from_str(name).expect("a key"))? {
            ListEntry::Item(item) => count(&item.bare_item),
            ListEntry::InnerList(_) => None,
        };
        Some((number("limit")?, number("remaining")?, number("reset")?.saturating_mul(1_000_000_000)))
    });
    assert_eq!(read, expected, "{:?}", lines.iter().map(|line| String::from_utf8_lossy(line)).collect::<Vec<_>>());
    read
}

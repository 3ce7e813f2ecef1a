//! Whole answers: which field takes precedence, what is ignored, and that nothing makes a reader stumble.

use proptest::prelude::*;
use tollgate::client::x_ratelimit::Reset;
use tollgate::client::{Advice, HttpDate, Reader, Reading, RetryAfter, draft_06, draft_07, draft_10};
use tollgate::{Timestamp, Wait};

/// 2026-10-21 07:26:00.
const NOW: Timestamp = Timestamp::from_secs(1_792_567_560);

fn read(status: u16, lines: &[(&str, &str)]) -> Reading {
    Reader::new().at(NOW).x_ratelimit(Reset::InSeconds).read(status, lines.iter().copied())
}

fn wait(status: u16, lines: &[(&str, &str)]) -> Option<Wait> {
    read(status, lines).advice().wait()
}

#[test]
fn retry_after_takes_precedence_whatever_stands_beside_it() {
    for limit in
        [("ratelimit", r#""a";r=0;t=90"#), ("ratelimit", "limit=1, remaining=0, reset=90"), ("ratelimit", "broken,")]
    {
        for lines in [[limit, ("retry-after", "5")], [("retry-after", "5"), limit]] {
            assert_eq!(wait(429, &lines), Some(Wait::from_secs(5)), "{lines:?}");
            assert_eq!(wait(200, &lines), Some(Wait::from_secs(5)), "{lines:?}");
        }
        // One that cannot be read is not there.
        let lines = [limit, ("retry-after", "soon")];
        let limit_alone = [limit];
        assert_eq!(wait(429, &lines), wait(429, &limit_alone), "{lines:?}");
    }
}

#[test]
fn of_two_retry_afters_the_longer_is_kept_to() {
    assert_eq!(wait(429, &[("retry-after", "5"), ("retry-after", "7")]), Some(Wait::from_secs(7)));
    assert_eq!(wait(429, &[("retry-after", "7"), ("Retry-After", "soon")]), Some(Wait::from_secs(7)));
    assert_eq!(
        wait(429, &[("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"), ("retry-after", "7")]),
        Some(Wait::from_secs(120))
    );
    // On one line they are no value at all.
    assert_eq!(wait(429, &[("retry-after", "5, 7")]), None);
}

#[test]
fn dates_count_from_the_answers_date_wherever_it_stands() {
    let until = ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
    let date = ("date", "Wed, 21 Oct 2026 07:27:30 GMT");
    assert_eq!(wait(503, &[until, date]), Some(Wait::from_secs(30)));
    assert_eq!(wait(503, &[date, until]), Some(Wait::from_secs(30)));
    assert_eq!(wait(503, &[until]), Some(Wait::from_secs(120)));
    // A date that is none leaves the wall time.
    assert_eq!(wait(503, &[until, ("date", "Thu, 21 Oct 2026 07:27:30 GMT")]), Some(Wait::from_secs(120)));
    // Nor does a device without a wall clock need one.
    let reader = Reader::new();
    assert_eq!(reader.read(503, [until, date]).advice(), Advice::Wait(Wait::from_secs(30)));
    assert_eq!(reader.read(503, [until]).advice(), Advice::BackOff);
    // Not even for the century, where the answer's date has it.
    let of_old = ("retry-after", "Wednesday, 21-Oct-26 07:28:00 GMT");
    assert_eq!(reader.read(503, [of_old, date]).advice(), Advice::Wait(Wait::from_secs(30)));
    let date_of_old = ("date", "Wednesday, 21-Oct-26 07:27:30 GMT");
    assert_eq!(reader.read(503, [of_old, date_of_old]).advice(), Advice::BackOff);
    assert_eq!(reader.at(NOW).read(503, [of_old, date_of_old]).advice(), Advice::Wait(Wait::from_secs(30)));
}

#[test]
fn wall_time_is_exact_to_the_nanosecond() {
    let until = RetryAfter::read("Wed, 21 Oct 2026 07:26:00 GMT").unwrap();
    let at = |nanos| until.wait(None, Some(Timestamp::from_nanos(nanos)));
    assert_eq!(at(NOW.as_nanos()), Some(Wait::ZERO));
    assert_eq!(at(NOW.as_nanos() - 1), Some(Wait::from_nanos(1)));
    assert_eq!(at(NOW.as_nanos() + 1), Some(Wait::ZERO));
}

#[test]
fn the_latest_specification_that_is_told_counts() {
    let draft_10 = ("ratelimit", r#""a";r=0;t=10"#);
    let draft_07 = ("ratelimit", "limit=9, remaining=0, reset=7");
    let draft_06 = [("ratelimit-limit", "9"), ("ratelimit-remaining", "0"), ("ratelimit-reset", "6")];
    let x = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "5")];
    let all = |first| [&[first][..], &draft_06, &x].concat();
    assert_eq!(wait(429, &all(draft_10)), Some(Wait::from_secs(10)));
    assert_eq!(wait(429, &all(draft_07)), Some(Wait::from_secs(7)));
    assert_eq!(wait(429, &[&draft_06[..], &x].concat()), Some(Wait::from_secs(6)));
    assert_eq!(wait(429, &x), Some(Wait::from_secs(5)));
    // A malformed one is as if it were not there.
    assert_eq!(wait(429, &all(("ratelimit", r#""a";r=0;t="#))), Some(Wait::from_secs(6)));
    // Both in one field are neither.
    assert_eq!(wait(429, &[draft_10, draft_07]), None);
}

#[test]
fn only_a_limit_of_which_nothing_remains_makes_wait() {
    let told = |value| read(200, &[("ratelimit", value)]);
    let reading = told(r#""burst";r=3;t=30, "daily";r=7;t=4000"#);
    assert_eq!((reading.remaining, reading.exhausted), (Some(3), None));
    assert_eq!(reading.advice(), Advice::Proceed);
    let reading = told(r#""burst";r=0;t=30, "daily";r=7;t=4000, "hourly";r=0;t=31"#);
    assert_eq!((reading.remaining, reading.exhausted), (Some(0), Some(Wait::from_secs(31))));
    assert_eq!(reading.advice(), Advice::Wait(Wait::from_secs(31)));
    // Exhausted, without a word when that ends: nothing to go by.
    let reading = told(r#""burst";r=0"#);
    assert_eq!((reading.remaining, reading.exhausted, reading.advice()), (Some(0), None, Advice::Proceed));
    let refused = read(429, &[("ratelimit", r#""burst";r=0"#)]);
    assert_eq!(refused.advice(), Advice::BackOff);
}

#[test]
fn lists_may_come_in_lines_and_with_or_without_spaces() {
    for lines in [
        &["\"a\";r=1,\"b\";r=0;t=4"][..],
        &["\"a\";r=1 , \"b\"; r=0; t=4"],
        &["\"a\";r=1\t,\t\"b\";r=0;t=4"],
        &["\"a\";r=1", "\"b\";r=0;t=4"],
        &[" \"a\";r=1 ", "\t\"b\";r=0;t=4\t"],
    ] {
        let fields: Vec<_> = lines.iter().map(|line| ("RateLimit", *line)).collect();
        assert_eq!(wait(429, &fields), Some(Wait::from_secs(4)), "{lines:?}");
        let limits: Vec<_> = draft_10::limits(lines.iter().copied()).unwrap().collect();
        assert_eq!(limits.len(), 2);
        assert_eq!((limits[0].remaining, limits[1].remaining), (1, 0));
        assert!(limits[0].name == "a" && limits[1].name == "b" && limits[0].name != limits[1].name);
    }
    // Other lines may stand between them.
    let torn = [("ratelimit", "limit=5, remaining=0"), ("server", "x"), ("ratelimit", "reset=3")];
    assert_eq!(wait(429, &torn), Some(Wait::from_secs(3)));
}

#[test]
fn one_bad_line_or_member_and_the_field_is_ignored() {
    const GOOD: &str = r#""a";r=0;t=4"#;
    assert_eq!(wait(429, &[("ratelimit", GOOD)]), Some(Wait::from_secs(4)));
    for bad in [
        "",
        "x",
        "\"b\"",
        "\"b\";r=-1",
        "\"b\";r=1.0",
        "\"b\";r=\"1\"",
        "\"b\";r=1;t=?1",
        "\"b\";r=1;pk=x",
        "(\"b\");r=1",
        "5;r=1",
    ] {
        for lines in [[GOOD, bad], [bad, GOOD]] {
            assert_eq!(wait(429, &lines.map(|line| ("ratelimit", line))), None, "{lines:?}");
            assert!(draft_10::limits(lines).is_none(), "{lines:?}");
        }
    }
}

#[test]
fn unknown_parameters_and_members_of_every_type_are_passed_over() {
    let parameters = r#";a;b=?0;c=1;d=-1.5;e="x\"";f=tok/en:*;g=:QQ==:;h=@1659578233;i=%"%c3%bc";*j._-=1"#;
    let list = format!(r#""a"{parameters};r=0{parameters};t=4{parameters}"#);
    assert_eq!(wait(429, &[("ratelimit", &list)]), Some(Wait::from_secs(4)));
    let members = r#"a, b=?0, c=1;x, d=-1.5, e="x", f=t, g=:QQ==:, h=@1, i=%"x", j=(1 "2";y);z"#;
    let dictionary = format!("{members}, limit=1, remaining=0;x=1, reset=4, {members}");
    assert_eq!(wait(429, &[("ratelimit", &dictionary)]), Some(Wait::from_secs(4)));
    let policy = format!(r#""a";q=5{parameters};w=60"#);
    let policies: Vec<_> = draft_10::policies([&policy]).unwrap().collect();
    assert_eq!((policies[0].quota, policies[0].window_secs, policies[0].unit), (5, Some(60), None));
}

#[test]
fn the_last_of_equal_keys_counts() {
    assert_eq!(wait(429, &[("ratelimit", r#""a";r=7;t=1;r=0;t=4"#)]), Some(Wait::from_secs(4)));
    assert_eq!(
        wait(429, &[("ratelimit", "remaining=7, limit=9, reset=1, reset=4, remaining=0")]),
        Some(Wait::from_secs(4))
    );
    assert_eq!(draft_07::limit(["limit=9, remaining=0, reset=1, reset=?1"]), None);
}

#[test]
fn a_number_given_twice_is_none() {
    for name in ["ratelimit-reset", "ratelimit-remaining"] {
        let mut lines = vec![("ratelimit-remaining", "0"), ("ratelimit-reset", "6")];
        assert_eq!(wait(429, &lines), Some(Wait::from_secs(6)));
        lines.push((name, lines[0].1));
        assert_eq!(wait(429, &lines), None, "{name}");
    }
    assert_eq!(
        wait(429, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "6"), ("x-ratelimit-reset", "6")]),
        None
    );
    assert_eq!(draft_06::integer(["(5)"]), None);
}

#[test]
fn x_ratelimit_is_read_as_told_and_not_otherwise() {
    let lines = [("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1792567565")];
    let advice = |reader: Reader| reader.read(403, lines).advice();
    let reader = Reader::new().at(NOW);
    assert_eq!(advice(reader), Advice::Proceed);
    assert_eq!(advice(reader.x_ratelimit(Reset::AtUnixSeconds)), Advice::Wait(Wait::from_secs(5)));
    assert_eq!(advice(reader.x_ratelimit(Reset::InSeconds)), Advice::Wait(Wait::from_secs(1_792_567_565)));
    assert_eq!(advice(reader.x_ratelimit(Reset::InMillis)), Advice::Wait(Wait::from_millis(1_792_567_565)));
    // 1970: long past.
    assert_eq!(advice(reader.x_ratelimit(Reset::AtUnixMillis)), Advice::Proceed);
    // Without a wall clock, by the answer's own.
    let dated = [lines[1], lines[2], ("date", "Wed, 21 Oct 2026 07:26:00 GMT")];
    let reader = Reader::new().x_ratelimit(Reset::AtUnixSeconds);
    assert_eq!(advice(reader), Advice::Proceed);
    assert_eq!(reader.read(403, dated).advice(), Advice::Wait(Wait::from_secs(5)));
}

#[test]
fn limits_of_a_cached_answer_are_out_of_date() {
    let limit = ("ratelimit", r#""a";r=0;t=4"#);
    assert_eq!(wait(200, &[limit, ("age", "0")]), Some(Wait::from_secs(4)));
    assert_eq!(wait(200, &[limit, ("age", "soon")]), Some(Wait::from_secs(4)));
    assert_eq!(wait(200, &[limit, ("age", "1")]), None);
    assert_eq!(wait(503, &[limit, ("Age", " 1 "), ("retry-after", "9")]), Some(Wait::from_secs(9)));
}

#[test]
fn a_refusal_is_one_of_two_statuses() {
    for status in [0, 200, 204, 301, 400, 403, 413, 428, 430, 500, 502, 504, 599, u16::MAX] {
        assert_eq!(read(status, &[]).advice(), Advice::Proceed, "{status}");
        assert_eq!(read(status, &[("retry-after", "0")]).advice(), Advice::Proceed, "{status}");
        assert_eq!(read(status, &[("retry-after", "3")]).advice(), Advice::Wait(Wait::from_secs(3)), "{status}");
    }
    for status in [429, 503] {
        assert_eq!(read(status, &[]).advice(), Advice::BackOff, "{status}");
        assert_eq!(read(status, &[("retry-after", "0")]).advice(), Advice::Wait(Wait::ZERO), "{status}");
    }
}

#[test]
fn the_body_counts_where_there_is_no_retry_after() {
    let limit = ("ratelimit", r#""a";r=0;t=90"#);
    assert_eq!(read(429, &[limit]).told_in_body(34).advice(), Advice::Wait(Wait::from_secs(34)));
    assert_eq!(read(429, &[("retry-after", "5")]).told_in_body(34).advice(), Advice::Wait(Wait::from_secs(5)));
    assert_eq!(read(429, &[]).told_in_body(u64::MAX).advice(), Advice::Wait(Wait::MAX));
}

#[test]
fn names_are_found_in_either_case_and_whole() {
    assert_eq!(wait(429, &[("RETRY-AFTER", "5")]), Some(Wait::from_secs(5)));
    for other in ["retry-afte", "retry-afterr", "x-retry-after", "retry_after", "", "ｒetry-after"] {
        assert_eq!(wait(429, &[(other, "5")]), None, "{other}");
    }
    assert_eq!(Reader::new().read(429, [(b"Retry-After", b"5")]).advice(), Advice::Wait(Wait::from_secs(5)));
    assert_eq!(Reader::new().read(429, [(vec![0xFF], vec![0xFF])]).advice(), Advice::BackOff);
}

/// A name that matters, and a value that may.
fn line() -> impl Strategy<Value = (String, Vec<u8>)> {
    let name = prop::sample::select(vec![
        "retry-after",
        "Date",
        "age",
        "ratelimit",
        "RateLimit-Policy",
        "ratelimit-limit",
        "ratelimit-remaining",
        "ratelimit-reset",
        "x-ratelimit-remaining",
        "X-RateLimit-Reset",
    ]);
    let value = prop_oneof![
        "[0-9]{0,25}".prop_map(String::into_bytes),
        "(Sun|Thu), [0-3][0-9] (Jan|Feb) [0-9]{4} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT".prop_map(String::into_bytes),
        "(Sunday|Thursday), [0-3][0-9]-(Jan|Feb)-[0-9]{2} [0-2][0-9]:00:00 GMT".prop_map(String::into_bytes),
        "\"[ab]\";r=[0-9]{1,16};t=[0-9]{1,16}".prop_map(String::into_bytes),
        "limit=1, remaining=[01], reset=[0-9]{1,16}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    (name.prop_map(String::from), value)
}

fn resets() -> impl Strategy<Value = Option<Reset>> {
    prop::option::of(prop::sample::select(vec![
        Reset::InSeconds,
        Reset::InMillis,
        Reset::AtUnixSeconds,
        Reset::AtUnixMillis,
    ]))
}

proptest! {
    #[test]
    fn whatever_comes_is_read_and_precedence_holds(
        status in any::<u16>(),
        lines in prop::collection::vec(line(), 0..8),
        now in prop::option::of(any::<u64>()),
        reset in resets(),
    ) {
        let mut reader = Reader::new();
        if let Some(now) = now {
            reader = reader.at(Timestamp::from_nanos(now));
        }
        if let Some(reset) = reset {
            reader = reader.x_ratelimit(reset);
        }
        let pairs = lines.iter().map(|(name, value)| (name, value));
        let reading = reader.read(status, pairs.clone());
        prop_assert_eq!(reading.refused, status == 429 || status == 503);
        prop_assert!(reading.exhausted.is_none() || reading.remaining == Some(0), "{:?}", reading);
        let told = reading.retry_after.or(reading.exhausted);
        match reading.advice() {
            Advice::Wait(wait) => prop_assert_eq!(Some(wait), told),
            Advice::BackOff => prop_assert!(reading.refused && told.is_none()),
            Advice::Proceed => prop_assert!(!reading.refused && told.is_none_or(Wait::is_zero)),
        }
        // The order of lines of different names does not matter, and other lines do not.
        let mut sorted = lines.clone();
        sorted.sort_by_key(|(name, _)| name.clone());
        let sorted = sorted.iter().map(|(name, value)| (name.to_ascii_uppercase(), value));
        let among_others = sorted.flat_map(|line| [line, ("X-Other".to_owned(), &lines[0].1)]);
        prop_assert_eq!(reader.read(status, among_others), reading);
    }

    #[test]
    fn every_date_of_an_answer_is_the_same_from_any_clock(at in 0_u64..4_000_000_000, later in 0_u64..10_000_000) {
        let date = |secs| httpdate::fmt_http_date(std::time::UNIX_EPOCH + std::time::Duration::from_secs(secs));
        let until = RetryAfter::read(date(at + later)).unwrap();
        let answered = HttpDate::read(date(at));
        prop_assert_eq!(until.wait(answered, None), Some(Wait::from_secs(later)));
        prop_assert_eq!(until.wait(answered, Some(NOW)), Some(Wait::from_secs(later)));
        prop_assert_eq!(until.wait(None, Some(Timestamp::from_secs(at))), Some(Wait::from_secs(later)));
    }

    #[test]
    fn digits_are_seconds_and_saturate(digits in "[0-9]{1,30}") {
        let expected = digits.parse::<u128>().map_or(u128::MAX, |secs| secs.saturating_mul(1_000_000_000));
        let expected = Wait::from_nanos(u64::try_from(expected).unwrap_or(u64::MAX));
        prop_assert_eq!(RetryAfter::read(&digits), Some(RetryAfter::Delay(expected)));
        let padded = format!(" \t{digits}\t ");
        prop_assert_eq!(RetryAfter::read(&padded), Some(RetryAfter::Delay(expected)));
        for at in 0..=digits.len() {
            for foreign in ["+", "-", ".", "e", "x", "_", ",", " 0", "\u{0663}", "\u{ff15}", "\0", "\n"] {
                let (before, after) = digits.split_at(at);
                let text = format!("{before}{foreign}{after}");
                let blank_in_front = at == 0 && foreign == " 0";
                if !blank_in_front {
                    prop_assert_eq!(RetryAfter::read(&text), None, "{:?}", text);
                }
            }
        }
    }
}

/// The values of one name in a header map: what goes through them cannot be cloned, a reference to them can.
struct Values<'a>(&'a [&'a [u8]]);

impl<'a> IntoIterator for &Values<'a> {
    type Item = &'a &'a [u8];
    type IntoIter = Once<'a>;

    fn into_iter(self) -> Once<'a> {
        Once(self.0.iter())
    }
}

struct Once<'a>(core::slice::Iter<'a, &'a [u8]>);

impl<'a> Iterator for Once<'a> {
    type Item = &'a &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

#[test]
fn fields_are_read_from_a_reference_to_their_values() {
    let limits = Values(&[br#""burst";r=50;t=30"#, br#""daily";r=7"#]);
    let limits = draft_10::limits(&limits).unwrap().map(|limit| limit.remaining);
    assert!(limits.eq([50, 7]));

    let policies = Values(&[br#""burst";q=100"#, br#""daily";q=1000"#]);
    let policies = draft_10::policies(&policies).unwrap().map(|policy| policy.quota);
    assert!(policies.eq([100, 1000]));

    let policies = Values(&[b"100;w=60", b"1000;w=86400"]);
    let policies = draft_07::policies(&policies).unwrap().map(|policy| policy.window_secs);
    assert!(policies.eq([60, 86_400]));
}

//! The record of a denial: one line, whatever the request held, and everything can be read back.

use core::cell::Cell;
use core::fmt;
use core::net::Ipv4Addr;

use proptest::prelude::*;
use tollgate::format::{Denial, RetryAfter};
use tollgate::{Timestamp, Wait};

fn denial<'a>(endpoint: &'a str, key: &'a str, policy: &'a str) -> Denial<'a, &'a str> {
    Denial { endpoint, key, policy, retry_after: RetryAfter::after(Wait::from_secs(34)), at: Timestamp::from_secs(5) }
}

#[test]
fn the_line_and_the_object_hold_six_fields_in_order() {
    let denial = Denial {
        endpoint: "/api/intel",
        key: Ipv4Addr::new(203, 0, 113, 9),
        policy: "edge",
        retry_after: RetryAfter::after(Wait::from_nanos(33_000_000_001)),
        at: Timestamp::from_nanos(1_700_000_000_123_999_999),
    };
    assert_eq!(
        denial.to_string(),
        "error=rate_limited endpoint=/api/intel key=203.0.113.9 policy=edge retry_after_seconds=34 time_ms=1700000000123"
    );
    assert_eq!(
        denial.json().to_string(),
        r#"{"error":"rate_limited","endpoint":"/api/intel","key":"203.0.113.9","policy":"edge","retry_after_seconds":34,"time_ms":1700000000123}"#
    );
}

#[test]
fn a_value_is_in_quotes_unless_it_is_a_plain_word() {
    for (key, written) in [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8::/48", "2001:db8::/48"),
        ("apikey:9f2c~!#$%&'()*+,;<>?@[]^_`{|}", "apikey:9f2c~!#$%&'()*+,;<>?@[]^_`{|}"),
        ("", r#""""#),
        ("a b", r#""a b""#),
        ("a=b", r#""a=b""#),
        ("=", r#""=""#),
        ("\"", r#""\"""#),
        ("\\", r#""\\""#),
        ("größe", r#""größe""#),
        ("a\u{a0}b", "\"a\u{a0}b\""),
        ("x\nerror=none", r#""x\nerror=none""#),
        ("x\r\nerror=none", r#""x\r\nerror=none""#),
        ("x\u{85}y\u{2028}z\u{2029}", r#""x\u0085y\u2028z\u2029""#),
        ("\u{1b}[31mred", r#""\u001b[31mred""#),
        ("\u{202e}txt.exe", r#""\u202etxt.exe""#),
        ("\0\u{7f}", r#""\u0000\u007f""#),
    ] {
        assert_eq!(
            denial("/", key, "edge").to_string(),
            format!("error=rate_limited endpoint=/ key={written} policy=edge retry_after_seconds=34 time_ms=5000")
        );
    }
}

/// Reads a line of `key=value` pairs, in which a value in quotes is escaped as in JSON.
fn read(line: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').unwrap();
        let mut strings = serde_json::Deserializer::from_str(after).into_iter::<String>();
        let (value, end) = if after.starts_with('"') {
            (strings.next().unwrap().unwrap(), strings.byte_offset())
        } else {
            let end = after.find(' ').unwrap_or(after.len());
            (after[..end].to_owned(), end)
        };
        pairs.push((name.to_owned(), value));
        rest = after[end..].strip_prefix(' ').unwrap_or(&after[end..]);
    }
    pairs
}

/// A line for every reader: those that split at ASCII line ends, and those that follow Unicode.
fn is_one_line(text: &str) -> bool {
    text.lines().count() == 1 && !text.contains(|c: char| c.is_control() || c == '\u{2028}' || c == '\u{2029}')
}

/// Text of the characters that could do harm, and of any.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z\"\\\\= \r\n\u{85}\u{2028}\u{2029}\u{b}\u{c}\u{1b}\u{202e}]{0,12}", any::<String>()]
}

proptest! {
    #[test]
    fn any_record_is_one_line_and_reads_back(endpoint in hostile(), key in hostile(), policy in hostile()) {
        let denial = denial(&endpoint, &key, &policy);
        let line = denial.to_string();
        prop_assert!(is_one_line(&line), "{line:?}");
        let expected = [
            ("error", "rate_limited"),
            ("endpoint", &endpoint),
            ("key", &key),
            ("policy", &policy),
            ("retry_after_seconds", "34"),
            ("time_ms", "5000"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        prop_assert_eq!(read(&line), expected);

        let object = denial.json().to_string();
        prop_assert!(is_one_line(&object), "{object:?}");
        prop_assert_eq!(
            serde_json::from_str::<serde_json::Value>(&object).unwrap(),
            serde_json::json!({
                "error": "rate_limited", "endpoint": endpoint, "key": key, "policy": policy,
                "retry_after_seconds": 34, "time_ms": 5000,
            })
        );
    }
}

/// A key whose text is harmless when it is first looked at, and not when it is written.
#[test]
fn a_key_that_changes_cannot_forge_a_line() {
    struct Changing(Cell<bool>);
    impl fmt::Display for Changing {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(if self.0.replace(true) { "x\nerror=none" } else { "x" })
        }
    }
    let denial = Denial {
        endpoint: "/",
        key: Changing(Cell::new(false)),
        policy: "edge",
        retry_after: RetryAfter::after(Wait::from_secs(34)),
        at: Timestamp::ZERO,
    };
    assert!(is_one_line(&denial.to_string()));
}

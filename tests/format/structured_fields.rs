//! The rules of RFC 9651 as cases, and what a parser of somebody else's reads in every value.

use core::time::Duration;

use proptest::prelude::*;
use sfv::{BareItem, Dictionary, FieldType, Item, ListEntry, Parser};
use tollgate::format::sf::{Bytes, Integer, List, Quoted};
use tollgate::format::{Name, NameError, Quota, draft_06, draft_07, draft_10};
use tollgate::{Decision, Status, Wait};

use crate::{denied, status};

/// Strings (section 4.1.6): what each ASCII character and some others become, or where they are refused.
#[test]
fn strings_hold_printable_ascii() {
    for byte in 0..=0x7Fu8 {
        let text = char::from(byte).to_string();
        match (byte, Name::new(&text)) {
            (b'"' | b'\\', Ok(name)) => assert_eq!(Quoted(name).to_string(), format!("\"\\{text}\"")),
            (0x20..=0x7E, Ok(name)) => assert_eq!(Quoted(name).to_string(), format!("\"{text}\"")),
            (0..=0x1F | 0x7F, Err(error)) => assert_eq!((error.at, error.byte), (0, byte)),
            (_, result) => panic!("0x{byte:02X} gave {result:?}"),
        }
    }
    let refused =
        [("é", 0, 0xC3), ("a\u{80}", 1, 0xC2), ("ab\u{2028}", 2, 0xE2), ("😀", 0, 0xF0), ("a\r\nb", 1, b'\r')];
    for (text, at, byte) in refused {
        let NameError { at: found_at, byte: found, .. } = Name::new(text).unwrap_err();
        assert_eq!((found_at, found), (at, byte), "{text:?}");
    }
    assert_eq!(Quoted(Name::constant("")).to_string(), r#""""#);
    assert_eq!(Quoted(Name::constant(r#"\"\"#)).to_string(), r#""\\\"\\""#);
}

/// Integers (section 4.1.4) have at most 15 digits.
#[test]
fn integers_have_15_digits_at_most() {
    for (number, written) in [
        (0, "0"),
        (1, "1"),
        (999_999_999_999_998, "999999999999998"),
        (999_999_999_999_999, "999999999999999"),
        (1_000_000_000_000_000, "999999999999999"),
        (u64::MAX, "999999999999999"),
    ] {
        assert_eq!(Integer(number).to_string(), written);
    }
}

/// Byte sequences (section 4.1.8): the test vectors of RFC 4648, section 10, and the two digits that are no letters.
#[test]
fn byte_sequences_are_padded_base64() {
    for (bytes, written) in [
        (&b""[..], "::"),
        (b"f", ":Zg==:"),
        (b"fo", ":Zm8=:"),
        (b"foo", ":Zm9v:"),
        (b"foob", ":Zm9vYg==:"),
        (b"fooba", ":Zm9vYmE=:"),
        (b"foobar", ":Zm9vYmFy:"),
        (b"\xFB\xEF\xBE\xFF\xFF\xFF", ":++++////:"),
        (b"\0\0\0\0", ":AAAAAA==:"),
    ] {
        assert_eq!(Bytes(bytes).to_string(), written);
    }
}

/// Lists and parameters (sections 4.1.1 and 4.1.1.2): a comma and a space between items, nothing around `;` and `=`.
#[test]
fn lists_and_parameters_have_one_form() {
    let quota = Quota::new(1, Duration::from_secs(1));
    let items = ["a", "b", "c"].map(|name| draft_10::Policy::new(Name::constant(name), quota));
    assert_eq!(List::new(&items[..1]).unwrap().to_string(), r#""a";q=1;w=1"#);
    assert_eq!(List::new(&items).unwrap().to_string(), r#""a";q=1;w=1, "b";q=1;w=1, "c";q=1;w=1"#);
    assert!(List::new(&items[..0]).is_none(), "an empty list is no field");
}

/// An item as the other parser reads it: its value and its parameters in order.
fn items(field: &str) -> Vec<(BareItem, Vec<(String, BareItem)>)> {
    let list: sfv::List = Parser::new(field).parse().unwrap();
    // The parser's own serializer has the canonical form: ours is the same to the byte.
    assert_eq!(list.serialize().as_deref(), Some(field));
    list.into_iter()
        .map(|entry| match entry {
            ListEntry::Item(Item { bare_item, params }) => {
                (bare_item, params.into_iter().map(|(key, value)| (key.as_str().to_owned(), value)).collect())
            }
            ListEntry::InnerList(list) => panic!("an inner list: {list:?}"),
        })
        .collect()
}

fn integer(number: u64) -> BareItem {
    BareItem::Integer(i64::try_from(number.min(999_999_999_999_999)).unwrap().try_into().unwrap())
}

fn string(text: &str) -> BareItem {
    BareItem::String(text.to_owned().try_into().unwrap())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,12}", "[\"\\\\ ,;=:]{0,6}"]
}

fn key() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop::option::of(prop::collection::vec(any::<u8>(), 0..9))
}

#[derive(Debug, Clone)]
struct Described {
    name: String,
    quota: Quota,
    unit: Option<String>,
    scale: u32,
    window: bool,
    key: Option<Vec<u8>>,
}

fn described() -> impl Strategy<Value = Described> {
    let window = prop_oneof![0..=5_000_000_000u64, any::<u64>()].prop_map(Duration::from_nanos);
    let quota = (any::<u32>(), window).prop_map(|(units, window)| Quota::new(units, window));
    let scale = prop_oneof![Just(1), any::<u32>()];
    (name(), quota, prop::option::of(name()), scale, any::<bool>(), key())
        .prop_map(|(name, quota, unit, scale, window, key)| Described { name, quota, unit, scale, window, key })
}

proptest! {
    #[test]
    fn another_parser_reads_the_policies_of_draft_10(described in prop::collection::vec(described(), 1..5)) {
        let policies: Vec<_> = described.iter().map(|of| {
            let mut policy = draft_10::Policy::new(Name::new(&of.name).unwrap(), of.quota).scaled(of.scale);
            if let Some(unit) = &of.unit {
                policy = policy.unit(draft_10::QuotaUnit::Other(Name::new(unit).unwrap()));
            }
            if !of.window {
                policy = policy.without_window();
            }
            if let Some(key) = &of.key {
                policy = policy.partition_key(key);
            }
            policy
        }).collect();
        let read = items(&List::new(&policies).unwrap().to_string());
        let expected: Vec<_> = described.iter().map(|of| {
            let mut parameters = vec![("q".to_owned(), integer(u64::from(of.quota.units()) * u64::from(of.scale)))];
            parameters.extend(of.unit.as_ref().map(|unit| ("qu".to_owned(), string(unit))));
            parameters.extend(of.window.then(|| ("w".to_owned(), integer(of.quota.window_secs()))));
            parameters.extend(of.key.as_ref().map(|key| ("pk".to_owned(), BareItem::ByteSequence(key.clone()))));
            (string(&of.name), parameters)
        }).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn another_parser_reads_the_limits_of_draft_10(
        limits in prop::collection::vec((name(), any::<u32>(), prop_oneof![Just(0), any::<u64>()], any::<u32>(), key()), 1..5),
    ) {
        let rendered: Vec<_> = limits.iter().map(|(name, remaining, nanos, scale, key)| {
            let wait = Wait::from_nanos(*nanos);
            let limit = draft_10::Limit::new(Name::new(name).unwrap(), &Status::new(u32::MAX, *remaining, wait, wait));
            let limit = limit.scaled(*scale);
            key.as_ref().map_or(limit, |key| limit.partition_key(key))
        }).collect();
        let read = items(&List::new(&rendered).unwrap().to_string());
        let expected: Vec<_> = limits.iter().map(|(name, remaining, nanos, scale, key)| {
            let mut parameters = vec![("r".to_owned(), integer(u64::from(*remaining) * u64::from(*scale)))];
            parameters.extend((*nanos > 0).then(|| ("t".to_owned(), integer(nanos.div_ceil(1_000_000_000)))));
            parameters.extend(key.as_ref().map(|key| ("pk".to_owned(), BareItem::ByteSequence(key.clone()))));
            (string(name), parameters)
        }).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn another_parser_reads_draft_07(limit in any::<u32>(), used in any::<u32>(), nanos in any::<u64>(), deny in any::<bool>()) {
        let status = status(limit, limit.saturating_sub(used), Wait::from_nanos(nanos));
        let decision = if deny { denied(Wait::from_nanos(nanos)) } else { Decision::Allow };
        let field = draft_07::RateLimit::new(decision, &status).to_string();
        let dictionary: Dictionary = Parser::new(&field).parse().unwrap();
        prop_assert_eq!(dictionary.serialize(), Some(field));
        let read: Vec<_> = dictionary.into_iter().map(|(key, entry)| match entry {
            ListEntry::Item(item) => (key.as_str().to_owned(), item.bare_item),
            ListEntry::InnerList(list) => panic!("an inner list: {list:?}"),
        }).collect();
        let seconds = nanos.div_ceil(1_000_000_000).max(u64::from(deny));
        prop_assert_eq!(read, [
            ("limit".to_owned(), integer(limit.into())),
            ("remaining".to_owned(), integer(status.remaining.into())),
            ("reset".to_owned(), integer(seconds)),
        ]);
    }

    #[test]
    fn another_parser_reads_the_quota_policies_of_drafts_06_and_07(
        quotas in prop::collection::btree_map(any::<u32>(), (any::<u64>(), prop::option::of(any::<u32>())), 1..5),
    ) {
        let described: Vec<_> = quotas.iter().map(|(units, (nanos, burst))| {
            let quota = Quota::new(*units, Duration::from_nanos(*nanos));
            burst.map_or(quota, |burst| quota.with_burst(burst))
        }).collect();
        let field = draft_06::QuotaPolicies::new(&described).unwrap().to_string();
        let expected: Vec<_> = described.iter().map(|quota| {
            let mut parameters = vec![("w".to_owned(), integer(quota.window_secs()))];
            parameters.extend(quota.burst().map(|burst| ("burst".to_owned(), integer(burst.into()))));
            (integer(quota.units().into()), parameters)
        }).collect();
        prop_assert_eq!(items(&field), expected);
    }

    #[test]
    fn another_parser_reads_the_integers_of_draft_06(limit in any::<u32>(), remaining in any::<u32>(), nanos in any::<u64>()) {
        let status = Status::new(limit, remaining, Wait::from_nanos(nanos), Wait::from_nanos(nanos));
        for (_, value) in draft_06::RateLimit::new(Decision::Allow, &status).fields() {
            let field = value.to_string();
            let item: Item = Parser::new(&field).parse().unwrap();
            prop_assert_eq!(item.bare_item, integer(value.0));
            prop_assert!(item.params.is_empty());
        }
    }
}

#[test]
fn retry_after_is_an_integer_too() {
    let field = tollgate::format::RetryAfter::after(Wait::from_secs(34)).to_string();
    let item: Item = Parser::new(&field).parse().unwrap();
    assert_eq!(item.bare_item, integer(34));
}

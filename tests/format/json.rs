//! The JSON writer against `serde_json`: every string there and back, and its bytes the same.

use core::fmt::{self, Write};

use proptest::prelude::*;
use serde_json::Value;
use tollgate::format::json;
use tollgate_harness::json::{assert_as_by_serde_json, could_forge};

/// What the writer makes of a string, without the object around it.
fn string(text: &str) -> String {
    let object = json::object(|object| object.member("s").string(text)).to_string();
    object.strip_prefix(r#"{"s":"#).and_then(|rest| rest.strip_suffix('}')).unwrap().to_owned()
}

fn string_on_one_line(text: &str) -> String {
    let object = json::object(|object| object.member("s").string(text)).on_one_line().to_string();
    object.strip_prefix(r#"{"s":"#).and_then(|rest| rest.strip_suffix('}')).unwrap().to_owned()
}

#[test]
fn the_escapes_are_those_of_stringify() {
    for (text, written) in [
        ("\u{8}\t\n\u{c}\r", r#""\b\t\n\f\r""#),
        ("\0\u{1}\u{b}\u{e}\u{1f}", r#""\u0000\u0001\u000b\u000e\u001f""#),
        (r#""\/"#, r#""\"\\/""#),
        ("\u{7f}\u{80}\u{85}\u{a0}", "\"\u{7f}\u{80}\u{85}\u{a0}\""),
        ("\u{2028}\u{2029}\u{feff}\u{fffd}", "\"\u{2028}\u{2029}\u{feff}\u{fffd}\""),
        ("größe — 😀", "\"größe — 😀\""),
        ("<script>&'", "\"<script>&'\""),
        ("", r#""""#),
    ] {
        assert_eq!(string(text), written);
    }
}

/// Every character of the basic plane, and some of each other: the same bytes as `serde_json`, and itself when read back.
#[test]
fn every_character_goes_there_and_back() {
    for character in ('\0'..='\u{FFFF}').chain(('\u{10000}'..=char::MAX).step_by(97)) {
        let text = format!("a{character}b");
        let written = string(&text);
        assert_eq!(written, serde_json::to_string(&text).unwrap());
        let line = string_on_one_line(&text);
        assert!(!line.contains(could_forge));
        assert_eq!(line == written, !could_forge(character) || character < ' ', "{character:?}");
        if line != written {
            assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
        }
    }
}

#[test]
fn a_value_in_pieces_is_escaped_like_one() {
    struct InPieces<'a>(&'a str);
    impl fmt::Display for InPieces<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.chars().try_for_each(|character| f.write_char(character))
        }
    }
    let text = "a \"b\" \\ c\n\u{2028}é";
    assert_eq!(
        json::object(|o| o.member("s").string(InPieces(text))).to_string(),
        format!(r#"{{"s":{}}}"#, string(text))
    );
}

#[test]
fn members_stand_in_order_and_nothing_is_left_open() {
    let object = json::object(|object| {
        object.member("z").integer(u64::MAX);
        object.member("a").signed_integer(i64::MIN);
        let _ = object.member("forgotten");
        object.member("\n").null();
        object.member("list").array(|list| {
            list.element().array(|_| ());
            let _ = list.element();
            list.element().object(|object| object.member("k").boolean(true));
        });
        object.member("a").boolean(false);
    });
    assert_eq!(
        object.to_string(),
        concat!(
            r#"{"z":18446744073709551615,"a":-9223372036854775808,"forgotten":null,"\n":null,"#,
            r#""list":[[],null,{"k":true}],"a":false}"#
        )
    );
}

/// A writer that takes so many bytes and no more.
struct Room(usize);

impl Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

#[test]
fn an_error_of_the_writer_is_never_lost() {
    let object = json::object(|object| {
        object.member("a").object(|inner| {
            inner.member("b").array(|list| (0..3).for_each(|number| list.element().integer(number)));
            inner.member("\"").string("\n\0");
        });
        object.member("c").null();
    });
    let whole = object.to_string().len();
    for room in 0..whole {
        assert!(write!(Room(room), "{object}").is_err(), "{room} bytes of {whole}");
    }
    assert!(write!(Room(whole), "{object}").is_ok());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_string_goes_there_and_back(text in any::<String>()) {
        prop_assert_eq!(string(&text), serde_json::to_string(&text).unwrap());
        prop_assert_eq!(serde_json::from_str::<String>(&string_on_one_line(&text)).unwrap(), text);
    }

    #[test]
    fn any_object_is_written_as_serde_json_writes_it(members in prop::collection::btree_map(any::<String>(), any_value(), 0..5)) {
        assert_as_by_serde_json(&members.into_iter().collect());
    }
}

//! Held against `sfv`, an implementation of its own, on whatever strings; and on all short ones of an alphabet that matters.

extern crate std;

use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;
use sfv::{BareItem, Dictionary, FieldType, List, ListEntry, Parameters, Parser};

use super::*;

/// What both can say of a bare item.
#[derive(Debug, PartialEq)]
enum Plain {
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
    Other,
}

/// A member with its key, its value unless it is an inner list, and its parameters.
type PlainMember = (String, Option<Plain>, Vec<(String, Plain)>);

fn ours(line: &[u8], shape: Shape) -> Option<Vec<PlainMember>> {
    let plain = |value: Value<'_>| match value {
        Value::Integer(number) => Plain::Integer(number),
        Value::Text(text) => Plain::Text(text.to_string()),
        Value::Bytes(bytes) => Plain::Bytes(bytes.iter().collect()),
        Value::Other => Plain::Other,
    };
    let key = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
    let mut members = Vec::new();
    for member in Members::new(line, shape) {
        let Member { key: name, value, params } = member.ok()?;
        let mut all: Vec<String> = Vec::new();
        let mut cursor = Cursor(params.0);
        while let Some((name, _)) = cursor.param() {
            // A parameter keeps the place at which its name first stood.
            if !all.contains(&key(name)) {
                all.push(key(name));
            }
        }
        let params = all.into_iter().map(|name| {
            let value = params.get(name.as_bytes()).unwrap();
            (name, plain(value))
        });
        members.push((key(name), value.map(plain), params.collect()));
    }
    if shape == Shape::Dictionary {
        members = last_of_each_key(members);
    }
    Some(members)
}

/// Of members with one key the last, at the place of the first.
fn last_of_each_key(members: Vec<PlainMember>) -> Vec<PlainMember> {
    let mut last: Vec<PlainMember> = Vec::new();
    for member in members {
        match last.iter_mut().find(|(key, ..)| *key == member.0) {
            Some(before) => *before = member,
            None => last.push(member),
        }
    }
    last
}

fn plain(item: &BareItem) -> Plain {
    match item {
        BareItem::Integer(number) => Plain::Integer((*number).into()),
        BareItem::String(text) => Plain::Text(text.as_str().to_string()),
        BareItem::ByteSequence(bytes) => Plain::Bytes(bytes.clone()),
        _ => Plain::Other,
    }
}

fn entry(key: &str, entry: &ListEntry) -> PlainMember {
    let params = |params: &Parameters| params.iter().map(|(key, item)| (key.to_string(), plain(item))).collect();
    match entry {
        ListEntry::Item(item) => (key.to_string(), Some(plain(&item.bare_item)), params(&item.params)),
        ListEntry::InnerList(list) => (key.to_string(), None, params(&list.params)),
    }
}

fn theirs(line: &[u8], shape: Shape) -> Option<Vec<PlainMember>> {
    fn parse<T: FieldType>(line: &[u8]) -> Option<T> {
        Parser::new(line).parse().ok()
    }
    let line = trim(line);
    match shape {
        Shape::List => parse::<List>(line).map(|list| list.iter().map(|member| entry("", member)).collect()),
        Shape::Dictionary => parse::<Dictionary>(line)
            .map(|members| members.iter().map(|(key, member)| entry(key.as_str(), member)).collect()),
    }
}

fn agree(line: &[u8]) -> bool {
    let mut accepted = false;
    for shape in [Shape::List, Shape::Dictionary] {
        let ours = ours(line, shape);
        assert_eq!(ours, theirs(line, shape), "{:?} as {shape:?}", String::from_utf8_lossy(line));
        accepted |= ours.is_some();
    }
    accepted
}

/// Every text of up to so many of these pieces.
fn every(pieces: &[&str], longest: u32) {
    let mut accepted = 0_u32;
    for len in 0..=longest {
        for number in 0..pieces.len().pow(len) {
            let at = |place| pieces[number / pieces.len().pow(place) % pieces.len()];
            let text: String = (0..len).map(at).collect();
            accepted += u32::from(agree(text.as_bytes()));
        }
    }
    assert!(accepted > 100, "{accepted} of them mean something");
}

#[test]
fn every_short_list_or_dictionary() {
    every(&["a", "1", ",", ";", "=", " ", "\t", "(", ")", "\"", "*"], 5);
}

#[test]
fn every_short_number() {
    every(&["1", "0", "-", ".", "12345", "@", ",", "?"], 5);
}

#[test]
fn every_short_string() {
    every(&["\"", "\\", "a", " ", "%\"", "%c3", "%a4", "%C3", "%f0%9f", "\u{e4}", ":"], 4);
}

#[test]
fn every_short_byte_sequence() {
    every(&[":", "A", "=", "/", "+9", "QUJD", "-", " "], 5);
}

#[test]
fn every_two_bytes_of_utf_8() {
    for first in 0..=255 {
        for second in 0..=255 {
            let text = std::format!("%\"%{first:02x}%{second:02x}\"");
            agree(text.as_bytes());
            let text = std::format!("%\"%{first:02x}%{second:02x}%80%bf\"");
            agree(text.as_bytes());
        }
    }
}

#[test]
fn every_byte_in_every_place() {
    let line = br#" a=1;b , "c\\d";e=:QQ==:;f=%"%c3%bc" , (1 "2";g);h=?1 , i=@1 , 2.5;*=x/y:z	"#;
    for at in 0..line.len() {
        for byte in 0..=255 {
            let mut text = line.to_vec();
            text[at] = byte;
            agree(&text);
            agree(&text[..=at]);
            agree(&text[at..]);
        }
    }
}

#[test]
fn of_parameters_with_one_name_the_last_counts() {
    let member = Members::new(b"\"a\";r=1;t=5;r=2;r", Shape::List).next().unwrap().unwrap();
    assert_eq!(member.params.get(b"r"), Some(Value::Other));
    assert_eq!(member.params.get(b"t"), Some(Value::Integer(5)));
    assert_eq!(member.params.get(b"x"), None);
}

/// Pieces of fields, so that what comes out is often almost right.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(",").prop_map(String::from),
        Just(", ").prop_map(String::from),
        Just(";").prop_map(String::from),
        Just("=").prop_map(String::from),
        Just("(").prop_map(String::from),
        Just(")").prop_map(String::from),
        Just(" ").prop_map(String::from),
        Just("?1").prop_map(String::from),
        "[a-z*][a-z0-9_.*-]{0,3}",
        "[A-Za-z*][!-~]{0,4}",
        "-?[0-9]{1,16}",
        "-?[0-9]{1,13}\\.[0-9]{0,4}",
        "\"[ -~]{0,6}\"",
        ":[A-Za-z0-9+/]{0,9}={0,3}:",
        "@-?[0-9]{1,16}",
        "%\"([ -~]|%[0-9a-f]{2}){0,4}\"",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn pieces_of_fields(text in pieces()) {
        agree(text.as_bytes());
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        agree(&bytes);
    }

    #[test]
    fn any_printable_text(text in "[ -~\\t]{0,40}") {
        agree(text.as_bytes());
    }
}

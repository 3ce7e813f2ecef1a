//! One JSON object a line: a member with the time, one with the key, and perhaps one with the cost. Other members are passed over unread.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::number::{Unit, cost};
use super::{Parse, Reason, Request};
use crate::text::shown;

/// Objects with a member of this name for the key.
pub(super) struct Jsonl {
    key: String,
}

impl Jsonl {
    pub(super) fn new(key: &str) -> Self {
        Self { key: key.to_owned() }
    }
}

impl Parse for Jsonl {
    fn line(&mut self, number: u64, line: &[u8], key: &mut String) -> Result<Option<Request>, Reason> {
        let mut json = serde_json::Deserializer::from_slice(line);
        let members = json.deserialize_map(Wanted { key: &self.key });
        let members = members.and_then(|members| json.end().map(|()| members)).map_err(|error| fault(&error))?;
        let (unit, time) =
            members.time.ok_or_else(|| Reason::Missing("member at_ns, at_us, at_ms or at_s".to_owned()))?;
        let at_ns = unit.at_ns(time.integer(unit.name())?)?;
        let cost = match members.cost {
            Some(Scalar::Null) | None => 1,
            Some(value) => cost(value.integer("cost")?)?,
        };
        key.clear();
        match members.key {
            Some(Scalar::Text(text)) => key.push_str(&text),
            Some(Scalar::Integer(integer)) => key.push_str(&integer.to_string()),
            Some(Scalar::Bool(value)) => key.push_str(if value { "true" } else { "false" }),
            Some(Scalar::Null) | None => return Err(Reason::Missing(format!("member `{}`", shown(&self.key, 60)))),
            Some(Scalar::Other(what)) => {
                let name = shown(&self.key, 60);
                return Err(Reason::Missing(format!("key: `{name}` is {what}, where a string is expected")));
            }
        }
        Ok(Some(Request { line: number, at_ns, cost }))
    }
}

/// The parser's own words, without its line, which is always 1.
fn fault(error: &serde_json::Error) -> Reason {
    let text = error.to_string();
    let words = text.rsplit_once(" at line 1").map_or(text.as_str(), |(words, _)| words);
    Reason::Json(format!("{} (column {})", shown(words, 80), error.column()))
}

/// A value that can be a time, a cost or a key, and in a word what cannot.
#[derive(Clone)]
enum Scalar<'de> {
    Text(Cow<'de, str>),
    Integer(i128),
    Bool(bool),
    Null,
    Other(&'static str),
}

impl Scalar<'_> {
    fn integer(&self, name: &'static str) -> Result<i128, Reason> {
        let found = match self {
            Self::Integer(integer) => return Ok(*integer),
            Self::Text(_) => "a string",
            Self::Bool(_) => "a boolean",
            Self::Null => "null",
            Self::Other(what) => what,
        };
        Err(Reason::NotWhole(name, found.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, integer: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Integer(integer.into()))
    }

    fn visit_i64<E>(self, integer: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Integer(integer.into()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Other("a fraction, or beyond 64 bits"))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Bool(value))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other("an array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other("an object"))
    }
}

/// The members of an object that matter. Of two with one name the later counts, of several times the finest.
#[derive(Default)]
struct Members<'de> {
    time: Option<(Unit, Scalar<'de>)>,
    key: Option<Scalar<'de>>,
    cost: Option<Scalar<'de>>,
}

/// Reads [`Members`], given the name of the one that is the key. It may be the time or the cost as well.
struct Wanted<'name> {
    key: &'name str,
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::default();
        while let Some(Name(name)) = object.next_key()? {
            let (is_key, is_cost, unit) = (name == self.key, name == "cost", Unit::of(name.as_bytes()));
            if !is_key && !is_cost && unit.is_none() {
                object.next_value::<IgnoredAny>()?;
                continue;
            }
            let value: Scalar<'de> = object.next_value()?;
            if is_key {
                members.key = Some(value.clone());
            }
            match unit {
                Some(unit) if members.time.as_ref().is_none_or(|(finest, _)| unit <= *finest) => {
                    members.time = Some((unit, value));
                }
                None if is_cost => members.cost = Some(value),
                Some(_) | None => {}
            }
        }
        Ok(members)
    }
}

/// A member's name, borrowed from the line unless it holds escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, key: &str) -> Result<(u64, u64, String), Reason> {
        let mut buffer = "left from before".to_owned();
        let request = Jsonl::new(key).line(9, line.as_bytes(), &mut buffer)?.expect("an object ends with its line");
        assert_eq!(request.line, 9);
        Ok((request.at_ns, request.cost, buffer))
    }

    fn request(at_ns: u64, cost: u64, key: &str) -> Result<(u64, u64, String), Reason> {
        Ok((at_ns, cost, key.to_owned()))
    }

    #[test]
    fn members_are_found_by_name_in_any_order() {
        assert_eq!(read(r#"{"key":"a","at_ns":7}"#, "key"), request(7, 1, "a"));
        assert_eq!(read(r#" {"cost" : 3, "x":[{"key":1}], "at_ms":7,"who":"b"} "#, "who"), request(7_000_000, 3, "b"));
        assert_eq!(read(r#"{"at_s":7,"k\u0065y":"\u0000\n"}"#, "key"), request(7_000_000_000, 1, "\0\n"));
    }

    #[test]
    fn a_key_may_be_any_scalar_that_is_not_null() {
        assert_eq!(read(r#"{"key":42,"at_ns":7}"#, "key"), request(7, 1, "42"));
        assert_eq!(read(r#"{"key":true,"at_ns":7}"#, "key"), request(7, 1, "true"));
        assert_eq!(read(r#"{"cost":2,"at_ns":7}"#, "cost"), request(7, 2, "2"));
        assert_eq!(read(r#"{"cost":2,"at_ns":7}"#, "at_ns"), request(7, 2, "7"));
        for bad in ["null", "[1]", r#"{"a":1}"#, "1.5"] {
            let line = format!(r#"{{"key":{bad},"at_ns":7}}"#);
            assert!(matches!(read(&line, "key"), Err(Reason::Missing(_))), "{bad}");
        }
        assert!(matches!(read(r#"{"at_ns":7}"#, "key"), Err(Reason::Missing(_))));
    }

    #[test]
    fn a_null_cost_is_one_and_repeated_members_are_read_as_documented() {
        assert_eq!(read(r#"{"key":"a","at_ns":7,"cost":null}"#, "key"), request(7, 1, "a"));
        assert_eq!(read(r#"{"key":"a","at_ns":7,"cost":2,"cost":3,"key":"b"}"#, "key"), request(7, 3, "b"));
        assert_eq!(read(r#"{"key":"a","at_us":7,"at_s":9,"at_us":8}"#, "key"), request(8_000, 1, "a"));
    }

    #[test]
    fn times_and_costs_are_integers_in_range() {
        let at = |time: &str| read(&format!(r#"{{"key":"a","at_s":{time}}}"#), "key").unwrap_err();
        for bad in ["1.5", "\"1\"", "null", "[]", "true", "99999999999999999999999"] {
            assert!(matches!(at(bad), Reason::NotWhole("at_s", _)), "{bad}");
        }
        assert_eq!(at("-1"), Reason::TooEarly);
        assert_eq!(at("9223372037"), Reason::TooLate);
        assert_eq!(read(r#"{"key":"a","at_s":1,"cost":-1}"#, "key"), Err(Reason::NegativeCost));
    }

    #[test]
    fn what_is_no_object_says_why_on_a_short_line() {
        let deep = "[".repeat(100_000);
        let long = format!("\"{}\"", "x".repeat(100_000));
        for bad in ["", "[]", "7", "{", "{\"key\":\"a\",\"at_ns\":7} x", "{\"key\":\"\u{1}\"}", &deep, &long] {
            let Err(Reason::Json(why)) = read(bad, "key") else { panic!("{}", shown(bad, 40)) };
            assert!(why.chars().count() < 120, "{why}");
        }
        let mut key = String::new();
        let not_utf_8 = Jsonl::new("key").line(1, b"{\"key\":\"\xff\",\"at_ns\":1}", &mut key);
        assert!(matches!(not_utf_8, Err(Reason::Json(_))));
    }
}

//! The JSON writer, against `serde_json`'s.

use serde_json::{Map, Value};
use tollgate::format::json::{self, Members};

/// Writes an object in both ways: it must be the same bytes as `serde_json`'s, and on one line the same object without a [forgery](could_forge).
///
/// # Panics
///
/// Where it is not; and at a number that is not whole, for which the writer has no place.
pub fn assert_as_by_serde_json(members: &Map<String, Value>) {
    let object = || json::object(|object| write_members(object, members));
    assert_eq!(object().to_string(), Value::Object(members.clone()).to_string());
    let line = object().on_one_line().to_string();
    assert!(!line.contains(could_forge), "{line:?}");
    assert_eq!(serde_json::from_str(&line).ok().as_ref(), Some(members));
}

fn write_members(object: &mut Members<'_>, members: &Map<String, Value>) {
    for (name, value) in members {
        write(object.member(name), value);
    }
}

fn write(place: json::Value<'_>, value: &Value) {
    match value {
        Value::Null => place.null(),
        Value::Bool(value) => place.boolean(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => place.integer(number),
            (None, Some(number)) => place.signed_integer(number),
            (None, None) => panic!("{number} is no whole number"),
        },
        Value::String(text) => place.string(text),
        Value::Array(values) => place.array(|array| values.iter().for_each(|value| write(array.element(), value))),
        Value::Object(members) => place.object(|object| write_members(object, members)),
    }
}

/// Whether a reader of logs may take the character for the end of a line, or show what follows in another place.
pub fn could_forge(character: char) -> bool {
    let direction = ['\u{61C}', '\u{200E}', '\u{200F}'];
    let ranges = ['\u{2028}'..='\u{202E}', '\u{2066}'..='\u{2069}'];
    character.is_control() || direction.contains(&character) || ranges.iter().any(|range| range.contains(&character))
}

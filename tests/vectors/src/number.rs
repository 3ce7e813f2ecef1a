//! Integers, exactly: as JSON numbers or, for writers whose numbers are floats, as strings of digits.

use core::fmt;

use serde::Deserializer;
use serde::de::{Error, Visitor};
use tollgate_oracle::policy::LAST_TIMESTAMP;

struct Nanos;

impl Visitor<'_> for Nanos {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of nanoseconds from 0 to 18446744073709551615, or a string of its digits")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        digits(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

/// The number that a string of digits is.
pub(crate) fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// A length of time, or a deadline.
pub(crate) fn nanos<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    from.deserialize_any(Nanos)
}

/// A timestamp, up to the last one.
pub(crate) fn timestamp<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let number = nanos(from)?;
    if number > LAST_TIMESTAMP {
        return Err(D::Error::custom(format_args!("{number} is no timestamp: the last one is {LAST_TIMESTAMP}")));
    }
    Ok(number)
}

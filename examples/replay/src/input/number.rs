//! Integers as the inputs write them, and the times and costs that they stand for.

use super::Reason;
use crate::text::excerpt;

/// The unit of a time, and by its name the column or member that holds one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    Nanos,
    Micros,
    Millis,
    Secs,
}

impl Unit {
    /// From the finest: where an input has several, the first of these counts.
    pub(crate) const ALL: [Self; 4] = [Self::Nanos, Self::Micros, Self::Millis, Self::Secs];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nanos => "at_ns",
            Self::Micros => "at_us",
            Self::Millis => "at_ms",
            Self::Secs => "at_s",
        }
    }

    pub(crate) fn of(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name().as_bytes() == name)
    }

    /// Nanoseconds since the epoch.
    pub(crate) fn at_ns(self, time: i128) -> Result<u64, Reason> {
        let nanos_each = match self {
            Self::Nanos => 1,
            Self::Micros => 1_000,
            Self::Millis => 1_000_000,
            Self::Secs => 1_000_000_000,
        };
        at_ns(time.saturating_mul(nanos_each))
    }
}

/// The times that can be judged: what a `Timestamp` holds without saturating, which would judge requests at times that are not theirs.
pub(crate) fn at_ns(nanos: i128) -> Result<u64, Reason> {
    match u64::try_from(nanos) {
        Ok(nanos) if nanos <= i64::MAX as u64 => Ok(nanos),
        Ok(_) => Err(Reason::TooLate),
        Err(_) if nanos < 0 => Err(Reason::TooEarly),
        Err(_) => Err(Reason::TooLate),
    }
}

pub(crate) fn cost(cost: i128) -> Result<u64, Reason> {
    u64::try_from(cost).map_err(|_| if cost < 0 { Reason::NegativeCost } else { Reason::HugeCost })
}

/// A decimal integer in a field named `name`, spaces around it allowed. One with too many digits is the largest or smallest there is, which
/// neither a time nor a cost can be.
pub(crate) fn integer(name: &'static str, field: &[u8]) -> Result<i128, Reason> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    let not_whole = || Reason::NotWhole(name, excerpt(field));
    let text = std::str::from_utf8(field.trim_ascii()).map_err(|_| not_whole())?;
    match text.parse() {
        Ok(integer) => Ok(integer),
        Err(error) => match std::num::ParseIntError::kind(&error) {
            PosOverflow => Ok(i128::MAX),
            NegOverflow => Ok(i128::MIN),
            _ => Err(not_whole()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_has_its_name_and_its_nanoseconds() {
        for (name, nanos) in [("at_ns", 3), ("at_us", 3_000), ("at_ms", 3_000_000), ("at_s", 3_000_000_000)] {
            assert_eq!(Unit::of(name.as_bytes()).unwrap().at_ns(3), Ok(nanos));
        }
        assert_eq!(Unit::of(b"at"), None);
        assert_eq!(Unit::of(b"AT_S"), None);
    }

    #[test]
    fn times_end_where_timestamps_do() {
        assert_eq!(at_ns(0), Ok(0));
        assert_eq!(at_ns(-1), Err(Reason::TooEarly));
        assert_eq!(at_ns(i64::MAX.into()), Ok(i64::MAX as u64));
        assert_eq!(at_ns(i128::from(i64::MAX) + 1), Err(Reason::TooLate));
        assert_eq!(at_ns(i128::MAX), Err(Reason::TooLate));
        assert_eq!(at_ns(i128::MIN), Err(Reason::TooEarly));
        assert_eq!(Unit::Secs.at_ns(9_223_372_036), Ok(9_223_372_036_000_000_000));
        assert_eq!(Unit::Secs.at_ns(9_223_372_037), Err(Reason::TooLate));
        assert_eq!(Unit::Secs.at_ns(i128::MAX), Err(Reason::TooLate));
        assert_eq!(Unit::Secs.at_ns(i128::MIN), Err(Reason::TooEarly));
    }

    #[test]
    fn costs_are_zero_or_more() {
        assert_eq!(cost(0), Ok(0));
        assert_eq!(cost(u64::MAX.into()), Ok(u64::MAX));
        assert_eq!(cost(-1), Err(Reason::NegativeCost));
        assert_eq!(cost(i128::from(u64::MAX) + 1), Err(Reason::HugeCost));
    }

    #[test]
    fn integers_are_whole_and_of_any_length() {
        assert_eq!(integer("at_s", b" 42 "), Ok(42));
        assert_eq!(integer("at_s", b"-7"), Ok(-7));
        assert_eq!(integer("at_s", b"9".repeat(400).as_slice()), Ok(i128::MAX));
        assert_eq!(integer("at_s", [b"-".as_slice(), &b"9".repeat(400)].concat().as_slice()), Ok(i128::MIN));
        for bad in [&b""[..], b"1.5", b"1e3", b"0x10", b"a", b"\xff", b"1 2", b"-"] {
            assert!(matches!(integer("at_s", bad), Err(Reason::NotWhole("at_s", _))), "{bad:?}");
        }
    }
}

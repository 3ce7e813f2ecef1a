//! draft-ietf-httpapi-ratelimit-headers-06: `RateLimit-Limit`, `-Remaining` and `-Reset`, a number each, and `RateLimit-Policy`.
//!
//! ```
//! use tollgate::client::draft_06;
//!
//! assert_eq!(draft_06::integer(["100"]), Some(100)); // any of the three; the reset is in seconds
//! assert!(draft_06::policies(["100;w=60"]).unwrap().map(|policy| policy.quota).eq([100]));
//! ```

use super::sf::{Field, Malformed, Shape, Value};

pub use super::quota_policy::{QuotaPolicy, policies};

/// The number in one of the three fields: an item of RFC 9651, so a whole number of at most 15 digits, here not negative, in one line.
///
/// ```
/// # use tollgate::client::draft_06;
/// assert_eq!(draft_06::integer([" 5;comment=\"soon\" "]), Some(5));
/// for malformed in [&["5, 5"][..], &["5", "5"], &["-5"], &["5.0"], &["5s"], &["9999999999999999"], &[""], &[]] {
///     assert_eq!(draft_06::integer(malformed.iter().copied()), None, "{malformed:?}");
/// }
/// ```
pub fn integer<'a, L, V>(lines: L) -> Option<u64>
where
    L: IntoIterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    let mut integer = Reading::default();
    lines.into_iter().for_each(|line| integer.line(line.as_ref()));
    integer.finish()
}

/// The lines of a field with one number. Each is read; there must be one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    field: Field,
    number: Option<u64>,
}

impl Reading {
    pub(super) fn line(&mut self, line: &[u8]) {
        let Self { field, number } = self;
        // An item is what a list with one member looks like.
        let mut members = 0_u8;
        field.line(line, Shape::List, |member| {
            members = members.saturating_add(1);
            *number = member.value.and_then(Value::count);
            if members == 1 { Ok(()) } else { Err(Malformed) }
        });
    }

    pub(super) fn finish(self) -> Option<u64> {
        let whole = self.field.is_well_formed() && self.field.is_one_line();
        if whole { self.number } else { None }
    }
}

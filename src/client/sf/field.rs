//! [`Field`]: the lines of a field as the one value that they are together (RFC 9651, section 4.2).

use super::{Member, Members, Shape};

/// Something in the field is not as it must be. Then all of it is as if it were not there: "the entire field value MUST be ignored".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) struct Malformed;

/// Takes the lines of a field as they come, in whatever order the lines of other fields are between them.
///
/// A line must hold whole members, as RFC 9651 lets a parser ask; so a string that was torn over two lines is malformed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::client) struct Field {
    /// Lines with something on them, up to two: there is one, or there are several.
    filled: u8,
    /// Whether one was blank. Between the commas that join the lines, that is a member that is missing.
    blank: bool,
    malformed: bool,
}

impl Field {
    /// Reads one more line, and hands each of its members to `read`, which says whether it is as the field has it.
    pub(in crate::client) fn line<'a>(
        &mut self,
        line: &'a [u8],
        shape: Shape,
        mut read: impl FnMut(Member<'a>) -> Result<(), Malformed>,
    ) {
        let mut members = Members::new(line, shape).peekable();
        match members.peek() {
            Some(_) => self.filled = self.filled.saturating_add(1).min(2),
            None => self.blank = true,
        }
        self.malformed |= members.any(|member| member.and_then(&mut read).is_err());
    }

    /// Whether there is anything, and nothing amiss.
    pub(in crate::client) const fn is_well_formed(self) -> bool {
        self.filled > 0 && !self.blank && !self.malformed
    }

    /// Whether there is one line.
    pub(in crate::client) const fn is_one_line(self) -> bool {
        self.filled == 1
    }
}

/// The members of a field in several lines, each made a `T`. None where the field is absent, empty or malformed.
pub(in crate::client) fn field<'a, L, V, T>(
    lines: L,
    read: fn(Member<'a>) -> Option<T>,
) -> Option<impl Iterator<Item = T>>
where
    L: IntoIterator<Item = &'a V> + Clone,
    V: AsRef<[u8]> + ?Sized + 'a,
    T: 'a,
{
    let mut whole = Field::default();
    for line in lines.clone() {
        whole.line(line.as_ref(), Shape::List, |member| read(member).map(|_| ()).ok_or(Malformed));
    }
    let members = lines.into_iter().flat_map(|line| Members::new(line.as_ref(), Shape::List)).flatten();
    whole.is_well_formed().then(|| members.filter_map(read))
}

//! What all readers of headers here need of a text, with [the bytes counted](cost).

use super::cost;
use crate::header_lines;

/// As [`header_lines::trim`], counted.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    let trimmed = header_lines::trim(text);
    cost::bytes(text.len().saturating_sub(trimmed.len()));
    trimmed
}

/// What stands before and behind the byte at `at`.
pub(super) fn split_around(text: &[u8], at: usize) -> Option<(&[u8], &[u8])> {
    let (before, from) = text.split_at_checked(at)?;
    Some((before, from.split_first()?.1))
}

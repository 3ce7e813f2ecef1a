//! What all fields have in common besides their [lines](crate::header_lines): numbers of plain digits.

/// The number that `text` is, if it is digits alone and at least one. One too large for a `u64` is the largest.
pub(super) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = digit(*byte)?;
        Some(number.saturating_mul(10).saturating_add(u64::from(digit)))
    })
}

/// The value of an ASCII digit.
pub(super) const fn digit(byte: u8) -> Option<u8> {
    match byte {
        // Cannot underflow: a digit is at least `0`.
        b'0'..=b'9' => Some(byte - b'0'),
        _ => None,
    }
}

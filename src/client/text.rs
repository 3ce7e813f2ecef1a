//! What all fields have in common: blanks around a value, and numbers of plain digits.

/// Without spaces and tabs at either end (RFC 9110, section 5.6.3).
pub(super) fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', inner @ ..] | [inner @ .., b' ' | b'\t'] = text {
        text = inner;
    }
    text
}

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

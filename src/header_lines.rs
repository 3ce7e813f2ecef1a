//! What [`client`](crate::client) and [`identity`](crate::identity) share in reading header lines: those of one name, and a value without the
//! blanks around it. What a value means is known there.

/// The values of the lines of that name, in either case.
pub(crate) fn named<H, N, V>(headers: &H, name: &str) -> impl Iterator<Item = V>
where
    H: IntoIterator<Item = (N, V)> + Clone,
    N: AsRef<[u8]>,
{
    let lines = headers.clone().into_iter();
    lines.filter(|(found, _)| found.as_ref().eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
}

/// Without spaces and tabs at either end (RFC 9110, section 5.6.3).
pub(crate) fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', inner @ ..] | [inner @ .., b' ' | b'\t'] = text {
        text = inner;
    }
    text
}

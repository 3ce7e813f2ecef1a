//! Common and combined log format: `HOST IDENT USER [TIME] "REQUEST" STATUS BYTES`, then `"REFERER" "USER-AGENT"` in the combined one.
//!
//! Only what is needed is asked for: a line whose user agent is cut off still has a time and a host. What a server appends after these
//! fields is let be. Quotes inside a quoted field are written `\"`.

use std::fmt::Write;
use std::net::{IpAddr, Ipv6Addr};

use jiff::fmt::strtime;

use super::number::at_ns;
use super::{Parse, Reason, Request};

/// What a line is counted under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClfKey {
    /// The host: an address, IPv6 masked to so many bits if said, or a name as it stands.
    Ip {
        prefix: Option<u8>,
    },
    /// The path of the request, without its query.
    Path,
    UserAgent,
}

impl ClfKey {
    /// By its name on the command line.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "ip" => Some(Self::Ip { prefix: None }),
            "path" => Some(Self::Path),
            "user-agent" => Some(Self::UserAgent),
            _ => {
                let digits = name.strip_prefix("ip/").filter(|bits| bits.bytes().all(|byte| byte.is_ascii_digit()))?;
                let prefix = digits.parse().ok().filter(|&prefix| prefix <= 128)?;
                Some(Self::Ip { prefix: Some(prefix) })
            }
        }
    }
}

/// Lines of the common or the combined format, in any mixture.
pub(super) struct Clf {
    key: ClfKey,
}

impl Clf {
    pub(super) fn new(key: ClfKey) -> Self {
        Self { key }
    }
}

impl Parse for Clf {
    fn line(&mut self, number: u64, line: &[u8], key: &mut String) -> Result<Option<Request>, Reason> {
        let fields = Fields::split(line.trim_ascii_end())?;
        let at_ns = time(fields.time)?;
        key.clear();
        match self.key {
            ClfKey::Ip { prefix } => host(fields.host, prefix, key),
            ClfKey::Path => key.push_str(&String::from_utf8_lossy(path(fields.request)?)),
            ClfKey::UserAgent => key.push_str(&String::from_utf8_lossy(fields.user_agent()?)),
        }
        Ok(Some(Request { line: number, at_ns, cost: 1 }))
    }
}

struct Fields<'a> {
    host: &'a [u8],
    time: &'a [u8],
    request: &'a [u8],
    /// From the referer on; empty in the common format.
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn split(line: &'a [u8]) -> Result<Self, Reason> {
        let expected = |what, found| move || Reason::expected(what, found);
        let (host, rest) = word(line).ok_or_else(expected("HOST IDENT USER [TIME]", line))?;
        let (_ident, rest) = word(rest).ok_or_else(expected("IDENT USER [TIME] after the host", rest))?;
        // A user may have spaces in its name.
        let bracket = memchr::memmem::find(rest, b" [").ok_or_else(expected("USER [TIME]", rest))?;
        let (user, rest) = (&rest[..bracket], &rest[bracket + 2..]);
        if user.starts_with(b"- ") {
            // Else the name of a virtual host, put before the address, would be the key.
            return Err(Reason::expected("HOST IDENT USER [TIME], with one field less", line));
        }
        let end = memchr::memchr(b']', rest).ok_or_else(expected("a time that ends in ]", rest))?;
        let (time, rest) = (&rest[..end], &rest[end + 1..]);
        let (request, rest) = quoted(rest).ok_or_else(expected("a \"REQUEST\" in quotes after the time", rest))?;
        let (status, after) = next_word(rest).ok_or_else(expected("STATUS BYTES after the request", rest))?;
        if !(status.len() == 3 && status.iter().all(u8::is_ascii_digit) || status == b"-") {
            return Err(Reason::expected("a STATUS of three digits after the request", rest));
        }
        let (bytes, rest) = next_word(after).ok_or_else(expected("BYTES after the status", after))?;
        if !(bytes.iter().all(u8::is_ascii_digit) || bytes == b"-") {
            return Err(Reason::expected("a number of BYTES, or -, after the status", after));
        }
        Ok(Self { host, time, request, rest })
    }

    fn user_agent(&self) -> Result<&'a [u8], Reason> {
        if self.rest.is_empty() {
            return Err(Reason::Missing("user agent: the line is in common log format".to_owned()));
        }
        let (_referer, rest) =
            quoted(self.rest).ok_or_else(|| Reason::expected("a \"REFERER\" in quotes", self.rest))?;
        let (user_agent, _) = quoted(rest).ok_or_else(|| Reason::expected("a \"USER-AGENT\" in quotes", rest))?;
        Ok(user_agent)
    }
}

/// What stands before the first space, which may not be nothing, and what stands after it.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = memchr::memchr(b' ', text).filter(|&space| space > 0)?;
    Some((&text[..space], &text[space + 1..]))
}

/// A word after a space, up to the next space or the end, and what stands from there on.
fn next_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b" ")?;
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// What stands in quotes after a space, as it is written, and what stands after it.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b" \"")?;
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', text.get(from..)?)?;
        if text[at] == b'"' {
            return Some((&text[..at], &text[at + 1..]));
        }
        from = at + 2;
    }
}

/// Nanoseconds since 1970. A leap second is read as the second before it.
fn time(text: &[u8]) -> Result<u64, Reason> {
    let parsed = strtime::parse("%d/%b/%Y:%H:%M:%S%.f %z", text).and_then(|time| time.to_timestamp());
    let parsed = parsed.map_err(|_| Reason::expected("a time as 31/Dec/2025:23:59:59 +0000", text))?;
    at_ns(parsed.as_nanosecond())
}

/// Writes an address as it is usually written, whichever way it was: `2001:db8::1`, `192.0.2.1` (also for `::ffff:192.0.2.1`).
fn host(text: &[u8], prefix: Option<u8>, key: &mut String) {
    let address = std::str::from_utf8(text).ok().and_then(|text| text.parse::<IpAddr>().ok());
    // Writing to a string cannot fail.
    let _ = match (address.map(|address| address.to_canonical()), prefix) {
        (Some(IpAddr::V6(address)), Some(prefix)) => write!(key, "{}/{prefix}", masked(address, prefix)),
        (Some(address), _) => write!(key, "{address}"),
        (None, _) => key.write_str(&String::from_utf8_lossy(text)),
    };
}

fn masked(address: Ipv6Addr, prefix: u8) -> Ipv6Addr {
    let mask = u128::MAX.checked_shl(128 - u32::from(prefix.min(128))).unwrap_or(0);
    Ipv6Addr::from_bits(address.to_bits() & mask)
}

/// The path in `GET /path?query HTTP/1.1`, or in `GET http://host/path HTTP/1.1`, as a proxy logs it.
fn path(request: &[u8]) -> Result<&[u8], Reason> {
    let (_method, rest) = word(request).unwrap_or_default();
    let target = &rest[..memchr::memchr(b' ', rest).unwrap_or(rest.len())];
    let target = &target[..memchr::memchr2(b'?', b'#', target).unwrap_or(target.len())];
    if target.starts_with(b"/") || target == b"*" {
        return Ok(target);
    }
    let scheme = memchr::memmem::find(target, b"://");
    let scheme = scheme.ok_or_else(|| Reason::expected("a request with a path, as GET /path HTTP/1.1", request))?;
    let host = &target[scheme + 3..];
    Ok(memchr::memchr(b'/', host).map_or(&b"/"[..], |slash| &host[slash..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = r#""GET /a?b HTTP/1.1" 200 5 "http://example.org/" "Mozilla/5.0 (\"quoted\")""#;

    fn read(line: &str, key: &str) -> Result<(u64, String), Reason> {
        read_bytes(line.as_bytes(), key)
    }

    fn read_bytes(line: &[u8], key: &str) -> Result<(u64, String), Reason> {
        let mut buffer = "left from before".to_owned();
        let mut clf = Clf::new(ClfKey::parse(key).unwrap());
        let request = clf.line(9, line, &mut buffer)?.expect("a line is a request");
        assert_eq!((request.line, request.cost), (9, 1));
        Ok((request.at_ns, buffer))
    }

    /// The key of a combined line that begins with `host`.
    fn host_key(host: &str, key: &str) -> String {
        read(&format!("{host} - - [01/Jan/1970:00:00:01 +0000] {REST}"), key).unwrap().1
    }

    /// The key of a combined line with this request.
    fn path_of(request: &str) -> Result<String, Reason> {
        let line = format!("h - - [01/Jan/1970:00:00:01 +0000] \"{request}\" 200 5 \"-\" \"-\"");
        read(&line, "path").map(|(_, key)| key)
    }

    fn at(time: &str) -> Result<u64, Reason> {
        read(&format!("h - - [{time}] {REST}"), "ip").map(|(at_ns, _)| at_ns)
    }

    #[test]
    fn common_and_combined_lines_have_a_host_and_a_time() {
        let common = r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326"#;
        assert_eq!(read(common, "ip"), Ok((971_211_336_000_000_000, "192.0.2.1".to_owned())));
        let combined = format!("192.0.2.1 - frank smith [10/Oct/2000:20:55:36 +0000] {REST}");
        assert_eq!(read(&combined, "ip"), Ok((971_211_336_000_000_000, "192.0.2.1".to_owned())));
        assert!(read(&format!("{combined} 0.123 extra\r"), "ip").is_ok());
        assert!(read(r#"h - - [10/Oct/2000:13:55:36 -0700] "-" 408 -"#, "ip").is_ok());
    }

    #[test]
    fn a_line_cut_off_after_the_bytes_still_counts_by_address_but_not_by_user_agent() {
        let cut = r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 5 "-" "Mozilla"#;
        assert!(read(cut, "ip").is_ok());
        assert!(matches!(read(cut, "user-agent"), Err(Reason::Expected { .. })));
    }

    #[test]
    fn addresses_are_written_one_way_and_names_as_they_are() {
        assert_eq!(host_key("2001:DB8:0:0:0:0:0:1", "ip"), "2001:db8::1");
        assert_eq!(host_key("::ffff:192.0.2.1", "ip"), "192.0.2.1");
        assert_eq!(host_key("::ffff:c000:201", "ip"), "192.0.2.1");
        assert_eq!(host_key("Client.example", "ip"), "Client.example");
        assert_eq!(host_key("192.0.2.300", "ip"), "192.0.2.300");
    }

    #[test]
    fn only_ipv6_is_masked() {
        assert_eq!(host_key("2001:db8:1:2:3::4", "ip/64"), "2001:db8:1:2::/64");
        assert_eq!(host_key("2001:db8:1:2:3::4", "ip/128"), "2001:db8:1:2:3::4/128");
        assert_eq!(host_key("2001:db8:1:2:3::4", "ip/0"), "::/0");
        assert_eq!(host_key("2001:db8:ffff::", "ip/33"), "2001:db8:8000::/33");
        assert_eq!(host_key("192.0.2.1", "ip/64"), "192.0.2.1");
        assert_eq!(host_key("::ffff:192.0.2.1", "ip/64"), "192.0.2.1");
        assert_eq!(host_key("client.example", "ip/64"), "client.example");
    }

    #[test]
    fn key_names_are_these_and_no_others() {
        for bad in ["", "IP", "ip/", "ip/129", "ip/-1", "ip/+1", "ip/x", "ip/999999999999", "host", "useragent"] {
            assert_eq!(ClfKey::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn paths_are_without_query_host_and_fragment() {
        assert_eq!(path_of("GET /a/b?c=/d HTTP/1.1").unwrap(), "/a/b");
        assert_eq!(path_of("GET /a#b HTTP/1.1").unwrap(), "/a");
        assert_eq!(path_of("GET /").unwrap(), "/");
        assert_eq!(path_of("GET //a HTTP/1.1").unwrap(), "//a");
        assert_eq!(path_of("GET http://example.org/a?b HTTP/1.1").unwrap(), "/a");
        assert_eq!(path_of("GET http://example.org?b HTTP/1.1").unwrap(), "/");
        assert_eq!(path_of("OPTIONS * HTTP/1.1").unwrap(), "*");
        assert_eq!(path_of(r#"GET /a\\\"b HTTP/1.1"#).unwrap(), r#"/a\\\"b"#);
        for bad in ["-", "", "GET", "CONNECT example.org:443 HTTP/1.1", "GET  / HTTP/1.1", "GET a?b=http://c/ HTTP/1.1"]
        {
            assert!(path_of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn user_agents_are_as_written_and_missing_in_the_common_format() {
        let line = format!("h - - [01/Jan/1970:00:00:01 +0000] {REST}");
        assert_eq!(read(&line, "user-agent").unwrap().1, r#"Mozilla/5.0 (\"quoted\")"#);
        let common = r#"h - - [01/Jan/1970:00:00:01 +0000] "GET / HTTP/1.0" 200 5"#;
        assert!(matches!(read(common, "user-agent"), Err(Reason::Missing(_))));
    }

    #[test]
    fn times_are_read_with_their_offset() {
        assert_eq!(at("01/Jan/1970:00:00:01 +0000"), Ok(1_000_000_000));
        assert_eq!(at("01/Jan/1970:05:30:00 +0530"), Ok(0));
        assert_eq!(at("31/Dec/1969:19:00:00 -0500"), Ok(0));
        assert_eq!(at("01/Jan/1970:14:00:00 +1400"), Ok(0));
        assert_eq!(at("29/Feb/2024:00:00:00.25 +0000"), Ok(1_709_164_800_250_000_000));
        assert_eq!(at("31/Dec/2016:23:59:60 +0000"), Ok(1_483_228_799_000_000_000));
        assert_eq!(at("31/Dec/1969:23:59:59 +0000"), Err(Reason::TooEarly));
        assert_eq!(at("11/Apr/2262:23:47:16 +0000"), Ok(9_223_372_036_000_000_000));
        assert_eq!(at("11/Apr/2262:23:47:17 +0000"), Err(Reason::TooLate));
        assert_eq!(at("01/Jan/9999:00:00:00 +0000"), Err(Reason::TooLate));
        for bad in
            ["", "29/Feb/2023:00:00:00 +0000", "01/Foo/2023:00:00:00 +0000", "01/Jan/2023:24:00:00 +0000", "2023"]
        {
            assert!(matches!(at(bad), Err(Reason::Expected { .. })), "{bad}");
        }
    }

    #[test]
    fn what_is_no_line_of_a_log_is_said_to_be_none() {
        let virtual_host = format!("www.example.org:80 192.0.2.1 - - [01/Jan/1970:00:00:01 +0000] {REST}");
        for bad in [
            "hello",
            " - - [01/Jan/1970:00:00:01 +0000] \"GET / HTTP/1.0\" 200 5",
            "h - - 01/Jan/1970:00:00:01 +0000 \"GET / HTTP/1.0\" 200 5",
            "h - - [01/Jan/1970:00:00:01 +0000",
            "h - - [01/Jan/1970:00:00:01 +0000] GET / HTTP/1.0 200 5",
            "h - - [01/Jan/1970:00:00:01 +0000] \"GET / HTTP/1.0",
            "h - - [01/Jan/1970:00:00:01 +0000] \"GET / HTTP/1.0\\",
            "h - - [01/Jan/1970:00:00:01 +0000] \"GET / HTTP/1.0\"",
            "h - - [01/Jan/1970:00:00:01 +0000] \"GET / HTTP/1.0\" 200",
            "h - - [01/Jan/1970:00:00:01 +0000] \"GET / HTTP/1.0\" ok 5",
            "h - - [01/Jan/1970:00:00:01 +0000] \"GET / HTTP/1.0\" 200 many",
            &virtual_host,
        ] {
            assert!(matches!(read(bad, "ip"), Err(Reason::Expected { .. })), "{bad}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_keys_all_the_same() {
        let line = b"h\xff\0 - - [01/Jan/1970:00:00:01 +0000] \"GET / HTTP/1.0\" 200 5";
        assert_eq!(read_bytes(line, "ip"), Ok((1_000_000_000, "h\u{fffd}\0".to_owned())));
    }
}

//! What headers cost, counted in bytes looked at: see [`cost`].

extern crate std;

use core::iter;
use core::net::{IpAddr, Ipv4Addr};
use std::format;
use std::string::String;
use std::vec::Vec;

use super::{Client, Prefix, Resolver, Source, Trust, cost};

const MEGABYTE: usize = 1 << 20;
const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 5));
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));
const PROXIES: [Prefix; 1] = [Prefix::constant(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8)];
const RULES: [Trust; 4] = [Trust::Proxies(&PROXIES), Trust::Hops(1), Trust::Hops(255), Trust::SpoofableFirstHop];

/// At most so many looks at each byte: counting goes over a chain three times, and reading looks at an element a few times.
const LOOKS: usize = 8;

/// Who it is, and how many bytes were looked at to find out.
fn counted<'a>(resolver: Resolver<'a>, name: &str, lines: &[&str]) -> (Client<'a>, usize) {
    cost::take();
    let client = resolver.resolve(PROXY, lines.iter().map(|line| (name, line)));
    (client, cost::take())
}

/// The piece as often as it goes into so many bytes.
fn filled(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

#[test]
fn a_megabyte_of_forged_hops_is_not_looked_at() {
    let resolver = Resolver::new(&[Source::X_FORWARDED_FOR]).trusting(RULES[0]);
    let line = filled("9.9.9.9, ", MEGABYTE) + "203.0.113.7";
    let (client, looks) = counted(resolver, "x-forwarded-for", &[&line]);
    assert_eq!(client.address(), Some(CLIENT));
    assert!(looks <= LOOKS * " 203.0.113.7".len(), "{looks} looks at the only hop that matters");
}

#[test]
fn ten_thousand_hops_cost_what_their_bytes_cost() {
    for trust in RULES {
        let resolver = Resolver::new(&[Source::X_FORWARDED_FOR, Source::PEER]).trusting(trust);
        // All trusted, so that a walk goes through all of them; in one line, and each in a line of its own.
        let hops: Vec<String> = (0..10_000).map(|n| format!("10.{}.{}.9", n / 256, n % 256)).collect();
        let line = hops.join(", ");
        let lines: Vec<&str> = hops.iter().map(String::as_str).collect();

        let (in_one, looks) = counted(resolver, "x-forwarded-for", &[&line]);
        assert!(looks <= LOOKS * line.len(), "{trust:?}: {looks} looks at {} bytes", line.len());
        let (in_many, looks) = counted(resolver, "x-forwarded-for", &lines);
        assert!(looks <= LOOKS * line.len(), "{trust:?}: {looks} looks at {} bytes", line.len());
        assert_eq!(in_one, in_many);
        let leftmost = match trust {
            Trust::Hops(count) => 10_000 - usize::from(count),
            _ => 0,
        };
        assert_eq!(in_one.address().map(|address| format!("{address}")), hops.get(leftmost).cloned());
    }
}

#[test]
fn no_bytes_cost_more_than_their_number() {
    let pieces = [
        ",",
        " ",
        "\t,",
        "\"",
        "\\",
        "\\\"",
        "\"\\",
        "\",\"",
        ";",
        "=",
        "a",
        "1",
        ":",
        "10.0.0.9,",
        "9.9.9.9,",
        "[::1]:80,",
        "for=10.0.0.9,",
        "for=\"10.0.0.9\",",
        "for=10.0.0.9;by=\"\\\"\",",
        "for=\"",
        "for=\"\\",
        ";for=",
        "x=\"\\\\\";",
        "unknown, ",
    ];
    let sources = [
        ("x-forwarded-for", Source::X_FORWARDED_FOR),
        ("forwarded", Source::FORWARDED),
        ("x-real-ip", Source::X_REAL_IP),
    ];
    for size in [1 << 10, 1 << 14] {
        for (piece, (name, source)) in pieces.iter().flat_map(|piece| iter::repeat(piece).zip(sources)) {
            let line = filled(piece, size);
            let lines: Vec<&str> = iter::repeat_n(*piece, size / piece.len()).collect();
            for trust in RULES {
                let sources = [source];
                let resolver = Resolver::new(&sources).trusting(trust);
                for lines in [&[line.as_str()][..], &[&line, "10.0.0.8"], &lines] {
                    let (_, looks) = counted(resolver, name, lines);
                    assert!(
                        looks <= LOOKS * (size + 8),
                        "{trust:?}, {piece:?} in {name}: {looks} looks at {size} bytes"
                    );
                }
            }
        }
    }
}

#[test]
fn a_megabyte_costs_what_a_megabyte_costs() {
    for (trust, piece) in RULES.into_iter().flat_map(|trust| [",", "10.0.0.9,", "1"].map(|piece| (trust, piece))) {
        let resolver = Resolver::new(&[Source::X_FORWARDED_FOR]).trusting(trust);
        let (_, half) = counted(resolver, "x-forwarded-for", &[&filled(piece, MEGABYTE / 2)]);
        let (_, whole) = counted(resolver, "x-forwarded-for", &[&filled(piece, MEGABYTE)]);
        assert!(whole <= LOOKS * MEGABYTE, "{trust:?}, {piece:?}: {whole} looks");
        assert!(whole <= 2 * half + LOOKS * 16, "{trust:?}, {piece:?}: {half} looks, and {whole} at twice as much");
        assert!(half >= MEGABYTE / 2, "{trust:?}, {piece:?}: {half} looks, so some were not counted");
    }
}

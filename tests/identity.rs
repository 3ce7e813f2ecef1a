//! Who is calling: the vectors of `vectors/identity.json`, and the properties of resolvers, prefixes and composite keys.
#![cfg(feature = "identity")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use serde_json::Value;
use tollgate::identity::{
    Client, ClientKey, CompositeKey, Ipv6KeyBits, KeyTooLong, MalformedKey, Origin, Part, Prefix, PrefixError,
    Resolver, Source, Trust, key_len, read_key, write_key,
};

type Headers = Vec<(Vec<u8>, Vec<u8>)>;

// The vectors.

fn vectors(table: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("vectors/identity.json")).unwrap();
    let table = all[table].as_array().unwrap().clone();
    assert!(!table.is_empty());
    table
}

fn from_hex(hex: &str) -> Vec<u8> {
    assert_eq!(hex.len() % 2, 0, "{hex}");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// A header's value: a text, bytes in hex, or a text many times over and another behind it.
fn value_bytes(value: &Value) -> Vec<u8> {
    if let Some(text) = value.as_str() {
        return text.into();
    }
    if let Some(hex) = value["hex"].as_str() {
        return from_hex(hex);
    }
    let times = usize::try_from(value["times"].as_u64().unwrap()).unwrap();
    [value["of"].as_str().unwrap().repeat(times), value["then"].as_str().unwrap().into()].concat().into()
}

fn header_lines(case: &Value) -> Headers {
    let line = |line: &Value| (line[0].as_str().unwrap().into(), value_bytes(&line[1]));
    case["headers"].as_array().unwrap().iter().map(line).collect()
}

fn source(name: &str) -> Source<'_> {
    match name {
        "peer" => Source::PEER,
        "x-forwarded-for" => Source::X_FORWARDED_FOR,
        "forwarded" => Source::FORWARDED,
        _ => name.strip_prefix("chain:").map_or(Source::header(name), Source::chain),
    }
}

fn resolve<'a>(resolver: &Resolver<'a>, peer: Option<IpAddr>, headers: &Headers) -> Client<'a> {
    resolver.resolve(peer, headers.iter().map(|(name, value)| (name, value)))
}

/// Every member that a case may have, so that a misspelt one is not passed over.
const MEMBERS: [&str; 15] = [
    "why",
    "peer",
    "trusted",
    "hops",
    "first_hop",
    "source",
    "sources",
    "headers",
    "key_bits",
    "nat64",
    "fallback",
    "want",
    "address",
    "from",
    "about",
];

#[test]
fn cases() {
    for case in vectors("cases") {
        let why = case["why"].as_str().unwrap();
        for member in case.as_object().unwrap().keys() {
            assert!(MEMBERS.contains(&member.as_str()), "{why}: {member}?");
        }
        let prefixes: Vec<Prefix> = case["trusted"]
            .as_array()
            .map(|texts| texts.iter().map(|text| text.as_str().unwrap().parse().unwrap()).collect())
            .unwrap_or_default();
        let trust = if !case["trusted"].is_null() {
            Trust::Proxies(&prefixes)
        } else if let Some(hops) = case["hops"].as_u64() {
            Trust::Hops(hops.try_into().unwrap())
        } else if case["first_hop"] == true {
            Trust::SpoofableFirstHop
        } else {
            Trust::default()
        };
        let sources: Vec<Source> = match case["sources"].as_array() {
            Some(names) => names.iter().map(|name| source(name.as_str().unwrap())).collect(),
            None => vec![source(case["source"].as_str().unwrap_or("x-forwarded-for")), Source::PEER],
        };

        let mut resolver = Resolver::new(&sources).trusting(trust);
        if let Some(bits) = case["key_bits"].as_u64() {
            resolver = resolver.ipv6_key(Ipv6KeyBits::new(bits.try_into().unwrap()).unwrap());
        }
        if case["nat64"] == true {
            resolver = resolver.nat64_as_ipv4();
        }
        if let Some(name) = case["fallback"].as_str() {
            resolver = resolver.fallback(name.to_owned().leak());
        }
        let peer = case["peer"].as_str().map(|peer| peer.parse().unwrap());
        let client = resolve(&resolver, peer, &header_lines(&case));

        assert_eq!(client.key().to_string(), case["want"], "{why}");
        if let Some(address) = case.get("address") {
            assert_eq!(client.address(), address.as_str().map(|text| text.parse().unwrap()), "{why}");
        }
        if let Some(from) = case["from"].as_str() {
            assert_eq!(client.origin().to_string(), from, "{why}");
        }
    }
}

#[test]
fn hops() {
    let resolver =
        Resolver::new(&[Source::X_REAL_IP, Source::X_FORWARDED_FOR, Source::FORWARDED]).trusting(Trust::Hops(1));
    for case in vectors("hops") {
        let text = case["text"].as_str().unwrap();
        let want = case["address"].as_str().map(|text| text.parse().unwrap());
        for (name, value) in [
            ("x-real-ip", text.to_owned()),
            ("x-forwarded-for", text.to_owned()),
            ("x-forwarded-for", format!("9.9.9.9, \"{text}\"")),
            ("forwarded", format!("for=9.9.9.9, for=\"{text}\";proto=https")),
        ] {
            let client = resolver.resolve(None, [(name, value.as_bytes())]);
            assert_eq!(client.address(), want, "{name}: {value}");
        }
    }
}

#[test]
fn prefixes() {
    for case in vectors("prefixes") {
        let text = case["text"].as_str().unwrap();
        match (text.parse::<Prefix>(), case["prefix"].as_str()) {
            (Ok(prefix), Some(want)) => assert_eq!(prefix.to_string(), want, "{text}"),
            (Err(error), None) => {
                let kind = match error {
                    PrefixError::Address => "address",
                    PrefixError::Length => "length",
                    PrefixError::TooLong { .. } => "too-long",
                    PrefixError::HostBits { .. } => "host-bits",
                    other => panic!("{text}: {other}"),
                };
                assert_eq!(kind, case["error"], "{text}");
            }
            (found, _) => panic!("{text}: {found:?}"),
        }
    }
}

/// A part that owns its value.
#[derive(Clone, Debug, PartialEq)]
enum Owned {
    Text(String),
    Bytes(Vec<u8>),
    Number(u64),
    Network(Prefix),
    Fallback(String),
}

impl Owned {
    fn from_vector(value: &Value) -> Self {
        let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
        let text = || value.as_str().unwrap().to_owned();
        match kind.as_str() {
            "text" => Self::Text(text()),
            "bytes" => Self::Bytes(from_hex(&text())),
            "number" => Self::Number(value.as_u64().unwrap()),
            "network" => Self::Network(text().parse().unwrap()),
            "fallback" => Self::Fallback(text()),
            other => panic!("{other}?"),
        }
    }

    fn part(&self) -> Part<'_> {
        match self {
            Self::Text(text) => Part::Text(text),
            Self::Bytes(bytes) => Part::Bytes(bytes),
            Self::Number(number) => Part::Number(*number),
            Self::Network(prefix) => Part::Network(*prefix),
            Self::Fallback(name) => Part::Fallback(name),
        }
    }
}

fn borrowed(parts: &[(String, Owned)]) -> Vec<(&str, Part<'_>)> {
    parts.iter().map(|(tag, value)| (tag.as_str(), value.part())).collect()
}

fn written(parts: &[(&str, Part<'_>)]) -> Vec<u8> {
    let mut buffer = vec![0xaa; key_len(parts)];
    assert_eq!(write_key(parts, &mut buffer).unwrap().len(), key_len(parts));
    buffer
}

#[test]
fn keys() {
    let mut seen = HashSet::new();
    for case in vectors("keys") {
        let part = |part: &Value| (part[0].as_str().unwrap().to_owned(), Owned::from_vector(&part[1]));
        let owned: Vec<_> = case["parts"].as_array().unwrap().iter().map(part).collect();
        let parts = borrowed(&owned);
        let want = from_hex(case["hex"].as_str().unwrap());

        assert_eq!(written(&parts), want, "{}", case["why"]);
        assert_eq!(CompositeKey::<256>::new(&parts).unwrap().as_bytes(), want, "{}", case["why"]);
        assert_eq!(read_key(&want).collect::<Result<Vec<_>, _>>().unwrap(), parts, "{}", case["why"]);
        assert!(seen.insert(want), "{}", case["why"]);
    }
}

#[test]
fn bytes_that_are_no_keys() {
    for case in vectors("not_keys") {
        let bytes = from_hex(case.as_str().unwrap());
        assert!(read_key(&bytes).any(|part| part.is_err()), "{case}: {:?}", read_key(&bytes).collect::<Vec<_>>());
    }
}

// What the vectors cannot say.

#[test]
fn a_resolver_is_made_in_a_const_and_its_keys_outlive_it() {
    const PROXIES: [Prefix; 2] = [
        Prefix::constant(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8),
        Prefix::constant(IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 5, 0, 0, 0, 0, 0)), 48),
    ];
    const WHO: Resolver = Resolver::new(&[Source::FORWARDED, Source::PEER])
        .trusting(Trust::Proxies(&PROXIES))
        .ipv6_key(Ipv6KeyBits::constant(56))
        .fallback("nobody");
    let headers = [("forwarded", r#"for="[2001:db8:6:ff01::1]""#)];

    let mut counts: HashMap<ClientKey, u32> = HashMap::new();
    for peer in ["2001:db8:5::1", "10.0.0.1", "10.0.0.2"] {
        let read_at_run_time: Vec<Prefix> = PROXIES.to_vec();
        let same = WHO.trusting(Trust::Proxies(&read_at_run_time));
        let client = same.resolve(peer.parse::<IpAddr>().unwrap(), headers);
        assert_eq!(client, WHO.resolve(peer.parse::<IpAddr>().unwrap(), headers));
        *counts.entry(client.key()).or_default() += 1;
    }
    assert_eq!(counts, HashMap::from([(ClientKey::Network("2001:db8:6:ff00::/56".parse().unwrap()), 3)]));
    assert!(size_of::<ClientKey>() <= 24);
}

#[test]
fn a_chain_decides_where_there_is_no_peer() {
    let resolver = Resolver::new(&[Source::X_FORWARDED_FOR, Source::CF_CONNECTING_IP]).trusting(Trust::Hops(2));
    let forged = ("cf-connecting-ip", "9.9.9.9");
    for chain in ["203.0.113.7", "unknown, _hidden"] {
        let client = resolver.resolve(None, [("x-forwarded-for", chain), forged]);
        assert_eq!((client.address(), client.origin()), (None, Origin::Fallback), "{chain}");
    }
}

#[test]
fn keys_of_addresses_are_made_in_a_const() {
    const MAPPED: IpAddr = IpAddr::V6(Ipv4Addr::new(192, 0, 2, 33).to_ipv6_mapped());
    const TRANSLATED: IpAddr = IpAddr::V6(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0xc000, 0x0221));
    const KEYS: [ClientKey; 4] = [
        ClientKey::of(MAPPED, Ipv6KeyBits::NETWORK),
        ClientKey::of(TRANSLATED, Ipv6KeyBits::NETWORK),
        Resolver::new(&[]).nat64_as_ipv4().key_of(TRANSLATED),
        ClientKey::Network(Prefix::around(MAPPED, 24)),
    ];
    assert_eq!(KEYS.map(|key| key.to_string()), ["192.0.2.33", "64:ff9b::/64", "192.0.2.33", "192.0.2.0/24"]);
}

#[test]
fn a_source_with_a_rule_of_its_own_does_not_follow_the_resolvers() {
    let cdn: [Prefix; 1] = ["173.245.48.0/20".parse().unwrap()];
    let ours: [Prefix; 1] = ["10.0.0.0/8".parse().unwrap()];
    let sources = [Source::CF_CONNECTING_IP.trusting(Trust::Proxies(&cdn)), Source::X_FORWARDED_FOR, Source::PEER];
    let resolver = Resolver::new(&sources).trusting(Trust::Proxies(&ours));
    let headers = [("cf-connecting-ip", "192.0.2.1"), ("x-forwarded-for", "192.0.2.2")];
    for (peer, want) in [("173.245.48.9", "192.0.2.1"), ("10.0.0.9", "192.0.2.2"), ("198.51.100.9", "198.51.100.9")] {
        assert_eq!(resolver.resolve(peer.parse::<IpAddr>().unwrap(), headers).to_string(), want);
    }
}

#[test]
fn the_same_key_text_is_not_the_same_key() {
    let address: IpAddr = "192.0.2.1".parse().unwrap();
    let known = Resolver::new(&[Source::PEER]).fallback("192.0.2.1");
    let headers = [("host", "example.com")];
    let (with, without) = (known.resolve(address, headers), known.resolve(None, headers));
    assert_eq!(with.key().to_string(), without.key().to_string());
    assert_ne!(with.key(), without.key());
    let composite = |client: Client| CompositeKey::<32>::new(&[("client", client.key().into())]).unwrap();
    assert_ne!(composite(with), composite(without));
}

#[test]
fn the_ready_made_prefixes_are_those_of_the_rfcs() {
    let texts = |prefixes: &[Prefix]| prefixes.iter().map(Prefix::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&Prefix::LOOPBACK), ["127.0.0.0/8", "::1/128"]);
    assert_eq!(texts(&Prefix::PRIVATE), ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]);
}

#[test]
fn a_key_longer_than_its_space_is_an_error_with_both_numbers() {
    let parts = [("tenant", Part::from("acme"))];
    assert_eq!(CompositeKey::<12>::new(&parts), Err(KeyTooLong { needed: 13, capacity: 12 }));
    assert_eq!(CompositeKey::<0>::new(&parts), Err(KeyTooLong { needed: 13, capacity: 0 }));
    assert_eq!(CompositeKey::<13>::new(&parts).unwrap().to_array(), *b"t\x06tenant\x04acme");

    let long = "x".repeat(70_000);
    let error = CompositeKey::<80_000>::new(&[("path", Part::from(long.as_str()))]).unwrap_err();
    assert_eq!(error, KeyTooLong { needed: 70_009, capacity: 65_535 });
}

#[test]
fn errors_say_what_was_given_and_what_is_allowed() {
    let prefix = |text: &str| text.parse::<Prefix>().unwrap_err().to_string();
    let malformed = read_key(b"?").next().unwrap().unwrap_err();
    for (said, parts) in [
        (prefix("ten"), vec!["not an address", "10.0.0.0/8"]),
        (prefix("10.0.0.0/x"), vec!["not a number", "0 to 32", "0 to 128"]),
        (prefix("10.0.0.0/40"), vec!["40", "32 bits"]),
        (prefix("2001:db8::1/64"), vec!["2001:db8::1/64", "2001:db8::/64"]),
        (Ipv6KeyBits::new(200).unwrap_err().to_string(), vec!["200", "32 to 128"]),
        (KeyTooLong { needed: 13, capacity: 4 }.to_string(), vec!["13", "4"]),
        (malformed.to_string(), vec!["byte 0"]),
    ] {
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    }
}

#[test]
fn a_prefix_looks_the_same_in_logs() {
    let prefix: Prefix = "2001:db8::/32".parse().unwrap();
    assert_eq!(format!("{prefix:?}"), "2001:db8::/32");
}

#[test]
fn a_composite_key_shows_its_parts() {
    let key = CompositeKey::<64>::new(&[("tenant", "acme".into()), ("shard", 7_u64.into())]).unwrap();
    assert_eq!(format!("{key:?}"), r#"{"tenant": Text("acme"), "shard": Number(7)}"#);
}

// Properties.

/// A client, or garbage, as somebody may write it.
fn any_address() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        any::<[u8; 4]>().prop_map(IpAddr::from),
        any::<[u8; 16]>().prop_map(IpAddr::from),
        any::<[u8; 3]>().prop_map(|[b, c, d]| IpAddr::from([10, b, c, d])),
        any::<[u8; 4]>().prop_map(|v4| IpAddr::V6(Ipv4Addr::from(v4).to_ipv6_mapped())),
        any::<u32>().prop_map(|low| IpAddr::V6(Ipv6Addr::from_bits(0x64_ff9b << 96 | u128::from(low)))),
        any::<u64>().prop_map(|low| IpAddr::V6(Ipv6Addr::from_bits(0x2001_0db8 << 96 | u128::from(low)))),
    ]
}

fn any_prefix() -> impl Strategy<Value = Prefix> {
    (any_address(), 0..=128_u8).prop_map(|(address, bits)| {
        let address = address.to_canonical();
        match address {
            IpAddr::V4(v4) => {
                let bits = bits % 33;
                Prefix::new(IpAddr::V4(Ipv4Addr::from_bits(first_bits(v4.to_bits().into(), 32, bits) as u32)), bits)
            }
            IpAddr::V6(v6) => Prefix::new(IpAddr::V6(Ipv6Addr::from_bits(first_bits(v6.to_bits(), 128, bits))), bits),
        }
        .unwrap()
    })
}

/// The number with all but the first `bits` of its `width` bits cleared, bit by bit.
fn first_bits(number: u128, width: u8, bits: u8) -> u128 {
    (bits..width).fold(number, |number, bit| number & !(1 << (width - 1 - bit)))
}

/// Bytes that look as if they meant something, and others.
fn any_value() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any_address().prop_map(|address| address.to_string().into_bytes()),
        any_address().prop_map(|address| format!("[{address}]:443").into_bytes()),
        prop::sample::select(vec![
            "for=", "For=\"", "\"", "\\", "\\\"", ",", ", ", ";", "=", "[", "]", ":80", "%eth0", "unknown", "_x", " ",
            "by=", "10.0.0.5",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

const NAMES: [&str; 6] =
    ["x-forwarded-for", "X-Forwarded-For", "forwarded", "Forwarded", "cf-connecting-ip", "x-real-ip"];

fn any_headers() -> impl Strategy<Value = Headers> {
    let name = prop_oneof![
        8 => prop::sample::select(NAMES.to_vec()).prop_map(|name| name.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec((name, any_value()), 0..6)
}

fn any_sources() -> impl Strategy<Value = Vec<Source<'static>>> {
    let each = [Source::PEER, Source::X_FORWARDED_FOR, Source::FORWARDED, Source::CF_CONNECTING_IP, Source::X_REAL_IP];
    prop::collection::vec(prop::sample::select(each.to_vec()), 0..5)
}

/// A rule that has yet to borrow its prefixes.
#[derive(Clone, Debug)]
enum Rule {
    Nobody,
    Proxies(Vec<Prefix>),
    Hops(u8),
    FirstHop,
}

impl Rule {
    fn trust(&self) -> Trust<'_> {
        match self {
            Self::Nobody => Trust::Nobody,
            Self::Proxies(prefixes) => Trust::Proxies(prefixes),
            Self::Hops(count) => Trust::Hops(*count),
            Self::FirstHop => Trust::SpoofableFirstHop,
        }
    }
}

fn any_rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        Just(Rule::Nobody),
        prop::collection::vec(any_prefix(), 0..4).prop_map(Rule::Proxies),
        (0..6_u8).prop_map(Rule::Hops),
        Just(Rule::FirstHop),
    ]
}

/// The prefix that the properties trust.
fn ours() -> [Prefix; 1] {
    ["10.0.0.0/8".parse().unwrap()]
}

fn any_trusted() -> impl Strategy<Value = IpAddr> {
    any::<[u8; 3]>().prop_map(|[b, c, d]| IpAddr::from([10, b, c, d]))
}

fn any_stranger() -> impl Strategy<Value = IpAddr> {
    any_address()
        .prop_map(|address| address.to_canonical())
        .prop_filter("a stranger", |address| !ours()[0].contains(*address))
}

/// How a proxy writes an address in a chain.
fn hop_text(address: IpAddr, style: u8, forwarded: bool) -> String {
    let text = match (address, style % 4) {
        (_, 0) => address.to_string(),
        (IpAddr::V4(v4), 1) => format!("{v4}:{style}"),
        (IpAddr::V6(v6), 1) => format!("[{v6}]:{style}"),
        (IpAddr::V4(v4), _) => v4.to_ipv6_mapped().to_string(),
        (IpAddr::V6(v6), _) => format!("[{v6}]"),
    };
    match (forwarded, style / 4 % 3) {
        (true, 0) => format!("for=\"{text}\""),
        (true, 1) => format!("proto=https;For=\"{text}\";by=_x"),
        (true, _) => format!("for=\"{text}\";ext=\"a, \\\"for=1.2.3.4;\\\\\""),
        (false, 0) => format!("\"{text}\""),
        (false, _) => text,
    }
}

const GARBAGE: [&str; 4] = ["unknown", "_hidden", "for=_x", "proto=http"];

/// The walk as one would explain it: a list of hops, the peer at its end, gone through from the right.
fn naive(hops: &[Option<IpAddr>], peer: Option<IpAddr>, rule: &Rule) -> Option<IpAddr> {
    let all: Vec<Option<IpAddr>> = hops.iter().copied().chain([peer]).collect();
    let trusted =
        |hop: IpAddr| matches!(rule, Rule::Proxies(prefixes) if prefixes.iter().any(|prefix| prefix.contains(hop)));
    match rule {
        Rule::Nobody => peer,
        Rule::FirstHop => {
            if hops.is_empty() {
                peer
            } else {
                hops[0]
            }
        }
        Rule::Hops(count) => {
            let count = usize::from(*count);
            if hops.len() < count { peer } else { all[all.len() - 1 - count..].iter().find_map(|hop| *hop) }
        }
        Rule::Proxies(_) => {
            let mut at = all.len() - 1;
            while at > 0 && all[at].is_some_and(trusted) && all[at - 1].is_some() {
                at -= 1;
            }
            all[at]
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_have_an_answer_that_agrees_with_itself(
        sources in any_sources(), rule in any_rule(), peer in prop::option::of(any_address()), headers in any_headers(),
        bits in 32..=128_u8, nat64: bool,
    ) {
        let resolver = Resolver::new(&sources).trusting(rule.trust()).ipv6_key(Ipv6KeyBits::new(bits).unwrap());
        let resolver = if nat64 { resolver.nat64_as_ipv4() } else { resolver };
        let client = resolve(&resolver, peer, &headers);

        match (client.address(), client.key()) {
            (Some(address), ClientKey::Network(network)) => {
                prop_assert_eq!(address, address.to_canonical());
                prop_assert!(network.contains(address));
                prop_assert_eq!(network.bits(), if address.is_ipv4() { 32 } else { bits });
            }
            (None, ClientKey::Fallback("anonymous")) => prop_assert_eq!(client.origin(), Origin::Fallback),
            other => prop_assert!(false, "{:?}", other),
        }
        match client.origin() {
            Origin::Peer if !nat64 => prop_assert_eq!(client.address(), peer.map(|peer| peer.to_canonical())),
            Origin::Peer => prop_assert!(peer.is_some()),
            Origin::Header(name) => prop_assert!(headers.iter().any(|(found, _)| found.eq_ignore_ascii_case(name.as_bytes()))),
            Origin::Fallback => prop_assert_eq!(client.address(), None),
        }
    }

    #[test]
    fn an_untrusted_peers_headers_never_change_the_answer(
        sources in any_sources(), peer in prop::option::of(any_stranger()), headers in any_headers(), nobody: bool,
    ) {
        let trusted = ours();
        let trust = if nobody { Trust::Nobody } else { Trust::Proxies(&trusted) };
        let resolver = Resolver::new(&sources).trusting(trust);
        prop_assert_eq!(resolve(&resolver, peer, &headers), resolve(&resolver, peer, &Headers::new()));
    }

    #[test]
    fn what_a_client_wrote_in_front_of_the_proxies_never_changes_the_answer(
        forged in prop::collection::vec(any_value(), 0..3), forwarded: bool,
        client in any_stranger(), proxies in prop::collection::vec(any_trusted(), 1..5), styles: [u8; 8], appends: [bool; 8],
    ) {
        let name = if forwarded { "forwarded" } else { "x-forwarded-for" };
        let source = [if forwarded { Source::FORWARDED } else { Source::X_FORWARDED_FOR }];
        let (peer, written) = proxies.split_last().unwrap();

        let mut values = forged;
        let hops = [client].into_iter().chain(written.iter().copied());
        for (at, (hop, style)) in hops.zip(styles).enumerate() {
            let text = hop_text(hop, style, forwarded);
            match values.last_mut() {
                Some(line) if appends[at] => line.extend(format!(", {text}").bytes()),
                _ => values.push(text.into()),
            }
        }
        let headers: Headers = values.into_iter().map(|value| (name.into(), value)).collect();

        let trusted = ours();
        let by_list = Resolver::new(&source).trusting(Trust::Proxies(&trusted));
        prop_assert_eq!(resolve(&by_list, Some(*peer), &headers).address(), Some(client));
        let by_count = Resolver::new(&source).trusting(Trust::Hops(proxies.len() as u8));
        prop_assert_eq!(resolve(&by_count, Some(*peer), &headers).address(), Some(client));
    }

    #[test]
    fn a_walk_ends_where_the_naive_one_does(
        hops in prop::collection::vec((prop_oneof![
            2 => any_trusted().prop_map(Some), 2 => any_stranger().prop_map(Some), 1 => Just(None)
        ], any::<u8>(), any::<bool>()), 0..8),
        peer in any_trusted(), count in 0..6_u8, forwarded: bool,
    ) {
        let mut headers = Headers::new();
        let (name, source) = if forwarded { ("Forwarded", Source::FORWARDED) } else { ("X-Forwarded-For", Source::X_FORWARDED_FOR) };
        for (hop, style, same_line) in &hops {
            let text = match hop {
                Some(hop) => hop_text(*hop, *style, forwarded),
                None => GARBAGE[usize::from(*style) % GARBAGE.len()].into(),
            };
            match headers.last_mut() {
                Some((_, line)) if *same_line => line.extend(format!(",{text}").bytes()),
                _ => headers.push((name.into(), text.into())),
            }
        }
        let hops: Vec<_> = hops.into_iter().map(|(hop, ..)| hop).collect();
        for rule in [Rule::Nobody, Rule::Proxies(ours().into()), Rule::Hops(count), Rule::FirstHop] {
            let sources = [source, Source::PEER];
            let resolver = Resolver::new(&sources).trusting(rule.trust());
            let want = naive(&hops, Some(peer), &rule).or(Some(peer));
            prop_assert_eq!(resolve(&resolver, Some(peer), &headers).address(), want, "{:?} {:?}", rule, hops);
        }
        // Without a peer, as on a Unix socket, a chain that is there decides as well: what the client forged is not asked.
        if !hops.is_empty() {
            headers.push(("x-real-ip".into(), "9.9.9.9".into()));
            let sources = [source, Source::X_REAL_IP];
            let resolver = Resolver::new(&sources).trusting(Trust::Hops(count));
            let want = naive(&hops, None, &Rule::Hops(count));
            prop_assert_eq!(resolve(&resolver, None, &headers).address(), want, "{} {:?}", count, hops);
        }
    }

    #[test]
    fn two_clients_share_a_key_if_they_share_its_bits(one: u128, flipped in 0..128_u8, bits in 32..=128_u8) {
        let resolver = Resolver::new(&[Source::PEER]).ipv6_key(Ipv6KeyBits::new(bits).unwrap());
        let (one, other) = (Ipv6Addr::from_bits(one), Ipv6Addr::from_bits(one ^ 1 << (127 - flipped)));
        prop_assume!(one.to_ipv4_mapped().is_none() && other.to_ipv4_mapped().is_none());
        let key = |v6| resolve(&resolver, Some(IpAddr::V6(v6)), &Headers::new()).key();
        prop_assert_eq!(key(one) == key(other), flipped >= bits);
    }

    #[test]
    fn the_key_of_an_address_is_the_one_that_a_resolver_gives(address in any_address(), bits in 32..=128_u8, nat64: bool) {
        let ipv6 = Ipv6KeyBits::new(bits).unwrap();
        let resolver = Resolver::new(&[Source::PEER]).ipv6_key(ipv6);
        prop_assert_eq!(ClientKey::of(address, ipv6), resolve(&resolver, Some(address), &Headers::new()).key());
        let resolver = if nat64 { resolver.nat64_as_ipv4() } else { resolver };
        prop_assert_eq!(resolver.key_of(address), resolve(&resolver, Some(address), &Headers::new()).key());
    }

    #[test]
    fn a_prefix_around_an_address_is_the_one_of_that_length_that_contains_it(address in any_address(), bits: u8) {
        let around = Prefix::around(address, bits);
        prop_assert!(around.contains(address));
        let (_, width) = number(address.to_canonical());
        prop_assert_eq!(around.bits(), bits.min(width));
        prop_assert_eq!(Prefix::new(around.address(), around.bits()), Ok(around));
    }

    #[test]
    fn a_prefix_contains_what_shares_its_bits(prefix in any_prefix(), address in any_address(), low: u128) {
        let (range, width) = number(prefix.address());
        let (found, found_width) = number(address.to_canonical());
        let shares = width == found_width && first_bits(found, width, prefix.bits()) == range;
        prop_assert_eq!(prefix.contains(address), shares);

        // And one that is made to lie in it, which a mapped address can fail to be only by being IPv4.
        let inside = range | (low & !first_bits(u128::MAX, 128, prefix.bits() + (128 - width)));
        let inside = if width == 32 { IpAddr::V4(Ipv4Addr::from_bits(inside as u32)) } else { IpAddr::V6(Ipv6Addr::from_bits(inside)) };
        prop_assert!(prefix.contains(inside) || inside != inside.to_canonical());
    }

    #[test]
    fn a_prefix_is_read_as_it_is_written(prefix in any_prefix()) {
        prop_assert_eq!(prefix.to_string().parse::<Prefix>(), Ok(prefix));
        prop_assert_eq!(Prefix::new(prefix.address(), prefix.bits()), Ok(prefix));
    }

    #[test]
    fn a_prefix_of_any_text_is_no_panic(text in "[0-9a-f:./ %\\[\\]]{0,24}", other: String) {
        for text in [text, other] {
            if let Ok(prefix) = text.parse::<Prefix>() {
                prop_assert!(prefix.contains(prefix.address()));
                prop_assert_eq!(prefix.to_string().parse::<Prefix>(), Ok(prefix));
            }
        }
    }

    #[test]
    fn a_prefix_is_made_of_any_address_and_length_or_says_why_not(address in any_address(), bits: u8) {
        match Prefix::new(address, bits) {
            Ok(prefix) => prop_assert!(prefix.contains(address)),
            Err(PrefixError::TooLong { bits: given, most }) => prop_assert!(given == bits && bits > most),
            Err(PrefixError::HostBits { address: given, bits: length, network }) => {
                prop_assert_eq!((given, length), (address, bits));
                prop_assert!(Prefix::new(network, bits).is_ok() && network != address);
            }
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn a_composite_key_is_read_back_as_it_was_written(owned in any_parts()) {
        let parts = borrowed(&owned);
        let bytes = written(&parts);
        prop_assert_eq!(read_key(&bytes).collect::<Result<Vec<_>, MalformedKey>>(), Ok(parts.clone()));
        let key = CompositeKey::<4096>::new(&parts).unwrap();
        prop_assert_eq!(key.as_bytes(), bytes);
    }

    #[test]
    fn bytes_that_can_be_read_as_a_key_are_what_would_be_written(bytes in near_keys()) {
        let mut parts = read_key(&bytes);
        let read: Vec<_> = parts.by_ref().map_while(Result::ok).collect();
        prop_assert_eq!(parts.next(), None, "nothing after an error");
        if read_key(&bytes).all(|part| part.is_ok()) {
            prop_assert_eq!(written(&read), bytes);
        } else {
            prop_assert!(bytes.starts_with(&written(&read)));
        }
    }

    #[test]
    fn two_composite_keys_are_the_same_only_if_their_parts_are(one in any_parts(), other in any_parts()) {
        collide_only_if_equal(&one, &other)?;
        // And where they are likely to: a part moved into its neighbour, two parts changed about, one left out.
        let mut near = one.clone();
        if let [.., (_, Owned::Text(text)), (tag, _)] = near.as_mut_slice() {
            text.push_str(&std::mem::take(tag));
            collide_only_if_equal(&one, &near)?;
        }
        let mut near = one.clone();
        near.reverse();
        collide_only_if_equal(&one, &near)?;
        near.pop();
        collide_only_if_equal(&one, &near)?;
    }

    #[test]
    fn a_key_fits_or_says_how_long_it_is(owned in any_parts(), space in 0..200_usize) {
        let parts = borrowed(&owned);
        let mut buffer = vec![0; space];
        match write_key(&parts, &mut buffer) {
            Ok(key) => prop_assert_eq!(key, written(&parts)),
            Err(error) => {
                prop_assert_eq!(error, KeyTooLong { needed: key_len(&parts), capacity: space });
                prop_assert!(error.needed > space);
            }
        }
    }

    #[test]
    fn a_composite_key_is_found_by_its_bytes(owned in prop::collection::vec(any_parts(), 0..8)) {
        let keys: Vec<_> = owned.iter().map(|parts| CompositeKey::<1024>::new(&borrowed(parts)).unwrap()).collect();
        let hashed: HashMap<_, _> = keys.iter().map(|key| (*key, key.to_array())).collect();
        let sorted: BTreeMap<_, _> = keys.iter().map(|key| (*key, key.to_array())).collect();
        for key in &keys {
            prop_assert_eq!(hashed.get(key.as_bytes()).copied(), Some(key.to_array()));
            prop_assert_eq!(sorted.get(key.as_bytes()).copied(), Some(key.to_array()));
        }
    }
}

fn number(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(v4) => (v4.to_bits().into(), 32),
        IpAddr::V6(v6) => (v6.to_bits(), 128),
    }
}

fn any_parts() -> impl Strategy<Value = Vec<(String, Owned)>> {
    let part = prop_oneof![
        "[a-c/:\0]{0,4}|.{0,140}".prop_map(Owned::Text),
        prop::collection::vec(any::<u8>(), 0..8).prop_map(Owned::Bytes),
        prop_oneof![0..3_u64, any::<u64>()].prop_map(Owned::Number),
        any_prefix().prop_map(Owned::Network),
        "[a-c]{0,2}".prop_map(Owned::Fallback),
    ];
    prop::collection::vec(("[a-c\0]{0,3}", part), 0..5)
}

/// The bytes of a key, with a few of them changed or cut off; or any bytes.
fn near_keys() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    prop_oneof![
        3 => (any_parts(), changes, prop::option::of(any::<prop::sample::Index>())).prop_map(|(parts, changes, cut)| {
            let mut bytes = written(&borrowed(&parts));
            if !bytes.is_empty() {
                changes.into_iter().for_each(|(at, byte)| *at.get_mut(&mut bytes) = byte);
                bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
            }
            bytes
        }),
        1 => prop::collection::vec(any::<u8>(), 0..64),
    ]
}

fn collide_only_if_equal(one: &[(String, Owned)], other: &[(String, Owned)]) -> Result<(), TestCaseError> {
    let (one_key, other_key) = (written(&borrowed(one)), written(&borrowed(other)));
    prop_assert_eq!(one_key == other_key, one == other);
    let [one_key, other_key] = [one, other].map(|parts| CompositeKey::<4096>::new(&borrowed(parts)).unwrap());
    prop_assert_eq!(one_key == other_key, one == other);
    prop_assert_eq!(one_key.to_array() == other_key.to_array(), one == other);
    prop_assert_eq!(one_key < other_key, one_key.as_bytes() < other_key.as_bytes());
    Ok(())
}

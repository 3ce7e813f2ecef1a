//! Who is calling: headers, prefixes and composite keys.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tollgate::identity::{
    CompositeKey, MalformedKey, Origin, Part, Prefix, Resolver, Source, Trust, key_len, read_key, write_key,
};

/// A prefix as text.
pub(super) fn prefix(case: &[u8]) {
    super::text::<Prefix>(&String::from_utf8_lossy(case));
}

/// Bytes read as a composite key are those that its parts are written as.
pub(super) fn composite_key(case: &[u8]) {
    match read_key(case).collect::<Result<Vec<_>, _>>() {
        Ok(parts) => is_written_as(&parts, case),
        Err(MalformedKey { at }) => {
            let parts: Vec<_> = read_key(case).map_while(Result::ok).collect();
            is_written_as(&parts, &case[..at]);
        }
    }
}

fn is_written_as(parts: &[(&str, Part<'_>)], bytes: &[u8]) {
    let mut buffer = vec![0; key_len(parts)];
    assert_eq!(write_key(parts, &mut buffer).as_deref(), Ok(bytes), "{parts:?}");
    match CompositeKey::<64>::new(parts) {
        Ok(key) => assert_eq!(key.as_bytes(), bytes, "{parts:?}"),
        Err(error) => assert_eq!((error.needed, error.capacity), (bytes.len(), 64), "{parts:?}"),
    }
    if let Some(room) = bytes.len().checked_sub(1) {
        assert!(write_key(parts, &mut vec![0; room]).is_err(), "{parts:?} into {room} bytes");
    }
}

const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 5));
const STRANGER: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, 7));
const PROXIES: [Prefix; 1] = [Prefix::constant(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8)];
const TRUSTS: [Trust<'_>; 5] =
    [Trust::Nobody, Trust::Proxies(&PROXIES), Trust::Hops(1), Trust::Hops(3), Trust::SpoofableFirstHop];
const SOURCES: [Source<'_>; 4] =
    [Source::X_FORWARDED_FOR, Source::FORWARDED, Source::X_REAL_IP, Source::CF_CONNECTING_IP];

/// The case as lines of headers, of each of the sources.
pub(super) fn headers(case: &[u8]) {
    for (source, name) in SOURCES.iter().zip(["x-forwarded-for", "Forwarded", "X-Real-IP", "cf-connecting-ip"]) {
        let lines: Vec<_> = case.split(|byte| *byte == b'\n').map(|line| (name, line)).collect();
        for trust in TRUSTS {
            for nat64 in [false, true] {
                let sources = [*source, Source::PEER];
                let resolver = Resolver::new(&sources).trusting(trust);
                is_a_client(if nat64 { resolver.nat64_as_ipv4() } else { resolver }, &lines);
            }
        }
    }
    nothing_in_front_matters(case);
}

fn is_a_client(resolver: Resolver<'_>, lines: &[(&str, &[u8])]) {
    for peer in [Some(PROXY), Some(STRANGER), None] {
        let client = resolver.resolve(peer, lines.iter().copied());
        assert_eq!(client.address().is_some(), client.origin() != Origin::Fallback, "{client:?}");
        assert!(client.address().is_some() || peer.is_none(), "a peer is somebody: {client:?}");
        if client.origin() == Origin::Peer {
            assert_eq!(client.address(), peer, "{client:?}");
        }
        if let (Some(address), tollgate::identity::ClientKey::Network(network)) = (client.address(), client.key()) {
            assert!(network.contains(address), "{client:?}");
        }
        let part = [("client", Part::from(client.key()))];
        let key = CompositeKey::<64>::new(&part).expect("room for one client");
        assert!(read_key(key.as_bytes()).eq([Ok(part[0])]), "{client:?}");
    }
}

/// Whatever a client sends, the hop that the nearest proxy adds is believed, and a stranger's headers are not.
fn nothing_in_front_matters(case: &[u8]) {
    const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));
    for (source, name, hop) in [
        (Source::X_FORWARDED_FOR, "x-forwarded-for", "203.0.113.7"),
        (Source::FORWARDED, "forwarded", "for=203.0.113.7"),
    ] {
        let appended = [case, b", ", hop.as_bytes()].concat();
        let lines = [(name, case), (name, &appended)];
        for trust in [Trust::Proxies(&PROXIES), Trust::Hops(1)] {
            let sources = [source, Source::PEER];
            let resolver = Resolver::new(&sources).trusting(trust);
            let client = resolver.resolve(PROXY, lines);
            assert_eq!(client.address(), Some(CLIENT), "{trust:?}: {client:?}");
            let client = resolver.resolve(PROXY, [(name, case), (name, hop.as_bytes())]);
            assert_eq!(client.address(), Some(CLIENT), "{trust:?}, on a line of its own: {client:?}");
        }
        let sources = [source.trusting(Trust::Proxies(&PROXIES)), Source::PEER];
        let client = Resolver::new(&sources).resolve(STRANGER, lines);
        assert_eq!((client.address(), client.origin()), (Some(STRANGER), Origin::Peer), "{client:?}");
    }
}

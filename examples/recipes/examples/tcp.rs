//! A bare `TcpListener`: at most three connections in ten seconds from a network, without an allocation. Try `nc localhost 3000`.
use std::io::Write;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use tollgate::identity::{ClientKey, Ipv6KeyBits};
use tollgate::{Decision, SlidingLog, SlidingLogArray, Slot, Slots, Timestamp};

const LIMIT: SlidingLog = SlidingLog::constant(3, Duration::from_secs(10));

fn main() -> std::io::Result<()> {
    let start = Instant::now();
    let mut networks: Slots<[Slot<ClientKey, SlidingLogArray<3>>; 256]> = Slots::new([const { Slot::EMPTY }; 256]);
    let listener = TcpListener::bind("127.0.0.1:3000")?;
    loop {
        let Ok((mut connection, peer)) = listener.accept().inspect_err(|error| eprintln!("{error}")) else {
            // Where no descriptor is left, the next would fail at once.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        let client = ClientKey::of(peer.ip(), Ipv6KeyBits::NETWORK);
        let now = Timestamp::since_epoch(start.elapsed());
        let said = match LIMIT.check(&mut networks, &client, now) {
            Ok(Decision::Allow) => writeln!(connection, "hello, {client}"),
            Ok(Decision::Deny { retry_after }) => writeln!(connection, "in {} s", retry_after.as_secs_ceil()),
            // 256 networks are being counted: closed to the 257th until one of them is forgotten.
            Err(full) => writeln!(connection, "busy: {full}"),
        };
        if let Err(error) = said {
            eprintln!("{client}: {error}");
        }
    }
}

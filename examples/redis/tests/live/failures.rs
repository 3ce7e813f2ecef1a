//! A server that is slow, gone, new or full, and values that somebody tampered with: each ends in a decision or in its own trouble.

use std::time::Duration;

use redis::Commands;
use redis_fleet::live::LiveServer;
use redis_fleet::{Distrust, Trouble};
use tollgate::wire::DecodeError;

use super::{KEY, check, log, passes, shared, with_limit};

/// Short, for an answer that will not come.
const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_value_that_is_no_state_is_neither_trusted_nor_overwritten() {
    let server = LiveServer::start();
    let kind = |given| Distrust::Bytes(DecodeError::Kind { given, expected: 0x12 });
    let short = Distrust::Bytes(DecodeError::Truncated { needed: 13, given: 0 });
    for (value, reason) in [(&b"garbage"[..], kind(b'g')), (b"", short)] {
        for shared in [shared(&server), shared(&server).guessing()] {
            server.connection().set::<_, _, ()>(KEY, value).unwrap();
            for _ in 0..2 {
                let expected = Trouble::Corrupt { key: "key".to_owned(), reason: reason.clone() };
                assert_eq!(check(&shared, log("2/60s"), 0).await.outcome, Err(expected));
            }
            assert_eq!(server.connection().get::<_, Vec<u8>>(KEY).unwrap(), value);
            server.connection().del::<_, ()>(KEY).unwrap();
            assert!(passes(&shared, log("2/60s"), 0).await);
        }
    }
}

#[tokio::test]
async fn a_key_that_is_a_list_is_neither_trusted_nor_overwritten() {
    let server = LiveServer::start();
    server.connection().lpush::<_, _, ()>(KEY, "x").unwrap();
    let expected = Trouble::Corrupt { key: "key".to_owned(), reason: Distrust::Type };
    for shared in [shared(&server), shared(&server).guessing()] {
        assert_eq!(check(&shared, log("2/60s"), 0).await.outcome, Err(expected.clone()));
        let by_server = log("2/60s").check(&shared, KEY, None).await;
        assert_eq!(by_server.outcome, Err(expected.clone()));
    }
    assert_eq!(server.connection().llen::<_, u32>(KEY).unwrap(), 1);
}

#[tokio::test]
async fn a_server_that_hangs_is_not_waited_for() {
    let server = LiveServer::start();
    let (reading, guessing) = (with_limit(&server, SHORT), with_limit(&server, SHORT).guessing());
    let patient = shared(&server);
    assert!(passes(&patient, log("9/60s"), 0).await);
    for shared in [&reading, &guessing] {
        while shared.server().connection().await.is_err() {}
    }
    server.pause();
    assert_eq!(check(&reading, log("9/60s"), 0).await.outcome, Err(Trouble::TimedOut(SHORT)));
    assert!(matches!(check(&guessing, log("9/60s"), 0).await.outcome, Err(Trouble::InDoubt(_))));
    // Nor is a new connection.
    assert_eq!(check(&reading, log("9/60s"), 0).await.outcome, Err(Trouble::TimedOut(SHORT)));
    server.resume();
    assert!(passes(&patient, log("9/60s"), 0).await);
}

#[tokio::test]
async fn a_write_without_an_answer_is_in_doubt_and_may_count() {
    let server = LiveServer::start();
    let patient = shared(&server);
    assert!(passes(&patient, log("1/60s"), 0).await);
    let impatient = with_limit(&server, SHORT).guessing();
    while impatient.server().connection().await.is_err() {}
    // The script is there now, and nothing else.
    server.connection().del::<_, ()>(KEY).unwrap();
    server.pause();
    let checked = check(&impatient, log("1/60s"), 0).await;
    assert!(matches!(checked.outcome, Err(Trouble::InDoubt(_))), "{checked:?}");
    assert_eq!((checked.round_trips, checked.written), (1, None));
    // The write lies in its socket, and the server goes on with it.
    server.resume();
    let mut behind = server.connection();
    while !behind.exists::<_, bool>(KEY).unwrap() {}
    assert!(!passes(&patient, log("1/60s"), 0).await);
}

#[tokio::test]
async fn a_server_that_only_reads_for_a_while_leaves_writes_in_doubt() {
    let server = LiveServer::start();
    // Long enough for a read on a busy machine.
    let impatient = with_limit(&server, Duration::from_secs(2));
    while impatient.server().connection().await.is_err() {}
    let mut behind = server.connection();
    redis::cmd("CLIENT").arg("PAUSE").arg(600_000).arg("WRITE").exec(&mut behind).unwrap();
    let checked = check(&impatient, log("1/60s"), 0).await;
    assert!(matches!(checked.outcome, Err(Trouble::InDoubt(_))), "{checked:?}");
    assert_eq!((checked.round_trips, checked.written), (2, None));
    redis::cmd("CLIENT").arg("UNPAUSE").exec(&mut behind).unwrap();
}

#[tokio::test]
async fn a_server_that_is_gone_is_said_so_and_a_new_one_has_forgotten() {
    let mut server = LiveServer::start();
    for shared in [shared(&server), shared(&server).guessing()] {
        assert!(passes(&shared, log("1/60s"), 0).await);
        server.kill();
        // A connection that breaks in the middle of a check is one thing, and none to be had another.
        let first = check(&shared, log("1/60s"), 0).await.outcome.unwrap_err();
        assert!(matches!(first, Trouble::Unreachable(_) | Trouble::InDoubt(_)), "{first}");
        for _ in 0..3 {
            let next = check(&shared, log("1/60s"), 0).await.outcome.unwrap_err();
            assert!(matches!(next, Trouble::Unreachable(_)), "{next}");
        }
        server.restart();
        let admitted = loop {
            match check(&shared, log("1/60s"), 0).await.outcome {
                Ok(decision) => break decision.is_allow(),
                Err(trouble) => assert!(matches!(trouble, Trouble::Unreachable(_)), "{trouble}"),
            }
        };
        assert!(admitted);
        assert_eq!(shared.server().lives().len(), 2);
        assert!(!passes(&shared, log("1/60s"), 0).await);
        server.connection().del::<_, ()>(KEY).unwrap();
    }
}

/// Ends the connections of all others, as a server does with those that were idle for longer than its `timeout`.
fn end_connections(server: &LiveServer) {
    let mut behind = server.connection();
    redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("normal").exec(&mut behind).unwrap();
}

#[tokio::test]
async fn a_read_on_a_connection_that_was_ended_is_made_again() {
    let server = LiveServer::start();
    let shared = shared(&server);
    // A lost read, and a denial's or an admission's own trips.
    for (round_trips, admitted) in [(3, true), (3, true), (2, false)] {
        shared.server().connection().await.unwrap();
        end_connections(&server);
        let checked = check(&shared, log("2/60s"), 0).await;
        assert_eq!((checked.round_trips, checked.outcome.unwrap().is_allow()), (round_trips, admitted));
    }
    end_connections(&server);
    let by_server = log("3/60s").check(&shared, KEY, None).await;
    assert_eq!((by_server.round_trips, by_server.outcome.unwrap().is_allow()), (3, true));
}

#[tokio::test]
async fn a_guess_on_a_connection_that_was_ended_is_in_doubt_unless_it_is_a_denial() {
    let server = LiveServer::start();
    let shared = shared(&server).guessing();
    assert!(passes(&shared, log("2/60s"), 0).await);
    end_connections(&server);
    let checked = check(&shared, log("2/60s"), 0).await;
    assert!(matches!(checked.outcome, Err(Trouble::InDoubt(_))), "{checked:?}");
    assert_eq!((checked.round_trips, checked.written), (1, None));
    // It had not come there.
    assert!(passes(&shared, log("2/60s"), 0).await);
    end_connections(&server);
    let checked = check(&shared, log("2/60s"), 0).await;
    assert_eq!((checked.round_trips, checked.outcome.unwrap().is_allow()), (2, false));
}

#[tokio::test]
async fn a_server_without_room_refuses() {
    let server = LiveServer::start();
    let shared = shared(&server);
    redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg("1").exec(&mut server.connection()).unwrap();
    let outcome = check(&shared, log("1/60s"), 0).await.outcome;
    assert!(matches!(&outcome, Err(Trouble::Refused(why)) if why.contains("OOM")), "{outcome:?}");
    redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg("0").exec(&mut server.connection()).unwrap();
    assert!(passes(&shared, log("1/60s"), 0).await);
}

#[tokio::test]
async fn a_server_with_a_password_refuses() {
    let server = LiveServer::start();
    redis::cmd("CONFIG").arg("SET").arg("requirepass").arg("secret").exec(&mut server.connection()).unwrap();
    let outcome = check(&shared(&server), log("1/60s"), 0).await.outcome;
    assert!(matches!(&outcome, Err(Trouble::Refused(_))), "{outcome:?}");
}

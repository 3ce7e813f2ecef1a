//! What a check asks of the server, and what it leaves there.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use redis::Commands;
use redis_fleet::live::LiveServer;
use redis_fleet::{Server, Shared, Trouble};
use tollgate::{Decision, Timestamp};

use super::{KEY, SKEW, check, log, passes, shared};

/// The number of round trips and of conflicts, and whether it passed.
async fn cost(shared: &Shared, secs: u64) -> (u32, u32, bool) {
    let checked = check(shared, log("2/60s"), secs).await;
    (checked.round_trips, checked.conflicts, checked.outcome.unwrap().is_allow())
}

#[tokio::test]
async fn an_admission_reads_and_writes_and_a_denial_only_reads() {
    let server = LiveServer::start();
    let shared = shared(&server);
    assert_eq!(cost(&shared, 0).await, (2, 0, true));
    assert_eq!(cost(&shared, 0).await, (2, 0, true));
    let before: Vec<u8> = server.connection().get(KEY).unwrap();
    assert_eq!(cost(&shared, 0).await, (1, 0, false));
    let after: Vec<u8> = server.connection().get(KEY).unwrap();
    assert_eq!(before, after);
}

#[tokio::test]
async fn with_a_guess_an_admission_is_one_round_trip_and_a_wrong_one_costs_another() {
    let server = LiveServer::start();
    let (one, other) = (shared(&server).guessing(), shared(&server).guessing());
    assert_eq!(cost(&one, 0).await, (1, 0, true));
    assert_eq!(cost(&other, 0).await, (2, 1, true));
    // The one does not know yet that nothing is left, and is told so by the conflict.
    assert_eq!(cost(&one, 0).await, (1, 1, false));
    assert_eq!(cost(&other, 0).await, (1, 0, false));
}

#[tokio::test]
async fn what_a_guess_denies_is_asked() {
    let server = LiveServer::start();
    let shared = shared(&server).guessing();
    assert!(passes(&shared, log("1/60s"), 0).await);
    assert!(!passes(&shared, log("1/60s"), 0).await);
    // Somebody starts the key anew.
    server.connection().del::<_, ()>(KEY).unwrap();
    assert!(passes(&shared, log("1/60s"), 0).await);
}

#[tokio::test]
async fn attempts_run_out() {
    let server = LiveServer::start();
    let once = Server::new(&server.url().parse().unwrap(), Duration::from_secs(20));
    let once = Shared::new(once, SKEW, NonZeroU32::MIN).guessing();
    assert!(passes(&shared(&server), log("2/60s"), 0).await);
    let checked = check(&once, log("2/60s"), 0).await;
    assert_eq!(checked.outcome, Err(Trouble::Contended { attempts: 1 }));
    assert_eq!((checked.conflicts, checked.written), (1, None));
}

#[tokio::test]
async fn a_state_is_kept_until_it_expires_for_a_clock_that_is_behind() {
    let server = LiveServer::start();
    assert!(passes(&shared(&server), log("1/60s"), 1_000).await);
    let left: u64 = redis::cmd("PTTL").arg(KEY).query(&mut server.connection()).unwrap();
    // The window, the skew, and the time limit of 20 s.
    assert!((61_000..=81_000).contains(&left), "{left}");
}

#[tokio::test]
async fn a_state_that_the_server_has_dropped_is_a_fresh_one() {
    let server = LiveServer::start();
    let short = Server::new(&server.url().parse().unwrap(), Duration::from_secs(2));
    let shared = Shared::new(short, Duration::ZERO, NonZeroU32::MIN.saturating_add(1)).guessing();
    assert!(passes(&shared, log("1/1ms"), 0).await);
    let mut behind = server.connection();
    while behind.exists(KEY).unwrap() {}
    let checked = check(&shared, log("1/1ms"), 1).await;
    assert_eq!((checked.outcome, checked.conflicts), (Ok(Decision::Allow), 1));
}

#[tokio::test]
async fn the_servers_time_comes_with_the_value_and_is_never_guessed_ahead() {
    let server = LiveServer::start();
    for (shared, round_trips) in [(shared(&server), [2, 2, 1]), (shared(&server).guessing(), [2, 1, 1])] {
        server.connection().del::<_, ()>(KEY).unwrap();
        for (expected, passes) in round_trips.into_iter().zip([true, true, false]) {
            let checked = log("2/60s").check(&shared, KEY, None).await;
            assert_eq!((checked.round_trips, checked.outcome.unwrap().is_allow()), (expected, passes));
            assert!(checked.written.is_none_or(|written| written.now > Timestamp::ZERO && written.now <= written.at));
        }
    }
}

#[tokio::test]
async fn a_server_that_has_lost_the_script_gets_it_again() {
    let server = LiveServer::start();
    let shared = shared(&server);
    assert!(passes(&shared, log("2/60s"), 0).await);
    redis::cmd("SCRIPT").arg("FLUSH").exec(&mut server.connection()).unwrap();
    assert!(passes(&shared, log("2/60s"), 0).await);
    assert!(!passes(&shared, log("2/60s"), 0).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_pass_to_the_unit() {
    let server = LiveServer::start();
    for shared in [shared(&server), shared(&server).guessing()].map(Arc::new) {
        server.connection().del::<_, ()>(KEY).unwrap();
        let asking = (0..50).map(|_| {
            let shared = Arc::clone(&shared);
            tokio::spawn(async move { passes(&shared, log("20/60s"), 0).await })
        });
        let mut passed = 0;
        for asked in asking.collect::<Vec<_>>() {
            passed += u32::from(asked.await.unwrap());
        }
        assert_eq!(passed, 20);
    }
}

//! Many clients at once, and more of them than there is room for.

use std::sync::Arc;

use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::server::{Question, Server, get};

/// How many pass if so many clients, each with a connection of its own, start at once and ask the same four times.
async fn passed_at_once(server: &Server, clients: usize, question: &Question<'static>) -> usize {
    let start = Arc::new(Barrier::new(clients));
    let mut asking = JoinSet::new();
    for _ in 0..clients {
        let (server, question, start) = (Server::at(server.address), question.clone(), Arc::clone(&start));
        asking.spawn(async move {
            start.wait().await;
            server.ask_times(4, &question).await
        });
    }
    asking.join_all().await.into_iter().flatten().filter(|&status| status == 200).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_clients_with_one_key_admit_exactly_the_quota() {
    let server = Server::start("survey").await;
    let with_key = get("/v1/x").header("authorization", "Bearer pk_1");
    // All but 50 of 600; then 200 at once.
    assert!(server.ask_times(550, &with_key).await.iter().all(|&status| status == 200));
    assert_eq!(passed_at_once(&server, 50, &with_key).await, 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_clients_at_one_address_admit_exactly_the_edge_quota() {
    let server = Server::start("signals").await;
    assert_eq!(passed_at_once(&server, 50, &get("/")).await, 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_quota_of_the_day_does_not_overshoot() {
    let server = Server::start("signals").await;
    for minute in 0..19 {
        server.ask_times(10, &get("/api/intel").later(minute * 60_000)).await;
    }
    server.ask_times(6, &get("/api/intel").later(19 * 60_000)).await;
    // 196 of 200 are used up, and the bucket of the next minute has ten.
    assert_eq!(passed_at_once(&server, 25, &get("/api/mcp").later(20 * 60_000)).await, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_without_room_fails_open_or_closed_as_asked() {
    for (when_full, refused) in [("allow", 200), ("refuse", 503)] {
        let server = Server::start(&format!("survey --max-keys 32 --when-full {when_full}")).await;
        let mut counted = 0;
        for n in 0..200 {
            let address = format!("192.0.2.{n}");
            let answer = server.ask(&get("/public/signups").headers(&[("cf-connecting-ip", &address)])).await;
            if answer.headers.contains_key("ratelimit") {
                counted += 1;
                assert_eq!(answer.status, 200);
            } else {
                assert_eq!(answer.status, refused);
                assert_eq!(answer.header("retry-after"), (refused == 503).then_some("1"));
            }
        }
        assert!((1..=32).contains(&counted), "{counted}");
    }
}

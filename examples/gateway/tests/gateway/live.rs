//! Gateways, each a process, that count in one server.

use std::sync::Arc;

use redis_fleet::live::LiveServer;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::program::Program;
use super::server::{Answer, Question, Server, get};

const KEYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/keys.csv");

const FREE: (&str, &str) = ("authorization", "Bearer k_free");
const TEAM: (&str, &str) = ("authorization", "Bearer k_team");

/// Of clients, so that no edge throttle stops them.
const ADDRESSES: [&str; 5] = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5"];

fn gateway(server: &LiveServer, when_unreachable: &str) -> Program {
    let listen = ["signals", "--listen", "127.0.0.1:0", "--time-header", "--keys", KEYS];
    Program::start(&[&listen[..], &["--redis", &server.url(), "--when-unreachable", when_unreachable]].concat())
}

/// The statuses that clients of each gateway are answered with, if all start at once and ask so often.
async fn at_once(gateways: &[Program], clients: usize, times: usize, question: &Question<'static>) -> Vec<u16> {
    let start = Arc::new(Barrier::new(gateways.len() * clients));
    let mut asking = JoinSet::new();
    for (gateway, client) in gateways.iter().flat_map(|gateway| (0..clients).map(move |client| (gateway, client))) {
        let (server, start) = (Server::at(gateway.server.address), Arc::clone(&start));
        let question = question.clone().header("cf-connecting-ip", ADDRESSES[client % ADDRESSES.len()]);
        asking.spawn(async move {
            start.wait().await;
            server.ask_times(times, &question).await
        });
    }
    asking.join_all().await.into_iter().flatten().collect()
}

fn count(statuses: &[u16], status: u16) -> usize {
    statuses.iter().filter(|&&given| given == status).count()
}

/// Whether layer 2 has judged it.
fn is_counted(answer: &Answer) -> bool {
    answer.header("ratelimit").is_some_and(|told| told.contains("rest"))
}

fn intel(key: (&'static str, &'static str)) -> Question<'static> {
    get("/api/intel").headers(&[key])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_gateways_have_one_bucket_and_one_day() {
    let server = LiveServer::start();
    let gateways = [gateway(&server, "refuse"), gateway(&server, "refuse")];
    let first = at_once(&gateways, 25, 4, &intel(FREE)).await;
    assert_eq!((count(&first, 200), count(&first, 429)), (10, 190));
    for minute in 1..19 {
        let question = intel(FREE).later(minute * 60_000);
        let passed = gateways[minute as usize % 2].server.ask_times(10, &question).await;
        assert_eq!(count(&passed, 200), 10, "minute {minute}");
    }
    gateways[0].server.ask_times(6, &intel(FREE).later(19 * 60_000)).await;
    // 196 of 200 are used up, and the bucket of the next minute has ten.
    let last = at_once(&gateways, 25, 4, &intel(FREE).later(20 * 60_000)).await;
    assert_eq!((count(&last, 200), count(&last, 429)), (4, 196));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_gateways_under_load_pass_the_quota_to_the_unit() {
    let server = LiveServer::start();
    let gateways = [gateway(&server, "refuse"), gateway(&server, "refuse")];
    // 800 of which 600 may pass; 80 at each address of each gateway.
    let statuses = at_once(&gateways, 25, 16, &intel(TEAM)).await;
    assert_eq!((count(&statuses, 200), count(&statuses, 429)), (600, 200));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_gone_fails_open_or_closed_as_asked_and_is_used_again_when_it_is_back() {
    let mut server = LiveServer::start();
    let (open, closed) = (gateway(&server, "allow"), gateway(&server, "refuse"));
    server.kill();
    let passed = open.server.ask(&intel(FREE)).await;
    assert_eq!((passed.status.as_u16(), is_counted(&passed)), (200, false));
    let refused = closed.server.ask(&intel(FREE)).await;
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (503, Some("1")));
    // The edge throttle is in memory, and goes on.
    assert_eq!(closed.server.ask(&get("/elsewhere")).await.status, 200);
    server.restart();
    let mut counted = 0;
    for gateway in [&closed, &open] {
        // Neither tries again at once. The edge throttle is not to stop this: each is another address.
        for n in 0.. {
            let address = format!("2001:db8::{n:x}");
            let answer = gateway.server.ask(&intel(FREE).header("cf-connecting-ip", &address)).await;
            counted += u32::from(is_counted(&answer) && answer.status == 200);
            if answer.status == 429 {
                break;
            }
        }
    }
    assert_eq!(counted, 10, "the two share one bucket");
    let log = closed.stop("-TERM");
    assert!(log.contains("requests go unjudged reason=the server"), "{log}");
    open.stop("-TERM");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_value_that_was_tampered_with_is_logged_and_left_alone() {
    let server = LiveServer::start();
    let gateway = gateway(&server, "refuse");
    assert_eq!(gateway.server.ask(&intel(FREE)).await.status, 200);
    let mut connection = server.connection();
    let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("tollgate:*").query(&mut connection).unwrap();
    assert_eq!(keys.len(), 1);
    redis::cmd("SET").arg(&keys[0]).arg("garbage").exec(&mut connection).unwrap();
    assert_eq!(gateway.server.ask(&intel(FREE)).await.status, 503);
    let value: String = redis::cmd("GET").arg(&keys[0]).query(&mut connection).unwrap();
    assert_eq!(value, "garbage");
    let log = gateway.stop("-TERM");
    assert!(log.contains("reason=the value of") && log.contains("k_free"), "{log}");
}

//! Whose word is taken for the client's address, and headers that are not text.

use std::io::{Read, Write};
use std::net::TcpStream;

use axum::http::{Request, StatusCode};
use gateway::arrival::{Reception, TIME_HEADER, Trusted};
use tollgate::Timestamp;

use super::server::{NOW, Question, Server, get};

/// The address that a denial names, once the client has used up its quota.
async fn denied_as(server: &Server, question: &Question<'_>) -> String {
    server.ask_times(100, question).await;
    let answer = server.ask(question).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    serde_json::from_slice::<serde_json::Value>(&answer.body).unwrap()["ip"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signals_finds_the_client_in_its_own_order() {
    let server = Server::start("signals").await;
    let all =
        [("cf-connecting-ip", "192.0.2.1"), ("x-forwarded-for", "192.0.2.2, 10.0.0.1"), ("x-real-ip", "192.0.2.3")];
    for (without, client) in [(0, "192.0.2.1"), (1, "192.0.2.2"), (2, "192.0.2.3"), (3, "127.0.0.1")] {
        assert_eq!(denied_as(&server, &get("/").headers(&all[without..])).await, client);
    }
    assert_eq!(denied_as(&server, &get("/").headers(&[("cf-connecting-ip", "2001:DB8:0::1")])).await, "2001:db8::1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_cannot_choose_its_address_under_a_trust_list() {
    let server = Server::start("signals --trust 10.0.0.0/8,2001:db8::/32").await;
    let forged: Vec<String> = (0..100).map(|n| format!("192.0.2.{n}")).collect();
    for address in &forged {
        let headers = [("cf-connecting-ip", &**address), ("x-forwarded-for", address), ("x-real-ip", address)];
        assert_eq!(server.ask(&get("/").headers(&headers)).await.status, StatusCode::OK);
    }
    let denied = server.ask(&get("/").headers(&[("cf-connecting-ip", "198.51.100.1")])).await;
    assert_eq!(denied.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(denied.body.ends_with(br#""ip":"127.0.0.1"}"#));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_proxys_chain_is_walked_from_the_right() {
    let server = Server::start("signals --trust 127.0.0.0/8,10.0.0.0/8").await;
    for (chain, client) in [
        ("9.9.9.9, 203.0.113.7", "203.0.113.7"),
        ("9.9.9.9, 203.0.113.8, 10.1.2.3", "203.0.113.8"),
        ("forged, 203.0.113.10:4711", "203.0.113.10"),
        ("203.0.113.11, unknown", "127.0.0.1"),
    ] {
        assert_eq!(denied_as(&server, &get("/").headers(&[("x-forwarded-for", chain)])).await, client, "{chain}");
    }
    // What the proxies write themselves is believed.
    assert_eq!(denied_as(&server, &get("/").headers(&[("cf-connecting-ip", "203.0.113.12")])).await, "203.0.113.12");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_are_told_apart_by_their_peer_under_a_trust_list_in_survey_too() {
    let server = Server::start("survey --trust 10.0.0.0/8").await;
    for n in 0..30 {
        let address = format!("192.0.2.{n}");
        assert_eq!(server.ask(&get("/public/signups").headers(&[("cf-connecting-ip", &address)])).await.status, 200);
    }
    assert_eq!(server.ask(&get("/public/signups").headers(&[])).await.status, StatusCode::TOO_MANY_REQUESTS);
}

/// What the server answers to these bytes.
fn raw(server: &Server, head: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    // A server that refuses a request may reset the connection behind its answer.
    let _ = stream.write_all(head);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn header_bytes_that_are_no_text_are_no_address_no_key_and_no_time() {
    let signals = Server::start("signals").await;
    let request = |name: &[u8], value: &[u8]| {
        let time = format!("GET /api/intel HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-test-now-ms: {NOW}\r\n");
        [time.as_bytes(), name, b": ", value, b"\r\n\r\n"].concat()
    };
    let mut remaining = 10;
    for name in [&b"cf-connecting-ip"[..], b"x-forwarded-for", b"x-real-ip", b"authorization", b"cookie"] {
        for value in [&b"\xff\xfe\x80"[..], b"Bearer \xc3\x28"] {
            remaining -= 1;
            let answer = raw(&signals, &request(name, value));
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            // They are all the peer's.
            assert!(answer.contains(&format!(r#""rest";r={remaining};t=34"#)), "{answer}");
        }
    }
    let time = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-test-now-ms: \xff\r\n\r\n";
    assert!(raw(&signals, time).starts_with("HTTP/1.1 200 "));

    let survey = Server::start("survey").await;
    let stranger = b"GET /v1/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer \xff\r\n\r\n";
    assert!(raw(&survey, stranger).starts_with("HTTP/1.1 401 "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_http_is_refused_and_the_server_goes_on() {
    let server = Server::start("signals").await;
    for bytes in [
        &b"GET / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: a\0b\r\n\r\n"[..],
        b"GET / HTTP/1.1\r\nhost: x\r\nx forwarded for: 1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET /\xff\xfe\x00 HTTP/1.1\r\nhost: x\r\n\r\n",
    ] {
        let answer = raw(&server, bytes);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    let long = [b"GET / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ", &[b'1'; 1 << 20][..], b"\r\n\r\n"].concat();
    let answer = raw(&server, &long);
    // The rest of it is never read, and the reset for that may overtake the answer.
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    assert_eq!(server.ask(&get("/")).await.status, StatusCode::OK);
}

#[test]
fn a_request_brings_its_time_only_where_that_was_asked_for() {
    let now = |time_header| {
        let (mut request, ()) = Request::builder().header(TIME_HEADER, "5").body(()).unwrap().into_parts();
        Reception::new(&[], Trusted::FirstHop, time_header).arrival(&mut request).now
    };
    assert_eq!(now(true), Timestamp::from_millis(5));
    assert!(now(false) > Timestamp::from_millis(NOW));
}

//! A stop answers what has come, and takes nothing more.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use super::server::{self, Server};

/// Beyond this the listener stays open.
const LONGEST: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_being_answered_is_answered_after_the_stop() {
    let (arrived, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = {
        let (arrived, go_on) = (Arc::clone(&arrived), Arc::clone(&go_on));
        move || async move {
            arrived.notify_one();
            go_on.notified().await;
            "done"
        }
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let app = Router::new().route("/slow", get(slow));
    let serving = tokio::spawn(gateway::server::serve(listener, app, async { drop(stopped.await) }));

    let asking = tokio::spawn(async move { Server::at(address).ask(&server::get("/slow")).await });
    arrived.notified().await;
    stop.send(()).unwrap();
    // The listener closes before the request is answered. Not for ever: another test may get its port.
    let closing = async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONGEST, closing).await.expect("nobody listens there any more");
    go_on.notify_one();
    let answer = asking.await.unwrap();
    assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &b"done"[..]));
    serving.await.unwrap().unwrap();
}

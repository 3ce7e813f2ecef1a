//! Both systems over real sockets, with a real client.

mod concurrency;
mod identity;
// Needs `redis-server`: `cargo test -p gateway --features live`.
#[cfg(feature = "live")]
mod live;
mod program;
mod server;
mod signals;
mod stopping;
mod survey;

//! Both systems over real sockets, with a real client.

mod concurrency;
mod identity;
mod program;
mod server;
mod signals;
mod stopping;
mod survey;

//! Nothing but the recipes, in `examples/`. Each is a whole program of at most forty lines, to be copied. `try` builds and runs them all.
//!
//! | recipe | shows |
//! | --- | --- |
//! | `axum` | a middleware, by the address of the peer |
//! | `actix` | a middleware, by an API key |
//! | `hyper` | a service, by the address behind proxies |
//! | `tonic` | an interceptor, with the wait as metadata |
//! | `tcp` | connections per network, on a bare `TcpListener` |
//! | `embassy_style` | an async loop of a device, and a radio's duty cycle |
//! | `paced` | calls to somebody else's API, as fast as it allows |
//! | `quiet_log` | a filter for `tracing` that counts what it suppressed |
//!
//! `cargo run --manifest-path examples/recipes/Cargo.toml --example axum` runs one.

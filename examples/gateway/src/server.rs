//! A listener, a router, and a graceful stop.

use std::future::Future;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::arrival::{TIME_HEADER, Trusted};
use crate::cli::{Error, Settings, Store, System};
use crate::log::Log;

/// How long a stop waits for requests that are being answered.
const GRACE: Duration = Duration::from_secs(10);

/// Serves until told to stop, by SIGTERM or SIGINT.
pub(crate) fn run(settings: &Settings) -> Result<(), Error> {
    // Till the end of the run, so that its last line is written.
    let _log = Log::start().map_err(Error::Runtime)?;
    let runtime = runtime::Builder::new_multi_thread().enable_all().build().map_err(Error::Runtime)?;
    runtime.block_on(async {
        let stop = stop_signal().map_err(Error::Runtime)?;
        let address = settings.listen;
        let listener = TcpListener::bind(address).await.map_err(|error| Error::Listen { address, error })?;
        let address = listener.local_addr().map_err(|error| Error::Listen { address, error })?;
        say_how(settings);
        writeln!(io::stdout(), "listening on http://{address}").map_err(Error::Output)?;
        serve(listener, crate::app(settings), stop).await.map_err(Error::Runtime)
    })
}

/// Serves until `stop` is there. Then no connection is accepted any more, idle ones are closed, and requests that came are answered.
///
/// # Errors
///
/// Where the listener cannot go on.
pub async fn serve(
    listener: TcpListener,
    app: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (stopping, mut stopped) = watch::channel(false);
    let stop = async move {
        stop.await;
        tracing::info!("stopping");
        stopping.send_replace(true);
    };
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, service).with_graceful_shutdown(stop);
    let grace = async {
        if stopped.wait_for(|&stopped| stopped).await.is_err() {
            // The server ended by itself, and says why.
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        ended = server => ended,
        () = grace => {
            tracing::warn!("some connections did not end in {GRACE:?}");
            Ok(())
        }
    }
}

fn say_how(settings: &Settings) {
    match &settings.trust {
        Trusted::FirstHop => tracing::warn!(
            "trust: first-hop, as the original does it: headers are believed whoever sends them, so each caller chooses the address it is limited by"
        ),
        Trusted::Proxies(proxies) => tracing::info!(
            ?proxies,
            "trust: these proxies. Each must write CF-Connecting-IP (and X-Real-IP, for signals) or strip it, and append to X-Forwarded-For"
        ),
    }
    if let System::Signals { store: Store::Redis(address), .. } = &settings.system {
        tracing::info!("layer 2 counts in the server at {address}, with all gateways that name it");
    }
    if settings.time_header {
        tracing::warn!("{TIME_HEADER} is believed: each caller chooses the time. For tests only");
    }
}

fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => (),
            _ = interrupt.recv() => (),
        }
    })
}

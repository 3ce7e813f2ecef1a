//! [`Server`]: what the workers ask, on a free port of the loopback.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use std::{ffi::OsString, io};

use axum::Router;
use axum::http::request::Parts;
use axum::routing::any;
use command_line::Parsed;
use gateway::answer;
use gateway::arrival::TIME_HEADER;
use gateway::layer::{Limit, Limiter, Verdict};
use gateway::rule::{Judge, Named};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tollgate::format::body::signals::Family;
use tollgate::{FixedWindow, FixedWindowState, Timestamp};

use crate::cli::{Error, Settings, Target};

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    path: &'static str,
    runtime: Option<Runtime>,
}

impl Server {
    /// Starts the one that the settings ask for. In a simulation it takes the time from each request.
    ///
    /// # Errors
    ///
    /// Where the system does not let it.
    pub fn start(settings: &Settings) -> Result<Self, Error> {
        let (app, path) = match settings.target {
            Target::Limit => (one_limit(settings), "/work"),
            Target::Survey => (gateway_app("survey", settings)?, "/public/signups"),
            Target::Signals => (gateway_app("signals", settings)?, "/v1/signals/churn/evaluate"),
        };
        let runtime = Runtime::new().map_err(Error::Server)?;
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).map_err(Error::Server)?;
        let address = listener.local_addr().map_err(Error::Server)?;
        runtime.spawn(gateway::server::serve(listener, app, std::future::pending()));
        Ok(Self { address, path, runtime: Some(runtime) })
    }

    /// What a piece of work is asked for at.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Whatever is still open is of no use to anybody.
            runtime.shutdown_background();
        }
    }
}

/// One of the gateway's two systems, whole.
fn gateway_app(system: &str, settings: &Settings) -> Result<Router, Error> {
    let arguments = ["gateway", system, "--time-header"].into_iter().take(if settings.simulated { 3 } else { 2 });
    match gateway::cli::parse(arguments.map(OsString::from)) {
        Ok(Parsed::Run(settings)) => Ok(gateway::app(&settings)),
        Ok(Parsed::Print(text)) => Err(Error::Server(io::Error::other(text))),
        Err(error) => Err(Error::Server(io::Error::other(error))),
    }
}

/// The gateway's layer around one limit that all callers share.
fn one_limit(settings: &Settings) -> Router {
    let limiter = OneLimit {
        rule: Named::new("work", settings.limit),
        state: Mutex::default(),
        only_body: settings.only_body,
        simulated: settings.simulated,
    };
    Router::new().route("/work", any(answer::done)).layer(Limit::new(limiter))
}

struct OneLimit {
    rule: Named<FixedWindow>,
    state: Mutex<FixedWindowState>,
    /// The wait of a refusal is told there alone.
    only_body: bool,
    simulated: bool,
}

impl Limiter for OneLimit {
    async fn judge(&self, request: &mut Parts) -> Verdict {
        let given = request.headers.get(TIME_HEADER).filter(|_| self.simulated);
        let given = given.and_then(|value| value.to_str().ok()?.parse().ok()).map(Timestamp::from_millis);
        let now = given.unwrap_or_else(|| SystemTime::now().into());
        // Whole after every step, also if somebody panicked while holding it.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let judgement = self.rule.judge(&mut state, now);
        let fields = if self.only_body { Vec::new() } else { judgement.fields() };
        let Some(denied) = judgement.denied() else { return Verdict::Pass(fields) };
        let body = Family::rest(denied.retry_after);
        let mut response = if self.only_body {
            answer::denied_without_retry_after(body)
        } else {
            answer::denied(body, denied.retry_after)
        };
        response.headers_mut().extend(fields);
        Verdict::Stop(response)
    }
}

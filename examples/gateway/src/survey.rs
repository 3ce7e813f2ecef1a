//! The system `survey`: fixed windows that open at the first hit, for each client on some surfaces, and for each API key on `/v1/*`.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::any;
use tollgate::format::body::survey::{PER_API_KEY, PER_CLIENT};
use tollgate::identity::{ClientKey, Source};
use tollgate::{FixedWindow, FixedWindowState};

use crate::answer;
use crate::arrival::Trusted;
use crate::counters::{Counters, Key};
use crate::credentials::{api_key, has_session};
use crate::layer::{Limit, Limiter, Verdict};
use crate::office::Office;
use crate::rule::Named;

const MINUTE: Duration = Duration::from_secs(60);

const SURVEYS: Named<FixedWindow> = Named::new("surveys", FixedWindow::constant(30, MINUTE));
const LINKS: Named<FixedWindow> = Named::new("links", FixedWindow::constant(60, MINUTE));
const SIGNUPS: Named<FixedWindow> = Named::new("signups", FixedWindow::constant(30, MINUTE));
const API_KEY: Named<FixedWindow> = Named::new("api-key", FixedWindow::constant(600, MINUTE));

/// Where a client's address is looked for. Without one it is `anonymous`; but where not everybody is believed, whoever is not is its peer,
/// or all of them would share that one key.
pub(crate) fn sources(trusted: &Trusted) -> &'static [Source<'static>] {
    match trusted {
        Trusted::FirstHop => &[Source::CF_CONNECTING_IP, Source::X_FORWARDED_FOR],
        Trusted::Proxies(_) => &[Source::CF_CONNECTING_IP, Source::X_FORWARDED_FOR, Source::PEER],
    }
}

/// The system. `/health` and `/health/ready` are without a limiter, as is every path that is not listed.
pub fn router<C: Counters<FixedWindowState>>(office: &Arc<Office>, counters: &Arc<C>) -> Router {
    let per_client = |rule| Limit::new(PerClient { rule, office: Arc::clone(office), counters: Arc::clone(counters) });
    let per_api_key = Limit::new(PerApiKey { office: Arc::clone(office), counters: Arc::clone(counters) });

    let surveys = Router::new()
        .route("/public/surveys/", any(answer::done))
        .route("/public/surveys/{*rest}", any(answer::done))
        .route_layer(per_client(SURVEYS));
    let links = Router::new().route("/r/{slug}", any(answer::done)).route_layer(per_client(LINKS));
    let signups = Router::new().route("/public/signups", any(answer::done)).route_layer(per_client(SIGNUPS));
    // The layer that is added last is asked first: a call is metered after it is authenticated.
    let v1 = Router::new()
        .route("/v1/", any(answer::done))
        .route("/v1/{*rest}", any(answer::done))
        .route_layer(per_api_key)
        .route_layer(from_fn(authenticate));

    Router::new()
        .merge(surveys)
        .merge(links)
        .merge(signups)
        .merge(v1)
        .route("/health", any(answer::done))
        .route("/health/ready", any(answer::done))
        .fallback(answer::done)
}

/// Who was authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Principal {
    /// Written `apikey:<public_id>`.
    ApiKey(Box<str>),
    /// By a session.
    Person,
}

async fn authenticate(mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let principal = match api_key(headers) {
        Some(id) => Principal::ApiKey(id.into()),
        None if has_session(headers) => Principal::Person,
        None => return answer::unauthorized(),
    };
    request.extensions_mut().insert(principal);
    next.run(request).await
}

/// A quota for each client on one surface, which has counters of its own.
struct PerClient<C> {
    rule: Named<FixedWindow>,
    office: Arc<Office>,
    counters: Arc<C>,
}

impl<C: Counters<FixedWindowState>> Limiter for PerClient<C> {
    async fn judge(&self, request: &mut Parts) -> Verdict {
        let arrival = self.office.reception.arrival(request);
        let outcome = match client_key(self.rule.name(), arrival.client) {
            Ok(key) => self.counters.judge(&self.rule, key.as_bytes(), arrival.now).await,
            Err(error) => Err(error.into()),
        };
        let refusal = |denied: crate::rule::Denied| answer::denied(PER_CLIENT, denied.retry_after);
        self.office.verdict(request, arrival, &arrival.client, outcome, refusal)
    }
}

/// A quota for each API key. Whoever else is authenticated is never metered.
struct PerApiKey<C> {
    office: Arc<Office>,
    counters: Arc<C>,
}

impl<C: Counters<FixedWindowState>> Limiter for PerApiKey<C> {
    async fn judge(&self, request: &mut Parts) -> Verdict {
        let Some(Principal::ApiKey(id)) = request.extensions.get::<Principal>().cloned() else {
            return Verdict::Pass(Vec::new());
        };
        let arrival = self.office.reception.arrival(request);
        let outcome = match Key::new(&[("apikey", (&*id).into())]) {
            Ok(key) => self.counters.judge(&API_KEY, key.as_bytes(), arrival.now).await,
            Err(error) => Err(error.into()),
        };
        let refusal = |denied: crate::rule::Denied| answer::denied(PER_API_KEY, denied.retry_after);
        self.office.verdict(request, arrival, &format_args!("apikey:{id}"), outcome, refusal)
    }
}

fn client_key(surface: &str, client: ClientKey) -> Result<Key, tollgate::identity::KeyTooLong> {
    Key::new(&[("surface", surface.into()), ("client", client.into())])
}

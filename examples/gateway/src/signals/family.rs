//! Layer 2: a token bucket for each family of endpoints, refilled by interval, and the quota of the day.
//!
//! A bucket and the quota of the day are one state and judged all or none: a request that either of them denies has used up neither. In the
//! original, the quota of the day was read, changed and written back, and overshot.

use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::http::request::Parts;
use axum::response::Response;
use tollgate::format::body::signals::{Evaluation, Family as Body};
use tollgate::identity::Part;
use tollgate::{FixedWindow, Refill, Timestamp, TokenBucket};

use crate::answer;
use crate::counters::{Counters, Key};
use crate::credentials::{Keys, Tier};
use crate::layer::{Limiter, Verdict};
use crate::office::Office;
use crate::rule::{Denied, Named, Quotas, Usage};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

/// The name of the quota of the day.
const DAILY: &str = "daily";

const FREE: [Quotas; 3] = quotas(10, 200, 60);
const PRO: [Quotas; 3] = quotas(60, 5_000, 600);
const TEAM: [Quotas; 3] = quotas(600, 100_000, 6_000);

/// Endpoints that share a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Rest,
    Issuance,
    Signals,
}

/// Of a tier, in the order of the families: so many REST calls a minute and a day, and so many evaluations a minute.
const fn quotas(rest: u32, daily: u32, signals: u32) -> [Quotas; 3] {
    // UTC days, since timestamps count from the Unix epoch.
    let daily = Named::new(DAILY, FixedWindow::constant(daily, DAY).aligned(Timestamp::ZERO));
    [
        Quotas { bucket: bucket("rest", rest, MINUTE), daily: Some(daily) },
        Quotas { bucket: bucket("issuance", 5, HOUR), daily: None },
        Quotas { bucket: bucket("signals", signals, MINUTE), daily: None },
    ]
}

const fn bucket(name: &'static str, quota: u32, window: Duration) -> Named<TokenBucket> {
    let refill = Refill::Interval { origin: Timestamp::ZERO };
    Named::new(name, TokenBucket::constant_with(quota, window, quota, refill))
}

impl Family {
    fn quotas(self, tier: Tier) -> &'static Quotas {
        let [rest, issuance, signals] = match tier {
            Tier::Free => &FREE,
            Tier::Pro => &PRO,
            Tier::Team => &TEAM,
        };
        match self {
            Self::Rest => rest,
            Self::Issuance => issuance,
            Self::Signals => signals,
        }
    }

    fn refusal(self, Denied { policy, retry_after }: Denied) -> Response {
        match self {
            Self::Rest if policy == DAILY => answer::denied(Body::daily(retry_after), retry_after),
            Self::Rest => answer::denied(Body::rest(retry_after), retry_after),
            Self::Issuance => answer::denied(Body::issuance(retry_after), retry_after),
            Self::Signals => answer::denied_without_retry_after(Evaluation::new(&request_id(), retry_after)),
        }
    }
}

/// The limiter of a family, for each API key, and for each address where a call carries none.
pub(super) struct PerFamily<C> {
    pub(super) family: Family,
    pub(super) office: Arc<Office>,
    pub(super) keys: Arc<Keys>,
    pub(super) counters: Arc<C>,
}

impl<C: Counters<Usage>> Limiter for PerFamily<C> {
    async fn judge(&self, request: &mut Parts) -> Verdict {
        let Self { family, office, keys, counters } = self;
        let arrival = office.reception.arrival(request);
        let (scope, who, tier): (_, &(dyn Display + Sync), _) = match keys.verified(&request.headers) {
            Some((id, tier)) => (("key", Part::from(id)), &format_args!("apikey:{id}").to_string(), tier),
            None => (("client", arrival.client.into()), &arrival.client, Tier::default()),
        };
        let quotas = family.quotas(tier);
        let outcome = match Key::new(&[("family", quotas.bucket.name().into()), scope]) {
            Ok(key) => counters.judge(quotas, key.as_bytes(), arrival.now).await,
            Err(error) => Err(error.into()),
        };
        office.verdict(request, arrival, who, outcome, |denied| family.refusal(denied))
    }
}

/// The id of a request: another for each, and none that can be guessed from the one before.
fn request_id() -> String {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("req_{:016x}", SEED.hash_one(NEXT.fetch_add(1, Ordering::Relaxed)))
}

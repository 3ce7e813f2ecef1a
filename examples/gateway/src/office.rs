//! From an answer to a verdict, the same for every limiter: fields of the answer, a refusal in the limiter's own words, a line in the log.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::MatchedPath;
use axum::http::request::Parts;
use axum::response::Response;
use tollgate::Wait;
use tollgate::format::RetryAfter;

use crate::answer;
use crate::arrival::{Arrival, Reception};
use crate::counters::Unavailable;
use crate::denials::{Denial, Denials};
use crate::layer::Verdict;
use crate::rule::{Denied, Judgement};

/// What becomes of a request of which a store cannot say whether it may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Unjudged {
    /// It passes, uncounted: whoever floods the store with keys, or a store that is gone, shuts out nobody.
    Allow,
    /// It is refused with 503: nothing passes uncounted.
    Refuse,
}

/// What the limiters of a system share.
#[derive(Debug)]
pub struct Office {
    /// Who is calling, and when.
    pub reception: Reception,
    /// What was denied.
    pub denials: Denials,
    /// Open or closed, where a store in memory has no room.
    pub when_full: Unjudged,
    /// Open or closed, where a shared store gives no answer.
    pub when_unreachable: Unjudged,
    last_complaint: AtomicU64,
}

impl Office {
    /// With nothing denied yet.
    pub fn new(reception: Reception, when_full: Unjudged, when_unreachable: Unjudged) -> Self {
        let (denials, last_complaint) = (Denials::default(), AtomicU64::new(0));
        Self { reception, denials, when_full, when_unreachable, last_complaint }
    }

    /// The verdict on a request of `who`, with the refusal that `refusal` makes.
    pub fn verdict(
        &self,
        request: &Parts,
        arrival: Arrival,
        who: &dyn std::fmt::Display,
        outcome: Result<Judgement, Unavailable>,
        refusal: impl FnOnce(Denied) -> Response,
    ) -> Verdict {
        let judgement = match outcome {
            Ok(judgement) => judgement,
            Err(reason) => return self.without_an_answer(arrival, &reason),
        };
        let fields = judgement.fields();
        let Some(denied) = judgement.denied() else { return Verdict::Pass(fields) };
        self.denials.record(&Denial {
            endpoint: request.extensions.get().map(MatchedPath::as_str),
            path: request.uri.path(),
            who,
            denied,
            at: arrival.now,
        });
        let mut response = refusal(denied);
        response.headers_mut().extend(fields);
        Verdict::Stop(response)
    }

    /// Says so in the log once a second: a store that is full or gone is asked often.
    fn without_an_answer(&self, arrival: Arrival, reason: &Unavailable) -> Verdict {
        let then = match reason {
            Unavailable::Full(_) | Unavailable::Key(_) => self.when_full,
            Unavailable::Shared(_) => self.when_unreachable,
        };
        let second = arrival.now.as_nanos() / 1_000_000_000;
        if self.last_complaint.swap(second, Ordering::Relaxed) != second {
            tracing::warn!(%reason, ?then, "requests go unjudged");
        }
        match then {
            Unjudged::Allow => Verdict::Pass(Vec::new()),
            Unjudged::Refuse => Verdict::Stop(answer::unavailable(RetryAfter::after(Wait::ZERO))),
        }
    }
}

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
pub enum WhenFull {
    /// It passes, uncounted: whoever floods the store with keys shuts out nobody.
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
    /// Open or closed.
    pub when_full: WhenFull,
    last_complaint: AtomicU64,
}

impl Office {
    /// With nothing denied yet.
    pub fn new(reception: Reception, when_full: WhenFull) -> Self {
        Self { reception, denials: Denials::default(), when_full, last_complaint: AtomicU64::new(0) }
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

    /// Says so in the log once a second: a store that is full is asked often.
    fn without_an_answer(&self, arrival: Arrival, reason: &Unavailable) -> Verdict {
        let second = arrival.now.as_nanos() / 1_000_000_000;
        if self.last_complaint.swap(second, Ordering::Relaxed) != second {
            tracing::warn!(%reason, when_full = ?self.when_full, "requests go unjudged");
        }
        match self.when_full {
            WhenFull::Allow => Verdict::Pass(Vec::new()),
            WhenFull::Refuse => Verdict::Stop(answer::unavailable(RetryAfter::after(Wait::ZERO))),
        }
    }
}

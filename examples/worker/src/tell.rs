//! Header fields and bodies, as text.

use core::fmt::{self, Display};

use tollgate::format::draft_10::{self, RATELIMIT, RATELIMIT_POLICY};
use tollgate::format::problem::{Problem, ProblemType};
use tollgate::format::retry_after::RETRY_AFTER;
use tollgate::format::{Name, Quota, RetryAfter};
use tollgate::{FixedWindow, SlidingLog, Status, TokenBucket, Wait};

use crate::Outcome;
use crate::reply::{Refusal, Reply};

/// The fields of draft 10, and of a denial `Retry-After`.
struct Fields<'a> {
    policy: draft_10::Policy<'a>,
    limit: draft_10::Limit<'a>,
    retry_after: Option<RetryAfter>,
}

impl Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, limit, retry_after } = self;
        writeln!(f, "{RATELIMIT_POLICY}: {policy}\n{RATELIMIT}: {limit}")?;
        match retry_after {
            Some(retry_after) => writeln!(f, "{RETRY_AFTER}: {retry_after}"),
            None => Ok(()),
        }
    }
}

pub(crate) fn fields(
    kind: u32,
    policy: &str,
    name: &[u8],
    retry_after: Wait,
    remaining: u32,
    grows_in: Wait,
    reply: &mut Reply,
) -> Result<Outcome, Refusal> {
    let quota = match kind & 0xFF {
        1 => Quota::from(policy.parse::<FixedWindow>()?),
        2 => Quota::from(policy.parse::<SlidingLog>()?),
        3 => Quota::from(policy.parse::<TokenBucket>()?),
        _ => return Err(Refusal::Kind),
    };
    let name = named(name)?;
    let status = Status::new(quota.units(), remaining, grows_in, grows_in);
    let fields = Fields {
        policy: draft_10::Policy::new(name, quota),
        limit: draft_10::Limit::new(name, &status),
        retry_after: (!retry_after.is_zero()).then(|| RetryAfter::after(retry_after)),
    };
    reply.text(&fields)?;
    Ok(Outcome::Allow)
}

pub(crate) fn problem(name: &[u8], reply: &mut Reply) -> Result<Outcome, Refusal> {
    reply.text(&Problem::new(ProblemType::QuotaExceeded, &[named(name)?]))?;
    Ok(Outcome::Allow)
}

/// A policy's name. What is no UTF-8 is no ASCII either.
fn named(name: &[u8]) -> Result<Name<'_>, Refusal> {
    Ok(Name::new(core::str::from_utf8(name).unwrap_or("\u{FFFD}"))?)
}

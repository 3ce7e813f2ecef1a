//! What each specification sends for the same answers, as lines of JSON.
//!
//! A bucket of five a minute is asked until it denies, and again later. Each answer is told in every form that a client of the
//! npm package `ratelimit-header-parser` may meet; the test in `tests/node/ratelimit-header-parser` reads these lines, and holds what
//! that client understands against what was meant. More lines follow with every character of two planes in a string, which the same test
//! compares with what `JSON.stringify` makes of it.
//!
//! ```sh
//! cargo run --example headers
//! ```

use core::time::Duration;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use tollgate::format::draft_07::{self, QuotaPolicies};
use tollgate::format::json::{self, Members};
use tollgate::format::x_ratelimit::{X_RATELIMIT_LIMIT, X_RATELIMIT_REMAINING, X_RATELIMIT_RESET, XRateLimit};
use tollgate::format::{Quota, RetryAfter, draft_06, retry_after};
use tollgate::{Decision, Status, Timestamp, TokenBucket, TokenBucketState, Wait};

const POLICY: TokenBucket = TokenBucket::constant(5, Duration::from_secs(60));

fn main() -> ExitCode {
    match answers(BufWriter::new(io::stdout().lock())) {
        // A reader that is gone has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("headers: standard output: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn answers(mut out: impl Write) -> io::Result<()> {
    let mut state = TokenBucketState::default();
    let start = Timestamp::from_secs(1_700_000_000);
    for millis in [0, 1, 1_500, 1_500, 2_000, 2_001, 12_000, 20_000, 59_999, 200_000] {
        let now = start.saturating_add(Wait::from_millis(millis));
        let decision = POLICY.judge(&mut state, now);
        tell(&mut out, decision, &POLICY.status_of(&state, now), now)?;
    }
    // The longest wait that a policy has, and a quota that nobody has used.
    let longest = Wait::from_nanos(1 << 62);
    tell(&mut out, Decision::Deny { retry_after: longest }, &Status::new(u32::MAX, 0, longest, longest), start)?;
    tell(&mut out, Decision::Allow, &Status::new(u32::MAX, u32::MAX, Wait::ZERO, Wait::ZERO), start)?;

    for first in (0..0x2_0000).step_by(0x100) {
        let text: String = (first..first + 0x100).filter_map(char::from_u32).collect();
        let line = json::object(|line| {
            line.member("first").integer(first.into());
            line.member("text").string(&text);
        });
        writeln!(out, "{line}")?;
    }
    out.flush()
}

/// One answer in every form.
fn tell(out: &mut impl Write, decision: Decision, status: &Status, now: Timestamp) -> io::Result<()> {
    let quotas = [Quota::from(POLICY)];
    let policies = QuotaPolicies::new(&quotas).expect("one policy differs from all others");
    let (seven, six) = (draft_07::RateLimit::new(decision, status), draft_06::RateLimit::new(decision, status));
    let x = XRateLimit::new(decision, status);

    line(out, decision, status, now, "draft-07", |headers| {
        headers.member(draft_07::RATELIMIT).string(seven);
        headers.member(draft_07::RATELIMIT_POLICY).string(policies);
    })?;
    line(out, decision, status, now, "draft-06", |headers| {
        for (name, value) in six.fields() {
            headers.member(name).string(value);
        }
        headers.member(draft_06::RATELIMIT_POLICY).string(policies);
    })?;
    line(out, decision, status, now, "x-seconds", |headers| {
        headers.member(X_RATELIMIT_LIMIT).string(x.limit());
        headers.member(X_RATELIMIT_REMAINING).string(x.remaining());
        headers.member(X_RATELIMIT_RESET).string(x.reset_after());
    })?;
    line(out, decision, status, now, "x-unix", |headers| {
        headers.member(X_RATELIMIT_LIMIT).string(x.limit());
        headers.member(X_RATELIMIT_REMAINING).string(x.remaining());
        headers.member(X_RATELIMIT_RESET).string(x.reset_at(now));
    })
}

/// The header fields of one form, and what was meant by them: in nanoseconds as text, since a reader may keep numbers as floats.
fn line(
    out: &mut impl Write,
    decision: Decision,
    status: &Status,
    now: Timestamp,
    form: &str,
    headers: impl Fn(&mut Members<'_>),
) -> io::Result<()> {
    let reset = match decision {
        Decision::Deny { retry_after } => retry_after,
        Decision::Allow if status.remaining == 0 => status.grows_in,
        Decision::Allow => status.full_in,
    };
    let line = json::object(|line| {
        line.member("form").string(form);
        line.member("headers").object(|members| {
            headers(members);
            if let Some(delay) = RetryAfter::new(decision) {
                members.member(retry_after::RETRY_AFTER).string(delay);
            }
        });
        line.member("limit").integer(status.limit.into());
        line.member("remaining").integer(status.remaining.into());
        line.member("now_ns").string(now.as_nanos());
        line.member("reset_ns").string(reset.as_nanos());
    });
    writeln!(out, "{line}")
}

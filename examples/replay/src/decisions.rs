//! Decisions as lines of JSON, for programs.

use std::io::{self, Write};

use serde::Serialize;

use crate::input::Request;
use crate::judge::{Outcome, Verdict};

/// A decision. The order of the members is part of the format.
#[derive(Serialize)]
struct Line<'a> {
    line: u64,
    at_ns: u64,
    key: &'a str,
    cost: u64,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<usize>,
}

/// Writes one verdict on a request.
pub(crate) fn write(out: &mut dyn Write, request: &Request, key: &str, verdict: Verdict) -> io::Result<()> {
    let Request { line, at_ns, cost } = *request;
    let (decision, remaining, retry_after_ns) = match verdict.outcome {
        Outcome::Allow { remaining } => ("allow", Some(remaining), None),
        Outcome::Deny { retry_after } => ("deny", None, Some(retry_after.as_nanos())),
        Outcome::Never => ("never", None, None),
    };
    let line = Line { line, at_ns, key, cost, decision, remaining, retry_after_ns, policy: verdict.policy };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate::Wait;

    fn written(key: &str, outcome: Outcome, policy: Option<usize>) -> String {
        let mut out = Vec::new();
        let request = Request { line: 2, at_ns: 5, cost: 3 };
        write(&mut out, &request, key, Verdict { outcome, policy }).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn members_stand_in_the_documented_order() {
        let deny = Outcome::Deny { retry_after: Wait::from_secs(59) };
        assert_eq!(
            written("a", Outcome::Allow { remaining: 9 }, None),
            "{\"line\":2,\"at_ns\":5,\"key\":\"a\",\"cost\":3,\"decision\":\"allow\",\"remaining\":9}\n"
        );
        assert_eq!(
            written("a", Outcome::Allow { remaining: 9 }, Some(1)),
            "{\"line\":2,\"at_ns\":5,\"key\":\"a\",\"cost\":3,\"decision\":\"allow\",\"remaining\":9,\"policy\":1}\n"
        );
        assert_eq!(
            written("a", deny, Some(0)),
            "{\"line\":2,\"at_ns\":5,\"key\":\"a\",\"cost\":3,\"decision\":\"deny\",\"retry_after_ns\":59000000000,\"policy\":0}\n"
        );
        assert_eq!(
            written("a", Outcome::Never, Some(0)),
            "{\"line\":2,\"at_ns\":5,\"key\":\"a\",\"cost\":3,\"decision\":\"never\",\"policy\":0}\n"
        );
    }

    #[test]
    fn a_key_of_any_text_stays_on_its_line() {
        let line = written("a\"\\\n\0\u{fffd}é", Outcome::Never, Some(0));
        assert!(line.contains(r#""key":"a\"\\\n\u0000�é""#), "{line}");
        assert_eq!(line.lines().count(), 1);
    }
}

//! [`Answer`]: what came back, and what it says about when to come again.

use serde::Deserialize;
use tollgate::Timestamp;
use tollgate::client::{Reader, Reading};

/// An answer, as a client library gives it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The header lines, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
}

/// The member that some services tell the wait in, some of them there alone.
#[derive(Deserialize)]
struct Refusal {
    retry_after_seconds: u64,
}

impl Answer {
    /// Whether the request was done.
    pub fn is_done(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// What the fields say, and where there is no `Retry-After`, the body of a refusal. `unix_now` is for dates in answers without a `Date`.
    pub fn reading(&self, unix_now: Timestamp) -> Reading {
        let lines = self.headers.iter().map(|(name, value)| (name, value));
        let reading = Reader::new().at(unix_now).read(self.status, lines);
        match serde_json::from_slice(&self.body) {
            Ok(Refusal { retry_after_seconds }) if reading.refused => reading.told_in_body(retry_after_seconds),
            _ => reading,
        }
    }
}

#[cfg(test)]
mod tests {
    use tollgate::Wait;
    use tollgate::client::Advice;

    use super::*;

    fn advice(status: u16, header: Option<(&str, &str)>, body: &str) -> Advice {
        let headers = header.into_iter().map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec())).collect();
        Answer { status, headers, body: body.as_bytes().to_vec() }.reading(Timestamp::ZERO).advice()
    }

    #[test]
    fn a_wait_that_only_the_body_tells_is_read() {
        let body = r#"{"request_id":"req_9f2c","ok":false,"error":"rate_limited","message":"Rate limit exceeded; retry in 34s.","retry_after_seconds":34}"#;
        let wait = |secs: u64| Advice::Wait(Wait::from_secs(secs));
        assert_eq!(advice(429, None, body), wait(34));
        assert_eq!(advice(429, Some(("ratelimit", r#""signals";r=0;t=60"#)), body), wait(34));
        assert_eq!(advice(429, Some(("retry-after", "35")), body), wait(35));
        assert_eq!(advice(200, None, body), Advice::Proceed);
        for other in [
            "",
            "{}",
            r#"{"retry_after_seconds":-1}"#,
            r#"{"retry_after_seconds":1.5}"#,
            r#"{"retry_after_seconds":"34"}"#,
            "\u{0}",
        ] {
            assert_eq!(advice(429, None, other), Advice::BackOff, "{other}");
        }
    }
}

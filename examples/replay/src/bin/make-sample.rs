//! Writes the bundled sample, `data/sample.log`, to standard output: twelve minutes of an invented shop in combined log format.
//!
//! The same seed gives the same bytes, which a test compares with the file. Every address and name is one set aside for documentation.
//!
//! ```text
//! cargo run -p replay --bin make-sample > examples/replay/data/sample.log
//! ```

use std::process::ExitCode;

const SEED: u64 = 20_260_302;
const MINUTE: u64 = 60_000;

fn main() -> ExitCode {
    match command_line::print(&sample(SEED)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => command_line::failed("make-sample", &error),
    }
}

/// The log: requests in the order in which they were answered, so those that took long stand late.
fn sample(seed: u64) -> String {
    let mut traffic = Traffic { random: Random(seed), requests: Vec::new() };
    traffic.crawler();
    traffic.window_boundary();
    traffic.retry_storm();
    traffic.batch_after_idling();
    traffic.changing_addresses();
    traffic.monitor();
    traffic.visitors();
    traffic.quiet_users();
    traffic.requests.sort_by_key(|request| request.answered_ms);
    traffic.requests.iter().map(Request::line).collect()
}

struct Request {
    /// Milliseconds since 09:00.
    at_ms: u64,
    answered_ms: u64,
    host: String,
    path: String,
    status: u16,
    bytes: u64,
    referer: &'static str,
    user_agent: &'static str,
}

impl Request {
    fn line(&self) -> String {
        let Self { host, path, status, bytes, referer, user_agent, .. } = self;
        let (minute, second) = (self.at_ms / MINUTE, self.at_ms % MINUTE / 1000);
        format!(
            "{host} - - [02/Mar/2026:09:{minute:02}:{second:02} +0000] \"GET {path} HTTP/1.1\" {status} {bytes} \
             \"{referer}\" \"{user_agent}\"\n"
        )
    }
}

struct Traffic {
    random: Random,
    requests: Vec<Request>,
}

impl Traffic {
    fn add(&mut self, at_ms: u64, host: &str, path: String, user_agent: &'static str) -> &mut Request {
        // One in twenty takes seconds.
        let took_ms = if self.random.below(20) == 0 { self.random.below(4000) } else { self.random.below(120) };
        let request = Request {
            at_ms,
            answered_ms: at_ms + took_ms,
            host: host.to_owned(),
            path,
            status: 200,
            bytes: 400 + self.random.below(30_000),
            referer: "-",
            user_agent,
        };
        let index = self.requests.len();
        self.requests.push(request);
        &mut self.requests[index]
    }

    /// Somewhat above one request a second, without a pause: the one client that every policy limits for good.
    fn crawler(&mut self) {
        let mut at_ms = 20_000;
        for item in 0..760 {
            self.add(at_ms, "198.51.100.77", format!("/item/{item}"), "Crawler/2.1");
            at_ms += 700 + self.random.below(200);
        }
    }

    /// A fixed window that opens at 09:02:00 ends at 09:03:00: nearly a quota just before its end, and nearly one just after.
    fn window_boundary(&mut self) {
        let start = 2 * MINUTE;
        self.add(start, "203.0.113.9", "/sale".to_owned(), "Tickets/0.3");
        for n in 0..55 {
            self.add(start + 50_000 + n * 180, "203.0.113.9", format!("/sale/seat/{n}"), "Tickets/0.3");
        }
        for n in 55..110 {
            self.add(start + MINUTE + (n - 55) * 150, "203.0.113.9", format!("/sale/seat/{n}"), "Tickets/0.3");
        }
    }

    /// Ten a second, whatever the answer.
    fn retry_storm(&mut self) {
        for n in 0..160 {
            let request = self.add(4 * MINUTE + n * 100, "192.0.2.50", "/api/login".to_owned(), "App/7.4");
            (request.status, request.bytes) = (401, 96);
        }
    }

    /// Ninety in twenty seconds, once: more than a quota at once, less than a bucket lets through in that time and its burst.
    fn batch_after_idling(&mut self) {
        for n in 0..75 {
            self.add(7 * MINUTE + n * 260, "192.0.2.200", format!("/api/orders?page={n}"), "Sync/1.0");
        }
    }

    /// One client behind many addresses of one /64: seen only with `--key ip/64`.
    fn changing_addresses(&mut self) {
        for n in 0..240 {
            let host = format!("2001:db8:51:7:{:x}::{:x}", self.random.below(65_536), n + 1);
            self.add(5 * MINUTE + n * 500, &host, format!("/search?q={n}"), "Fetch/3.2");
        }
    }

    /// Steady, seldom, and by name.
    fn monitor(&mut self) {
        for n in 0..72 {
            self.add(n * 10_000, "monitor.example.net", "/health".to_owned(), "Monitor/1.4").bytes = 2;
        }
    }

    /// Pages and what belongs to them: bursts that a limit should let pass.
    fn visitors(&mut self) {
        for visitor in 0..14 {
            let host = format!("203.0.113.{}", 100 + visitor);
            let mut at_ms = self.random.below(8 * MINUTE);
            for page in 0..2 + self.random.below(3) {
                self.add(at_ms, &host, format!("/page/{}", visitor * 5 + page), "Mozilla/5.0 Firefox/140.0");
                for asset in 0..12 + self.random.below(8) {
                    let at_ms = at_ms + 150 + self.random.below(1500);
                    let path = format!("/static/{asset}.js");
                    self.add(at_ms, &host, path, "Mozilla/5.0 Firefox/140.0").referer = "https://shop.example/";
                }
                at_ms += 20_000 + self.random.below(50_000);
            }
        }
    }

    /// A few requests each.
    fn quiet_users(&mut self) {
        for user in 0..60 {
            let host = format!("198.51.100.{}", 100 + user);
            for _ in 0..1 + self.random.below(4) {
                let (at_ms, item) = (self.random.below(12 * MINUTE), self.random.below(760));
                self.add(at_ms, &host, format!("/item/{item}"), "Mozilla/5.0 Safari/605.1");
            }
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood, 2014): small, and the same everywhere for good.
struct Random(u64);

impl Random {
    /// Below `bound`, evenly enough for a sample.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

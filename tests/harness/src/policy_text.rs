//! The text form of a policy, as its grammar says it.

use crate::oracle::policy::LAST_TIMESTAMP;
use crate::oracle::{Kind, Policy, Refill};

/// The longer of two that end alike stands first.
const UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 60 * 60 * 1_000_000_000),
    ("d", 24 * 60 * 60 * 1_000_000_000),
];

/// The policy of this kind that a text is, if it is one: `QUOTA/WINDOW`, then for a window `,aligned` or `,aligned=ORIGIN`, and for a bucket
/// `,burst=N` and `,interval` or `,interval=ORIGIN`, in any order, each at most once.
pub fn read(kind: Kind, text: &str) -> Option<Policy> {
    let mut parts = text.split(',');
    let (quota, window) = parts.next()?.split_once('/')?;
    let (quota, window_ns) = (units(quota)?, nanos(window)?);
    let (mut grid, mut burst) = (None, None);
    for part in parts {
        match (kind, part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value)))) {
            (Kind::FixedWindow, ("aligned", origin)) | (Kind::TokenBucket, ("interval", origin)) if grid.is_none() => {
                grid = Some(origin.map_or(Some(0), nanos).filter(|origin| *origin <= LAST_TIMESTAMP)?);
            }
            (Kind::TokenBucket, ("burst", Some(number))) if burst.is_none() => burst = Some(units(number)?),
            _ => return None,
        }
    }
    let policy = match kind {
        Kind::FixedWindow => Policy::FixedWindow { quota, window_ns, grid },
        Kind::SlidingLog { .. } => Policy::SlidingLog { quota, window_ns },
        Kind::TokenBucket => {
            let refill = grid.map_or(Refill::Continuous, |origin_ns| Refill::Interval { origin_ns });
            Policy::TokenBucket { quota, window_ns, burst: burst.unwrap_or(quota), refill }
        }
    };
    policy.is_valid().then_some(policy)
}

/// Digits alone, which `parse` would not ask for.
fn units(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn nanos(text: &str) -> Option<u64> {
    let (number, nanos) = UNITS.iter().find_map(|(unit, nanos)| Some((text.strip_suffix(unit)?, nanos)))?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse::<u64>().ok())??.checked_mul(*nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_that_of_the_documentation() {
        let window = |quota, window_ns, grid| Some(Policy::FixedWindow { quota, window_ns, grid });
        assert_eq!(read(Kind::FixedWindow, "10/60s"), window(10, 60_000_000_000, None));
        assert_eq!(read(Kind::FixedWindow, "1000/1d,aligned"), window(1_000, 86_400_000_000_000, Some(0)));
        assert_eq!(read(Kind::FixedWindow, "1/5ns,aligned=3us"), window(1, 5, Some(3_000)));
        let refill = Refill::Interval { origin_ns: 0 };
        let bucket = Policy::TokenBucket { quota: 10, window_ns: 1_000_000, burst: 5, refill };
        assert_eq!(read(Kind::TokenBucket, "10/1ms,interval,burst=5"), Some(bucket));
        for refused in ["10", "10/60", "+1/1s", "1/1s,", "1/1s,burst=5", "1/0s", "0/1s", "1/ 1s", "1/s", "/1s"] {
            assert_eq!(read(Kind::FixedWindow, refused), None, "{refused}");
        }
    }
}

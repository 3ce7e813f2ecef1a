//! What the formatters write, the client reads back.

use core::time::Duration;

use proptest::prelude::*;
use tollgate::client::{self, Advice, Reader, RetryAfter};
use tollgate::format::draft_10::{self, QuotaUnit};
use tollgate::format::sf::List;
use tollgate::format::x_ratelimit::XRateLimit;
use tollgate::format::{self, Name, Quota, draft_06, draft_07};
use tollgate::{Decision, Status, Timestamp, Wait};

/// Structured fields carry numbers of at most 15 digits.
const LARGEST: u64 = 999_999_999_999_999;

/// The whole seconds that a header has of a wait.
fn whole(wait: Wait) -> Wait {
    Wait::from_secs(wait.as_secs_ceil().min(LARGEST))
}

fn waits() -> impl Strategy<Value = Wait> {
    prop_oneof![Just(0), 1..5_000_000_000_u64, any::<u64>()].prop_map(Wait::from_nanos)
}

prop_compose! {
    fn statuses()(limit in 1..=u32::MAX, part in any::<u32>(), grows_in in waits(), more in waits()) -> Status {
        let remaining = part % (u64::from(limit) + 1).min(u64::from(u32::MAX)) as u32;
        let full_in = Wait::from_nanos(grows_in.as_nanos().saturating_add(more.as_nanos()));
        Status::new(limit, remaining, grows_in, full_in)
    }
}

fn decisions() -> impl Strategy<Value = Decision> {
    prop::option::of(waits()).prop_map(|wait| match wait {
        Some(retry_after) => Decision::Deny { retry_after },
        None => Decision::Allow,
    })
}

fn quotas() -> impl Strategy<Value = Quota> {
    (any::<u32>(), 1..=u64::MAX, prop::option::of(any::<u32>())).prop_map(|(units, nanos, burst)| {
        let quota = Quota::new(units, Duration::from_nanos(nanos));
        burst.map_or(quota, |burst| quota.with_burst(burst))
    })
}

const NAME: &str = "[ -~]{0,12}";

proptest! {
    #[test]
    fn retry_after_is_read_back(wait in waits()) {
        let written = format::RetryAfter::after(wait).to_string();
        let read = RetryAfter::read(&written).and_then(|read| read.wait(None, None));
        prop_assert_eq!(read, Some(whole(wait.max(Wait::from_nanos(1)))));
        prop_assert!(read.is_some_and(|read| read >= wait));
    }

    #[test]
    fn limits_of_draft_10_are_read_back(
        limits in prop::collection::vec((NAME, statuses(), 1..=u32::MAX, prop::option::of(prop::collection::vec(any::<u8>(), 0..9))), 1..5),
        in_lines in any::<bool>(),
    ) {
        let written: Vec<_> = limits.iter().map(|(name, status, scale, key)| {
            let limit = draft_10::Limit::new(Name::new(name).unwrap(), status).scaled(*scale);
            key.as_ref().map_or(limit, |key| limit.partition_key(key))
        }).collect();
        let lines = if in_lines {
            written.iter().map(ToString::to_string).collect()
        } else {
            vec![List::new(&written).unwrap().to_string()]
        };
        let read: Vec<_> = client::draft_10::limits(lines.iter()).expect("well-formed").collect();
        prop_assert_eq!(read.len(), limits.len());
        for (read, (name, status, scale, key)) in read.iter().zip(&limits) {
            prop_assert!(read.name == **name && read.name.to_string() == *name);
            prop_assert_eq!(read.remaining, (u64::from(status.remaining) * u64::from(*scale)).min(LARGEST));
            let grows_in = Some(status.grows_in).filter(|wait| !wait.is_zero()).map(whole);
            prop_assert_eq!(read.grows_in, grows_in);
            prop_assert_eq!(read.partition_key.map(|key| key.iter().collect::<Vec<_>>()), key.clone());
        }
        let reading = Reader::new().read(200, lines.iter().map(|line| (draft_10::RATELIMIT, line)));
        let exhausted = read.iter().filter(|limit| limit.remaining == 0).filter_map(|limit| limit.grows_in).max();
        prop_assert_eq!(reading.exhausted, exhausted);
        prop_assert_eq!(reading.remaining, read.iter().map(|limit| limit.remaining).min());
    }

    #[test]
    fn policies_of_draft_10_are_read_back(
        name in NAME,
        quota in quotas(),
        scale in 1..=u32::MAX,
        unit in prop::option::of(NAME),
        has_window in any::<bool>(),
        key in prop::option::of(prop::collection::vec(any::<u8>(), 0..9)),
    ) {
        let mut policy = draft_10::Policy::new(Name::new(&name).unwrap(), quota).scaled(scale);
        if let Some(unit) = &unit {
            policy = policy.unit(QuotaUnit::Other(Name::new(unit).unwrap()));
        }
        if !has_window {
            policy = policy.without_window();
        }
        if let Some(key) = &key {
            policy = policy.partition_key(key);
        }
        let written = policy.to_string();
        let read: Vec<_> = client::draft_10::policies([&written]).expect("well-formed").collect();
        prop_assert_eq!(read.len(), 1);
        let read = read[0];
        prop_assert!(read.name == *name);
        prop_assert_eq!(read.quota, (u64::from(quota.units()) * u64::from(scale)).min(LARGEST));
        prop_assert_eq!(read.unit.map(|unit| unit.to_string()), unit);
        prop_assert_eq!(read.window_secs, has_window.then(|| quota.window_secs()));
        prop_assert_eq!(read.partition_key.map(|key| key.iter().collect::<Vec<_>>()), key);
        prop_assert!(client::draft_07::policies([&written]).is_none(), "one draft is not the other");
    }

    #[test]
    fn drafts_07_and_06_and_x_ratelimit_are_read_back(decision in decisions(), status in statuses(), unix_now in any::<u64>()) {
        let unix_now = Timestamp::from_nanos(unix_now);
        let numbers = draft_06::RateLimit::new(decision, &status);
        let (limit, remaining) = (u64::from(status.limit), u64::from(status.remaining));
        let reset = whole(Wait::from_secs(numbers.reset().0));

        let written = draft_07::RateLimit::new(decision, &status).to_string();
        let read = client::draft_07::limit([&written]).expect("well-formed");
        prop_assert_eq!((read.limit, read.remaining, read.reset), (limit, remaining, reset));
        prop_assert!(client::draft_10::limits([&written]).is_none(), "one draft is not the other");

        let fields = numbers.fields().map(|(name, value)| (name, value.to_string()));
        let read = fields.each_ref().map(|(_, value)| client::draft_06::integer([value]));
        prop_assert_eq!(read, [Some(limit), Some(remaining), Some(numbers.reset().0.min(LARGEST))]);

        let x = XRateLimit::new(decision, &status);
        let after = client::x_ratelimit::reset(x.reset_after().to_string(), client::x_ratelimit::Reset::InSeconds, None);
        prop_assert_eq!(after, Some(Wait::from_secs(x.reset_after().secs())));
        let at = client::x_ratelimit::reset(
            x.reset_at(unix_now).to_string(),
            client::x_ratelimit::Reset::AtUnixSeconds,
            Some(unix_now),
        );
        let expected = u128::from(x.reset_at(unix_now).unix_secs()) * 1_000_000_000 - u128::from(unix_now.as_nanos());
        prop_assert_eq!(at, Some(Wait::from_nanos(u64::try_from(expected).unwrap_or(u64::MAX))));

        // All of them, and `Retry-After`, as a server would send them.
        let exhausted = Some(reset).filter(|_| remaining == 0);
        for fields in [vec![("ratelimit", written)], fields.to_vec()] {
            let lines = || fields.iter().map(|(name, value)| (*name, value.as_str()));
            let reading = Reader::new().read(200, lines());
            prop_assert_eq!((reading.remaining, reading.exhausted), (Some(remaining), exhausted));
            if let Some(retry_after) = format::RetryAfter::new(decision) {
                let value = retry_after.to_string();
                let denied = Reader::new().read(429, lines().chain([("retry-after", value.as_str())]));
                prop_assert_eq!(denied.advice(), Advice::Wait(Wait::from_secs(retry_after.secs())));
            }
        }
    }

    #[test]
    fn policies_of_drafts_07_and_06_are_read_back(quotas in prop::collection::vec(quotas(), 1..5)) {
        let Ok(policies) = draft_07::QuotaPolicies::new(&quotas) else { return Ok(()) };
        let written = policies.to_string();
        let read: Vec<_> = client::draft_07::policies([&written]).expect("well-formed").collect();
        prop_assert_eq!(read.len(), quotas.len());
        for (read, quota) in read.iter().zip(&quotas) {
            prop_assert_eq!((read.quota, read.window_secs), (u64::from(quota.units()), quota.window_secs()));
            prop_assert_eq!(read.burst, quota.burst().map(u64::from));
        }
        prop_assert!(client::draft_10::policies([&written]).is_none(), "one draft is not the other");
    }
}

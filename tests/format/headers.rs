//! Every example of a header field, and the rules on rounding, on several policies, and on what is not sent.

use core::time::Duration;

use proptest::prelude::*;
use tollgate::format::draft_07::{QuotaPolicies, QuotaPoliciesError};
use tollgate::format::sf::List;
use tollgate::format::x_ratelimit::XRateLimit;
use tollgate::format::{
    ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED, HEADERS, Name, Quota, RetryAfter, draft_06, draft_07, draft_10, x_ratelimit,
};
use tollgate::{Decision, Status, Timestamp, Wait};

use crate::{denied, status};

const BURST: Name = Name::constant("burst");
const DAILY: Name = Name::constant("daily");
const DEFAULT: Name = Name::constant("default");

fn quota(units: u32, window_secs: u64) -> Quota {
    Quota::new(units, Duration::from_secs(window_secs))
}

#[test]
fn draft_10_renders_its_own_examples() {
    let policies = [draft_10::Policy::new(BURST, quota(100, 60)), draft_10::Policy::new(DAILY, quota(1000, 86_400))];
    assert_eq!(List::new(&policies).unwrap().to_string(), r#""burst";q=100;w=60, "daily";q=1000;w=86400"#);
    assert_eq!(draft_10::Policy::new(DEFAULT, quota(100, 10)).to_string(), r#""default";q=100;w=10"#);

    assert_eq!(
        draft_10::Limit::new(DEFAULT, &status(100, 50, Wait::from_secs(30))).to_string(),
        r#""default";r=50;t=30"#
    );
    let untouched = draft_10::Limit::new(DEFAULT, &status(999, 999, Wait::ZERO));
    assert_eq!(untouched.partition_key(b"trial121323").to_string(), r#""default";r=999;pk=:dHJpYWwxMjEzMjM=:"#);
    let megabytes = draft_10::Limit::new(DEFAULT, &status(500, 300, Wait::from_secs(60))).scaled(1_000_000);
    assert_eq!(megabytes.partition_key(b"App-999").to_string(), r#""default";r=300000000;t=60;pk=:QXBwLTk5OQ==:"#);
    let limits = [
        draft_10::Limit::new(BURST, &status(100, 50, Wait::from_secs(30))),
        draft_10::Limit::new(DAILY, &status(1000, 7, Wait::from_secs(1))),
    ];
    assert_eq!(List::new(&limits).unwrap().to_string(), r#""burst";r=50;t=30, "daily";r=7;t=1"#);
}

#[test]
fn draft_10_writes_the_parameters_in_the_drafts_order() {
    let policy = draft_10::Policy::new(Name::constant("peruser"), quota(65_535, 10))
        .partition_key(b"\xFB\xFF\0")
        .unit(draft_10::QuotaUnit::ContentBytes);
    assert_eq!(policy.to_string(), r#""peruser";q=65535;qu="content-bytes";w=10;pk=:+/8A:"#);
    assert_eq!(policy.without_window().to_string(), r#""peruser";q=65535;qu="content-bytes";pk=:+/8A:"#);

    let units = [
        (draft_10::QuotaUnit::Requests, "requests"),
        (draft_10::QuotaUnit::ContentBytes, "content-bytes"),
        (draft_10::QuotaUnit::ConcurrentRequests, "concurrent-requests"),
        (draft_10::QuotaUnit::Other(Name::constant("model-\"tokens\"")), r#"model-\"tokens\""#),
    ];
    for (unit, written) in units {
        let policy = draft_10::Policy::new(DEFAULT, quota(1, 1)).unit(unit);
        assert_eq!(policy.to_string(), format!(r#""default";q=1;qu="{written}";w=1"#));
    }
}

#[test]
fn draft_07_renders_its_own_examples() {
    let limit = draft_07::RateLimit::new(Decision::Allow, &status(100, 50, Wait::from_secs(5)));
    assert_eq!(limit.to_string(), "limit=100, remaining=50, reset=5");
    assert_eq!(QuotaPolicies::new(&[quota(100, 60)]).unwrap().to_string(), "100;w=60");

    let four = [quota(10, 1), quota(50, 60), quota(1000, 3600), quota(5000, 86_400)];
    assert_eq!(QuotaPolicies::new(&four).unwrap().to_string(), "10;w=1, 50;w=60, 1000;w=3600, 5000;w=86400");
    let burst = [quota(10, 1).with_burst(1000), quota(1000, 3600)];
    assert_eq!(QuotaPolicies::new(&burst).unwrap().to_string(), "10;w=1;burst=1000, 1000;w=3600");
}

#[test]
fn policies_without_names_must_differ_in_their_quota() {
    assert_eq!(QuotaPolicies::new(&[]), Err(QuotaPoliciesError::Empty));
    let same = [quota(10, 1), quota(20, 1), quota(10, 60)];
    assert_eq!(QuotaPolicies::new(&same), Err(QuotaPoliciesError::SameQuota { units: 10 }));
    const CHECKED_BY_THE_COMPILER: bool =
        QuotaPolicies::new(&[Quota::new(1, Duration::from_secs(1)), Quota::new(2, Duration::from_secs(1))]).is_ok();
    const { assert!(CHECKED_BY_THE_COMPILER) }
}

#[test]
fn draft_06_renders_four_fields() {
    let limit = draft_06::RateLimit::new(Decision::Allow, &status(100, 50, Wait::from_secs(50)));
    let fields = limit.fields().map(|(name, value)| format!("{name}: {value}"));
    assert_eq!(fields, ["ratelimit-limit: 100", "ratelimit-remaining: 50", "ratelimit-reset: 50"]);
    let policies = draft_06::QuotaPolicies::new(&[quota(100, 10)]).unwrap().to_string();
    assert_eq!((draft_06::RATELIMIT_POLICY, policies.as_str()), ("ratelimit-policy", "100;w=10"));
}

#[test]
fn x_ratelimit_renders_a_delay_or_a_time() {
    let limit = XRateLimit::new(Decision::Allow, &status(100, 50, Wait::from_secs(50)));
    assert_eq!((limit.limit().to_string(), limit.remaining().to_string()), ("100".into(), "50".into()));
    assert_eq!(limit.reset_after().to_string(), "50");
    assert_eq!(limit.reset_at(Timestamp::from_secs(1_700_000_000)).to_string(), "1700000050");
    assert_eq!(limit.reset_at(Timestamp::from_nanos(1_700_000_000_000_000_001)).to_string(), "1700000051");
    assert_eq!(limit.reset_at(Timestamp::from_nanos(1_700_000_000_999_999_999)).to_string(), "1700000051");
}

/// The waits of the table, and the seconds that every field tells for them.
#[test]
fn waits_round_up() {
    let table = [
        (1, 1u64),
        (999_000_000, 1),
        (1_000_000_000, 1),
        (1_000_000_001, 2),
        (59_999_999_999, 60),
        (60_000_000_000, 60),
        (1 << 62, 4_611_686_019),
        (u64::MAX, 18_446_744_074),
    ];
    for (nanos, seconds) in table {
        let wait = Wait::from_nanos(nanos);
        let (decision, status) = (denied(wait), status(10, 0, wait));
        let written = seconds.to_string();
        assert_eq!(RetryAfter::new(decision).unwrap().to_string(), written);
        assert_eq!(draft_10::Limit::new(DEFAULT, &status).to_string(), format!(r#""default";r=0;t={written}"#));
        for decision in [decision, Decision::Allow] {
            let reset = format!("limit=10, remaining=0, reset={written}");
            assert_eq!(draft_07::RateLimit::new(decision, &status).to_string(), reset);
            assert_eq!(draft_06::RateLimit::new(decision, &status).reset().to_string(), written);
            assert_eq!(XRateLimit::new(decision, &status).reset_after().to_string(), written);
            assert_eq!(XRateLimit::new(decision, &status).reset_at(Timestamp::ZERO).to_string(), written);
        }
    }
}

#[test]
fn a_denial_is_never_told_to_come_back_in_no_time() {
    // No policy asks for a wait of zero; a store of somebody else's might.
    let (decision, status) = (denied(Wait::ZERO), status(10, 0, Wait::ZERO));
    assert_eq!(RetryAfter::new(decision).unwrap().to_string(), "1");
    assert_eq!(draft_07::RateLimit::new(decision, &status).to_string(), "limit=10, remaining=0, reset=1");
}

#[test]
fn windows_are_whole_seconds_and_never_zero() {
    let table = [(0, 1), (1, 1), (200_000_000, 1), (1_000_000_000, 1), (1_000_000_001, 2), (1_500_000_000, 2)];
    for (nanos, seconds) in table {
        let quota = Quota::new(5, Duration::from_nanos(nanos));
        assert_eq!(draft_10::Policy::new(DEFAULT, quota).to_string(), format!(r#""default";q=5;w={seconds}"#));
        assert_eq!(QuotaPolicies::new(&[quota]).unwrap().to_string(), format!("5;w={seconds}"));
    }
    let eternity = Quota::new(5, Duration::MAX);
    assert_eq!(draft_10::Policy::new(DEFAULT, eternity).to_string(), r#""default";q=5;w=999999999999999"#);
}

#[test]
fn numbers_clamp_at_15_digits() {
    let most = draft_10::Policy::new(DEFAULT, quota(u32::MAX, 1));
    assert_eq!(most.to_string(), r#""default";q=4294967295;w=1"#);
    assert_eq!(most.scaled(232_830).to_string(), r#""default";q=999997235294850;w=1"#);
    assert_eq!(most.scaled(232_831).to_string(), r#""default";q=999999999999999;w=1"#);
    assert_eq!(most.scaled(u32::MAX).to_string(), r#""default";q=999999999999999;w=1"#);
    let limit = draft_10::Limit::new(DEFAULT, &status(u32::MAX, u32::MAX, Wait::ZERO));
    assert_eq!(limit.scaled(u32::MAX).to_string(), r#""default";r=999999999999999"#);
}

#[test]
fn nothing_is_sent_for_an_allowed_request_or_an_empty_list() {
    assert_eq!(RetryAfter::new(Decision::Allow), None);
    assert_eq!(draft_10::retry_after(Decision::Allow, &[]), None);
    assert!(List::<draft_10::Policy>::new(&[]).is_none());
    assert!(List::<draft_10::Limit>::new(&[]).is_none());
}

#[test]
fn the_reset_tells_when_to_go_on() {
    // A bucket of 10 a minute: a unit every 6 s, full after a minute.
    let bucket = |remaining, full_in| Status::new(10, remaining, Wait::from_secs(6), Wait::from_secs(full_in));
    let reset = |decision, status| XRateLimit::new(decision, &status).reset_after().secs();
    assert_eq!(reset(Decision::Allow, bucket(2, 48)), 48); // all of it again
    assert_eq!(reset(Decision::Allow, bucket(0, 60)), 6); // any of it again
    assert_eq!(reset(denied(Wait::from_secs(18)), bucket(2, 48)), 18); // the five that were asked for
}

#[test]
fn of_policies_that_stand_alike_the_first_is_told() {
    let (hundred, thousand) = (status(100, 7, Wait::from_secs(60)), status(1000, 7, Wait::from_secs(60)));
    assert_eq!(XRateLimit::new(Decision::Allow, &hundred).and(&thousand).limit(), 100);
    assert_eq!(XRateLimit::new(Decision::Allow, &thousand).and(&hundred).limit(), 1000);
}

#[test]
fn header_names_are_lower_case_and_all_exposed() {
    let modules: [&[&str]; 5] = [
        &tollgate::format::retry_after::HEADERS,
        &draft_10::HEADERS,
        &draft_07::HEADERS,
        &draft_06::HEADERS,
        &x_ratelimit::HEADERS,
    ];
    let mut names: Vec<&str> = modules.concat();
    names.sort_unstable();
    names.dedup();
    let mut listed = HEADERS.to_vec();
    listed.sort_unstable();
    assert_eq!(names, listed);
    assert_eq!(EXPOSED, HEADERS.join(", "));
    assert_eq!(ACCESS_CONTROL_EXPOSE_HEADERS, "access-control-expose-headers");
    assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
}

fn any_status() -> impl Strategy<Value = Status> {
    (1..=20u32, 0..=20u32, 1..=100u64, 1..=100u64).prop_map(|(limit, used, more, all)| {
        let remaining = limit.saturating_sub(used);
        let (more, all) = if remaining == limit { (0, 0) } else { (more.min(all), all) };
        Status::new(limit, remaining, Wait::from_secs(more), Wait::from_secs(all))
    })
}

proptest! {
    /// With several policies the fields that have room for one tell of the one with the least remaining, in any order.
    #[test]
    fn the_least_remaining_is_told(statuses in prop::collection::vec(any_status(), 1..6)) {
        let told = |statuses: &[Status]| {
            let (first, others) = statuses.split_first().unwrap();
            let limit = others.iter().fold(XRateLimit::new(Decision::Allow, first), |limit, other| limit.and(other));
            (limit.remaining(), limit.reset_after().secs())
        };
        let least = statuses.iter().map(|status| status.remaining).min().unwrap();
        let mut reversed = statuses.clone();
        reversed.reverse();
        prop_assert_eq!(told(&statuses).0, least);
        let resets: Vec<u64> = statuses.iter().filter(|status| status.remaining == least).map(|status| {
            XRateLimit::new(Decision::Allow, status).reset_after().secs()
        }).collect();
        prop_assert!(resets.contains(&told(&statuses).1));
        if least > 0 {
            prop_assert_eq!(told(&statuses), told(&reversed));
            prop_assert_eq!(told(&statuses).1, resets.into_iter().max().unwrap());
        }
    }

    /// The three specifications that tell of one policy tell the same.
    #[test]
    fn drafts_06_and_07_and_x_agree(first in any_status(), second in any_status(), wait in prop::option::of(1..=100u64)) {
        let decision = wait.map_or(Decision::Allow, |wait| denied(Wait::from_secs(wait)));
        let seven = draft_07::RateLimit::new(decision, &first).and(&second);
        let six = draft_06::RateLimit::new(decision, &first).and(&second);
        let x = XRateLimit::new(decision, &first).and(&second);
        prop_assert_eq!(seven.to_string(), format!("limit={}, remaining={}, reset={}", six.limit(), six.remaining(), six.reset()));
        prop_assert_eq!(seven.to_string(), format!("limit={}, remaining={}, reset={}", x.limit(), x.remaining(), x.reset_after()));
        if let Some(retry_after) = RetryAfter::new(decision) {
            prop_assert_eq!(six.reset().0, retry_after.secs());
        }
    }

    /// Whatever the limits, and from whenever: `Retry-After` is not earlier than the `t` of one that has nothing left.
    #[test]
    fn retry_after_is_never_earlier_than_t(
        wait in any::<u64>(),
        limits in prop::collection::vec((any::<bool>(), any::<u64>()), 0..5),
    ) {
        let limits: Vec<_> = limits.into_iter().map(|(exhausted, nanos)| {
            let wait = Wait::from_nanos(nanos);
            (exhausted, wait, draft_10::Limit::new(DEFAULT, &status(10, u32::from(!exhausted), wait)))
        }).collect();
        let items: Vec<_> = limits.iter().map(|(_, _, limit)| *limit).collect();
        let decision = denied(Wait::from_nanos(wait));
        let sent = draft_10::retry_after(decision, &items).unwrap();
        prop_assert!(sent >= RetryAfter::new(decision).unwrap());
        for (exhausted, wait, limit) in limits {
            if exhausted {
                prop_assert!(sent.secs() >= wait.as_secs_ceil(), "{sent} is earlier than {limit}");
            }
        }
    }

    /// A Unix time is rounded up once, on the sum: never early, and by less than a second late.
    #[test]
    fn a_reset_time_is_the_next_whole_second(now in 0..=(i64::MAX as u64), wait in 1..=(1u64 << 62)) {
        let limit = XRateLimit::new(Decision::Allow, &status(10, 5, Wait::from_nanos(wait)));
        let told = u128::from(limit.reset_at(Timestamp::from_nanos(now)).unix_secs()) * 1_000_000_000;
        let exact = u128::from(now) + u128::from(wait);
        prop_assert!(told >= exact && told - exact < 1_000_000_000);
    }
}

//! Which policies can be built, from numbers and from text, and what the errors say.

use core::fmt::{Debug, Display};
use core::str::FromStr;
use core::time::Duration;

use proptest::prelude::*;
use tollgate::{
    Both, CheckError, CostExceedsLimit, Decision, FixedWindow, FixedWindowState, Full, ParsePolicyError, Policy,
    PolicyError, Refill, SlidingLog, Status, Timestamp, TokenBucket, Wait,
};
use tollgate_harness::oracle;

const LONGEST: Duration = Duration::from_nanos(1 << 62);
const TOO_LONG: Duration = Duration::from_nanos((1 << 62) + 1);
const MINUTE: Duration = Duration::from_secs(60);

/// Policies are built in `const` contexts, fit for flash.
static STATIC: Both<SlidingLog, TokenBucket> = Both(
    SlidingLog::constant(u32::MAX, LONGEST),
    TokenBucket::constant_with(700, MINUTE, 7, Refill::Interval { origin: Timestamp::from_secs(5) }),
);

#[test]
fn constants_say_what_they_were_built_of() {
    assert_eq!((STATIC.0.quota(), STATIC.0.window()), (u32::MAX, LONGEST));
    assert_eq!((STATIC.1.quota(), STATIC.1.window(), STATIC.1.burst()), (700, MINUTE, 7));
    assert_eq!(STATIC.1.refill(), Refill::Interval { origin: Timestamp::from_secs(5) });
    let aligned = FixedWindow::constant(1, MINUTE).aligned(Timestamp::MAX);
    assert_eq!(aligned.origin().map(Timestamp::as_nanos), Some(Timestamp::MAX.as_nanos() % 60_000_000_000));
    assert_eq!(FixedWindow::constant(1, MINUTE).origin(), None);
}

#[test]
fn quotas_bursts_and_windows_have_bounds() {
    let refused = |window: Duration| Some(PolicyError::Window { nanos: window.as_nanos() });
    for (quota, window, error) in [
        (0, MINUTE, Some(PolicyError::ZeroQuota)),
        (1, Duration::ZERO, refused(Duration::ZERO)),
        (1, TOO_LONG, refused(TOO_LONG)),
        (u32::MAX, Duration::MAX, refused(Duration::MAX)),
        (1, Duration::from_nanos(1), None),
        (u32::MAX, LONGEST, None),
    ] {
        assert_eq!(FixedWindow::new(quota, window).err(), error);
        assert_eq!(SlidingLog::new(quota, window).err(), error);
        assert_eq!(TokenBucket::new(quota, window).err(), error);
        assert_eq!(TokenBucket::new_with(quota, window, 1, Refill::Interval { origin: Timestamp::ZERO }).err(), error);
    }
    assert_eq!(TokenBucket::new_with(1, MINUTE, 0, Refill::Continuous), Err(PolicyError::ZeroBurst));
    let fill = |burst, refill| TokenBucket::new_with(2, LONGEST, burst, refill).err();
    assert_eq!(fill(2, Refill::Continuous), None);
    assert_eq!(fill(3, Refill::Continuous), Some(PolicyError::Fill { nanos: 3 << 61 }));
    assert_eq!(fill(3, Refill::Interval { origin: Timestamp::ZERO }), Some(PolicyError::Fill { nanos: 1 << 63 }));
}

proptest! {
    #[test]
    fn a_bucket_can_be_built_where_it_fills_in_time(
        quota in any::<u32>(), window_ns in 0..=1_u64 << 63, burst in any::<u32>(), origin in proptest::option::of(any::<u64>()),
    ) {
        let (theirs, ours) = match origin {
            None => (oracle::Refill::Continuous, Refill::Continuous),
            Some(origin_ns) => (oracle::Refill::Interval { origin_ns }, Refill::Interval { origin: Timestamp::from_nanos(origin_ns) }),
        };
        for shift in [0, 20, 40, 62] {
            let window_ns = window_ns >> shift;
            let policy = oracle::Policy::TokenBucket { quota, window_ns, burst, refill: theirs };
            prop_assert_eq!(TokenBucket::new_with(quota, Duration::from_nanos(window_ns), burst, ours).is_ok(), policy.is_valid());
        }
    }

    #[test]
    fn any_text_is_a_policy_or_an_error(text in "\\PC{0,40}|[0-9]{1,22}/[0-9]{1,22}(ns|us|ms|s|m|h|d)(,(burst=[0-9]{1,11}|interval|aligned|interval=[0-9]{1,5}h|aligned=[0-9]{1,20}ns)){0,3}") {
        reparses::<FixedWindow>(&text)?;
        reparses::<SlidingLog>(&text)?;
        reparses::<TokenBucket>(&text)?;
    }
}

/// What parses is printed as what parses to the same.
fn reparses<P: FromStr<Err = ParsePolicyError> + Display + Debug + PartialEq>(text: &str) -> Result<(), TestCaseError> {
    if let Ok(policy) = text.parse::<P>() {
        let printed = policy.to_string();
        prop_assert_eq!(printed.parse::<P>(), Ok(policy), "{}", printed);
    }
    Ok(())
}

/// Each text as it is parsed, and printed again.
fn printed<P: FromStr<Err: Debug> + Display>(texts: &[(&str, &str)]) {
    for (text, expected) in texts {
        assert_eq!(text.parse::<P>().expect(text).to_string(), *expected);
    }
}

#[test]
fn the_text_form_is_read_and_written() {
    printed::<FixedWindow>(&[
        ("10/60s", "10/1m"),
        ("1000/1d,aligned", "1000/1d,aligned"),
        ("1000/24h,aligned=30h", "1000/1d,aligned=6h"),
        ("1/90s,aligned=0ns", "1/90s,aligned"),
        ("4294967295/4611686018427387904ns", "4294967295/4611686018427387904ns"),
    ]);
    printed::<SlidingLog>(&[
        ("007/250ns", "7/250ns"),
        ("1/5us", "1/5us"),
        ("1/60000us", "1/60ms"),
        ("1/1500ms", "1/1500ms"),
    ]);
    printed::<TokenBucket>(&[
        ("10/60s,burst=5", "10/1m,burst=5"),
        ("10/60s,burst=10", "10/1m"),
        ("10/60s,interval,burst=20", "10/1m,burst=20,interval"),
        ("10/1h,interval=90m", "10/1h,interval=30m"),
    ]);
}

#[test]
fn what_is_no_policy_says_why() {
    let of = |text: &str| text.parse::<TokenBucket>().expect_err(text);
    for text in ["", "10", "10 per minute", "10:60s", ",", "burst=5"] {
        assert_eq!(of(text), ParsePolicyError::Shape, "{text}");
    }
    for text in ["/60s", "+10/60s", "-1/60s", "4294967296/60s", " 10/60s", "1_0/60s", "1.5/60s", "٣/60s"] {
        assert_eq!(of(text), ParsePolicyError::Quota, "{text}");
    }
    for text in [
        "10/",
        "10/60",
        "10/s",
        "10/60S",
        "10/60 s",
        "10/1.5s",
        "10/+1s",
        "10/1w",
        "10/18446744073709551616ns",
        "10/60s/2",
    ] {
        assert_eq!(of(text), ParsePolicyError::Window, "{text}");
    }
    for text in [
        "10/60s,",
        "10/60s,aligned",
        "10/60s,burst",
        "10/60s,burst=5,burst=5",
        "10/60s,interval,interval",
        "10/60s, burst=5",
    ] {
        assert!(matches!(of(text), ParsePolicyError::Option { .. }), "{text}");
    }
    assert_eq!(of("10/60s,burst=x"), ParsePolicyError::Burst);
    assert_eq!(of("10/60s,interval="), ParsePolicyError::Origin);
    assert_eq!(of("10/60s,interval=9223372036854775808ns"), ParsePolicyError::Origin);
    assert_eq!(of("0/60s,burst=x"), ParsePolicyError::Policy(PolicyError::ZeroQuota));
    assert_eq!(of("10/60s,burst=0"), ParsePolicyError::Policy(PolicyError::ZeroBurst));
    assert_eq!(of("10/0s"), ParsePolicyError::Policy(PolicyError::Window { nanos: 0 }));
    assert_eq!(
        of("10/18446744073709551615d"),
        ParsePolicyError::Policy(PolicyError::Window { nanos: 18_446_744_073_709_551_615 * 86_400_000_000_000 })
    );
    for text in ["10/60s,burst=5", "10/60s,aligned,aligned", "10/60s,aligned=1s,aligned"] {
        assert!(matches!(text.parse::<FixedWindow>(), Err(ParsePolicyError::Option { .. })), "{text}");
    }
    assert!(matches!("10/60s,aligned".parse::<SlidingLog>(), Err(ParsePolicyError::Option { allowed: "" })));
}

#[test]
fn errors_say_what_was_given_what_is_allowed_and_what_to_do() {
    let text = |error: &dyn core::error::Error| error.to_string();
    assert_eq!(text(&PolicyError::ZeroQuota), "the quota is 0; it must be 1 to 4294967295");
    assert_eq!(text(&PolicyError::ZeroBurst), "the burst is 0; it must be 1 to 4294967295");
    assert_eq!(
        text(&PolicyError::Window { nanos: 0 }),
        "the window is 0 ns; it must be 1 to 4611686018427387904 ns (some 146 years)"
    );
    assert_eq!(
        text(&PolicyError::Fill { nanos: 1 << 63 }),
        "an empty bucket would fill in 9223372036854775808 ns; it must fill within 4611686018427387904 ns (some 146 years): \
         lower the burst, or raise the rate"
    );
    let never = CostExceedsLimit::new(11, 10);
    assert_eq!(
        text(&never),
        "a cost of 11 can never pass a limit of 10: split the request, or raise the policy's quota or burst"
    );
    let full = Full { capacity: 8 };
    assert_eq!(
        text(&full),
        "the store has room for 8 keys, and none for this one: admit or refuse by choice, or give the store more room"
    );
    assert_eq!(text(&CheckError::<Full>::CostExceedsLimit(never)), text(&never));
    assert_eq!(text(&CheckError::Store(full)), text(&full));
    let parsed = ParsePolicyError::Policy(PolicyError::ZeroQuota);
    assert_eq!(text(&parsed), text(&PolicyError::ZeroQuota));
    assert!(core::error::Error::source(&parsed).is_none(), "a chain of errors says it once");
    let parse = |text: &str| text.parse::<TokenBucket>().expect_err(text).to_string();
    assert_eq!(parse(""), "a policy is written QUOTA/WINDOW, such as 10/60s");
    assert_eq!(parse("x/60s"), "the quota, before the `/`, must be a whole number from 1 to 4294967295");
    assert_eq!(
        parse("10/x"),
        "the window, after the `/`, must be a whole number and one of ns, us, ms, s, m, h, d, such as 60s"
    );
    assert_eq!(parse("10/60s,burst=x"), "the burst must be a whole number from 1 to 4294967295, such as burst=5");
    assert_eq!(
        parse("10/60s,interval=x"),
        "the origin must be a whole number and one of ns, us, ms, s, m, h, d, and below 2^63 ns, such as 6h"
    );
    assert_eq!(
        parse("10/60s,x"),
        "the options of this kind of policy are `burst=N`, `interval` and `interval=ORIGIN`, each at most once"
    );
    let log = "10/60s,x".parse::<SlidingLog>().unwrap_err().to_string();
    assert_eq!(log, "this kind of policy has no options: write QUOTA/WINDOW alone");
}

/// All that a policy does with a state in hand, one thing after another, and what it says to each.
fn all_of_it(policy: impl Policy<FixedWindowState>) -> (u32, [Decision; 4], Status, u32, FixedWindowState) {
    let (mut state, now) = (FixedWindowState::default(), Timestamp::from_secs(7));
    policy.charge_to(&mut state, 2, now);
    let decisions = [
        policy.preview(&state, 5, now).unwrap(),
        policy.judge(&mut state, now),
        policy.judge_n(&mut state, 2, now).unwrap(),
        policy.judge(&mut state, now),
    ];
    policy.refund_to(&mut state, 2, now);
    (policy.limit(), decisions, policy.status_of(&state, now), policy.remaining_of(&state, now), state)
}

#[test]
fn a_reference_to_a_policy_is_that_policy() {
    let policy = FixedWindow::constant(5, Duration::from_secs(60));
    let reference: &FixedWindow = &policy;
    let told = all_of_it(reference);
    assert_eq!(told, all_of_it(policy));
    let wait = Decision::Deny { retry_after: Wait::from_secs(60) };
    assert_eq!((told.0, told.1, told.3), (5, [wait, Decision::Allow, Decision::Allow, wait], 2));
}

//! Values in documents: JSON for formats with names, postcard for those without.

use core::fmt::Debug;
use core::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tollgate::wire::Wire;
use tollgate::{
    Both, Decision, FixedWindow, FixedWindowState, Refill, SlidingLog, SlidingLogArray, SlidingLogState, Status,
    Timestamp, TokenBucket, TokenBucketState, Wait,
};

const MINUTE: Duration = Duration::from_secs(60);

/// Reads as itself in both, and gives its size in postcard.
fn goes_round<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> usize {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    // Through a tree of values, whose members stand in another order.
    let tree = serde_json::to_value(value).unwrap();
    assert_eq!(&serde_json::from_value::<T>(tree).unwrap(), value, "{text}");
    let bytes = postcard::to_allocvec(value).unwrap();
    assert_eq!(&postcard::from_bytes::<T>(&bytes).unwrap(), value, "{bytes:02x?}");
    bytes.len()
}

fn is_written<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, json: &str) {
    assert_eq!(serde_json::to_string(value).unwrap(), json);
    goes_round(value);
}

fn refused<T: DeserializeOwned + Debug>(json: &str) -> String {
    let error = serde_json::from_str::<T>(json).expect_err(json).to_string();
    // Without where in the text it is.
    error.split(" at line").next().unwrap_or_default().to_owned()
}

fn window() -> FixedWindowState {
    let mut state = FixedWindowState::default();
    FixedWindow::constant(10, MINUTE).charge_to(&mut state, 2, Timestamp::from_secs(1));
    state
}

fn log<const N: usize>(entries: u64) -> SlidingLogArray<N> {
    let mut state = SlidingLogArray::default();
    for at in 0..entries {
        SlidingLog::constant(10, MINUTE).charge_to(&mut state, 1 + at as u32, Timestamp::from_nanos(at));
    }
    state
}

fn bucket() -> TokenBucketState {
    let mut state = TokenBucketState::default();
    TokenBucket::constant(7, Duration::from_secs(1)).charge_to(&mut state, 1, Timestamp::ZERO);
    state
}

#[test]
fn times_are_nanoseconds() {
    is_written(&Timestamp::from_secs(1), "1000000000");
    is_written(&Timestamp::MAX, "9223372036854775807");
    is_written(&Wait::MAX, "18446744073709551615");
}

#[test]
fn decisions_say_which_and_how_long() {
    is_written(&Decision::Allow, r#""allow""#);
    is_written(&Decision::Deny { retry_after: Wait::from_nanos(7) }, r#"{"deny":{"retry_after_ns":7}}"#);
    assert_eq!(goes_round(&Decision::Allow), 1);
}

#[test]
fn statuses_have_their_numbers_by_name() {
    let status = Status::new(10, 9, Wait::from_nanos(5), Wait::from_nanos(6));
    is_written(&status, r#"{"limit":10,"remaining":9,"grows_in_ns":5,"full_in_ns":6}"#);
}

#[test]
fn policies_are_their_text() {
    is_written(&FixedWindow::constant(10, MINUTE), r#""10/1m""#);
    is_written(&FixedWindow::constant(10, MINUTE).aligned(Timestamp::from_secs(5)), r#""10/1m,aligned=5s""#);
    is_written(&SlidingLog::constant(10, MINUTE), r#""10/1m""#);
    let interval = Refill::Interval { origin: Timestamp::ZERO };
    is_written(&TokenBucket::constant_with(10, MINUTE, 5, interval), r#""10/1m,burst=5,interval""#);
    is_written(&Both(SlidingLog::constant(10, MINUTE), TokenBucket::constant(1, MINUTE)), r#"["10/1m","1/1m"]"#);
}

#[test]
fn states_have_their_numbers_by_name() {
    is_written(&FixedWindowState::default(), r#"{"ends_at_ns":0,"used":0}"#);
    is_written(&window(), r#"{"ends_at_ns":61000000000,"used":2}"#);
    is_written(&bucket(), r#"{"last_ns":0,"full_at_ns":142857143,"slack":1,"of":7}"#);
    is_written(&SlidingLogState::default(), r#"{"last_ns":0,"entries":[]}"#);
    let two = concat!(
        r#"{"last_ns":1,"entries":[{"expires_ns":60000000000,"units":1},"#,
        r#"{"expires_ns":60000000001,"units":2}]}"#
    );
    is_written(&log::<2>(2), two);
    is_written(&serde_json::from_str::<SlidingLogState>(two).unwrap(), two);
    is_written(&(bucket(), window()), &format!("[{},{}]", json(&bucket()), json(&window())));
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

#[test]
fn a_format_without_names_takes_no_more_room_than_the_wire() {
    assert!(goes_round(&window()) <= FixedWindowState::MAX_LEN);
    assert!(goes_round(&log::<4>(4)) <= SlidingLogArray::<4>::MAX_LEN);
    assert!(goes_round(&bucket()) <= TokenBucketState::MAX_LEN);
}

#[test]
fn a_log_reads_as_one_that_grows_and_one_in_place_where_there_is_room() {
    let text = json(&log::<4>(3));
    assert_eq!(json(&serde_json::from_str::<SlidingLogState>(&text).unwrap()), text);
    assert_eq!(json(&serde_json::from_str::<SlidingLogArray<3>>(&text).unwrap()), text);
    assert!(refused::<SlidingLogArray<2>>(&text).starts_with("`entries` is 3; given the rest, it must be 0 to 2"));
    let bytes = postcard::to_allocvec(&log::<4>(3)).unwrap();
    assert!(postcard::from_bytes::<SlidingLogState>(&bytes).is_ok());
    assert!(postcard::from_bytes::<SlidingLogArray<2>>(&bytes).is_err());
}

#[test]
fn a_document_in_any_order_is_read() {
    let state = r#"{"entries": [{"units": 2, "expires_ns": 60}], "last_ns": 1}"#;
    assert_eq!(
        json(&serde_json::from_str::<SlidingLogState>(state).unwrap()),
        r#"{"last_ns":1,"entries":[{"expires_ns":60,"units":2}]}"#
    );
}

#[test]
fn policies_that_cannot_be_are_refused_as_where_they_are_built() {
    assert_eq!(refused::<FixedWindow>(r#""0/60s""#), "the quota is 0; it must be 1 to 4294967295");
    assert_eq!(refused::<SlidingLog>(r#""10""#), "a policy is written QUOTA/WINDOW, such as 10/60s");
    assert_eq!(refused::<TokenBucket>(r#""10/60s,burst=0""#), "the burst is 0; it must be 1 to 4294967295");
    assert_eq!(
        refused::<TokenBucket>("10"),
        "invalid type: integer `10`, expected a token bucket as text, such as \"10/60s\" or \"10/60s,burst=5\""
    );
    assert_eq!(
        refused::<Both<SlidingLog, FixedWindow>>(r#"["1/1s","0/1s"]"#),
        "the quota is 0; it must be 1 to 4294967295"
    );
    assert!(postcard::from_bytes::<FixedWindow>(&postcard::to_allocvec("0/60s").unwrap()).is_err());
}

#[test]
fn values_that_cannot_be_are_refused() {
    assert_eq!(
        refused::<Timestamp>("9223372036854775808"),
        "invalid value: integer `9223372036854775808`, expected a timestamp, 0 to 9223372036854775807 ns since the epoch"
    );
    assert_eq!(refused::<Timestamp>("-1"), "invalid value: integer `-1`, expected u64");
    assert_eq!(refused::<Wait>("1.5"), "invalid type: floating point `1.5`, expected u64");
    assert_eq!(refused::<Decision>(r#""maybe""#), "unknown variant `maybe`, expected `allow` or `deny`");
    assert_eq!(
        refused::<Decision>(r#"{"deny":{"retry_after_ns":0}}"#),
        "invalid value: integer `0`, expected a wait above zero"
    );
    assert_eq!(refused::<Decision>(r#"{"deny":{}}"#), "missing field `retry_after_ns`");
    assert_eq!(refused::<Status>(r#"{"limit":10}"#), "missing field `remaining`");
    assert_eq!(
        refused::<Status>("7"),
        "invalid type: integer `7`, expected a status, with the fields `limit` `remaining` `grows_in_ns` `full_in_ns`"
    );
}

#[test]
fn states_that_no_policy_has_left_are_refused_as_in_the_wire() {
    let no_state = "this is no state that a policy has left, so do not trust it";
    let refused_for = |error: String, why: &str| assert_eq!(error, format!("{why}: {no_state}"));
    refused_for(
        refused::<FixedWindowState>(r#"{"ends_at_ns":0,"used":1}"#),
        "`used` is 1; given the rest, it must be 0",
    );
    refused_for(
        refused::<TokenBucketState>(r#"{"last_ns":5,"full_at_ns":6,"slack":7,"of":7}"#),
        "`slack` is 7; given the rest, it must be 0 to 6",
    );
    refused_for(
        refused::<TokenBucketState>(r#"{"last_ns":5,"full_at_ns":4,"slack":0,"of":7}"#),
        "`full_at` is 4; given the rest, it must be 5 to 4611686018427387909",
    );
    refused_for(
        refused::<SlidingLogState>(r#"{"last_ns":0,"entries":[{"expires_ns":9,"units":0}]}"#),
        "`units` is 0; given the rest, it must be 1 to 4294967295",
    );
    refused_for(
        refused::<SlidingLogState>(r#"{"last_ns":9,"entries":[{"expires_ns":9,"units":1}]}"#),
        "`last` is 9; given the rest, it must be 0 to 8",
    );
    refused_for(
        refused::<(FixedWindowState, FixedWindowState)>(r#"[{"ends_at_ns":1,"used":1},{"ends_at_ns":0,"used":1}]"#),
        "`used` is 1; given the rest, it must be 0",
    );
    let out_of_order = r#"{"last_ns":0,"entries":[{"expires_ns":9,"units":1},{"expires_ns":9,"units":1}]}"#;
    assert!(
        refused::<SlidingLogArray<4>>(out_of_order).starts_with("`expires` is 9; given the rest, it must be 10 to")
    );
}

#[test]
fn documents_of_another_shape_are_refused() {
    assert_eq!(refused::<FixedWindowState>(r#"{"used":1}"#), "missing field `ends_at_ns`");
    assert_eq!(refused::<FixedWindowState>(r#"{"used":1,"used":1,"ends_at_ns":1}"#), "duplicate field `used`");
    assert_eq!(
        refused::<FixedWindowState>(r#"{"used":1,"ends_at_ns":1,"quota":1}"#),
        "unknown field `quota`, expected `ends_at_ns` or `used`"
    );
    assert_eq!(refused::<FixedWindowState>("[1]"), "missing field `used`");
    assert_eq!(refused::<FixedWindowState>("[1,1,1]"), "trailing characters");
    assert_eq!(
        refused::<SlidingLogState>(r#"{"last_ns":1,"entries":7}"#),
        "invalid type: integer `7`, expected the entries of a log, oldest first"
    );
    assert_eq!(
        refused::<FixedWindowState>(r#"{"ends_at_ns":1,"used":4294967296}"#),
        "invalid value: integer `4294967296`, expected u32"
    );
}

/// What the wire reads, a document reads, and what it refuses is refused.
fn as_in_the_wire<T: Wire + Serialize + DeserializeOwned + Debug>(bytes: &[u8], document: &str) {
    match T::decode(bytes) {
        Ok(state) => {
            assert_eq!(serde_json::from_str::<T>(document).unwrap(), state);
            goes_round(&state);
        }
        Err(error) => assert_eq!(refused::<T>(document), error.to_string(), "{document}"),
    }
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0..=9_u64, 1 => (1 << 62) - 3..=(1 << 62) + 3_u64, 1 => any::<u64>()]
}

fn units() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0..=9_u32, 1 => any::<u32>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn windows_are_validated_as_in_the_wire(ends_at in number(), used in units()) {
        let bytes = [&[0x11], &ends_at.to_le_bytes()[..], &used.to_le_bytes()].concat();
        as_in_the_wire::<FixedWindowState>(&bytes, &format!(r#"{{"ends_at_ns":{ends_at},"used":{used}}}"#));
    }

    #[test]
    fn buckets_are_validated_as_in_the_wire(last in number(), full_at in number(), slack in units(), of in units()) {
        let bytes = [&[0x13], &last.to_le_bytes()[..], &full_at.to_le_bytes(), &slack.to_le_bytes(), &of.to_le_bytes()].concat();
        let document = format!(r#"{{"last_ns":{last},"full_at_ns":{full_at},"slack":{slack},"of":{of}}}"#);
        as_in_the_wire::<TokenBucketState>(&bytes, &document);
    }

    #[test]
    fn logs_are_validated_as_in_the_wire(last in number(), entries in vec((number(), units()), 0..5)) {
        let mut bytes = [&[0x12], &last.to_le_bytes()[..], &(entries.len() as u32).to_le_bytes()].concat();
        let mut documents = Vec::new();
        for (expires, units) in entries {
            bytes.extend([&expires.to_le_bytes()[..], &units.to_le_bytes()].concat());
            documents.push(format!(r#"{{"expires_ns":{expires},"units":{units}}}"#));
        }
        let document = format!(r#"{{"last_ns":{last},"entries":[{}]}}"#, documents.join(","));
        as_in_the_wire::<SlidingLogState>(&bytes, &document);
        as_in_the_wire::<SlidingLogArray<5>>(&bytes, &document);
    }
}

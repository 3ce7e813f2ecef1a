//! States to bytes and back, beyond the golden ones. That every state of every trace goes round is asserted by the harness, at each step.

use core::error::Error;
use core::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use tollgate::wire::{BufferTooSmall, DecodeError, OutOfRange, Wire};
use tollgate::{
    FixedWindow, FixedWindowState, SlidingLog, SlidingLogArray, SlidingLogState, Timestamp, TokenBucket,
    TokenBucketState,
};
use tollgate_harness::bodies::parsers;

const SECOND: Duration = Duration::from_secs(1);

fn window() -> FixedWindowState {
    let mut state = FixedWindowState::default();
    FixedWindow::constant(10, SECOND).charge_to(&mut state, 3, Timestamp::from_secs(70));
    state
}

fn log<const N: usize>(entries: u64) -> SlidingLogArray<N> {
    let mut state = SlidingLogArray::default();
    for at in 0..entries {
        SlidingLog::constant(10, SECOND).charge_to(&mut state, 1, Timestamp::from_nanos(at));
    }
    state
}

fn bucket() -> TokenBucketState {
    let mut state = TokenBucketState::default();
    TokenBucket::constant(7, SECOND).charge_to(&mut state, 3, Timestamp::from_secs(70));
    state
}

fn cut_anywhere_it_is_truncated<S: Wire + core::fmt::Debug>(state: &S) {
    let bytes = state.to_vec();
    for given in 0..bytes.len() {
        let cut = S::decode(&bytes[..given]);
        let Err(DecodeError::Truncated { needed, given: there }) = cut else { panic!("{given}: {cut:?}") };
        assert!(there == given && (given + 1..=bytes.len()).contains(&needed), "{given}: {cut:?}");
        assert_eq!(S::decode_prefix(&bytes[..given]).map(|(state, _)| state), cut);
    }
}

#[test]
fn bytes_that_are_cut_short_anywhere_are_truncated() {
    cut_anywhere_it_is_truncated(&window());
    cut_anywhere_it_is_truncated(&log::<4>(3));
    cut_anywhere_it_is_truncated(&SlidingLogState::default());
    cut_anywhere_it_is_truncated(&bucket());
    cut_anywhere_it_is_truncated(&((log::<4>(3), window()), bucket()));
    cut_anywhere_it_is_truncated(&(window(), (log::<4>(3), bucket())));
    let cut = <(FixedWindowState, TokenBucketState)>::decode(&(window(), bucket()).to_vec()[..16]);
    assert_eq!(cut, Err(DecodeError::Truncated { needed: 39, given: 16 }), "of the pair, not of its second");
}

#[test]
fn a_version_that_cannot_be_is_damage_and_not_a_later_one() {
    for version in 0..=15_u8 {
        let refused = FixedWindowState::decode(&[version << 4 | 1]);
        let expected = match version {
            0 | 15 => DecodeError::Kind { given: version << 4 | 1, expected: 0x11 },
            1 => DecodeError::Truncated { needed: 13, given: 1 },
            given => DecodeError::Version { given, newest: 1 },
        };
        assert_eq!(refused, Err(expected));
    }
    for none in ["0x01", "0xf1"] {
        let given = u8::from_str_radix(&none[2..], 16).unwrap();
        let text = DecodeError::Kind { given, expected: 0x11 }.to_string();
        assert!(text.starts_with(&format!(
            "the first byte is {none}, which begins no state; it must be 0x11 (a fixed window, version 1)"
        )));
    }
}

fn fits_to_the_byte<S: Wire>(state: &S) {
    let bytes = state.to_vec();
    let needed = bytes.len();
    for given in 0..needed {
        let mut buffer = vec![0xA5; given];
        assert_eq!(state.encode(&mut buffer), Err(BufferTooSmall { needed, given }));
        assert!(buffer.iter().all(|byte| *byte == 0xA5), "nothing has been written");
    }
    let mut buffer = vec![0xA5; needed + 2];
    assert_eq!(state.encode(&mut buffer), Ok(&bytes[..]));
    assert_eq!(buffer[needed..], [0xA5; 2], "no more than the state has been written");
}

#[test]
fn a_buffer_is_large_enough_or_left_alone() {
    fits_to_the_byte(&window());
    fits_to_the_byte(&log::<4>(3));
    fits_to_the_byte(&bucket());
    fits_to_the_byte(&((log::<4>(3), window()), bucket()));
}

#[test]
fn the_longest_state_fills_the_longest_buffer() {
    let mut buffer = [0; SlidingLogArray::<4>::MAX_LEN];
    assert_eq!(log::<4>(4).encode(&mut buffer).map(<[u8]>::len), Ok(13 + 12 * 4));
    assert_eq!(SlidingLogState::MAX_LEN, usize::MAX);
    assert_eq!(<(SlidingLogState, FixedWindowState)>::MAX_LEN, usize::MAX, "and no overflow");
}

#[test]
fn states_stand_one_after_the_other() {
    let mut page = [0xFF; 80];
    let first = window().encode(&mut page).unwrap().len();
    let second = log::<3>(2).encode(&mut page[first..]).unwrap().len();
    bucket().encode(&mut page[first + second..]).unwrap();
    let (one, rest) = FixedWindowState::decode_prefix(&page).unwrap();
    let (two, rest) = SlidingLogState::decode_prefix(rest).unwrap();
    let (three, rest) = TokenBucketState::decode_prefix(rest).unwrap();
    assert_eq!((one, two.to_vec(), three), (window(), log::<3>(2).to_vec(), bucket()));
    assert_eq!(FixedWindowState::decode_prefix(rest), Err(DecodeError::Kind { given: 0xFF, expected: 0x11 }));
}

#[test]
fn a_log_takes_no_memory_for_entries_that_are_not_there() {
    let mut bytes = SlidingLogState::default().to_vec();
    bytes[9..13].fill(0xFF);
    // More than a 32-bit host can count.
    let needed = 12_usize.saturating_mul(u32::MAX as usize).saturating_add(13);
    assert_eq!(SlidingLogState::decode(&bytes), Err(DecodeError::Truncated { needed, given: 13 }));
}

#[test]
fn errors_say_what_was_given_what_is_allowed_and_what_to_do() {
    let text = |error: &dyn Error| error.to_string();
    assert_eq!(
        text(&DecodeError::Kind { given: 0x13, expected: 0x11 }),
        "the first byte is 0x13 (a token bucket, version 1); it must be 0x11 (a fixed window, version 1): \
         if the key's policy is of another kind now, start the key anew"
    );
    assert_eq!(
        text(&DecodeError::Kind { given: 0xFF, expected: 0x12 }),
        "the first byte is 0xff, which begins no state; it must be 0x12 (a sliding log, version 1): \
         the bytes were damaged, or were never a state, so do not trust them"
    );
    assert_eq!(
        text(&DecodeError::Kind { given: 0x14, expected: 0x13 }),
        "the first byte is 0x14 (a pair of states, version 1); it must be 0x13 (a token bucket, version 1): \
         if the key's policy is of another kind now, start the key anew"
    );
    assert_eq!(FixedWindowState::decode(&[0x21]), Err(DecodeError::Version { given: 2, newest: 1 }));
    assert_eq!(
        text(&DecodeError::Version { given: 2, newest: 1 }),
        "the state is of version 2; this crate reads up to 1: update all that read before the first that writes"
    );
    assert_eq!(
        text(&DecodeError::Truncated { needed: 13, given: 4 }),
        "there are 4 bytes; the state takes at least 13: it was cut short, so do not trust it"
    );
    assert_eq!(
        text(&DecodeError::Trailing { extra: 2, given: 15 }),
        "of 15 bytes, the last 2 come after the state: cut them off, or read it with `decode_prefix`"
    );
    assert_eq!(
        text(&DecodeError::Capacity { entries: 9, capacity: 4 }),
        "the log has 9 entries; there is room for 4: read it as one with more room, or one that grows"
    );
    let range = DecodeError::OutOfRange(OutOfRange::new("slack", 7, 0, 6));
    assert_eq!(
        text(&range),
        "`slack` is 7; given the rest, it must be 0 to 6: this is no state that a policy has left, so do not trust it"
    );
    assert!(range.source().is_none(), "a chain of errors says it once");
    assert_eq!(
        text(&OutOfRange::new("units", 1, 1, 0)),
        "`units` is 1; given the rest, no number would do: this is no state that a policy has left, so do not trust it"
    );
    assert_eq!(
        text(&BufferTooSmall { needed: 13, given: 8 }),
        "the buffer has 8 bytes; the state takes 13: a buffer of `MAX_LEN` is always large enough"
    );
}

/// A number near those that matter: small ones, the last timestamp, the last deadline, and a longest window away from another.
fn number() -> impl Strategy<Value = u64> + Clone {
    let edges = prop::sample::select(vec![0, 1 << 62, 1 << 63, (1 << 63) + (1 << 62)]);
    prop_oneof![
        6 => 0..=30_u64,
        3 => (edges, 0..=6_u64).prop_map(|(edge, off)| (edge + off).wrapping_sub(3)),
        1 => any::<u64>(),
    ]
}

fn units() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![6 => 0..=12_u32, 1 => u32::MAX - 2..=u32::MAX, 1 => any::<u32>()]
}

/// The bytes of something like a state.
fn like_a_state() -> impl Strategy<Value = Vec<u8>> {
    fn join(parts: &[&[u8]]) -> Vec<u8> {
        parts.concat()
    }
    let window =
        (number(), units()).prop_map(|(ends_at, used)| join(&[&[0x11], &ends_at.to_le_bytes(), &used.to_le_bytes()]));
    let log = (number(), vec((number(), units()), 0..4)).prop_map(|(last, mut entries)| {
        entries.sort();
        let count = entries.len() as u32;
        let entries = entries.iter().flat_map(|(expires, units)| join(&[&expires.to_le_bytes(), &units.to_le_bytes()]));
        join(&[&[0x12], &last.to_le_bytes(), &count.to_le_bytes(), &entries.collect::<Vec<_>>()])
    });
    let bucket = (number(), number(), any::<bool>(), units(), units()).prop_map(|(last, full_at, after, slack, of)| {
        let full_at = if after { last.wrapping_add(full_at) } else { full_at };
        join(&[&[0x13], &last.to_le_bytes(), &full_at.to_le_bytes(), &slack.to_le_bytes(), &of.to_le_bytes()])
    });
    prop_oneof![
        2 => window.clone(),
        4 => log,
        4 => bucket.clone(),
        1 => (bucket, window).prop_map(|(bucket, window)| join(&[&[0x14], &bucket, &window])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Law 8, for bytes: none are a state that breaks a law. The steps behind the state are read as the fuzz target reads them.
    #[test]
    fn law_8_totality(state in like_a_state(), policies_and_steps in vec(any::<u8>(), 0..60)) {
        parsers::run(&[state, policies_and_steps].concat());
    }

    #[test]
    fn a_byte_that_is_changed_is_an_error_or_another_state(state in like_a_state(), at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut damaged = state;
        let at = at.index(damaged.len());
        damaged[at] = to;
        parsers::run(&damaged);
    }
}

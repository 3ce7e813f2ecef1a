//! The bytes of each state of this crate. What a number may be is known to the state itself, which is built from its parts.

use core::ops::RangeInclusive;

use super::{BufferTooSmall, DecodeError, Wire};
use crate::policy::{FixedWindowState, LogMemory, LogState, TokenBucketState};

/// The version that is written, the high half of the first byte.
const VERSION: u8 = 1;

/// Those that there are or will be. No other begins a state, so that memory of zeros, and erased flash, do not.
pub(super) const VERSIONS: RangeInclusive<u8> = 1..=14;

// The kinds, the low half.
pub(super) const WINDOW: u8 = 1;
pub(super) const LOG: u8 = 2;
pub(super) const BUCKET: u8 = 3;
pub(super) const PAIR: u8 = 4;

const fn first(kind: u8) -> u8 {
    VERSION << 4 | kind
}

/// As many bytes at the start of a buffer as are needed.
fn start(buffer: &mut [u8], needed: usize) -> Result<&mut [u8], BufferTooSmall> {
    let given = buffer.len();
    buffer.get_mut(..needed).ok_or(BufferTooSmall { needed, given })
}

/// Writes some bytes to the start of what is left of a buffer, which must have room for them.
#[inline]
fn put<const N: usize>(left: &mut &mut [u8], bytes: [u8; N]) {
    if let Some((place, rest)) = core::mem::take(left).split_first_chunk_mut() {
        *place = bytes;
        *left = rest;
    }
}

/// The bytes after the first, where that is the one of a kind.
fn after_first(bytes: &[u8], kind: u8, shortest: usize) -> Result<&[u8], DecodeError> {
    match bytes.split_first() {
        None => Err(DecodeError::Truncated { needed: shortest, given: 0 }),
        Some((given, rest)) if *given == first(kind) => Ok(rest),
        Some((given, _)) if given & 0x0F == kind && VERSIONS.contains(&(given >> 4)) => {
            Err(DecodeError::Version { given: given >> 4, newest: VERSION })
        }
        Some((given, _)) => Err(DecodeError::Kind { given: *given, expected: first(kind) }),
    }
}

/// Takes bytes from the start of what is left; none where they have come to an end.
#[inline]
fn take<const N: usize>(left: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, rest) = left.split_first_chunk()?;
    *left = rest;
    Some(*bytes)
}

#[inline]
fn take_u64(left: &mut &[u8]) -> Option<u64> {
    take(left).map(u64::from_le_bytes)
}

#[inline]
fn take_u32(left: &mut &[u8]) -> Option<u32> {
    take(left).map(u32::from_le_bytes)
}

impl Wire for FixedWindowState {
    const MAX_LEN: usize = 1 + 8 + 4;

    fn encoded_len(&self) -> usize {
        Self::MAX_LEN
    }

    fn encode<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], BufferTooSmall> {
        let bytes = start(buffer, Self::MAX_LEN)?;
        let (ends_at, used) = self.parts();
        let left = &mut &mut *bytes;
        put(left, [first(WINDOW)]);
        put(left, ends_at.to_le_bytes());
        put(left, used.to_le_bytes());
        Ok(bytes)
    }

    fn decode_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let mut left = after_first(bytes, WINDOW, Self::MAX_LEN)?;
        let mut numbers = || Some((take_u64(&mut left)?, take_u32(&mut left)?));
        let (ends_at, used) = numbers().ok_or(DecodeError::Truncated { needed: Self::MAX_LEN, given: bytes.len() })?;
        Ok((Self::from_parts(ends_at, used)?, left))
    }
}

impl Wire for TokenBucketState {
    const MAX_LEN: usize = 1 + 8 + 8 + 4 + 4;

    fn encoded_len(&self) -> usize {
        Self::MAX_LEN
    }

    fn encode<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], BufferTooSmall> {
        let bytes = start(buffer, Self::MAX_LEN)?;
        let (last, full_at, slack, of) = self.parts();
        let left = &mut &mut *bytes;
        put(left, [first(BUCKET)]);
        put(left, last.to_le_bytes());
        put(left, full_at.to_le_bytes());
        put(left, slack.to_le_bytes());
        put(left, of.to_le_bytes());
        Ok(bytes)
    }

    fn decode_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let mut left = after_first(bytes, BUCKET, Self::MAX_LEN)?;
        let mut numbers =
            || Some((take_u64(&mut left)?, take_u64(&mut left)?, take_u32(&mut left)?, take_u32(&mut left)?));
        let (last, full_at, slack, of) =
            numbers().ok_or(DecodeError::Truncated { needed: Self::MAX_LEN, given: bytes.len() })?;
        Ok((Self::from_parts(last, full_at, slack, of)?, left))
    }
}

/// The bytes of a log without entries.
const EMPTY_LOG: usize = 1 + 8 + 4;

/// The bytes of a log with so many.
const fn log_len(entries: u32) -> usize {
    (entries as usize).saturating_mul(8 + 4).saturating_add(EMPTY_LOG)
}

impl<M: LogMemory> Wire for LogState<M> {
    const MAX_LEN: usize = if Self::CAPACITY == u32::MAX { usize::MAX } else { log_len(Self::CAPACITY) };

    fn encoded_len(&self) -> usize {
        log_len(self.len())
    }

    fn encode<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], BufferTooSmall> {
        let bytes = start(buffer, self.encoded_len())?;
        let left = &mut &mut *bytes;
        put(left, [first(LOG)]);
        put(left, self.last().to_le_bytes());
        put(left, self.len().to_le_bytes());
        for (expires, units) in self.entries() {
            put(left, expires.to_le_bytes());
            put(left, units.to_le_bytes());
        }
        Ok(bytes)
    }

    fn decode_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let truncated = |needed| DecodeError::Truncated { needed, given: bytes.len() };
        let mut left = after_first(bytes, LOG, EMPTY_LOG)?;
        let mut head = || Some((take_u64(&mut left)?, take_u32(&mut left)?));
        let (last, entries) = head().ok_or(truncated(EMPTY_LOG))?;
        // Before any room is made for them.
        if bytes.len() < log_len(entries) {
            return Err(truncated(log_len(entries)));
        }
        if entries > Self::CAPACITY {
            return Err(DecodeError::Capacity { entries, capacity: Self::CAPACITY });
        }
        let mut log = Self::for_entries(entries);
        for _ in 0..entries {
            let mut entry = || Some((take_u64(&mut left)?, take_u32(&mut left)?));
            let (expires, units) = entry().ok_or(truncated(log_len(entries)))?;
            log.append(expires, units)?;
        }
        Ok((log.last_read_at(last)?, left))
    }
}

/// A state from what is left of a whole: of bytes that are cut short, the error counts from the start of the whole, as far as it can tell.
fn part<'b, S: Wire>(whole: &[u8], left: &'b [u8]) -> Result<(S, &'b [u8]), DecodeError> {
    S::decode_prefix(left).map_err(|error| match error {
        DecodeError::Truncated { needed, .. } => {
            let before = whole.len().saturating_sub(left.len());
            DecodeError::Truncated { needed: needed.saturating_add(before), given: whole.len() }
        }
        other => other,
    })
}

/// A pair of states of one key, for [`Both`](crate::Both).
impl<A: Wire, B: Wire> Wire for (A, B) {
    const MAX_LEN: usize = A::MAX_LEN.saturating_add(B::MAX_LEN).saturating_add(1);

    fn encoded_len(&self) -> usize {
        self.0.encoded_len().saturating_add(self.1.encoded_len()).saturating_add(1)
    }

    fn encode<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], BufferTooSmall> {
        let bytes = start(buffer, self.encoded_len())?;
        let mut left = &mut *bytes;
        put(&mut left, [first(PAIR)]);
        let one = self.0.encode(left)?.len();
        self.1.encode(left.get_mut(one..).unwrap_or_default())?;
        Ok(bytes)
    }

    fn decode_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let inner = after_first(bytes, PAIR, 1)?;
        let (one, rest) = part(bytes, inner)?;
        let (other, rest) = part(bytes, rest)?;
        Ok(((one, other), rest))
    }
}

//! States as bytes: for databases that several machines share, for files, and for a page of flash.
//!
//! [`Wire`] writes a state into a buffer of the caller's and reads it back, without an allocator. The bytes are the same on every machine and
//! **canonical**: equal states have equal bytes, whatever memory a log is kept in, so that a store that knows nothing of policies can compare
//! them. Reading holds them to all that the policies rely on; any others are a [`DecodeError`], never a panic, nor a state that breaks a law.
//!
//! ```
//! use core::time::Duration;
//! use tollgate::wire::Wire;
//! use tollgate::{FixedWindow, FixedWindowState, Timestamp};
//!
//! const TEN_A_SECOND: FixedWindow = FixedWindow::constant(10, Duration::from_secs(1));
//! let mut state = FixedWindowState::default();
//! let _ = TEN_A_SECOND.judge(&mut state, Timestamp::ZERO);
//!
//! let mut buffer = [0; FixedWindowState::MAX_LEN];
//! let bytes = state.encode(&mut buffer)?;
//! assert_eq!(bytes, [0x11, 0x00, 0xCA, 0x9A, 0x3B, 0, 0, 0, 0, 1, 0, 0, 0]);
//! assert_eq!(FixedWindowState::decode(bytes)?, state);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The bytes
//!
//! The first byte names the version, in its high half, and the kind, in its low half. Numbers are little-endian, times in nanoseconds.
//!
//! | state | bytes | first | then |
//! | --- | --- | --- | --- |
//! | [`FixedWindowState`] | 13 | `11` | `ends_at` (8), `used` (4) |
//! | [`LogState`] | 13 + 12 an entry | `12` | `last` (8), the number of `entries` (4), and each, oldest first: `expires` (8), `units` (4) |
//! | [`TokenBucketState`] | 25 | `13` | `last` (8), `full_at` (8), `slack` (4), `of` (4) |
//! | a pair of states, for [`Both`](crate::Both) | 1 + theirs | `14` | the one, the other |
//!
//! The kinds 8 to 14 are free for states outside this crate. No state begins with `00` or `FF`, as memory does that was never written.
//! What each number may be, and golden bytes for implementations in other languages, is in `tests/vectors/wire.md` of the repository.
//!
//! This is version 1, and the only one. A crate that writes a later version will read all earlier ones; a version that it does not know is
//! [`DecodeError::Version`]. So update all that read before the first that writes.
//!
//! What a shared store takes beside bytes, compare-and-swap, is in [`step`], and there is what clocks that differ do to the laws.

mod error;
mod states;
pub mod step;

pub use crate::error::OutOfRange;
pub use error::{BufferTooSmall, DecodeError};

#[cfg(doc)]
use crate::{FixedWindowState, LogState, TokenBucketState};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::state::State;

/// A state that can be written as bytes, and read back.
///
/// # A state of your own
///
/// Choose a kind from 8 to 14 and a version from 1 to 14. Equal states must have equal bytes, and whatever else is read must be an error.
///
/// ```
/// use tollgate::wire::{BufferTooSmall, DecodeError, OutOfRange, Wire};
/// use tollgate::{State, Timestamp};
///
/// #[derive(Clone, Debug, Default, PartialEq)]
/// struct Used(bool);
///
/// # impl State for Used {
/// #     fn is_expired(&self, _: Timestamp) -> bool { !self.0 }
/// #     fn expires_at(&self) -> Timestamp { if self.0 { Timestamp::MAX } else { Timestamp::ZERO } }
/// # }
/// impl Wire for Used {
///     const MAX_LEN: usize = 2;
///
///     fn encoded_len(&self) -> usize { 2 }
///
///     fn encode<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], BufferTooSmall> {
///         let given = buffer.len();
///         let (place, _) = buffer.split_first_chunk_mut::<2>().ok_or(BufferTooSmall { needed: 2, given })?;
///         *place = [0x18, u8::from(self.0)];
///         Ok(place)
///     }
///
///     fn decode_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
///         match bytes {
///             [0x18, used @ 0..=1, rest @ ..] => Ok((Used(*used == 1), rest)),
///             [0x18, used, ..] => Err(OutOfRange::new("used", (*used).into(), 0, 1).into()),
///             [0x18] | [] => Err(DecodeError::Truncated { needed: 2, given: bytes.len() }),
///             [given, ..] => Err(DecodeError::Kind { given: *given, expected: 0x18 }),
///         }
///     }
/// }
///
/// assert_eq!(Used::decode(&[0x18, 1]), Ok(Used(true)));
/// ```
pub trait Wire: State {
    /// The most bytes that a state takes, for a buffer on the stack; [`usize::MAX`] for a log that grows, for which no buffer of this
    /// length compiles.
    ///
    /// ```
    /// use tollgate::wire::Wire;
    /// use tollgate::{FixedWindowState, SlidingLogArray, TokenBucketState};
    ///
    /// assert_eq!(FixedWindowState::MAX_LEN, 13);
    /// assert_eq!(TokenBucketState::MAX_LEN, 25);
    /// assert_eq!(SlidingLogArray::<10>::MAX_LEN, 13 + 12 * 10);
    /// assert_eq!(<(TokenBucketState, FixedWindowState)>::MAX_LEN, 1 + 25 + 13);
    /// ```
    const MAX_LEN: usize;

    /// The bytes that this state takes.
    ///
    /// ```
    /// # use tollgate::wire::Wire;
    /// assert_eq!(tollgate::SlidingLogArray::<10>::default().encoded_len(), 13);
    /// ```
    fn encoded_len(&self) -> usize;

    /// Writes the state to the start of a buffer, and gives what it has written.
    ///
    /// # Errors
    ///
    /// [`BufferTooSmall`], never for [`MAX_LEN`](Wire::MAX_LEN) bytes. Nothing has been written.
    ///
    /// ```
    /// # use tollgate::FixedWindowState;
    /// # use tollgate::wire::{BufferTooSmall, Wire};
    /// let state = FixedWindowState::default();
    /// assert_eq!(state.encode(&mut [0; 64])?, [0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    /// assert_eq!(state.encode(&mut [0; 12]), Err(BufferTooSmall { needed: 13, given: 12 }));
    /// # Ok::<(), BufferTooSmall>(())
    /// ```
    fn encode<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], BufferTooSmall>;

    /// Reads a state from the start of some bytes, and gives the bytes after it: a record in a longer one, or in a page of flash. Any
    /// damage that leaves a possible state goes unseen, so storage that can be torn or decay needs a checksum of its own.
    ///
    /// # Errors
    ///
    /// [`DecodeError`], for anything but what [`encode`](Wire::encode) writes.
    ///
    /// ```
    /// # use tollgate::FixedWindowState;
    /// # use tollgate::wire::{DecodeError, Wire};
    /// let page = [0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF];
    /// let (state, rest) = FixedWindowState::decode_prefix(&page)?;
    /// assert_eq!((state, rest), (FixedWindowState::default(), &[0xFF, 0xFF][..]));
    /// # Ok::<(), DecodeError>(())
    /// ```
    fn decode_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError>;

    /// Reads a state from bytes that are nothing else.
    ///
    /// # Errors
    ///
    /// [`DecodeError`], for anything but what [`encode`](Wire::encode) writes.
    ///
    /// ```
    /// # use tollgate::FixedWindowState;
    /// # use tollgate::wire::{DecodeError, Wire};
    /// assert_eq!(FixedWindowState::decode(&[]), Err(DecodeError::Truncated { needed: 13, given: 0 }));
    /// ```
    #[inline]
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        match Self::decode_prefix(bytes)? {
            (state, []) => Ok(state),
            (_, rest) => Err(DecodeError::Trailing { extra: rest.len(), given: bytes.len() }),
        }
    }

    /// The state's bytes.
    ///
    /// ```
    /// # use tollgate::wire::{DecodeError, Wire};
    /// # use tollgate::TokenBucketState;
    /// let state = TokenBucketState::default();
    /// assert_eq!(TokenBucketState::decode(&state.to_vec())?, state);
    /// # Ok::<(), DecodeError>(())
    /// ```
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    fn to_vec(&self) -> Vec<u8> {
        let mut bytes = alloc::vec![0; self.encoded_len()];
        let written = self.encode(&mut bytes).map_or(0, <[u8]>::len);
        bytes.truncate(written);
        bytes
    }
}

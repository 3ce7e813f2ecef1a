//! Why bytes are no state, and why a state could not be written.

use core::error::Error;
use core::fmt;

use super::states::{BUCKET, LOG, PAIR, VERSIONS, WINDOW};
use crate::error::OutOfRange;

/// Why some bytes are not those of a state of this type.
///
/// What to do about a key whose bytes cannot be read is the caller's choice, as it is for a store that is gone: admit, refuse, or start the
/// key anew. Bytes that were read by mistake, of another kind or a later version, are best left alone.
///
/// ```
/// use tollgate::wire::{DecodeError, Wire};
/// use tollgate::{FixedWindowState, TokenBucketState};
///
/// let bytes = TokenBucketState::default().to_vec();
/// assert_eq!(FixedWindowState::decode(&bytes), Err(DecodeError::Kind { given: 0x13, expected: 0x11 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The first byte is not that of a state of this kind, in any version.
    Kind {
        /// The first byte.
        given: u8,
        /// The one that a state of this kind begins with.
        expected: u8,
    },
    /// The kind is right, and its version one that this crate does not know.
    Version {
        /// The version.
        given: u8,
        /// The newest that this crate reads, and the one that it writes.
        newest: u8,
    },
    /// The bytes end before the state does.
    Truncated {
        /// The bytes that the state takes, as far as they tell.
        needed: usize,
        /// The bytes that there are of it.
        given: usize,
    },
    /// The bytes go on after the state.
    Trailing {
        /// How many come after it.
        extra: usize,
        /// How many there are in all.
        given: usize,
    },
    /// A log that does not fit into this state's memory.
    Capacity {
        /// The entries that it has.
        entries: u32,
        /// Those that there is room for.
        capacity: u32,
    },
    /// A number that no policy could have left there.
    OutOfRange(OutOfRange),
}

impl From<OutOfRange> for DecodeError {
    fn from(error: OutOfRange) -> Self {
        Self::OutOfRange(error)
    }
}

/// A first byte, in words.
struct First(u8);

impl First {
    fn version(&self) -> u8 {
        self.0 >> 4
    }

    /// Of which kind of state it is the first; none if of none.
    fn kind(&self) -> Option<&'static str> {
        let kind = match self.0 & 0x0F {
            WINDOW => "a fixed window",
            LOG => "a sliding log",
            BUCKET => "a token bucket",
            PAIR => "a pair of states",
            _ => return None,
        };
        VERSIONS.contains(&self.version()).then_some(kind)
    }
}

impl fmt::Display for First {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Some(kind) => write!(f, "{:#04x} ({kind}, version {})", self.0, self.version()),
            None => write!(f, "{:#04x}, which begins no state", self.0),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind { given, expected } => {
                let (given, expected) = (First(*given), First(*expected));
                let advice = match given.kind() {
                    Some(_) => "if the key's policy is of another kind now, start the key anew",
                    None => "the bytes were damaged, or were never a state, so do not trust them",
                };
                write!(f, "the first byte is {given}; it must be {expected}: {advice}")
            }
            Self::Version { given, newest } => write!(
                f,
                "the state is of version {given}; this crate reads up to {newest}: update all that read before the first that writes"
            ),
            Self::Truncated { needed, given } => write!(
                f,
                "there are {given} bytes; the state takes at least {needed}: it was cut short, so do not trust it"
            ),
            Self::Trailing { extra, given } => write!(
                f,
                "of {given} bytes, the last {extra} come after the state: cut them off, or read it with `decode_prefix`"
            ),
            Self::Capacity { entries, capacity } => write!(
                f,
                "the log has {entries} entries; there is room for {capacity}: read it as one with more room, or one that grows"
            ),
            Self::OutOfRange(error) => error.fmt(f),
        }
    }
}

/// Without a source: the message has all of it.
impl Error for DecodeError {}

/// A buffer is too small for a state.
///
/// ```
/// use tollgate::FixedWindowState;
/// use tollgate::wire::{BufferTooSmall, Wire};
///
/// let error = FixedWindowState::default().encode(&mut [0; 8]).unwrap_err();
/// assert_eq!(error, BufferTooSmall { needed: 13, given: 8 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferTooSmall {
    /// The bytes that the state takes.
    pub needed: usize,
    /// The buffer's length.
    pub given: usize,
}

impl fmt::Display for BufferTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, given } = self;
        write!(
            f,
            "the buffer has {given} bytes; the state takes {needed}: a buffer of `MAX_LEN` is always large enough"
        )
    }
}

impl Error for BufferTooSmall {}

//! [`Trouble`]: why a check came to no decision.

use std::fmt;
use std::time::Duration;

use redis::{ErrorKind, RedisError};
use tollgate::wire::DecodeError;

/// Why a check came to no decision. Whether the request passes is the caller's choice.
///
/// ```
/// use redis_fleet::Trouble;
/// use tollgate::Decision;
///
/// /// Open, but for a value that somebody tampered with.
/// fn passes(checked: Result<Decision, Trouble>) -> bool {
///     match checked {
///         Ok(decision) => decision.is_allow(),
///         Err(Trouble::Corrupt { .. }) => false,
///         Err(_) => true,
///     }
/// }
/// # assert!(passes(Err(Trouble::Contended { attempts: 3 })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// There is no connection. Nothing was counted.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// An answer did not come in time. Nothing was counted.
    #[error("the server did not answer within {0:?}")]
    TimedOut(Duration),
    /// A write was under way when the connection was lost or the time was up: it may have been counted, or not.
    #[error("the server may have counted this request, or not: {0}")]
    InDoubt(String),
    /// The server answers, and does not let us: it is out of memory, a replica, still loading, or asks for a password. Nothing was counted.
    #[error("the server refuses: {0}")]
    Refused(String),
    /// The key changed at each attempt. Nothing was counted.
    #[error("others changed the key during each of {attempts} attempts")]
    Contended {
        /// How many.
        attempts: u32,
    },
    /// What the key holds is no state of its policy. It is neither trusted nor overwritten: see to the key. Nothing was counted.
    #[error("the value of {key:?} is not to be trusted: {reason}")]
    Corrupt {
        /// The key.
        key: String,
        /// What is wrong.
        reason: Distrust,
    },
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distrust {
    /// Its bytes.
    Bytes(DecodeError),
    /// It is a list, a hash, or another thing that is no string of bytes.
    Type,
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(error) => error.fmt(f),
            Self::Type => f.write_str("it is no string; a state is"),
        }
    }
}

impl Trouble {
    /// Where the fault is that of what the key holds.
    pub(crate) fn of_a_key(key: &[u8], error: &RedisError) -> Option<Self> {
        let of_many = error.clone().into_server_errors();
        let code = of_many.as_deref().and_then(<[_]>::first).map(|(_, error)| error.code()).or(error.code());
        (code == Some("WRONGTYPE")).then(|| Self::corrupt(key, Distrust::Type))
    }

    pub(crate) fn corrupt(key: &[u8], reason: Distrust) -> Self {
        Self::Corrupt { key: String::from_utf8_lossy(key).into_owned(), reason }
    }

    /// Of an error after which nothing was written.
    pub(crate) fn before_a_write(error: &RedisError, limit: Duration) -> Self {
        if error.is_timeout() {
            Self::TimedOut(limit)
        } else if is_answer(error) {
            Self::Refused(error.to_string())
        } else {
            Self::Unreachable(error.to_string())
        }
    }

    /// Of an error of a write.
    pub(crate) fn of_a_write(error: &RedisError, limit: Duration) -> Self {
        if error.is_timeout() {
            Self::InDoubt(Self::TimedOut(limit).to_string())
        } else if is_answer(error) {
            Self::Refused(error.to_string())
        } else {
            Self::InDoubt(error.to_string())
        }
    }
}

/// Whether the server has answered, if only by an error.
pub(crate) fn is_answer(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension | ErrorKind::AuthenticationFailed)
}

//! What ends a run: one line each, saying what was given and what was expected. A line that cannot be parsed ends nothing, see
//! [`input::Reason`](crate::input::Reason).

use std::io;

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The command line is wrong, or its parts do not go together.
    #[error("{0}")]
    Usage(String),

    /// The input cannot be opened or read.
    #[error("cannot read {name}: {source}; expected a readable file, or `-` for standard input")]
    Read { name: String, source: io::Error },

    /// Decisions or the report cannot be written.
    #[error("cannot write {name}: {source}")]
    Write { name: String, source: io::Error },

    /// A file would overwrite what it is made from.
    #[error("{option} would overwrite the input, {name}: expected another file, or `-` for standard output")]
    Overwrite { option: &'static str, name: String },

    /// More requests than are held in memory.
    #[error(
        "more than {most} requests, which --plot, --html and --suggest hold in memory: expected a shorter log, or a part of it"
    )]
    TooMany { most: usize },

    /// A key to be drawn that no request has.
    #[error("--plot-key {key}: no request has this key; expected one of {keys} keys, such as {example}")]
    NoSuchKey { key: String, keys: usize, example: String },

    /// A picture that the plotting library refuses.
    #[error("cannot draw the picture: {0}")]
    Draw(String),

    /// A key that common and combined logs do not have.
    #[error("unknown key `{key}` for clf: expected ip, ip/PREFIX (0 to 128 bits), path or user-agent{hint}")]
    UnknownKey { key: String, hint: &'static str },

    /// A CSV header without the column of the key.
    #[error("{name} has no column `{key}` for the key: expected one of its columns ({columns}); name it with --key")]
    UnknownColumn { name: String, key: String, columns: String },

    /// A CSV header without a time.
    #[error("{name} has no column of times: expected at_ns, at_us, at_ms or at_s among its columns ({columns})")]
    NoTimeColumn { name: String, columns: String },

    /// A CSV header that cannot be read at all.
    #[error("{name} has no header that can be read: line {line}: {reason}")]
    BadHeader { name: String, line: u64, reason: String },

    /// No line of the input is a request.
    #[error("{name} holds no request: {why}")]
    NoRequest { name: String, why: String },

    /// The reader of the output has gone away: the run ends without a word.
    #[error("standard output was closed")]
    OutputClosed,
}

impl Error {
    /// For `map_err` on writes to `name`. A closed pipe is no failure, but somebody who has seen enough.
    pub(crate) fn writing(name: &str) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Write { name: name.to_owned(), source },
        }
    }

    /// For `map_err` on reads of `name`.
    pub(crate) fn reading(name: &str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read { name: name.to_owned(), source }
    }
}

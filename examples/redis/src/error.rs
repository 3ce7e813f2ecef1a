//! What ends the program without a report.

use std::io;
use std::process::ExitStatus;

use crate::trouble::Trouble;

/// On one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}")]
    Usage(String),
    #[error("--redis {address}: {trouble}")]
    Server { address: String, trouble: Trouble },
    #[error("a worker could not be started: {0}")]
    Start(io::Error),
    #[error("a worker did not finish: {0}")]
    Ended(ExitStatus),
    #[error("a worker was silent for too long, and was ended")]
    Silent,
    #[error("a worker said {0:?}")]
    Garbled(String),
    #[error("{0}")]
    Io(#[from] io::Error),
}

//! The shared engine: a value of opaque bytes with an expiry, read and compared and swapped. It knows no policy.

/// What a node asks.
#[derive(Debug)]
pub(crate) enum Question {
    Get,
    /// Puts `new` where `expected` is still what is there, for so long; else says what is there.
    Swap {
        expected: Option<Vec<u8>>,
        new: Vec<u8>,
        keep: u64,
    },
}

/// What the server answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// What is there.
    Found(Option<Vec<u8>>),
    /// What was offered is there now.
    Swapped,
    /// Something else is there.
    Conflict(Option<Vec<u8>>),
}

/// The server, and the count of what it has done.
#[derive(Debug, Default)]
pub(crate) struct Server {
    value: Option<Vec<u8>>,
    expires_at: u64,
    pub(crate) questions: u64,
    pub(crate) conflicts: u64,
}

impl Server {
    pub(crate) fn answer(&mut self, question: Question, now: u64) -> Answer {
        self.questions += 1;
        if now >= self.expires_at {
            self.value = None;
        }
        match question {
            Question::Get => Answer::Found(self.value.clone()),
            Question::Swap { expected, new, keep } if expected == self.value => {
                self.value = Some(new);
                self.expires_at = now + keep;
                Answer::Swapped
            }
            Question::Swap { .. } => {
                self.conflicts += 1;
                Answer::Conflict(self.value.clone())
            }
        }
    }
}

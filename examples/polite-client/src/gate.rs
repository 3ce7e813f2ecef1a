//! [`Gate`]: what workers that share a limit know of it together, so that one of them need not learn by a refusal what another was told.

use tollgate::client::Reading;
use tollgate::{Timestamp, Wait};

/// Lets as many requests out as the last answers leave room for.
///
/// While nothing is known of what remains, one request is out at a time; its answer tells. So when a window reopens, a single request finds out.
/// Of more than one, answers may overtake each other: what they tell can only lower what is known.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    closed_until: Timestamp,
    /// What the server said remained, less what was sent since.
    remaining: Option<u64>,
    in_flight: u64,
    /// The one that is out is to find out.
    probing: bool,
}

/// What a worker is told that asks to go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Go. The gate counts on an answer.
    Open,
    /// Not before that.
    ClosedUntil(Timestamp),
    /// Not before some answer has come.
    AfterAnswer,
}

impl Gate {
    /// Asks to send a request now.
    pub fn enter(&mut self, now: Timestamp) -> Entry {
        if now < self.closed_until {
            return Entry::ClosedUntil(self.closed_until);
        }
        match self.remaining {
            Some(remaining) if remaining > 0 => self.remaining = Some(remaining - 1),
            _ if self.in_flight == 0 => (self.remaining, self.probing) = (None, true),
            _ => return Entry::AfterAnswer,
        }
        self.in_flight += 1;
        Entry::Open
    }

    /// An answer came to a request that was let out.
    pub fn answered(&mut self, reading: &Reading, now: Timestamp) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let probed = std::mem::take(&mut self.probing);
        if let Some(wait) = reading.advice().wait() {
            return self.close(now, wait);
        }
        // Of those that are out, some may have been counted already. To count them again errs on the side of too few.
        let told = reading.remaining.map(|remaining| remaining.saturating_sub(self.in_flight));
        self.remaining = match (self.remaining, told) {
            (Some(known), Some(told)) => Some(known.min(told)),
            (None, told) if probed => told,
            (known, _) => known,
        };
    }

    /// Nobody goes for so long, and then nobody knows what remains.
    pub fn close(&mut self, now: Timestamp, wait: Wait) {
        self.closed_until = self.closed_until.max(now.saturating_add(wait));
        self.remaining = None;
    }
}

#[cfg(test)]
mod tests {
    use tollgate::client::Reader;

    use super::*;

    const NOW: Timestamp = Timestamp::from_secs(100);

    fn reading(status: u16, limit: &str) -> Reading {
        Reader::new().read(status, [("ratelimit", limit)])
    }

    fn let_out(gate: &mut Gate) -> usize {
        (0..100).take_while(|_| gate.enter(NOW) == Entry::Open).count()
    }

    #[test]
    fn one_finds_out_and_then_as_many_go_as_there_is_room_for() {
        let mut gate = Gate::default();
        assert_eq!(let_out(&mut gate), 1);
        assert_eq!(gate.enter(NOW), Entry::AfterAnswer);
        gate.answered(&reading(200, r#""a";r=7;t=2"#), NOW);
        assert_eq!(let_out(&mut gate), 7);
    }

    #[test]
    fn answers_that_overtake_each_other_make_no_room() {
        let mut gate = Gate::default();
        assert_eq!(let_out(&mut gate), 1);
        gate.answered(&reading(200, r#""a";r=7;t=2"#), NOW);
        for _ in 0..3 {
            assert_eq!(gate.enter(NOW), Entry::Open);
        }
        gate.answered(&reading(200, r#""a";r=4;t=2"#), NOW); // of the last
        gate.answered(&reading(200, r#""a";r=6;t=2"#), NOW); // of the first
        assert_eq!(let_out(&mut gate), 2); // of 4: two that were out may not have been counted yet
        gate.answered(&reading(200, r#""a";r=5;t=2"#), NOW); // of the second
        assert_eq!(gate.enter(NOW), Entry::AfterAnswer);
    }

    #[test]
    fn it_stays_closed_as_long_as_anybody_was_told() {
        let mut gate = Gate::default();
        gate.close(NOW, Wait::from_secs(2));
        gate.answered(&reading(200, r#""a";r=0;t=1"#), NOW);
        assert_eq!(gate.enter(NOW), Entry::ClosedUntil(Timestamp::from_secs(102)));
        assert_eq!(gate.enter(Timestamp::from_secs(102)), Entry::Open);
        assert_eq!(gate.enter(Timestamp::from_secs(102)), Entry::AfterAnswer);
    }
}

//! [`Tally`]: what a process counted, the record of what it admitted, and the lines in which a worker tells both.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use tollgate::Decision;

use crate::shared::Checked;
use crate::trouble::Trouble;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Checks,
    Admitted,
    Denied,
    Conflicts,
    RoundTrips,
    Unreachable,
    TimedOut,
    InDoubt,
    Refused,
    Contended,
    Corrupt,
}

impl Count {
    pub(crate) const ALL: [Self; 11] = [
        Self::Checks,
        Self::Admitted,
        Self::Denied,
        Self::Conflicts,
        Self::RoundTrips,
        Self::Unreachable,
        Self::TimedOut,
        Self::InDoubt,
        Self::Refused,
        Self::Contended,
        Self::Corrupt,
    ];

    /// Why there was no decision.
    pub(crate) const UNJUDGED: [Self; 6] =
        [Self::Unreachable, Self::TimedOut, Self::InDoubt, Self::Refused, Self::Contended, Self::Corrupt];

    fn of(trouble: &Trouble) -> Self {
        match trouble {
            Trouble::Unreachable(_) => Self::Unreachable,
            Trouble::TimedOut(_) => Self::TimedOut,
            Trouble::InDoubt(_) => Self::InDoubt,
            Trouble::Refused(_) => Self::Refused,
            Trouble::Contended { .. } => Self::Contended,
            Trouble::Corrupt { .. } => Self::Corrupt,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checks => "checks",
            Self::Admitted => "admitted",
            Self::Denied => "denied",
            Self::Conflicts => "conflicts",
            Self::RoundTrips => "round_trips",
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed_out",
            Self::InDoubt => "in_doubt",
            Self::Refused => "refused",
            Self::Contended => "contended",
            Self::Corrupt => "corrupt",
        })
    }
}

/// One unit that was admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Admission {
    /// The number of its key.
    pub(crate) key: usize,
    /// The server's time at the swap, in nanoseconds: the order of a key's admissions.
    pub(crate) at: u64,
    /// The time that it was judged by.
    pub(crate) now: u64,
    /// The server's life, by its number.
    pub(crate) life: usize,
}

/// What was counted and recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    counts: [u64; Count::ALL.len()],
    /// In microseconds.
    pub(crate) slowest: u64,
    pub(crate) admissions: Vec<Admission>,
    /// The names of the server's lives, by their numbers.
    pub(crate) lives: Vec<String>,
}

impl Tally {
    pub(crate) fn get(&self, count: Count) -> u64 {
        self.counts[count as usize]
    }

    fn add(&mut self, count: Count, number: u64) {
        self.counts[count as usize] += number;
    }

    /// Counts a check of the key with that number.
    pub(crate) fn record(&mut self, key: usize, checked: &Checked<Decision>, took: Duration) {
        self.add(Count::Checks, 1);
        self.add(Count::Conflicts, checked.conflicts.into());
        self.add(Count::RoundTrips, checked.round_trips.into());
        self.add(
            match &checked.outcome {
                Ok(Decision::Allow) => Count::Admitted,
                Ok(Decision::Deny { .. }) => Count::Denied,
                Err(trouble) => Count::of(trouble),
            },
            1,
        );
        self.slowest = self.slowest.max(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        self.admissions.extend(checked.written.map(|written| Admission {
            key,
            at: written.at.as_nanos(),
            now: written.now.as_nanos(),
            life: written.life,
        }));
    }

    /// Adds another's. The lives of the server that both have met are told by their names.
    pub(crate) fn merge(&mut self, other: Self) {
        for count in Count::ALL {
            self.add(count, other.get(count));
        }
        self.slowest = self.slowest.max(other.slowest);
        let numbers: Vec<usize> = other.lives.into_iter().map(|name| self.number(name)).collect();
        let renumbered = |admission: Admission| {
            let life = numbers.get(admission.life).copied().unwrap_or(admission.life);
            Admission { life, ..admission }
        };
        self.admissions.extend(other.admissions.into_iter().map(renumbered));
    }

    fn number(&mut self, name: String) -> usize {
        self.lives.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.lives.push(name);
            self.lives.len() - 1
        })
    }

    /// Tells it, a thing a line.
    pub(crate) fn tell(&self, mut to: impl Write) -> io::Result<()> {
        for count in Count::ALL {
            writeln!(to, "{count} {}", self.get(count))?;
        }
        writeln!(to, "slowest {}", self.slowest)?;
        for name in &self.lives {
            writeln!(to, "life {name}")?;
        }
        for Admission { key, at, now, life } in &self.admissions {
            writeln!(to, "admission {key} {at} {now} {life}")?;
        }
        Ok(())
    }

    /// Takes in a line of what was told; whether it was one.
    pub(crate) fn hear(&mut self, line: &str) -> bool {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        if what == "life" {
            self.lives.push(rest.to_owned());
            return true;
        }
        let numbers: Option<Vec<u64>> = rest.split(' ').map(|number| number.parse().ok()).collect();
        match (what, numbers.as_deref()) {
            ("slowest", Some(&[slowest])) => self.slowest = slowest,
            ("admission", Some(&[key, at, now, life])) => {
                self.admissions.push(Admission { key: key as usize, at, now, life: life as usize });
            }
            (what, Some(&[number])) => match Count::ALL.into_iter().find(|count| count.to_string() == what) {
                Some(count) => self.add(count, number),
                None => return false,
            },
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use tollgate::{Timestamp, Wait};

    use super::*;
    use crate::shared::Written;

    fn checked(outcome: Result<Decision, Trouble>, written: Option<Written>) -> Checked<Decision> {
        Checked { outcome, written, conflicts: 1, round_trips: 2 }
    }

    fn tally(life: &str) -> Tally {
        let written = Written { now: Timestamp::from_nanos(5), at: Timestamp::from_nanos(7), life: 0 };
        let mut tally = Tally { lives: vec![life.to_owned()], ..Tally::default() };
        tally.record(3, &checked(Ok(Decision::Allow), Some(written)), Duration::from_micros(20));
        tally.record(3, &checked(Ok(Decision::Deny { retry_after: Wait::MAX }), None), Duration::from_micros(30));
        tally.record(4, &checked(Err(Trouble::Contended { attempts: 1 }), None), Duration::from_micros(10));
        tally
    }

    #[test]
    fn what_is_told_is_heard() {
        let mut told = Vec::new();
        tally("a b").tell(&mut told).unwrap();
        let mut heard = Tally::default();
        let told = String::from_utf8(told).unwrap();
        assert!(told.lines().all(|line| heard.hear(line)), "{told}");
        assert_eq!(heard, tally("a b"));
        assert_eq!((heard.slowest, heard.get(Count::Checks), heard.get(Count::RoundTrips)), (30, 3, 6));
    }

    #[test]
    fn anything_else_is_not() {
        for line in ["", "admitted", "admitted x", "admission 1 2 3", "slowest -1", "rejected 5", "checks 1 2"] {
            assert!(!Tally::default().hear(line), "{line}");
        }
    }

    #[test]
    fn tallies_of_one_server_add_up() {
        let mut sum = Tally::default();
        ["first", "second", "first"].into_iter().for_each(|life| sum.merge(tally(life)));
        let lives: Vec<usize> = sum.admissions.iter().map(|admission| admission.life).collect();
        assert_eq!((lives, sum.lives.len()), (vec![0, 1, 0], 2));
        assert_eq!((sum.get(Count::Admitted), sum.get(Count::Denied), sum.get(Count::Contended)), (3, 3, 3));
    }
}

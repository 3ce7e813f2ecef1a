//! Requests held in memory: to be sorted by time, and to be judged again, a key at a time, for pictures and suggestions.

use std::io::BufRead;

use indexmap::IndexSet;
use tollgate::{Monotonic, Timestamp};

use crate::cli::Order;
use crate::error::Error;
use crate::input::{Request, Requests};
use crate::judge::KeyId;

/// Requests that are held at most where they are judged more than once: 2 GB of them.
pub(crate) const MOST_HELD: usize = 50_000_000;

/// Each key once; its number is its place.
#[derive(Default)]
pub(crate) struct Keys(pub(crate) IndexSet<Box<str>>);

impl Keys {
    pub(crate) fn number(&mut self, key: &str) -> KeyId {
        self.0.get_index_of(key).unwrap_or_else(|| self.0.insert_full(key.into()).0)
    }

    pub(crate) fn name(&self, key: KeyId) -> &str {
        self.0.get_index(key).map(AsRef::as_ref).unwrap_or_default()
    }
}

/// A request, whose it is, and when it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) request: Request,
    pub(crate) key: KeyId,
    pub(crate) now: Timestamp,
}

/// All requests of an input, in the order in which they are judged.
pub(crate) struct Traffic(Vec<Held>);

impl Traffic {
    /// Reads all there are, but no more than `most`.
    ///
    /// # Errors
    ///
    /// What cannot be read, an input without a request, and one of too many.
    pub(crate) fn read(
        requests: &mut Requests<impl BufRead>,
        keys: &mut Keys,
        order: Order,
        most: usize,
    ) -> Result<Self, Error> {
        let mut all = Vec::new();
        let mut clock = match order {
            Order::ByTime | Order::AsItComes { tolerance: None } => None,
            Order::AsItComes { tolerance: Some(tolerance) } => Some(Monotonic::new(tolerance)),
        };
        while let Some(request) = requests.next()? {
            if all.len() >= most {
                return Err(Error::TooMany { most });
            }
            let at = Timestamp::from_nanos(request.at_ns);
            let now = clock.as_mut().map_or(at, |clock| clock.advance(at));
            all.push(Held { request, key: keys.number(requests.key()), now });
        }
        if order == Order::ByTime {
            // Lines ascend, so this is the stable order by time, in place.
            all.sort_unstable_by_key(|held| (held.request.at_ns, held.request.line));
        }
        Ok(Self(all))
    }

    pub(crate) fn all(&self) -> &[Held] {
        &self.0
    }

    /// The same, key by key.
    pub(crate) fn by_key(mut self) -> ByKey {
        // Stable: the requests of a key stay in the order in which they are judged.
        self.0.sort_by_key(|held| held.key);
        ByKey(self.0)
    }
}

/// All requests of an input, those of a key together and in the order in which they are judged.
pub(crate) struct ByKey(Vec<Held>);

impl ByKey {
    pub(crate) fn of(&self, key: KeyId) -> &[Held] {
        let from = self.0.partition_point(|held| held.key < key);
        let to = self.0.partition_point(|held| held.key <= key);
        &self.0[from..to]
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &[Held]> {
        self.0.chunk_by(|a, b| a.key == b.key)
    }

    #[cfg(test)]
    pub(crate) fn of_requests(requests: &[(KeyId, u64, u64)]) -> Self {
        let held = requests.iter().map(|&(key, at_ns, cost)| Held {
            request: Request { line: 1, at_ns, cost },
            key,
            now: Timestamp::from_nanos(at_ns),
        });
        Traffic(held.collect()).by_key()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate::Wait;

    fn read(input: &str, order: Order, most: usize) -> Result<(Keys, Traffic), Error> {
        let mut requests = Requests::new(input.as_bytes(), "input", None, None)?;
        let mut keys = Keys::default();
        let traffic = Traffic::read(&mut requests, &mut keys, order, most)?;
        Ok((keys, traffic))
    }

    const INPUT: &str = "at_ns,key\n50,a\n30,b\n50,c\n10,a\n";

    #[test]
    fn requests_are_sorted_by_time_unless_order_is_kept() {
        let lines = |order| {
            let (_, traffic) = read(INPUT, order, 9).unwrap();
            traffic.all().iter().map(|held| held.request.line).collect::<Vec<_>>()
        };
        assert_eq!(lines(Order::ByTime), [5, 3, 2, 4]);
        assert_eq!(lines(Order::AsItComes { tolerance: None }), [2, 3, 4, 5]);
    }

    #[test]
    fn a_clock_is_read_in_file_order() {
        let order = Order::AsItComes { tolerance: Some(Wait::from_nanos(1_000)) };
        let (_, traffic) = read(INPUT, order, 9).unwrap();
        assert!(traffic.all().iter().all(|held| held.now == Timestamp::from_nanos(50)));
    }

    #[test]
    fn the_requests_of_a_key_stay_in_order() {
        let (keys, traffic) = read(INPUT, Order::ByTime, 9).unwrap();
        let by_key = traffic.by_key();
        let a = keys.0.get_index_of("a").unwrap();
        assert_eq!(by_key.of(a).iter().map(|held| held.request.at_ns).collect::<Vec<_>>(), [10, 50]);
        assert_eq!(by_key.keys().map(<[Held]>::len).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(by_key.of(99), []);
    }

    #[test]
    fn more_than_can_be_held_is_an_error() {
        assert!(read(INPUT, Order::ByTime, 4).is_ok());
        let error = read(INPUT, Order::ByTime, 3).err().unwrap().to_string();
        assert!(error.contains("more than 3 requests"), "{error}");
    }
}

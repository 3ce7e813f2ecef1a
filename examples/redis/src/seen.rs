//! [`Seen`]: the bytes that this process saw last of each key, for a guess at what the server holds.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Beyond so many keys it starts anew. It is only a guess.
const MOST_KEYS: usize = 65_536;

/// What was seen last of each key.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<HashMap<Box<[u8]>, Vec<u8>>>);

impl Seen {
    /// The last value of a key. One that was never seen is guessed to have none.
    pub(crate) fn guess(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.lock().get(key).cloned()
    }

    /// This is the value.
    pub(crate) fn is(&self, key: &[u8], value: Option<&[u8]>) {
        let mut seen = self.lock();
        let Some(value) = value else {
            seen.remove(key);
            return;
        };
        if let Some(last) = seen.get_mut(key) {
            last.clear();
            last.extend_from_slice(value);
            return;
        }
        if seen.len() >= MOST_KEYS {
            seen.clear();
        }
        seen.insert(key.into(), value.into());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<[u8]>, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_is_guessed_and_none_for_a_key_without() {
        let seen = Seen::default();
        assert_eq!(seen.guess(b"k"), None);
        seen.is(b"k", Some(b"first"));
        seen.is(b"k", Some(b"2nd"));
        assert_eq!(seen.guess(b"k").as_deref(), Some(&b"2nd"[..]));
        seen.is(b"k", None);
        assert_eq!(seen.guess(b"k"), None);
    }

    #[test]
    fn it_is_bounded() {
        let seen = Seen::default();
        for n in 0..=MOST_KEYS {
            seen.is(&n.to_be_bytes(), Some(b"v"));
        }
        assert_eq!(seen.lock().len(), 1);
        assert!(seen.guess(&MOST_KEYS.to_be_bytes()).is_some());
    }
}

//! States: their numbers by name. What a number may be is known to the state itself, which is built from its parts, as in `wire`.

use core::fmt;
use core::marker::PhantomData;

use serde_core::de::{Error, SeqAccess, Visitor};
use serde_core::ser::SerializeStruct;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::fields::fields;
use crate::policy::{FixedWindowState, LogMemory, LogState, TokenBucketState};

impl Serialize for FixedWindowState {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (ends_at, used) = self.parts();
        let mut to = to.serialize_struct("FixedWindowState", 2)?;
        to.serialize_field("ends_at_ns", &ends_at)?;
        to.serialize_field("used", &used)?;
        to.end()
    }
}

/// Validated, as in [`wire`](crate::wire).
impl<'de> Deserialize<'de> for FixedWindowState {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Window { ends_at, used } = Window::deserialize(from)?;
        Self::from_parts(ends_at, used).map_err(D::Error::custom)
    }
}

fields! { Window as "the state of a fixed window" { ends_at: u64 = "ends_at_ns", used: u32 = "used" } }

impl Serialize for TokenBucketState {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (last, full_at, slack, of) = self.parts();
        let mut to = to.serialize_struct("TokenBucketState", 4)?;
        to.serialize_field("last_ns", &last)?;
        to.serialize_field("full_at_ns", &full_at)?;
        to.serialize_field("slack", &slack)?;
        to.serialize_field("of", &of)?;
        to.end()
    }
}

/// Validated, as in [`wire`](crate::wire).
impl<'de> Deserialize<'de> for TokenBucketState {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Bucket { last, full_at, slack, of } = Bucket::deserialize(from)?;
        Self::from_parts(last, full_at, slack, of).map_err(D::Error::custom)
    }
}

fields! {
    Bucket as "the state of a token bucket" {
        last: u64 = "last_ns", full_at: u64 = "full_at_ns", slack: u32 = "slack", of: u32 = "of"
    }
}

impl<M: LogMemory> Serialize for LogState<M> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut to = to.serialize_struct("LogState", 2)?;
        to.serialize_field("last_ns", &self.last())?;
        to.serialize_field("entries", &Written(self))?;
        to.end()
    }
}

/// The entries of a log that is written.
struct Written<'a, M>(&'a LogState<M>);

impl<M: LogMemory> Serialize for Written<'_, M> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde_core::ser::SerializeSeq;
        let mut to = to.serialize_seq(usize::try_from(self.0.len()).ok())?;
        for (expires, units) in self.0.entries() {
            to.serialize_element(&Entry { expires, units })?;
        }
        to.end()
    }
}

fields! { Entry as "an entry of a log" { expires: u64 = "expires_ns", units: u32 = "units" } }

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut to = to.serialize_struct("Entry", 2)?;
        to.serialize_field("expires_ns", &self.expires)?;
        to.serialize_field("units", &self.units)?;
        to.end()
    }
}

/// Validated, as in [`wire`](crate::wire). A log in place refuses more entries than it has room for.
impl<'de, M: LogMemory> Deserialize<'de> for LogState<M> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Log { last, entries } = Log::<M>::deserialize(from)?;
        entries.0.last_read_at(last).map_err(D::Error::custom)
    }
}

fields! { Log<M: LogMemory> as "the state of a sliding log" { last: u64 = "last_ns", entries: Read<M> = "entries" } }

/// The entries of a log that is read: the log, but for the time that it last read.
struct Read<M>(LogState<M>);

/// The most entries for which room is made before they are there.
const LIKELY: usize = 1024;

impl<'de, M: LogMemory> Deserialize<'de> for Read<M> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries<M>(PhantomData<M>);

        impl<'de, M: LogMemory> Visitor<'de> for Entries<M> {
            type Value = Read<M>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the entries of a log, oldest first")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Read<M>, A::Error> {
                // At most the likely number, which is less than 2^32.
                let mut log = LogState::for_entries(seq.size_hint().unwrap_or(0).min(LIKELY) as u32);
                while let Some(Entry { expires, units }) = seq.next_element()? {
                    log.append(expires, units).map_err(A::Error::custom)?;
                }
                Ok(Read(log))
            }
        }

        from.deserialize_seq(Entries(PhantomData))
    }
}

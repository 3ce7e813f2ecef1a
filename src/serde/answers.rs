//! Times, decisions and statuses.

use core::fmt;
use core::marker::PhantomData;

use serde_core::de::{EnumAccess, Error, Unexpected, VariantAccess, Visitor};
use serde_core::ser::{SerializeStruct, SerializeStructVariant};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::fields::{Fields, OneOf, fields};
use crate::decision::{Decision, Status};
use crate::time::{Timestamp, Wait};

/// Nanoseconds since the epoch.
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.as_nanos())
    }
}

/// A number beyond the last timestamp is an error.
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let nanos = u64::deserialize(from)?;
        let timestamp = Self::from_nanos(nanos);
        if timestamp.as_nanos() != nanos {
            let expected = "a timestamp, 0 to 9223372036854775807 ns since the epoch";
            return Err(D::Error::invalid_value(Unexpected::Unsigned(nanos), &expected));
        }
        Ok(timestamp)
    }
}

/// Nanoseconds.
impl Serialize for Wait {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.as_nanos())
    }
}

impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u64::deserialize(from).map(Self::from_nanos)
    }
}

const VARIANTS: &[&str] = &["allow", "deny"];

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Allow => to.serialize_unit_variant("Decision", 0, "allow"),
            Self::Deny { retry_after } => {
                let mut to = to.serialize_struct_variant("Decision", 1, "deny", 1)?;
                to.serialize_field("retry_after_ns", retry_after)?;
                to.end()
            }
        }
    }
}

/// A denial without a wait is an error.
impl<'de> Deserialize<'de> for Decision {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_enum("Decision", VARIANTS, DecisionVisitor)
    }
}

struct DecisionVisitor;

impl<'de> Visitor<'de> for DecisionVisitor {
    type Value = Decision;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decision, allow or deny")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, from: A) -> Result<Decision, A::Error> {
        let (variant, content) = from.variant_seed(OneOf::Variants(VARIANTS))?;
        if variant == "allow" {
            return content.unit_variant().map(|()| Decision::Allow);
        }
        let retry_after = content.struct_variant(Deny::FIELDS, Fields::<Deny>(PhantomData))?.retry_after;
        if retry_after.is_zero() {
            return Err(A::Error::invalid_value(Unexpected::Unsigned(0), &"a wait above zero"));
        }
        Ok(Decision::Deny { retry_after })
    }
}

fields! { Deny as "a denial" { retry_after: Wait = "retry_after_ns" } }

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut to = to.serialize_struct("Status", 4)?;
        to.serialize_field("limit", &self.limit)?;
        to.serialize_field("remaining", &self.remaining)?;
        to.serialize_field("grows_in_ns", &self.grows_in)?;
        to.serialize_field("full_in_ns", &self.full_in)?;
        to.end()
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let StatusFields { limit, remaining, grows_in, full_in } = StatusFields::deserialize(from)?;
        Ok(Self::new(limit, remaining, grows_in, full_in))
    }
}

fields! {
    StatusFields as "a status" {
        limit: u32 = "limit", remaining: u32 = "remaining", grows_in: Wait = "grows_in_ns", full_in: Wait = "full_in_ns"
    }
}

//! Structs, read from a map of their fields in any order, or from a sequence of them, as a derive would; but a field that is unknown is an error.

use core::fmt;
use core::marker::PhantomData;

use serde_core::de::{DeserializeSeed, Deserializer, Error, Unexpected, Visitor};

/// Reads a struct that `fields!` has defined.
pub(super) struct Fields<T>(pub(super) PhantomData<T>);

/// Defines a struct that is read only to be validated, with what it is, and the names of its fields in documents.
macro_rules! fields {
    ($name:ident $(<$generic:ident: $bound:path>)? as $what:literal { $($field:ident: $type:ty = $key:literal),* $(,)? }) => {
        struct $name $(<$generic: $bound>)? {
            $($field: $type,)*
        }

        impl $(<$generic: $bound>)? $name $(<$generic>)? {
            const FIELDS: &'static [&'static str] = &[$($key),*];
        }

        impl<'de, $($generic: $bound)?> serde_core::Deserialize<'de> for $name $(<$generic>)? {
            fn deserialize<D: serde_core::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let fields = $crate::serde::fields::Fields::<Self>(core::marker::PhantomData);
                from.deserialize_struct(stringify!($name), Self::FIELDS, fields)
            }
        }

        impl<'de, $($generic: $bound)?> serde_core::de::Visitor<'de>
            for $crate::serde::fields::Fields<$name $(<$generic>)?>
        {
            type Value = $name $(<$generic>)?;

            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!($what, ", with the fields", $(" `", $key, "`"),*))
            }

            fn visit_seq<A: serde_core::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                $(
                    let $field = seq.next_element()?;
                    let $field = $field.ok_or_else(|| serde_core::de::Error::missing_field($key))?;
                )*
                Ok($name { $($field),* })
            }

            fn visit_map<A: serde_core::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let one_of = || $crate::serde::fields::OneOf::Fields(Self::Value::FIELDS);
                $(let mut $field: Option<$type> = None;)*
                while let Some(key) = map.next_key_seed(one_of())? {
                    match key {
                        $(
                            $key if $field.is_some() => return Err(serde_core::de::Error::duplicate_field($key)),
                            $key => $field = Some(map.next_value()?),
                        )*
                        other => return Err(serde_core::de::Error::unknown_field(other, Self::Value::FIELDS)),
                    }
                }
                Ok($name { $($field: $field.ok_or_else(|| serde_core::de::Error::missing_field($key))?),* })
            }
        }
    };
}

pub(super) use fields;

/// One of these names, or its number.
pub(super) enum OneOf {
    Fields(&'static [&'static str]),
    Variants(&'static [&'static str]),
}

impl OneOf {
    fn names(&self) -> &'static [&'static str] {
        match self {
            Self::Fields(names) | Self::Variants(names) => names,
        }
    }
}

impl<'de> DeserializeSeed<'de> for OneOf {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<&'static str, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for OneOf {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {:?}", self.names())
    }

    fn visit_str<E: Error>(self, given: &str) -> Result<&'static str, E> {
        let known = self.names().iter().find(|name| **name == given);
        known.copied().ok_or_else(|| match self {
            Self::Fields(names) => E::unknown_field(given, names),
            Self::Variants(names) => E::unknown_variant(given, names),
        })
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<&'static str, E> {
        let known = usize::try_from(index).ok().and_then(|index| self.names().get(index));
        known.copied().ok_or_else(|| E::invalid_value(Unexpected::Unsigned(index), &self))
    }
}

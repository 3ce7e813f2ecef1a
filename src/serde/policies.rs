//! Policies, in their text form.

use core::fmt;

use serde_core::de::{Error, Visitor};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::policy::{Both, FixedWindow, SlidingLog, TokenBucket};

macro_rules! in_text {
    ($($policy:ty: $expected:literal;)*) => {
        $(
            impl Serialize for $policy {
                fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    to.collect_str(self)
                }
            }

            /// Validated as by `parse`, with its errors.
            impl<'de> Deserialize<'de> for $policy {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    struct Text;

                    impl Visitor<'_> for Text {
                        type Value = $policy;

                        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                            f.write_str($expected)
                        }

                        fn visit_str<E: Error>(self, text: &str) -> Result<$policy, E> {
                            text.parse().map_err(E::custom)
                        }
                    }

                    from.deserialize_str(Text)
                }
            }
        )*
    };
}

in_text! {
    FixedWindow: "a fixed window as text, such as \"10/60s\" or \"1000/1d,aligned\"";
    SlidingLog: "a sliding log as text, such as \"10/60s\"";
    TokenBucket: "a token bucket as text, such as \"10/60s\" or \"10/60s,burst=5\"";
}

/// The one and the other.
impl<A: Serialize, B: Serialize> Serialize for Both<A, B> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (&self.0, &self.1).serialize(to)
    }
}

impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Deserialize<'de> for Both<A, B> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Deserialize::deserialize(from).map(|(one, other)| Self(one, other))
    }
}

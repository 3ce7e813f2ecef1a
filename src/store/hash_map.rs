//! The standard library's `HashMap`, with any hasher, as a store.

use core::borrow::Borrow;
use core::convert::Infallible;
use core::hash::{BuildHasher, Hash};
use std::borrow::ToOwned;
use std::collections::HashMap;

use super::map::{Map, Prune, std_map, unexpired, update};
use super::{Store, look};
use crate::state::State;
use crate::time::Timestamp;

std_map!([K, H: BuildHasher] HashMap<K, S, H>, Eq + Hash);

//! The `BTreeMap` of `alloc` as a store.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use core::borrow::Borrow;
use core::convert::Infallible;

use super::map::{Map, Prune, std_map, unexpired, update};
use super::{Store, look};
use crate::state::State;
use crate::time::Timestamp;

std_map!([K] BTreeMap<K, S>, Ord);

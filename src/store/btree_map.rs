//! The `BTreeMap` of `alloc` as a store.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use core::borrow::Borrow;
use core::convert::Infallible;

use super::Store;
use super::map::{Map, Prune, std_map, update, view};
use crate::state::State;
use crate::time::Timestamp;

std_map!([K] BTreeMap<K, S>, Ord);

//! The crate's laws, held against stores and policies of your own.
//!
//! Call one of these in a test of yours. Each tries every small trace of what can be done, in order of length, so the first one that breaks a
//! law is one of the shortest there are; then it panics with the law, the steps, and what was seen. No dependency, no seed, nothing to shrink.
//!
//! | to test | call | more to set |
//! | --- | --- | --- |
//! | a store | [`store`] | [`StoreSuite`]: its capacity, how it is pruned, how far to go |
//! | a store that threads share | [`threads`], and [`StoreSuite`] over [`Shared`] | |
//! | a policy | [`policy`] | [`PolicySuite`]: its bound, its grid, other tiers, times, costs, how far to go |
//! | two policies at once | [`together`](together()) | |
//!
//! As they are, each takes about a second in a debug build at most; a suite says what takes longer.
//!
//! # A store of your own
//!
//! ```
//! use core::convert::Infallible;
//! use tollgate::{FixedWindowState, State, Store, Timestamp, conformance};
//!
//! /// A handful of keys, in the order in which they came.
//! struct Pairs<S>(Vec<(String, S)>);
//!
//! impl<S: State> Store<str> for &mut Pairs<S> {
//!     type State = S;
//!     type Error = Infallible;
//!
//!     fn update<R>(self, key: &str, now: Timestamp, f: impl FnOnce(&mut S, Timestamp) -> R) -> Result<R, Infallible> {
//!         if let Some((_, state)) = self.0.iter_mut().find(|(mine, _)| mine == key) {
//!             return Ok(f(state, now));
//!         }
//!         let mut state = S::default();
//!         let answer = f(&mut state, now);
//!         if state != S::default() {
//!             self.0.push((key.to_owned(), state));
//!         }
//!         Ok(answer)
//!     }
//!
//!     fn modify<R>(self, key: &str, f: impl FnOnce(&mut S) -> R) -> Option<R> {
//!         self.0.iter_mut().find(|(mine, _)| mine == key).map(|(_, state)| f(state))
//!     }
//!
//!     fn view<R>(self, key: &str, now: Timestamp, f: impl FnOnce(&S, Timestamp) -> R) -> R {
//!         match self.0.iter().find(|(mine, _)| mine == key) {
//!             Some((_, state)) => f(state, now),
//!             None => f(&S::default(), now),
//!         }
//!     }
//! }
//!
//! // In your tests: with any of the crate's states, where the store is generic.
//! conformance::store(["a", "b", "c"], || Pairs::<FixedWindowState>(Vec::new()));
//! ```
//!
//! A store of a state of your own needs to be told how to make one: see [`Specimen`].
//!
//! # A policy of your own
//!
//! ```
//! use core::time::Duration;
//! use tollgate::conformance::{self, PolicySuite};
//! use tollgate::{CostExceedsLimit, Decision, Policy, State, Timestamp, Wait};
//!
//! /// One request, and then none for a second.
//! struct Cooldown;
//!
//! const SECOND: u64 = 1_000_000_000;
//!
//! /// Until when, in nanoseconds. The last admission was a second before.
//! #[derive(Clone, Default, PartialEq)]
//! struct Cooling(u64);
//!
//! impl State for Cooling {
//!     fn is_expired(&self, now: Timestamp) -> bool { now.as_nanos() >= self.0 }
//!     fn expires_at(&self) -> Timestamp { Timestamp::from_nanos(self.0) }
//! }
//!
//! impl Policy<Cooling> for Cooldown {
//!     fn limit(&self) -> u32 { 1 }
//!
//!     fn preview(&self, state: &Cooling, cost: u32, now: Timestamp) -> Result<Decision, CostExceedsLimit> {
//!         match cost {
//!             0 => Ok(Decision::Allow),
//!             1 if state.is_expired(now) => Ok(Decision::Allow),
//!             1 => Ok(Decision::Deny { retry_after: Wait::from_nanos(state.0 - now.as_nanos()) }),
//!             _ => Err(CostExceedsLimit::new(cost, 1)),
//!         }
//!     }
//!
//!     fn remaining_of(&self, state: &Cooling, now: Timestamp) -> u32 { u32::from(state.is_expired(now)) }
//!
//!     fn charge_to(&self, state: &mut Cooling, cost: u32, now: Timestamp) {
//!         if cost > 0 {
//!             // Never before the last admission: without this, law 6 fails.
//!             let read = now.as_nanos().max(state.0.saturating_sub(SECOND));
//!             state.0 = read + SECOND;
//!         }
//!     }
//!
//!     fn refund_to(&self, state: &mut Cooling, cost: u32, now: Timestamp) {
//!         if cost > 0 && !state.is_expired(now) {
//!             state.0 = state.0.saturating_sub(SECOND);
//!         }
//!     }
//! }
//!
//! // In your tests: once with what holds of any policy, and once with its bound, of which there is none but yours.
//! conformance::policy::<Cooling>(&Cooldown);
//! PolicySuite::new(&Cooldown).at_most(1, Duration::from_secs(1)).tight().check();
//! ```
//!
//! # What it says
//!
//! Were `Cooldown` to give its waits in whole milliseconds, rounded down:
//!
//! ```text
//! the policy does not conform: law 4, exact retry, is broken
//!   With nothing in between, the same request is allowed at now + retry_after and denied a nanosecond earlier; the wait is above zero
//!   and counts from the caller's now.
//! after this step, and by no shorter trace:
//!   1. judge 1 at 0ns: allowed
//!   => preview 1 at 0ns: denied, retry after 1s; then preview 1 at 999.999999ms: denied, retry after 0ns; it must be: denied, retry
//!      after 1ns
//! ```
//!
//! (Broken here into more lines.) Calls are named as those of [`Policy`] and [`Store`]; after `=>` stands what was asked of what the steps left behind.
//!
//! # What is held
//!
//! Each [`Law`] says it in a sentence. Of the numbered ones: 3 to 9 of any policy; 1 and 2 where a [bound](PolicySuite::bound) is given, since each
//! policy has its own; 10 of two policies [together](together()). Of stores: 3, 7 and 8, and what [`Store`] asks of one.
//!
//! What it tries is small: a fault that takes five keys, or an hour of traffic, it does not see. The repository's own tests hold the
//! crate's policies against a naive model at every step, which is the better test where there is such a model. A port to another language can
//! be held against that model too, by `tests/vectors` and `examples/oracle` of the repository: see [the guide](crate::guide::testing).

mod bound;
mod law;
mod policy_effects;
mod policy_laws;
mod policy_stores;
mod policy_suite;
mod samples;
mod shared;
mod specimen;
mod store_model;
mod store_suite;
mod store_trace;
mod subject;
mod together;

pub use bound::Admission;
pub use law::{Breach, Law};
pub use policy_suite::PolicySuite;
pub use shared::{Shared, threads};
pub use specimen::Specimen;
pub use store_suite::StoreSuite;
pub use together::together;

use core::fmt;

use crate::policy::Policy;
use crate::state::State;
use crate::store::Store;

/// Holds a policy to the laws: a [`PolicySuite`] as it is.
///
/// A policy with a grid, aligned windows or a refill by interval, takes [`PolicySuite::on_a_grid`] instead: at other times, law 9 holds of it
/// by whole windows only.
///
/// # Panics
///
/// With the law that is broken and the shortest trace that does it, written out.
///
/// ```
/// use core::time::Duration;
/// use tollgate::{FixedWindow, FixedWindowState, conformance};
///
/// conformance::policy::<FixedWindowState>(&FixedWindow::constant(10, Duration::from_secs(60)));
/// ```
#[track_caller]
pub fn policy<S: State>(policy: &impl Policy<S>) {
    PolicySuite::<_, S>::new(policy).check();
}

/// Holds a store to the laws: a [`StoreSuite`] as it is.
///
/// `keys` are keys that differ, three or so; `make` makes a store that is empty.
///
/// # Panics
///
/// With the law that is broken and the shortest trace that does it, written out.
///
/// ```
/// use std::collections::HashMap;
/// use tollgate::{TokenBucketState, conformance};
///
/// conformance::store(["a", "b", "c"], HashMap::<String, TokenBucketState>::new);
/// conformance::store(&[1, 2, 3], HashMap::<u64, TokenBucketState>::new); // what is looked up by a reference is given as one
/// ```
#[track_caller]
pub fn store<'k, K, T, S>(keys: impl IntoIterator<Item = &'k K>, make: impl Fn() -> T + 'k)
where
    K: fmt::Debug + ?Sized + 'k,
    for<'a> &'a mut T: Store<K, State = S>,
    S: Specimen,
{
    StoreSuite::new(keys, make).check();
}

//! Conformance.

mod law;
mod policy_effects;
mod policy_laws;
mod policy_suite;
mod shared;
mod specimen;
mod store_model;
mod store_suite;
mod store_trace;
mod subject;
mod together;

pub use law::{Breach, Law};
pub use policy_suite::{Admission, PolicySuite};
pub use shared::{Shared, threads};
pub use specimen::Specimen;
pub use store_suite::StoreSuite;
pub use together::together;

use core::fmt;

use crate::policy::{Policy, State};
use crate::store::Store;

/// Holds a policy to the laws.
#[track_caller]
pub fn policy<S: State>(policy: &impl Policy<S>) {
    PolicySuite::<_, S>::new(policy).check();
}

/// Holds a store to the laws.
#[track_caller]
pub fn store<'k, K, T, S>(keys: impl IntoIterator<Item = &'k K>, make: impl Fn() -> T + 'k)
where
    K: fmt::Debug + ?Sized + 'k,
    for<'a> &'a mut T: Store<K, State = S>,
    S: Specimen,
{
    StoreSuite::new(keys, make).check();
}

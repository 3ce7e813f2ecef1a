//! Stores that are shared, as those that lock are: [`Shared`], and updates from several threads at once.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use std::format;
use std::string::String;
use std::sync::Mutex;
use std::thread;
use std::vec::Vec;

use super::law::{Breach, Law};
use super::specimen::Specimen;
use super::store_suite::name;
use crate::store::Store;
use crate::time::{Timestamp, Wait};

/// A store that is used through `&T`, for [`StoreSuite`](super::StoreSuite), which uses stores through `&mut T`.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::convert::Infallible;
/// use std::sync::{Mutex, PoisonError};
/// use tollgate::conformance::{self, Shared, StoreSuite};
/// use tollgate::store::Pruned;
/// use tollgate::{FixedWindowState, Store, Timestamp};
///
/// /// One lock around it all.
/// #[derive(Default)]
/// struct Locked(Mutex<Pruned<BTreeMap<u64, FixedWindowState>>>);
///
/// impl Store<u64> for &Locked {
///     type State = FixedWindowState;
///     type Error = Infallible;
///
///     fn update<R>(self, key: &u64, now: Timestamp, f: impl FnOnce(&mut FixedWindowState, Timestamp) -> R) -> Result<R, Infallible> {
///         self.0.lock().unwrap_or_else(PoisonError::into_inner).update(key, now, f)
///     }
///
///     fn modify<R>(self, key: &u64, f: impl FnOnce(&mut FixedWindowState) -> R) -> Option<R> {
///         self.0.lock().unwrap_or_else(PoisonError::into_inner).modify(key, f)
///     }
///
///     fn view<R>(self, key: &u64, now: Timestamp, f: impl FnOnce(&FixedWindowState, Timestamp) -> R) -> R {
///         self.0.lock().unwrap_or_else(PoisonError::into_inner).view(key, now, f)
///     }
/// }
///
/// StoreSuite::new([&1, &2, &3], || Shared(Locked::default()))
///     .prune(|Shared(locked), now| { locked.0.lock().unwrap().prune(now); })
///     .check();
/// conformance::threads([&1, &2, &3], Locked::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared<T>(
    /// The store.
    pub T,
);

impl<'a, K: ?Sized, T> Store<K> for &'a mut Shared<T>
where
    &'a T: Store<K>,
{
    type State = <&'a T as Store<K>>::State;
    type Error = <&'a T as Store<K>>::Error;

    fn update<R>(
        self,
        key: &K,
        now: Timestamp,
        f: impl FnOnce(&mut Self::State, Timestamp) -> R,
    ) -> Result<R, Self::Error> {
        self.0.update(key, now, f)
    }

    fn modify<R>(self, key: &K, f: impl FnOnce(&mut Self::State) -> R) -> Option<R> {
        self.0.modify(key, f)
    }

    fn view<R>(self, key: &K, now: Timestamp, f: impl FnOnce(&Self::State, Timestamp) -> R) -> R {
        self.0.view(key, now, f)
    }
}

const THREADS: u32 = 4;
const ROUNDS: u32 = 100;

/// Holds a store that is shared by threads to its own law: updates of one key follow one another, and each finds what the one before it stored.
///
/// A store that breaks it is found out by chance only, and seldom passes often. What [`StoreSuite`](super::StoreSuite) tries is not tried here.
///
/// # Panics
///
/// With the update that went wrong, written out.
///
/// See [`Shared`] for an example.
#[track_caller]
pub fn threads<'k, K, T, S>(keys: impl IntoIterator<Item = &'k K>, store: T)
where
    K: fmt::Debug + Sync + ?Sized + 'k,
    for<'a> &'a T: Store<K, State = S>,
    T: Sync,
    S: Specimen + Send,
{
    let keys: Vec<_> = keys.into_iter().collect();
    let last_stored: Vec<_> = keys.iter().map(|_| Mutex::new(S::default())).collect();
    let broken = AtomicBool::new(false);
    let update = |mark: u32, key: &K, last_stored: &Mutex<S>| {
        let updated = (&store).update(key, Timestamp::ZERO, |state, _| {
            let Ok(mut last) = last_stored.try_lock() else {
                return Err("two updates at once");
            };
            let lost = *state != *last;
            *state = S::lasting(Timestamp::ZERO, Wait::from_nanos(1), mark);
            *last = state.clone();
            if lost { Err("an update finds another state than the one before it stored") } else { Ok(()) }
        });
        // A store without room has nothing to lose.
        updated.unwrap_or(Ok(()))
    };
    let thread = |number: u32| {
        for round in 0..ROUNDS {
            // Above zero, and of this update alone.
            let mark = 1 + number * ROUNDS + round;
            for (index, (key, last)) in keys.iter().zip(&last_stored).enumerate() {
                if broken.load(Ordering::Relaxed) {
                    return Ok(());
                }
                if let Err(text) = update(mark, key, last) {
                    broken.store(true, Ordering::Relaxed);
                    return Err(format!("update {}: {text}", name(&keys, index)));
                }
            }
        }
        Ok::<(), String>(())
    };
    let thread = &thread;
    let faults: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || thread(number))).collect();
        running.into_iter().filter_map(|handle| handle.join().unwrap_or_else(|_| Err("a panic".into())).err()).collect()
    });
    if let Some(fault) = faults.into_iter().next() {
        let trace = Vec::from([format!("{THREADS} threads update each key {ROUNDS} times")]);
        panic!("the store does not conform: {}", Breach { law: Law::Sharing, trace, fault });
    }
}

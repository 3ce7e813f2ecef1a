//! The methods of [`Policy`](super::Policy) as inherent methods of each policy, so that its users import no trait.

/// Writes them for a policy. The literals make the examples: its type, an expression for ten units a minute, and the type of its state.
macro_rules! inherent {
    ([$($generic:ident),*] $policy:ty, $name:literal, $make:literal, $state:literal) => {
        /// Over a store, with a key.
        impl<$($generic),*> $policy {
            /// Whether one unit may pass for `key`, counting it if so.
            ///
            /// # Errors
            ///
            /// The store's own: [`Full`](crate::Full) for a fixed capacity, none for maps that grow.
            ///
            /// # Cost
            ///
            /// One look-up, and no clone of a key that is there.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use std::collections::HashMap;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut clients: HashMap<String, ", $state, "> = HashMap::new();")]
            /// let Ok(decision) = POLICY.check(&mut clients, "203.0.113.9", Timestamp::ZERO);
            /// assert!(decision.is_allow());
            /// ```
            #[inline]
            pub fn check<K: ?Sized, T: crate::Store<K>>(&self, store: T, key: &K, now: crate::Timestamp) -> Result<crate::Decision, T::Error>
            where
                Self: crate::Policy<T::State>,
            {
                crate::Policy::check(self, store, key, now)
            }

            /// Whether `cost` units may pass for `key`, counting them if so. A cost of zero only looks.
            ///
            /// # Errors
            ///
            /// [`CheckError::CostExceedsLimit`](crate::CheckError) where `cost` can never pass, or the store's own.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use std::collections::HashMap;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut clients: HashMap<String, ", $state, "> = HashMap::new();")]
            /// assert_eq!(POLICY.check_n(&mut clients, "203.0.113.9", 10, Timestamp::ZERO), Ok(Decision::Allow));
            /// assert!(POLICY.check_n(&mut clients, "203.0.113.9", 1, Timestamp::ZERO).unwrap().retry_after().is_some());
            /// assert!(POLICY.check_n(&mut clients, "203.0.113.9", 11, Timestamp::ZERO).is_err()); // never
            /// ```
            #[inline]
            pub fn check_n<K: ?Sized, T: crate::Store<K>>(
                &self,
                store: T,
                key: &K,
                cost: u32,
                now: crate::Timestamp,
            ) -> Result<crate::Decision, crate::CheckError<T::Error>>
            where
                Self: crate::Policy<T::State>,
            {
                crate::Policy::check_n(self, store, key, cost, now)
            }

            /// As `check_n`, with how the key stands afterwards, in the same look-up.
            ///
            /// # Errors
            ///
            /// As `check_n`.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use std::collections::HashMap;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut clients: HashMap<String, ", $state, "> = HashMap::new();")]
            /// let (decision, status) = POLICY.check_with_status(&mut clients, "203.0.113.9", 4, Timestamp::ZERO)?;
            /// assert_eq!((decision, status.limit, status.remaining), (Decision::Allow, 10, 6));
            /// # Ok::<(), CheckError<core::convert::Infallible>>(())
            /// ```
            #[inline]
            pub fn check_with_status<K: ?Sized, T: crate::Store<K>>(
                &self,
                store: T,
                key: &K,
                cost: u32,
                now: crate::Timestamp,
            ) -> Result<(crate::Decision, crate::Status), crate::CheckError<T::Error>>
            where
                Self: crate::Policy<T::State>,
            {
                crate::Policy::check_with_status(self, store, key, cost, now)
            }

            /// What `check_n` would answer, changing nothing and needing no room.
            ///
            /// # Errors
            ///
            /// [`CostExceedsLimit`](crate::CostExceedsLimit) where `cost` can never pass.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use std::collections::HashMap;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut clients: HashMap<String, ", $state, "> = HashMap::new();")]
            /// assert_eq!(POLICY.peek(&mut clients, "203.0.113.9", 10, Timestamp::ZERO), Ok(Decision::Allow));
            /// assert!(clients.is_empty());
            /// ```
            #[inline]
            pub fn peek<K: ?Sized, T: crate::Store<K>>(
                &self,
                store: T,
                key: &K,
                cost: u32,
                now: crate::Timestamp,
            ) -> Result<crate::Decision, crate::CostExceedsLimit>
            where
                Self: crate::Policy<T::State>,
            {
                crate::Policy::peek(self, store, key, cost, now)
            }

            /// How `key` stands, changing nothing.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use std::collections::HashMap;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut clients: HashMap<String, ", $state, "> = HashMap::new();")]
            /// let status = POLICY.status(&mut clients, "203.0.113.9", Timestamp::ZERO);
            /// assert_eq!((status.remaining, status.full_in), (10, Wait::ZERO));
            /// ```
            #[inline]
            pub fn status<K: ?Sized, T: crate::Store<K>>(&self, store: T, key: &K, now: crate::Timestamp) -> crate::Status
            where
                Self: crate::Policy<T::State>,
            {
                crate::Policy::status(self, store, key, now)
            }

            /// Gives units back to `key`: never time, and never beyond full. A key that the store does not hold has nothing to get back.
            ///
            /// Right after an admission, it is as if that had not been made. Later it may give back units of another admission: where the outcome is
            /// known soon, `peek` first and `charge` after.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use std::collections::HashMap;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut clients: HashMap<String, ", $state, "> = HashMap::new();")]
            /// let _ = POLICY.check_n(&mut clients, "203.0.113.9", 10, Timestamp::ZERO);
            /// POLICY.refund(&mut clients, "203.0.113.9", 3, Timestamp::ZERO);
            /// assert_eq!(POLICY.status(&mut clients, "203.0.113.9", Timestamp::ZERO).remaining, 3);
            /// ```
            #[inline]
            pub fn refund<K: ?Sized, T: crate::Store<K>>(&self, store: T, key: &K, cost: u32, now: crate::Timestamp)
            where
                Self: crate::Policy<T::State>,
            {
                crate::Policy::refund(self, store, key, cost, now)
            }

            /// Counts units that `key` has used already, without asking: usage known only afterwards. It may go beyond the limit, and moves the
            /// key's time like an admission.
            ///
            /// # Errors
            ///
            /// The store's own: [`Full`](crate::Full) for a fixed capacity, none for maps that grow.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use std::collections::HashMap;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut clients: HashMap<String, ", $state, "> = HashMap::new();")]
            /// let Ok(()) = POLICY.charge(&mut clients, "203.0.113.9", 11, Timestamp::ZERO);
            /// assert_eq!(POLICY.status(&mut clients, "203.0.113.9", Timestamp::ZERO).remaining, 0);
            /// ```
            #[inline]
            pub fn charge<K: ?Sized, T: crate::Store<K>>(&self, store: T, key: &K, cost: u32, now: crate::Timestamp) -> Result<(), T::Error>
            where
                Self: crate::Policy<T::State>,
            {
                crate::Policy::charge(self, store, key, cost, now)
            }
        }

        /// With a state in hand.
        impl<$($generic),*> $policy {
            /// Whether one unit may pass, counting it if so: a check of a state in hand.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut state = <", $state, ">::default();")]
            /// assert!(POLICY.judge(&mut state, Timestamp::ZERO).is_allow());
            /// ```
            #[inline]
            pub fn judge<S: crate::State>(&self, state: &mut S, now: crate::Timestamp) -> crate::Decision
            where
                Self: crate::Policy<S>,
            {
                crate::Policy::judge(self, state, now)
            }

            /// Whether `cost` units may pass, counting them if so. A cost of zero only looks.
            ///
            /// # Errors
            ///
            /// [`CostExceedsLimit`](crate::CostExceedsLimit) where `cost` can never pass.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut state = <", $state, ">::default();")]
            /// assert_eq!(POLICY.judge_n(&mut state, 10, Timestamp::ZERO), Ok(Decision::Allow));
            /// assert_eq!(POLICY.judge_n(&mut state, 11, Timestamp::ZERO).unwrap_err().limit, 10);
            /// ```
            #[inline]
            pub fn judge_n<S: crate::State>(&self, state: &mut S, cost: u32, now: crate::Timestamp) -> Result<crate::Decision, crate::CostExceedsLimit>
            where
                Self: crate::Policy<S>,
            {
                crate::Policy::judge_n(self, state, cost, now)
            }

            /// What `judge_n` would answer, changing nothing.
            ///
            /// # Errors
            ///
            /// [`CostExceedsLimit`](crate::CostExceedsLimit) where `cost` can never pass.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut state = <", $state, ">::default();")]
            /// assert_eq!(POLICY.preview(&state, 10, Timestamp::ZERO), Ok(Decision::Allow));
            /// # state = Default::default();
            /// ```
            #[inline]
            pub fn preview<S: crate::State>(&self, state: &S, cost: u32, now: crate::Timestamp) -> Result<crate::Decision, crate::CostExceedsLimit>
            where
                Self: crate::Policy<S>,
            {
                crate::Policy::preview(self, state, cost, now)
            }

            /// How a state in hand stands.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut state = <", $state, ">::default();")]
            /// let _ = POLICY.judge(&mut state, Timestamp::ZERO);
            /// assert_eq!(POLICY.status_of(&state, Timestamp::ZERO).remaining, 9);
            /// ```
            #[inline]
            pub fn status_of<S: crate::State>(&self, state: &S, now: crate::Timestamp) -> crate::Status
            where
                Self: crate::Policy<S>,
            {
                crate::Policy::status_of(self, state, now)
            }

            /// Gives units back to a state in hand, as `refund` does in a store.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut state = <", $state, ">::default();")]
            /// let _ = POLICY.judge_n(&mut state, 10, Timestamp::ZERO);
            /// POLICY.refund_to(&mut state, 3, Timestamp::ZERO);
            /// assert_eq!(POLICY.status_of(&state, Timestamp::ZERO).remaining, 3);
            /// ```
            #[inline]
            pub fn refund_to<S: crate::State>(&self, state: &mut S, cost: u32, now: crate::Timestamp)
            where
                Self: crate::Policy<S>,
            {
                crate::Policy::refund_to(self, state, cost, now)
            }

            /// Counts units in a state in hand without asking, as `charge` does in a store.
            ///
            /// ```
            /// # use core::time::Duration;
            /// # use tollgate::*;
            #[doc = concat!("const POLICY: ", $name, " = ", $make, ";")]
            #[doc = concat!("let mut state = <", $state, ">::default();")]
            /// POLICY.charge_to(&mut state, 11, Timestamp::ZERO);
            /// assert_eq!(POLICY.status_of(&state, Timestamp::ZERO).remaining, 0);
            /// ```
            #[inline]
            pub fn charge_to<S: crate::State>(&self, state: &mut S, cost: u32, now: crate::Timestamp)
            where
                Self: crate::Policy<S>,
            {
                crate::Policy::charge_to(self, state, cost, now)
            }
        }
    };
}
pub(crate) use inherent;

//! [`Admission`], and what a policy may admit.

use std::string::String;

use crate::time::Timestamp;

/// What was admitted, at the time at which it was read: for a bound of your own.
///
/// ```
/// use tollgate::Timestamp;
/// use tollgate::conformance::Admission;
///
/// let admitted = [Admission { at: Timestamp::ZERO, units: 2 }, Admission { at: Timestamp::from_secs(1), units: 1 }];
/// assert_eq!(admitted.iter().map(|admission| admission.units).sum::<u32>(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Admission {
    /// When: never before the admission before it.
    pub at: Timestamp,
    /// How much.
    pub units: u32,
}

/// What a policy may admit: an error says what was too much.
pub(super) type Bound<'p> = dyn Fn(&[Admission]) -> Result<(), String> + 'p;

//! [`QuotaPolicies`]: `RateLimit-Policy` as drafts 06 and 07 both have it.

use core::error::Error;
use core::fmt::{self, Display};

use super::quota::Quota;
use super::sf::Integer;

/// The quota policies that a request is subject to: `100;w=60, 1000;w=86400`.
///
/// They have no names here, and are told apart by their quota: no two may have the same (draft 07, section 3.5). The list is checked
/// when it is made, in a `const` or where settings are read.
///
/// ```
/// use core::time::Duration;
/// use tollgate::format::Quota;
/// use tollgate::format::draft_07::{QuotaPolicies, QuotaPoliciesError};
///
/// let (minute, day) = (Duration::from_secs(60), Duration::from_secs(86_400));
/// let quotas = [Quota::new(100, minute), Quota::new(1000, day)];
/// assert_eq!(QuotaPolicies::new(&quotas)?.to_string(), "100;w=60, 1000;w=86400");
///
/// let quotas = [Quota::new(10, minute), Quota::new(10, day)];
/// assert_eq!(QuotaPolicies::new(&quotas), Err(QuotaPoliciesError::SameQuota { units: 10 }));
/// # Ok::<(), QuotaPoliciesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuotaPolicies<'a>(&'a [Quota]);

impl<'a> QuotaPolicies<'a> {
    /// The quotas as a list.
    ///
    /// # Errors
    ///
    /// [`QuotaPoliciesError`] where there is none, or where two have the same number of units.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use tollgate::format::Quota;
    /// # use tollgate::format::draft_07::QuotaPolicies;
    /// assert!(QuotaPolicies::new(&[Quota::new(100, Duration::from_secs(60))]).is_ok());
    /// assert!(QuotaPolicies::new(&[]).is_err());
    /// ```
    pub const fn new(quotas: &'a [Quota]) -> Result<Self, QuotaPoliciesError> {
        if quotas.is_empty() {
            return Err(QuotaPoliciesError::Empty);
        }
        let mut rest = quotas;
        while let [quota, after @ ..] = rest {
            let mut others = after;
            while let [other, further @ ..] = others {
                if quota.units() == other.units() {
                    return Err(QuotaPoliciesError::SameQuota { units: quota.units() });
                }
                others = further;
            }
            rest = after;
        }
        Ok(Self(quotas))
    }
}

impl Display for QuotaPolicies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for quota in self.0 {
            write!(f, "{separator}{};w={}", quota.units(), Integer(quota.window_secs()))?;
            if let Some(burst) = quota.burst() {
                write!(f, ";burst={burst}")?;
            }
            separator = ", ";
        }
        Ok(())
    }
}

/// Why quotas cannot be told in one `RateLimit-Policy` of draft 06 or 07.
///
/// ```
/// # use tollgate::format::draft_07::QuotaPoliciesError;
/// let error = QuotaPoliciesError::SameQuota { units: 10 };
/// assert!(error.to_string().starts_with("two policies have a quota of 10"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuotaPoliciesError {
    /// There is none, and an empty field is not to be sent.
    Empty,
    /// Two policies have the same quota, and nothing else to tell them apart.
    SameQuota {
        /// The quota that they share.
        units: u32,
    },
}

impl Display for QuotaPoliciesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no policy to tell of: leave the field out"),
            Self::SameQuota { units } => write!(
                f,
                "two policies have a quota of {units}, by which this draft tells them apart: leave one out, or send draft 10, where they have names"
            ),
        }
    }
}

impl Error for QuotaPoliciesError {}

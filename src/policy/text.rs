//! The text form of a policy, for configuration and command lines.
//!
//! ```text
//! fixed window   QUOTA/WINDOW[,aligned[=ORIGIN]]
//! sliding log    QUOTA/WINDOW
//! token bucket   QUOTA/WINDOW[,burst=N][,interval[=ORIGIN]]
//! ```
//!
//! A window or an origin is a whole number and a unit: `ns`, `us`, `ms`, `s`, `m`, `h` or `d`. No blanks, no signs, no fractions. Which kind of
//! policy it is stands elsewhere in the configuration, as the type that it is parsed to. What is printed is the shortest form of it that uses one
//! unit, and parses to an equal policy. `Both` is two texts.
//!
//! ```
//! use tollgate::{FixedWindow, SlidingLog, TokenBucket};
//!
//! let daily: FixedWindow = "1000/1d,aligned".parse()?;
//! let edge: SlidingLog = "100/60s".parse()?;
//! let api: TokenBucket = "10/1s,burst=50".parse()?;
//! assert_eq!((daily.quota(), edge.quota(), api.burst()), (1000, 100, 50));
//! assert_eq!(edge.to_string(), "100/1m");
//! # Ok::<(), tollgate::ParsePolicyError>(())
//! ```

use core::error::Error;
use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use super::{FixedWindow, Refill, SlidingLog, TokenBucket};
use crate::error::PolicyError;
use crate::time::{LONGEST, Timestamp};

/// Why a text is no policy.
///
/// ```
/// use tollgate::{ParsePolicyError, PolicyError, SlidingLog};
///
/// assert_eq!("10 per minute".parse::<SlidingLog>(), Err(ParsePolicyError::Shape));
/// assert_eq!("0/60s".parse::<SlidingLog>(), Err(ParsePolicyError::Policy(PolicyError::ZeroQuota)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParsePolicyError {
    /// There is no `/` between a quota and a window.
    Shape,
    /// The quota is not a number of units.
    Quota,
    /// The window is not a number and a unit.
    Window,
    /// The burst is not a number of units.
    Burst,
    /// The origin of a grid is not a number and a unit, or not a timestamp.
    Origin,
    /// An option that this kind of policy does not have, or that stands there twice.
    Option {
        /// The options that it has.
        allowed: &'static str,
    },
    /// Well formed, but not a policy.
    Policy(PolicyError),
}

impl fmt::Display for ParsePolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape => f.write_str("a policy is written QUOTA/WINDOW, such as 10/60s"),
            Self::Quota => f.write_str("the quota, before the `/`, must be a whole number from 1 to 4294967295"),
            Self::Window => f.write_str(
                "the window, after the `/`, must be a whole number and one of ns, us, ms, s, m, h, d, such as 60s",
            ),
            Self::Burst => f.write_str("the burst must be a whole number from 1 to 4294967295, such as burst=5"),
            Self::Origin => f.write_str(
                "the origin must be a whole number and one of ns, us, ms, s, m, h, d, and below 2^63 ns, such as 6h",
            ),
            Self::Option { allowed: "" } => f.write_str("this kind of policy has no options: write QUOTA/WINDOW alone"),
            Self::Option { allowed } => {
                write!(f, "the options of this kind of policy are {allowed}, each at most once")
            }
            Self::Policy(error) => error.fmt(f),
        }
    }
}

/// Without a source: the message has all of it.
impl Error for ParsePolicyError {}

impl From<PolicyError> for ParsePolicyError {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

/// The units, largest first, in nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Digits alone: a sign, which `parse` would take, is none.
fn digits<T: FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// A number and a unit, in nanoseconds.
fn nanos(text: &str) -> Option<u128> {
    let (number, unit) = text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)?;
    let (_, nanos) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    // Cannot overflow: two factors of 64 bits.
    Some(u128::from(digits::<u64>(number)?) * u128::from(nanos))
}

fn origin(text: &str) -> Result<Timestamp, ParsePolicyError> {
    let nanos = nanos(text).and_then(|nanos| u64::try_from(nanos).ok()).ok_or(ParsePolicyError::Origin)?;
    let origin = Timestamp::from_nanos(nanos);
    if origin.as_nanos() == nanos { Ok(origin) } else { Err(ParsePolicyError::Origin) }
}

/// A policy's text, taken apart: the quota, the window, and the options as they stand.
struct Parts<'a> {
    quota: u32,
    window: Duration,
    options: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Result<Self, ParsePolicyError> {
        let (head, options) = match text.split_once(',') {
            Some((head, options)) => (head, Some(options)),
            None => (text, None),
        };
        let (quota, window) = head.split_once('/').ok_or(ParsePolicyError::Shape)?;
        let quota = digits(quota).ok_or(ParsePolicyError::Quota)?;
        let nanos = nanos(window).ok_or(ParsePolicyError::Window)?;
        if nanos > u128::from(LONGEST) {
            return Err(PolicyError::Window { nanos }.into());
        }
        // Cannot truncate: at most the longest window.
        Ok(Self { quota, window: Duration::from_nanos(nanos as u64), options })
    }

    /// Each option, as its name and, after a `=`, its value.
    fn options(&self) -> impl Iterator<Item = (&'a str, Option<&'a str>)> + use<'a> {
        self.options.into_iter().flat_map(|options| options.split(',')).map(|option| match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        })
    }
}

impl FromStr for FixedWindow {
    type Err = ParsePolicyError;

    fn from_str(text: &str) -> Result<Self, ParsePolicyError> {
        let parts = Parts::of(text)?;
        let mut policy = Self::new(parts.quota, parts.window)?;
        for option in parts.options() {
            policy = match option {
                ("aligned", value) if policy.origin().is_none() => {
                    policy.aligned(value.map_or(Ok(Timestamp::ZERO), origin)?)
                }
                _ => return Err(ParsePolicyError::Option { allowed: "`aligned` and `aligned=ORIGIN`" }),
            };
        }
        Ok(policy)
    }
}

impl FromStr for SlidingLog {
    type Err = ParsePolicyError;

    fn from_str(text: &str) -> Result<Self, ParsePolicyError> {
        let parts = Parts::of(text)?;
        if parts.options.is_some() {
            return Err(ParsePolicyError::Option { allowed: "" });
        }
        Ok(Self::new(parts.quota, parts.window)?)
    }
}

impl FromStr for TokenBucket {
    type Err = ParsePolicyError;

    fn from_str(text: &str) -> Result<Self, ParsePolicyError> {
        let parts = Parts::of(text)?;
        // So that a fault of the quota or the window is named before one of the options.
        let plain = Self::new(parts.quota, parts.window)?;
        let (mut burst, mut refill) = (None, Refill::Continuous);
        for option in parts.options() {
            match option {
                ("burst", Some(value)) if burst.is_none() => {
                    burst = Some(digits(value).ok_or(ParsePolicyError::Burst)?)
                }
                ("interval", value) if refill == Refill::Continuous => {
                    refill = Refill::Interval { origin: value.map_or(Ok(Timestamp::ZERO), origin)? };
                }
                _ => return Err(ParsePolicyError::Option { allowed: "`burst=N`, `interval` and `interval=ORIGIN`" }),
            }
        }
        Ok(Self::new_with(parts.quota, parts.window, burst.unwrap_or(plain.quota()), refill)?)
    }
}

/// A time in the largest unit that it is a whole number of.
struct Text(u64);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, nanos) = UNITS.into_iter().find(|(_, nanos)| self.0 % *nanos == 0).unwrap_or(("ns", 1));
        write!(f, "{}{name}", self.0 / nanos)
    }
}

/// A quota and a window.
fn head(f: &mut fmt::Formatter<'_>, quota: u32, window: Duration) -> fmt::Result {
    // Cannot truncate: at most the longest window.
    write!(f, "{quota}/{}", Text(window.as_nanos() as u64))
}

/// The name of a grid, with its origin unless that is zero.
fn grid(f: &mut fmt::Formatter<'_>, name: &str, origin: Timestamp) -> fmt::Result {
    match origin {
        Timestamp::ZERO => write!(f, ",{name}"),
        origin => write!(f, ",{name}={}", Text(origin.as_nanos())),
    }
}

impl fmt::Display for FixedWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        head(f, self.quota(), self.window())?;
        match self.origin() {
            None => Ok(()),
            Some(origin) => grid(f, "aligned", origin),
        }
    }
}

impl fmt::Display for SlidingLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        head(f, self.quota(), self.window())
    }
}

impl fmt::Display for TokenBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        head(f, self.quota(), self.window())?;
        if self.burst() != self.quota() {
            write!(f, ",burst={}", self.burst())?;
        }
        match self.refill() {
            Refill::Continuous => Ok(()),
            Refill::Interval { origin } => grid(f, "interval", origin),
        }
    }
}

//! [`Jitter`]: how much of a delay is chance.
//!
//! The names are those of "Exponential Backoff And Jitter" (M. Brooker, AWS Architecture Blog, 2015).

/// How delays are spread, so that clients that failed together do not come back together.
///
/// With `d` the delay that has doubled up to the cap, and `last` the delay before:
///
/// ```
/// use core::time::Duration;
/// use tollgate::client::{Backoff, Jitter, Next, Retries};
/// use tollgate::{Timestamp, Wait};
///
/// let least_and_most = |jitter| {
///     let rule = Backoff::constant(Duration::from_nanos(10), Duration::from_nanos(100)).jitter(jitter);
///     [0, u64::MAX].map(|random| match rule.next(&mut Retries::default(), None, Timestamp::ZERO, random) {
///         Next::Retry { after } => after.as_nanos(),
///         Next::TooLong { .. } | Next::GiveUp(_) => panic!("this rule has no end"),
///     })
/// };
/// assert_eq!(least_and_most(Jitter::None), [10, 10]);
/// assert_eq!(least_and_most(Jitter::Full), [0, 10]);
/// assert_eq!(least_and_most(Jitter::Equal), [5, 10]);
/// assert_eq!(least_and_most(Jitter::Decorrelated), [10, 30]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter {
    /// Anything from 0 to `d`. The fewest collisions, and the default.
    #[default]
    Full,
    /// Half of `d`, rounded up, and anything from 0 to the rest.
    Equal,
    /// Anything from the base to three times `last`, up to the cap, whatever the number of the attempt. Three times the base at first.
    Decorrelated,
    /// `d` itself: for one client that is alone with its server.
    None,
}

/// What a delay may be, in nanoseconds: `least`, and anything from 0 to `spread` more. The sum of the two is at most the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: u64,
    spread: u64,
}

impl Jitter {
    /// Of delays between `base` and `cap`, `doubled` being the one that has doubled and `last` the one before, or 0.
    pub(super) const fn range(self, base: u64, cap: u64, doubled: u64, last: u64) -> Range {
        match self {
            Self::None => Range { least: doubled, spread: 0 },
            Self::Full => Range { least: 0, spread: doubled },
            Self::Equal => Range { least: doubled - doubled / 2, spread: doubled / 2 },
            Self::Decorrelated => {
                let last = if last > base { last } else { base };
                let most = last.saturating_mul(3);
                let most = if most > cap { cap } else { most };
                // Nothing is cut off: the base is no more than the cap.
                Range { least: base, spread: most.saturating_sub(base) }
            }
        }
    }
}

impl Range {
    /// A number from 0 to `spread`, each as likely as another up to one part in `2^64 / (spread + 1)`.
    pub(super) const fn chance(self, random: u64) -> u64 {
        // Cannot overflow: at most (2^64 - 1) * 2^64. The upper half of the product is at most `spread`.
        let product = random as u128 * (self.spread as u128 + 1);
        (product >> 64) as u64
    }
}

//! Which two buckets a key may be in, and its tag.

use super::bucket::TAGS;

/// 2^64 divided by the golden ratio, and odd: spreads what lies close.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The first of a key's two buckets, and its tag, which with either bucket tells the other: so a key moves without being hashed again.
#[derive(Clone, Copy)]
pub(super) struct Home {
    pub(super) first: usize,
    pub(super) tag: u8,
}

impl Home {
    /// From a hash, which may be a poor one.
    #[inline]
    pub(super) fn of(hash: u64, buckets: usize) -> Self {
        // A product of 64 bits by 64 fits in 128. Folding it makes every bit count.
        let product = u128::from(hash) * u128::from(SPREAD);
        let (first, rest) = scale((product >> 64) as u64 ^ product as u64, buckets);
        // What is left over tells the keys of one bucket apart.
        let tag = (rest >> 56).max(u64::from(*TAGS.start())) as u8;
        Self { first, tag }
    }
}

/// The other bucket of a key with this tag: that of the other is this one again. Where there are few buckets, it may be the same.
#[inline]
pub(super) fn other(bucket: usize, tag: u8, buckets: usize) -> usize {
    let (sum, _) = scale(u64::from(tag).wrapping_mul(SPREAD), buckets);
    // The two add up to `sum`, modulo the number of buckets; both are below it.
    match sum.checked_sub(bucket) {
        Some(other) => other,
        // Cannot overflow, nor fall below zero: bucket > sum, and buckets > bucket.
        None => buckets.saturating_sub(bucket - sum),
    }
}

/// Scales to below a number, or to 0, and gives what was rounded off, in units of 2^-64.
#[inline]
fn scale(hash: u64, below: usize) -> (usize, u64) {
    // Cannot overflow: less than 2^64 * 2^64; the quotient is below `below`.
    let product = u128::from(hash) * below as u128;
    ((product >> 64) as usize, product as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_of_the_other_is_the_one() {
        for buckets in [1, 2, 3, 7, 64, 1000] {
            for tag in TAGS {
                for bucket in 0..buckets {
                    let there = other(bucket, tag, buckets);
                    assert!(there < buckets);
                    assert_eq!(other(there, tag, buckets), bucket);
                }
            }
        }
    }

    #[test]
    fn every_bucket_and_every_tag_is_some_keys() {
        let mut seen = [[false; 256]; 7];
        for hash in 0..100_000 {
            let home = Home::of(hash, 7);
            seen[home.first][usize::from(home.tag)] = true;
        }
        assert!(
            seen.iter().flat_map(|tags| tags.iter().zip(0..=u8::MAX)).all(|(&seen, tag)| seen == TAGS.contains(&tag))
        );
    }

    #[test]
    fn the_ends() {
        for hash in [0, 1, u64::MAX] {
            assert_eq!(Home::of(hash, 0).first, 0);
            assert!(TAGS.contains(&Home::of(hash, 1).tag));
            assert!(Home::of(hash, usize::MAX).first < usize::MAX);
        }
        assert_eq!((other(0, 1, 0), other(0, 200, 1)), (0, 0));
    }
}

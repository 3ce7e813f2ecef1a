//! Random words from a seed, so that a simulated run can be repeated.

/// The generator SplitMix64 (Steele, Lea and Flood, 2014): for spreading requests, and for nothing that must not be guessed.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// A sequence for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next word.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `most`.
    pub fn up_to(&mut self, most: u64) -> u64 {
        // The upper half of the product, which is at most `most`.
        let product = u128::from(self.word()) * (u128::from(most) + 1);
        (product >> 64) as u64
    }
}

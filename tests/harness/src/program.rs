//! What the programs in `bin` share: their arguments, and numbers that look random and are the same in each run.

use std::env;

/// An argument: `--name N`.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// What it is called, with its dashes.
    pub name: &'static str,
    /// What it is unless it is given.
    pub default: u64,
    /// The least that it may be.
    pub least: u64,
}

/// The numbers on this program's command line, in any order there.
///
/// # Errors
///
/// What is wrong with it, on one line.
pub fn numbers<const N: usize>(known: [Number; N]) -> Result<[u64; N], String> {
    let arguments = env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    read(arguments, known)
}

fn read<const N: usize>(mut arguments: impl Iterator<Item = String>, known: [Number; N]) -> Result<[u64; N], String> {
    let mut numbers = known.map(|number| number.default);
    while let Some(given) = arguments.next() {
        let Some(index) = known.iter().position(|number| number.name == given) else {
            return Err(format!(
                "there is no option `{given}`; there are {}",
                known.map(|number| number.name).join(" N, ") + " N"
            ));
        };
        let Number { name, least, .. } = known[index];
        let value = arguments.next().unwrap_or_default();
        let number = value.parse().ok().filter(|&number| number >= least);
        numbers[index] =
            number.ok_or_else(|| format!("{name} is `{value}`; it must be a whole number of at least {least}"))?;
    }
    Ok(numbers)
}

/// The generator SplitMix64 of G. Steele, D. Lea and C. Flood.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// One below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// Once in so many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Number; 2] =
        [Number { name: "--keys", default: 7, least: 1 }, Number { name: "--seed", default: 3, least: 0 }];

    fn given(line: &str) -> Result<[u64; 2], String> {
        read(line.split_whitespace().map(String::from), KNOWN)
    }

    #[test]
    fn numbers_come_in_any_order_and_the_last_counts() {
        assert_eq!(given(""), Ok([7, 3]));
        assert_eq!(given("--seed 0 --keys 1 --keys 2"), Ok([2, 0]));
    }

    #[test]
    fn what_is_wrong_is_one_line_that_says_what_was_given_and_what_is_allowed() {
        for (line, expected) in [
            ("--key 1", "there is no option `--key`; there are --keys N, --seed N"),
            ("--keys", "--keys is ``; it must be a whole number of at least 1"),
            ("--keys 0", "--keys is `0`; it must be a whole number of at least 1"),
            ("--seed -1", "--seed is `-1`; it must be a whole number of at least 0"),
        ] {
            assert_eq!(given(line), Err(expected.into()));
        }
    }
}

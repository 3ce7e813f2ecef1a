//! Time cut into equal bins of a readable width, so that a log of any length becomes a few hundred numbers.

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;

/// Widths that people can read, from a nanosecond to longer than any log: 1, 2 and 5 of each power of ten below the second, then what
/// clocks show, then days.
fn steps() -> impl Iterator<Item = u64> {
    let powers = |unit: u64, powers: u32| {
        (0..powers).flat_map(move |power| [1, 2, 5].map(|digit| digit * 10u64.pow(power) * unit))
    };
    let minute = 60;
    let hour = 60 * minute;
    let seconds = [1, 2, 5, 10, 15, 30].into_iter().flat_map(move |step| [(0, step), (1, step * minute)]);
    let mut clock: Vec<(u64, u64)> = seconds.chain([1, 2, 3, 6, 12].map(|hours| (2, hours * hour))).collect();
    clock.sort_unstable();
    // Cannot overflow: 50,000 days are below 2^63 ns.
    powers(1, 9).chain(clock.into_iter().map(|(_, seconds)| seconds * SECOND)).chain(powers(DAY, 5))
}

/// The least readable width of at least `width`, or the greatest there is.
pub(crate) fn step_from(width: u64) -> u64 {
    steps().find(|&step| step >= width).unwrap_or(50_000 * DAY)
}

/// Equal spans of time, side by side. Each begins at a multiple of its width, and holds its beginning and not its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bins {
    start: u64,
    width: u64,
    count: usize,
}

impl Bins {
    /// At most `most` bins (200 at least) that hold all times from `first` to `last`, as narrow as is readable, but not narrower than the
    /// input's `resolution`, where every other one would be empty.
    pub(crate) fn covering(first: u64, last: u64, resolution: u64, most: usize) -> Self {
        let span = last - first;
        let mut width = step_from(resolution.max(span / most as u64).max(1));
        // A span that begins within a bin may take one bin more.
        while last / width - first / width >= most as u64 {
            width = step_from(width + 1);
        }
        Self { start: first - first % width, width, count: (last / width - first / width) as usize + 1 }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn width(&self) -> u64 {
        self.width
    }

    /// When a bin begins; that of the bin after the last is the end of all.
    pub(crate) fn begin(&self, bin: usize) -> u64 {
        // Cannot overflow: timestamps are below 2^63, and so is a bin's width.
        self.start + self.width * bin as u64
    }

    pub(crate) fn end(&self) -> u64 {
        self.begin(self.count)
    }

    /// The bin that holds a time; one outside of all counts for the nearest.
    pub(crate) fn of(&self, at: u64) -> usize {
        ((at.saturating_sub(self.start) / self.width) as usize).min(self.count - 1)
    }
}

/// The greatest length of time, up to a second, of which all `times` are multiples: logs of whole seconds have one.
pub(crate) fn resolution(times: impl Iterator<Item = u64>) -> u64 {
    times.fold(SECOND, gcd)
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: u64 = i64::MAX as u64;

    #[test]
    fn steps_ascend_from_a_nanosecond_to_longer_than_a_log() {
        let steps: Vec<u64> = steps().collect();
        assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
        assert_eq!(steps[0], 1);
        assert!(steps[steps.len() - 1] > LAST / 200 && steps[steps.len() - 1] < 1 << 63);
    }

    #[test]
    fn bins_are_few_and_hold_every_time() {
        for (first, last) in
            [(0, 0), (0, 1), (5, 1_000), (59 * SECOND, 700 * SECOND), (0, LAST), (LAST, LAST), (1, LAST)]
        {
            let bins = Bins::covering(first, last, 1, 200);
            assert!((1..=200).contains(&bins.count()), "{bins:?}");
            assert!(bins.begin(0) <= first && last < bins.end(), "{bins:?}");
            assert_eq!((bins.of(first), bins.of(last)), (0, bins.count() - 1));
            assert_eq!(bins.begin(0) % bins.width(), 0);
        }
    }

    #[test]
    fn a_bin_holds_its_beginning_and_not_its_end() {
        let bins = Bins::covering(0, 1_999, 10, 200);
        assert_eq!((bins.width(), bins.count()), (10, 200));
        assert_eq!((bins.of(9), bins.of(10), bins.begin(1)), (0, 1, 10));
    }

    #[test]
    fn bins_are_not_narrower_than_the_input_can_tell() {
        let times = [7 * SECOND, 9 * SECOND];
        let resolution = resolution(times.into_iter());
        assert_eq!(resolution, SECOND);
        assert_eq!(Bins::covering(times[0], times[1], resolution, 200).count(), 3);
        assert_eq!(super::resolution([1_500_000, 2_000_000].into_iter()), 500_000);
        assert_eq!(super::resolution([0, 7].into_iter()), 1);
    }
}

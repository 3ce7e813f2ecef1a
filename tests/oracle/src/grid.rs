//! The points `origin + k * window` of a grid, for every whole `k`, from time 0 on.

/// A grid, by its first point and the distance between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    first: u64,
    window: u64,
}

impl Grid {
    pub(crate) fn new(origin: u64, window: u64) -> Self {
        Self { first: origin % window, window }
    }

    /// The first point after `time`.
    pub(crate) fn next_after(self, time: u64) -> u64 {
        self.nth_after(time, 1)
    }

    /// The `n`-th point after `time`, counted from 1.
    pub(crate) fn nth_after(self, time: u64, n: u64) -> u64 {
        let index = u128::from(self.until(time)) + u128::from(n) - 1;
        let point = u128::from(self.first) + index * u128::from(self.window);
        u64::try_from(point).expect("the point lies beyond every time that the model knows")
    }

    /// How many points lie in `(from, to]`.
    pub(crate) fn points(self, from: u64, to: u64) -> u64 {
        self.until(to) - self.until(from)
    }

    /// Whether `time` is a point.
    pub(crate) fn has(self, time: u64) -> bool {
        time % self.window == self.first
    }

    /// How many points lie in `[0, time]`.
    fn until(self, time: u64) -> u64 {
        if time < self.first { 0 } else { (time - self.first) / self.window + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_counted_as_they_are_listed() {
        for window in 1..8 {
            for origin in 0..20 {
                let grid = Grid::new(origin, window);
                let is_point = |time: u64| time.abs_diff(origin) % window == 0;
                for from in 0..20 {
                    assert_eq!(grid.has(from), is_point(from));
                    assert_eq!(Some(grid.next_after(from)), (from + 1..).find(|&time| is_point(time)));
                    assert_eq!(Some(grid.nth_after(from, 3)), (from + 1..).filter(|&time| is_point(time)).nth(2));
                    for to in from..20 {
                        assert_eq!(
                            grid.points(from, to),
                            (from + 1..=to).filter(|&time| is_point(time)).count() as u64
                        );
                    }
                }
            }
        }
    }
}

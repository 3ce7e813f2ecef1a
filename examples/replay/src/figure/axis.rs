//! Axes in whole numbers: counts from zero, and times with marks where clocks have them.

use std::ops::Range;

use jiff::Timestamp;
use jiff::tz::Offset;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use crate::timeline::{Bins, step_from};

/// A range of whole numbers, with a mark at each multiple of a step.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    from: u64,
    to: u64,
    step: u64,
}

impl Axis {
    /// Counts from zero to `top`, with at most `marks` steps between.
    pub(super) fn counts(top: u64, marks: u64) -> Self {
        let (top, marks) = (top.max(1), marks.max(1));
        let mut step = 1u64;
        let digits = [2u64, 5, 10].iter().cycle();
        let mut power = 1u64;
        for &digit in digits {
            if top / step <= marks {
                break;
            }
            step = digit.saturating_mul(power);
            if digit == 10 {
                power = power.saturating_mul(10);
            }
        }
        // Room above the highest mark, so that a line there is seen whole.
        Self { from: 0, to: top.saturating_add(top / 16), step }
    }

    /// The time that these bins cover, with as many marks as have room for their labels in so many columns of text.
    pub(super) fn times(bins: &Bins, columns: u64) -> Self {
        let (from, to) = (bins.begin(0), bins.end());
        let marked = |marks: u64| Self { from, to, step: step_from((to - from) / marks).max(bins.width()) };
        let fits = |axis: &Self| (to - from) / axis.step * (axis.time(from).len() as u64 + 3) <= columns;
        (1..=8).rev().map(marked).find(fits).unwrap_or_else(|| marked(1))
    }

    /// A mark on an axis of times: as much of the time as the step tells.
    pub(super) fn time(&self, at: u64) -> String {
        const SECOND: u64 = 1_000_000_000;
        const DAY: u64 = 86_400 * SECOND;
        let Ok(time) = Timestamp::from_nanosecond(at.into()) else { return at.to_string() };
        let time = Offset::UTC.to_datetime(time);
        let decimals = match self.step {
            step if step >= DAY => return time.date().to_string(),
            step if step % (60 * SECOND) == 0 => return format!("{:02}:{:02}", time.hour(), time.minute()),
            step if step % SECOND == 0 => 0,
            step if step % (SECOND / 1_000) == 0 => 3,
            step if step % (SECOND / 1_000_000) == 0 => 6,
            _ => 9,
        };
        let seconds = format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
        let fraction = format!("{:09}", at % SECOND);
        if decimals == 0 { seconds } else { format!("{seconds}.{}", &fraction[..decimals]) }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = u64;

    fn map(&self, value: &u64, (begin, end): (i32, i32)) -> i32 {
        let (length, all) = (i128::from(end - begin), i128::from(self.to - self.from).max(1));
        let along = i128::from((*value).clamp(self.from, self.to) - self.from);
        // Rounded half away from the beginning; within the range, so it fits.
        let place = (2 * along * length + all * length.signum()) / (2 * all);
        begin + i32::try_from(place).unwrap_or(0)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<u64> {
        // There are no lesser marks.
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        let first = self.from.div_ceil(self.step);
        (first..=self.to / self.step).map(|mark| mark * self.step).collect()
    }

    fn range(&self) -> Range<u64> {
        self.from..self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::coord::ranged1d::BoldPoints;

    #[test]
    fn counts_begin_at_zero_and_have_few_marks() {
        for (top, marks) in [
            (0, vec![0, 1]),
            (1, vec![0, 1]),
            (3, vec![0, 1, 2, 3]),
            (60, vec![0, 20, 40, 60]),
            (120, vec![0, 50, 100]),
            (1_999, vec![0, 500, 1_000, 1_500, 2_000]),
        ] {
            assert_eq!(Axis::counts(top, 3).key_points(BoldPoints(9)), marks, "{top}");
        }
        assert!(Axis::counts(u64::MAX, 3).key_points(BoldPoints(9)).len() <= 4);
    }

    #[test]
    fn labels_of_times_have_room() {
        let day = 86_400_000_000_000;
        for (last, columns, step) in [
            (59, 120, 20),
            (59, 60, 50),
            (day / 24 - 1, 120, 600_000_000_000),
            (day / 24 - 1, 30, 1_800_000_000_000),
            (day * 400, 120, 100 * day),
            (59, 5, 100),
        ] {
            let bins = Bins::covering(0, last, 1, 240);
            assert_eq!(Axis::times(&bins, columns).step, step, "{last} in {columns}");
        }
    }

    #[test]
    fn values_are_mapped_from_end_to_end() {
        let axis = Axis { from: 10, to: 30, step: 5 };
        assert_eq!([10, 15, 30].map(|value| axis.map(&value, (0, 100))), [0, 25, 100]);
        assert_eq!([10, 15, 30, 99].map(|value| axis.map(&value, (100, 0))), [100, 75, 0, 0]);
        let all = Axis { from: 0, to: u64::MAX, step: 1 << 60 };
        assert_eq!(all.map(&u64::MAX, (0, i32::MAX)), i32::MAX);
    }

    #[test]
    fn times_are_told_as_far_as_the_step_goes() {
        let noon = 43_200_000_000_000;
        for (step, text) in [
            (1, "12:00:00.000000000"),
            (5_000_000, "12:00:00.000"),
            (15_000_000_000, "12:00:00"),
            (1_800_000_000_000, "12:00"),
            (86_400_000_000_000, "1970-01-01"),
        ] {
            assert_eq!(Axis { from: 0, to: noon, step }.time(noon), text);
        }
    }
}

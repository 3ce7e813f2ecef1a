//! [`HttpDate`]: the dates of HTTP (RFC 9110, section 5.6.7) in all three forms, and the time from one moment to another.
//!
//! The calendar is the proleptic Gregorian one, in UTC, by whole days. No clock is read here.

use super::text::digit;
use crate::header_lines::trim;
use crate::time::{Timestamp, Wait};

const NANOS_PER_SEC: u64 = 1_000_000_000;
const SECS_PER_DAY: i64 = 86_400;

const MONTHS: [&[u8; 3]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// From Sunday on. The short forms are the first three letters.
const WEEKDAYS: [&[u8]; 7] = [b"Sunday", b"Monday", b"Tuesday", b"Wednesday", b"Thursday", b"Friday", b"Saturday"];

/// A date as HTTP writes it, in `Date` or in `Retry-After`: a time of day in UTC on a day that exists.
///
/// ```
/// use tollgate::client::HttpDate;
///
/// // As it is sent today; and in two forms of old that a recipient must still read.
/// let dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"];
/// let now = Some(tollgate::Timestamp::from_secs(1_800_000_000)); // for the year in two digits
/// for date in dates {
///     assert_eq!(HttpDate::read(date).and_then(|date| date.unix_secs(now)), Some(784_111_777), "{date}");
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HttpDate {
    weekday: u8,
    year: Year,
    month: u8,
    day: u8,
    /// Up to 86,400: a leap second is the first second of the next day, as in Unix time.
    second_of_day: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Year {
    Full(u16),
    /// Of RFC 850. Its century, and with it the day of the week, is only known where a present is.
    TwoDigits(u8),
}

impl HttpDate {
    /// The date that `text` is, in one of the three forms, with blanks around it or not.
    ///
    /// None where it is anything else, the day of the week is wrong, or there is no such day. Names of days and months are read in the case
    /// that the RFC prescribes, and the zone is `GMT`.
    ///
    /// A second of 60 is read at 23:59, where a leap second can be.
    ///
    /// ```
    /// use tollgate::client::HttpDate;
    ///
    /// assert!(HttpDate::read("Sun, 06 Nov 1994 08:49:37 GMT").is_some());
    /// assert!(HttpDate::read("Mon, 06 Nov 1994 08:49:37 GMT").is_none()); // it was a Sunday
    /// assert!(HttpDate::read("Wed, 29 Feb 1995 08:49:37 GMT").is_none());
    /// assert!(HttpDate::read("Sun, 06 Nov 1994 08:49:37 +0000").is_none());
    /// ```
    pub fn read(text: impl AsRef<[u8]>) -> Option<Self> {
        let text = trim(text.as_ref());
        let date = imf_fixdate(text).or_else(|| rfc_850(text)).or_else(|| asctime(text))?;
        match date.year {
            Year::Full(year) => date.in_year(i64::from(year)).map(|_| date),
            // Whether the day exists, and is of that name, depends on the century.
            Year::TwoDigits(_) => Some(date),
        }
    }

    /// Seconds since the Unix epoch, negative before it.
    ///
    /// A year in two digits (RFC 850) is the latest that is no more than 50 years after `now`, the time since the Unix epoch. Without a
    /// `now` it is not known, and where the day does not exist in that year, or has another name, nothing is returned.
    ///
    /// ```
    /// use tollgate::Timestamp;
    /// use tollgate::client::HttpDate;
    ///
    /// let date = HttpDate::read("Thursday, 01-Jan-70 00:00:01 GMT").unwrap();
    /// assert_eq!(date.unix_secs(Some(Timestamp::from_secs(1_000_000_000))), Some(1)); // in 2001
    /// assert_eq!(date.unix_secs(None), None);
    /// ```
    pub fn unix_secs(self, now: Option<Timestamp>) -> Option<i64> {
        self.near(now.map(Moment::from_timestamp)).map(|moment| moment.secs)
    }

    /// The moment that the date names, seen from `now`.
    pub(super) fn near(self, now: Option<Moment>) -> Option<Moment> {
        let year = match self.year {
            Year::Full(year) => i64::from(year),
            Year::TwoDigits(year) => self.full_year(i64::from(year), now?),
        };
        let secs = self.in_year(year)?;
        Some(Moment { secs, nanos: 0 })
    }

    /// Seconds since the Unix epoch, if this day in this year exists and has this name. The year is within ten thousand of 1970.
    fn in_year(self, year: i64) -> Option<i64> {
        if self.day == 0 || self.day > days_in_month(year, self.month) {
            return None;
        }
        let days = days_since_epoch(year, i64::from(self.month), i64::from(self.day));
        // The epoch was a Thursday. Cannot overflow: some four million days at most, here and below.
        if (days + 4).rem_euclid(7) != i64::from(self.weekday) {
            return None;
        }
        Some(days * SECS_PER_DAY + i64::from(self.second_of_day))
    }

    /// The latest year that ends in these two digits and is at most 50 years after `now`.
    fn full_year(self, two_digits: i64, now: Moment) -> i64 {
        let (year, month, day) = civil(now.secs.div_euclid(SECS_PER_DAY));
        let second = now.secs.rem_euclid(SECS_PER_DAY);
        // Cannot overflow: a moment is within some ten thousand years of the epoch.
        let latest = year + 50;
        let found = latest - (latest - two_digits).rem_euclid(100);
        let this = (i64::from(self.month), i64::from(self.day), i64::from(self.second_of_day), 0);
        let beyond = found == latest && this > (month, day, second, now.nanos);
        if beyond { found - 100 } else { found }
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
fn imf_fixdate(text: &[u8]) -> Option<HttpDate> {
    let [w, e, d, b',', b' ', day @ .., b' ', b'G', b'M', b'T'] = text else { return None };
    let [d1, d2, b' ', m, o, n, b' ', y1, y2, y3, y4, b' ', time @ ..] = day else { return None };
    Some(HttpDate {
        weekday: short_weekday([*w, *e, *d])?,
        year: Year::Full(four_digits([*y1, *y2, *y3, *y4])?),
        month: month([*m, *o, *n])?,
        day: two_digits(*d1, *d2)?,
        second_of_day: second_of_day(time)?,
    })
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`
fn rfc_850(text: &[u8]) -> Option<HttpDate> {
    let (weekday, day) = (0..).zip(WEEKDAYS).find_map(|(weekday, name)| Some((weekday, text.strip_prefix(name)?)))?;
    let [b',', b' ', d1, d2, b'-', m, o, n, b'-', y1, y2, b' ', time @ .., b' ', b'G', b'M', b'T'] = day else {
        return None;
    };
    Some(HttpDate {
        weekday,
        year: Year::TwoDigits(two_digits(*y1, *y2)?),
        month: month([*m, *o, *n])?,
        day: two_digits(*d1, *d2)?,
        second_of_day: second_of_day(time)?,
    })
}

/// `Sun Nov  6 08:49:37 1994`
fn asctime(text: &[u8]) -> Option<HttpDate> {
    let [w, e, d, b' ', m, o, n, b' ', d1, d2, b' ', time @ .., b' ', y1, y2, y3, y4] = text else { return None };
    let tens = if *d1 == b' ' { b'0' } else { *d1 };
    Some(HttpDate {
        weekday: short_weekday([*w, *e, *d])?,
        year: Year::Full(four_digits([*y1, *y2, *y3, *y4])?),
        month: month([*m, *o, *n])?,
        day: two_digits(tens, *d2)?,
        second_of_day: second_of_day(time)?,
    })
}

fn short_weekday(name: [u8; 3]) -> Option<u8> {
    (0..).zip(WEEKDAYS).find_map(|(weekday, long)| long.starts_with(&name).then_some(weekday))
}

fn month(name: [u8; 3]) -> Option<u8> {
    (1..).zip(MONTHS).find_map(|(month, known)| (*known == name).then_some(month))
}

/// `08:49:37`, up to `23:59:60`.
fn second_of_day(text: &[u8]) -> Option<u32> {
    let [h1, h2, b':', m1, m2, b':', s1, s2] = text else { return None };
    let (hour, minute, second) = (two_digits(*h1, *h2)?, two_digits(*m1, *m2)?, two_digits(*s1, *s2)?);
    let leap_second = (hour, minute, second) == (23, 59, 60);
    let exists = hour < 24 && minute < 60 && (second < 60 || leap_second);
    // Cannot overflow: below 100 hours.
    exists.then(|| (u32::from(hour) * 60 + u32::from(minute)) * 60 + u32::from(second))
}

fn two_digits(tens: u8, ones: u8) -> Option<u8> {
    // Cannot overflow: at most 99.
    Some(digit(tens)? * 10 + digit(ones)?)
}

fn four_digits([a, b, c, d]: [u8; 4]) -> Option<u16> {
    // Cannot overflow: at most 9999.
    Some(u16::from(two_digits(a, b)?) * 100 + u16::from(two_digits(c, d)?))
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days_in_month(year: i64, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from a year's 1 March to the first of the month. From March on, months have 153 days in each five.
const fn days_before_month(months_since_march: i64) -> i64 {
    (153 * months_since_march + 2) / 5
}

/// Days since 1970-01-01. Years begin in March here, so that a leap day is the last of its year.
///
/// Cannot overflow, as [`civil`] cannot: years are within ten thousand of the epoch.
const fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let (year, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days lie between 0000-03-01 and the epoch.
    year * 365 + leap_days + days_before_month(months) + (day - 1) - 719_468
}

/// Year, month and day of so many days since 1970-01-01: the inverse of [`days_since_epoch`].
const fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    // 400 years have 146,097 days; a century 36,524, four years 1,461, and of each the last has a day more, or less.
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months = (5 * day_of_year + 2) / 153;
    let day = day_of_year - days_before_month(months) + 1;
    let year = era * 400 + year_of_era;
    if months < 10 { (year, months + 3, day) } else { (year + 1, months - 9, day) }
}

/// A moment since the Unix epoch: of a date within ten thousand years of it, or of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    secs: i64,
    nanos: u64,
}

impl Moment {
    pub(super) fn from_timestamp(now: Timestamp) -> Self {
        let nanos = now.as_nanos();
        // Cannot fail: below 2^63 / 10^9.
        Self { secs: i64::try_from(nanos / NANOS_PER_SEC).unwrap_or(i64::MAX), nanos: nanos % NANOS_PER_SEC }
    }

    /// The wait from here to so many seconds and nanoseconds since the epoch: zero where that has passed, at most the longest there is.
    pub(super) fn until(self, later: Self) -> Wait {
        let secs = i128::from(later.secs) - i128::from(self.secs);
        // Cannot overflow: both are below 2^64, and 2^64 * 10^9 < 2^94.
        let nanos = secs * i128::from(NANOS_PER_SEC) + i128::from(later.nanos) - i128::from(self.nanos);
        Wait::from_nanos(u64::try_from(nanos.max(0)).unwrap_or(u64::MAX))
    }

    /// So many milliseconds after the Unix epoch.
    pub(super) fn from_unix_millis(millis: u64) -> Self {
        // Cannot fail, and cannot overflow: below 2^64 / 1,000, and 999 * 10^6.
        Self { secs: i64::try_from(millis / 1_000).unwrap_or(i64::MAX), nanos: millis % 1_000 * 1_000_000 }
    }

    /// So many seconds after the Unix epoch, as far as they can be told.
    pub(super) fn from_unix_secs(secs: u64) -> Self {
        Self { secs: i64::try_from(secs).unwrap_or(i64::MAX), nanos: 0 }
    }
}

#[cfg(test)]
mod tests;

//! Every day of ten thousand years, against a calendar that counts days one by one, and against another library.

extern crate std;

use std::format;
use std::string::String;
use std::time::{Duration, UNIX_EPOCH};

use super::*;

/// The day after, by the rule that everybody learns.
fn day_after((year, month, day): (i64, u8, u8)) -> (i64, u8, u8) {
    let leap = if year % 100 == 0 { year % 400 == 0 } else { year % 4 == 0 };
    let days = match month {
        2 => 28 + u8::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    match (month, day) {
        (12, 31) => (year + 1, 1, 1),
        (_, day) if day == days => (year, month + 1, 1),
        (_, day) => (year, month, day + 1),
    }
}

fn name(weekday: usize) -> &'static str {
    core::str::from_utf8(WEEKDAYS[weekday]).unwrap()
}

fn month_name(month: u8) -> &'static str {
    core::str::from_utf8(MONTHS[usize::from(month) - 1]).unwrap()
}

fn written(weekday: usize, (year, month, day): (i64, u8, u8), time: &str) -> String {
    format!("{}, {day:02} {} {year:04} {time} GMT", &name(weekday)[..3], month_name(month))
}

fn unix_secs(text: &str) -> Option<i64> {
    HttpDate::read(text)?.unix_secs(None)
}

#[test]
fn every_day_of_ten_thousand_years_is_one_day_after_the_one_before() {
    // 0000-01-01 was a Saturday, 719,528 days before the epoch.
    let (mut date, mut days, mut weekday) = ((0, 1, 1), -719_528, 6);
    while date.0 < 10_000 {
        let (year, month, day) = date;
        assert_eq!(days_since_epoch(year, i64::from(month), i64::from(day)), days, "{date:?}");
        assert_eq!(civil(days), (year, i64::from(month), i64::from(day)), "{days}");
        assert!(day <= days_in_month(year, month) && day_after(date).2 == 1 || day < days_in_month(year, month));
        // Each day has one name.
        let http = HttpDate { weekday, year: Year::Full(0), month, day, second_of_day: 0 };
        assert_eq!(http.in_year(year), Some(days * 86_400), "{date:?}");
        assert_eq!(HttpDate { weekday: (weekday + 3) % 7, ..http }.in_year(year), None, "{date:?}");
        (date, days, weekday) = (day_after(date), days + 1, (weekday + 1) % 7);
    }
    assert_eq!((date, days), ((10_000, 1, 1), 2_932_897));
}

#[test]
fn every_day_of_four_centuries_is_read_as_another_library_writes_it() {
    for day in 0..146_097 {
        // Another time of day each day, through all of them.
        let secs = day * 86_400 + day * 7_919 % 86_400;
        let text = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(secs));
        assert_eq!(unix_secs(&text), i64::try_from(secs).ok(), "{text}");
    }
}

#[test]
fn the_three_forms_say_the_same_and_another_library_agrees() {
    // Every day of the century in which that library reads years of two digits.
    let (mut date, mut days, mut weekday) = ((1970, 1, 1), 0, 4);
    while date.0 < 2070 {
        let (year, month, day) = date;
        let (long, mon, yy) = (name(weekday), month_name(month), year % 100);
        let short = &long[..3];
        let secs = days * 86_400 + 86_399;
        let now = Timestamp::from_secs(days * 86_400 + 40_000);
        let expected = Some(i64::try_from(secs).unwrap());
        for text in [
            format!("{short}, {day:02} {mon} {year} 23:59:59 GMT"),
            format!("{long}, {day:02}-{mon}-{yy:02} 23:59:59 GMT"),
            format!("{short} {mon} {day:>2} 23:59:59 {year}"),
        ] {
            let read = HttpDate::read(&text).and_then(|read| read.unix_secs(Some(now)));
            assert_eq!(read, expected, "{text}");
            let other = httpdate::parse_http_date(&text).unwrap();
            assert_eq!(other, UNIX_EPOCH + Duration::from_secs(secs), "{text}");
        }
        (date, days, weekday) = (day_after(date), days + 1, (weekday + 1) % 7);
    }
}

#[test]
fn days_that_are_not_do_not_exist() {
    for weekday in 0..7 {
        for year in [1900, 2023, 2100, 2200, 2300, 2500] {
            assert_eq!(unix_secs(&written(weekday, (year, 2, 29), "00:00:00")), None, "{year} was no leap year");
        }
        for (month, day) in [(1, 0), (1, 32), (2, 30), (4, 31), (6, 31), (9, 31), (11, 31), (12, 99)] {
            assert_eq!(unix_secs(&written(weekday, (2024, month, day), "00:00:00")), None, "{month}-{day}");
        }
    }
    for (year, weekday) in [(1600, 2), (2000, 2), (2024, 4), (2400, 2)] {
        assert!(unix_secs(&written(weekday, (year, 2, 29), "00:00:00")).is_some(), "{year} was a leap year");
    }
}

#[test]
fn every_time_of_a_day_and_none_beyond() {
    for secs in 0..86_400 {
        let text = format!("Thu, 01 Jan 1970 {:02}:{:02}:{:02} GMT", secs / 3600, secs / 60 % 60, secs % 60);
        assert_eq!(unix_secs(&text), Some(secs));
    }
    for time in ["24:00:00", "23:60:00", "23:59:61", "12:00:60", "00:59:60", "23:58:60", "99:99:99"] {
        assert_eq!(unix_secs(&format!("Thu, 01 Jan 1970 {time} GMT")), None, "{time}");
    }
}

#[test]
fn a_leap_second_is_the_first_second_of_the_next_day() {
    assert_eq!(unix_secs("Sat, 31 Dec 2016 23:59:60 GMT"), unix_secs("Sun, 01 Jan 2017 00:00:00 GMT"));
    assert_eq!(unix_secs("Sat Dec 31 23:59:60 2016"), Some(1_483_228_800));
}

#[test]
fn a_year_of_two_digits_is_at_most_fifty_years_ahead() {
    /// The year that 1 March of `yy` is in.
    fn year(yy: i64, now: &str) -> Option<i64> {
        let now = HttpDate::read(now).unwrap().near(None);
        (0..7).find_map(|weekday| {
            let text = format!("{}, 01-Mar-{yy:02} 12:00:00 GMT", name(weekday));
            // Some day of the week fits each century; ask for the one that is picked.
            let date = HttpDate::read(&text)?;
            let picked = date.full_year(yy, now?);
            date.near(now).map(|_| picked)
        })
    }
    const NOW: &str = "Sun, 01 Mar 2026 12:00:00 GMT";
    for (yy, full) in [(26, 2026), (27, 2027), (75, 2075), (76, 2076), (77, 1977), (99, 1999), (0, 2000), (25, 2025)] {
        assert_eq!(year(yy, NOW), Some(full), "{yy}");
    }
    // To the second: fifty years are not more than fifty years.
    assert_eq!(year(76, "Sun, 01 Mar 2026 11:59:59 GMT"), Some(1976));
    assert_eq!(year(76, "Sat, 28 Feb 2026 23:59:59 GMT"), Some(1976));
    assert_eq!(year(76, "Sun, 01 Mar 2026 12:00:01 GMT"), Some(2076));
    // At the end of a century, the next has begun.
    assert_eq!(year(5, "Wed, 01 Mar 2090 12:00:00 GMT"), Some(2105));
}

#[test]
fn the_fiftieth_year_counts_to_the_nanosecond() {
    // 2026-03-01 12:00:00, and a nanosecond before.
    let now = 1_772_366_400;
    let date = HttpDate { weekday: 0, year: Year::TwoDigits(76), month: 3, day: 1, second_of_day: 43_200 };
    let at = |nanos| Moment::from_timestamp(Timestamp::from_nanos(nanos));
    assert_eq!(date.full_year(76, at(now * NANOS_PER_SEC)), 2076);
    assert_eq!(date.full_year(76, at(now * NANOS_PER_SEC - 1)), 1976);
}

#[test]
fn whatever_is_not_quite_a_date_is_none() {
    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    assert!(HttpDate::read(DATE).is_some());
    for text in [
        "",
        "Sun",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 NOV 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 01994 08:49:37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 GMT+1",
        "Sun 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT",
        "Sun, 06 Now 1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z",
        "784111777",
    ] {
        assert_eq!(HttpDate::read(text), None, "{text:?}");
    }
    // Nor with any one byte another, unless that makes another date.
    for at in 0..DATE.len() {
        for byte in 0..=255 {
            let mut text = DATE.as_bytes().to_vec();
            text[at] = byte;
            let Some(secs) = HttpDate::read(&text).and_then(|read| read.unix_secs(None)) else { continue };
            let other = httpdate::parse_http_date(core::str::from_utf8(&text).unwrap());
            let other = other.ok().map(|other| other.duration_since(UNIX_EPOCH).unwrap().as_secs());
            // The other knows no year before 1970.
            assert_eq!(u64::try_from(secs).ok(), other, "{text:?}");
        }
    }
}

#[test]
fn waits_between_moments_saturate() {
    let first = HttpDate::read("Sat, 01 Jan 0000 00:00:00 GMT").unwrap().near(None).unwrap();
    let last = HttpDate::read("Fri, 31 Dec 9999 23:59:60 GMT").unwrap().near(None).unwrap();
    assert_eq!((first.until(last), last.until(first), last.until(last)), (Wait::MAX, Wait::ZERO, Wait::ZERO));
    let now = Moment::from_timestamp(Timestamp::from_nanos(1));
    assert_eq!(now.until(Moment::from_unix_secs(1)), Wait::from_nanos(999_999_999));
    assert_eq!(now.until(Moment::from_unix_millis(1)), Wait::from_nanos(999_999));
    assert_eq!(now.until(Moment::from_unix_secs(u64::MAX)), Wait::MAX);
    assert_eq!(now.until(Moment::from_unix_millis(u64::MAX)), Wait::MAX);
}

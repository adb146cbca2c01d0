//! Days of the Gregorian calendar, which counts back before 1582 as ISO 8601 has it.

use std::env;

/// Days of a month, from 28 to 31; 0 for a month that is not from 1 to 12.
pub fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// Whether a month has this day, such as February 29 of a leap year.
pub fn is_day(year: i64, month: i64, day: i64) -> bool {
    (1..=days_in(year, month)).contains(&day)
}

/// Whether a string is a day of the calendar as `2026-01-31`, the `full-date` of RFC 3339, section 5.6.
pub fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_form = bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let number = |from: usize, to: usize| {
        bytes[from..to].iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
    };
    has_form && is_day(number(0, 4), number(5, 7), number(8, 10))
}

/// Days from 1970-01-01 to a day. The month must be from 1 to 12; days count on past the end of a month. The year is taken
/// to begin in March, so that the leap day is its last one.
pub fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// Year, month, and day of a number of days since 1970-01-01: the inverse of [`days_since_epoch`].
pub fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let cycle = days.div_euclid(146_097);
    let day_of_cycle = days.rem_euclid(146_097);
    let year = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + cycle * 400 + i64::from(month <= 2), month, day)
}

/// The day with this number of days since 1970-01-01, as `2026-01-31`.
pub fn written(days: i64) -> String {
    let (year, month, day) = date_of(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The day in UTC of a time in seconds since 1970, as `2026-01-31`.
pub fn day(seconds: u64) -> String {
    written((seconds / 86_400).cast_signed())
}

/// Seconds since 1970: those of `SOURCE_DATE_EPOCH`, which makes results repeatable
/// (<https://reproducible-builds.org/specs/source-date-epoch/>), else the current time. Zero where there is no clock, as in
/// a browser's module: there, callers say which day it is.
pub fn now() -> u64 {
    let fixed = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    fixed.unwrap_or_else(clock)
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn clock() -> u64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn clock() -> u64 {
    0
}

/// Today's day in UTC as `2026-01-31`, by [`now`].
pub fn today() -> String {
    day(now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_their_days() {
        assert_eq!((1..=12).map(|month| days_in(2026, month)).sum::<i64>(), 365);
        assert_eq!([1900, 2000, 2023, 2024].map(|year| days_in(year, 2)), [28, 29, 28, 29]);
        assert_eq!([0, 13, -1].map(|month| days_in(2026, month)), [0, 0, 0]);
    }

    #[test]
    fn dates_are_days_of_the_calendar() {
        for date in ["2026-01-31", "2024-02-29", "2000-02-29", "0000-02-29"] {
            assert!(is_date(date), "{date}");
        }
        let others = [
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "2026-1-1",
            "26-01-01",
            "2026-1-10",
            "2026-01-10-",
            "+026-01-10",
            "2026/01/10",
            "２026-01-10",
            "x",
            "",
        ];
        for other in others {
            assert!(!is_date(other), "{other}");
        }
    }

    #[test]
    fn days_are_counted_and_named() {
        assert_eq!(days_since_epoch(1970, 1, 2), 1);
        assert_eq!(days_since_epoch(1969, 12, 31), -1);
        assert_eq!(days_since_epoch(2024, 2, 29), 19_782);
        assert_eq!(day(1_769_817_600), "2026-01-31");
        for days in (-800_000..800_000).step_by(37) {
            let (year, month, day) = date_of(days);
            assert!(is_day(year, month, day), "{days}");
            assert_eq!(days_since_epoch(year, month, day), days);
        }
    }
}

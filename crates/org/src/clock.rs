//! What time it is, and what time something is moved to.

use chrono::{DateTime, Local, Offset as _, TimeZone as _, Utc};

use crate::{
    calendar::{self, date_of, days_since_epoch},
    kinds::org::Stamp,
};

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// A minute of the Gregorian calendar, as clocks on the wall show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    /// Minutes since 1970.
    minutes: i64,
}

impl Moment {
    /// The time of `SOURCE_DATE_EPOCH` (seconds since 1970), else the current time, where the program runs (`TZ`, or the
    /// setting of the system).
    pub(super) fn now() -> Self {
        let seconds = calendar::now().cast_signed();
        let offset = DateTime::<Utc>::from_timestamp(seconds, 0)
            .map_or(0, |time| Local.offset_from_utc_datetime(&time.naive_utc()).fix().local_minus_utc());
        Self { minutes: (seconds + i64::from(offset)).div_euclid(60) }
    }

    /// The beginning of a day, by the number of days since 1970.
    pub(super) fn of_days(days: i64) -> Self {
        Self { minutes: days * 24 * 60 }
    }

    /// Today as `2026-01-31`.
    pub(super) fn date(self) -> String {
        calendar::written(self.days())
    }

    /// The day of the week, from 0 for Thursday.
    pub(super) fn weekday(self) -> i64 {
        self.days().rem_euclid(7)
    }

    /// The time that a timestamp `[2026-01-31 Sat 09:00]` names.
    pub(super) fn of_stamp(stamp: &Stamp<'_>) -> Option<Self> {
        let date = stamp.numbers()?;
        let time = stamp.time?.split('-').next()?.split_once(':')?;
        Some(Self::of(date, (time.0.parse().ok()?, time.1.parse().ok()?)))
    }

    /// The minute of this date and time. Like the C function `mktime`, it counts on where a number is too large:
    /// February 30 is March 2 or March 1.
    pub(super) fn of((year, month, day): (i64, i64, i64), (hour, minute): (i64, i64)) -> Self {
        let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
        let days = days_since_epoch(year, month, 1) + day - 1;
        Self { minutes: (days * 24 + hour) * 60 + minute }
    }

    /// Days since 1970.
    pub(super) fn days(self) -> i64 {
        self.minutes.div_euclid(24 * 60)
    }

    /// Minutes since an earlier moment.
    pub(super) fn minutes_since(self, other: Self) -> i64 {
        self.minutes - other.minutes
    }

    /// Year, month, and day.
    pub(super) fn numbers(self) -> (i64, i64, i64) {
        date_of(self.days())
    }

    /// Hour and minute.
    pub(super) fn time(self) -> (i64, i64) {
        (self.minutes.div_euclid(60).rem_euclid(24), self.minutes.rem_euclid(60))
    }

    /// `2026-01-31 Sat`
    pub(super) fn day(self) -> String {
        let (year, month, day) = self.numbers();
        let weekday = usize::try_from(self.days().rem_euclid(7)).map_or("", |at| WEEKDAYS[at]);
        format!("{year:04}-{month:02}-{day:02} {weekday}")
    }

    /// `2026-01-31 Sat 09:00`
    pub(super) fn day_and_time(self) -> String {
        let (hour, minute) = self.time();
        format!("{} {hour:02}:{minute:02}", self.day())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_too_large_count_on() {
        let written = |date, time| Moment::of(date, time).day_and_time();
        assert_eq!(written((2026, 1, 31), (9, 5)), "2026-01-31 Sat 09:05");
        assert_eq!(written((2026, 2, 31), (0, 0)), "2026-03-03 Tue 00:00");
        assert_eq!(written((2026, 13, 1), (24, 0)), "2027-01-02 Sat 00:00");
        assert_eq!(written((1969, 12, 31), (23, 59)), "1969-12-31 Wed 23:59");
    }
}

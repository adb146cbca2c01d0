use schemars::JsonSchema;
use serde::Deserialize;

use super::{clock::Moment, files::OrgError};
use crate::{
    calendar::{days_since_epoch, is_day},
    kinds::org::Timestamp,
};

/// A range of days, both included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Range {
    /// First day, `2026-01-31` or as `fri`, `+2d`, `2026-W48`.
    pub from: Option<String>,
    /// Last day.
    pub to: Option<String>,
}

impl Range {
    /// Checks that a string is a day.
    ///
    /// # Errors
    /// [`OrgError::Invalid`]
    pub fn is_day(text: &str) -> Result<(), OrgError> {
        parse_day(text).map(|_| ())
    }

    /// Checks that both ends are dates.
    ///
    /// # Errors
    /// [`OrgError::Invalid`]
    pub(super) fn check(&self) -> Result<(), OrgError> {
        for date in [&self.from, &self.to].into_iter().flatten() {
            parse_day(date)?;
        }
        Ok(())
    }
}

/// Year, month, and day of what a client writes: `2026-01-31`, `today`, `tomorrow`, `yesterday`, `+2d`, `-1w`, `fri`, `+2tue`,
/// `2026-W48`, `2026-W48-5`.
///
/// # Errors
/// [`OrgError::Invalid`]
pub(super) fn parse_day(date: &str) -> Result<(i64, i64, i64), OrgError> {
    day_from(date, Moment::now())
}

/// What [`parse_day`] reads, in the form `2026-01-31`.
///
/// # Errors
/// [`OrgError::Invalid`]
pub(super) fn absolute(date: &str) -> Result<String, OrgError> {
    let (year, month, day) = parse_day(date)?;
    Ok(format!("{year:04}-{month:02}-{day:02}"))
}

fn day_from(date: &str, now: Moment) -> Result<(i64, i64, i64), OrgError> {
    let word = date.trim().to_ascii_lowercase();
    let found = calendar_day(&word).or_else(|| relative(&word, now)).or_else(|| of_week(&word, now));
    found.ok_or_else(|| {
        OrgError::invalid(format!(
            "`{}` is not a date: write 2026-01-31, tomorrow, +2d, fri, or 2026-W48",
            OrgError::shown(date)
        ))
    })
}

fn digits(text: &str) -> Option<i64> {
    let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// `2026-01-31`
fn calendar_day(word: &str) -> Option<(i64, i64, i64)> {
    let parts: Vec<&str> = word.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let is_written = year.len() == 4 && month.len() == 2 && day.len() == 2;
    let (year, month, day) = (digits(year)?, digits(month)?, digits(day)?);
    let is_real = is_day(year, month, day);
    (is_written && is_real).then_some((year, month, day))
}

/// A day that is counted from today, as Org counts (`org-read-date-get-relative`): the name of a weekday is a day after today.
fn relative(word: &str, now: Moment) -> Option<(i64, i64, i64)> {
    match word {
        "today" | "." => return Some(now.numbers()),
        "tomorrow" => return Some(Moment::of_days(now.days() + 1).numbers()),
        "yesterday" => return Some(Moment::of_days(now.days() - 1).numbers()),
        _ => {}
    }
    let unsigned = word.trim_start_matches(['+', '-']);
    let is_signed = word.len() == unsigned.len() + 1;
    let is_back = is_signed && word.starts_with('-');
    if word.len() > unsigned.len() + 1 {
        return None;
    }
    let unit = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
    let count = &unsigned[..unsigned.len() - unit.len()];
    let count = if count.is_empty() { 1 } else { digits(count)? };
    let sign = if is_back { -1 } else { 1 };
    if let Some(weekday) = weekday(unit) {
        let ahead = match (weekday - now.weekday()).rem_euclid(7) {
            0 => 7,
            ahead => ahead,
        };
        let first = match (is_back, ahead) {
            (true, 7) => -7,
            (true, ahead) => ahead - 7,
            (false, ahead) => ahead,
        };
        return Some(Moment::of_days(now.days() + first + sign * 7 * (count - 1).max(0)).numbers());
    }
    let (year, month, day) = now.numbers();
    let days = |days: i64| Moment::of_days(now.days() + sign * days).numbers();
    match unit {
        _ if !is_signed => None,
        "" | "d" if unsigned.is_empty() => None,
        "" | "d" => Some(days(count)),
        "w" => Some(days(7 * count)),
        "m" => Some(Moment::of((year, month + sign * count, day), (0, 0)).numbers()),
        "y" => Some(Moment::of((year + sign * count, month, day), (0, 0)).numbers()),
        _ => None,
    }
}

/// The weekday with this name, or its first three letters or more, from 0 for Thursday.
fn weekday(word: &str) -> Option<i64> {
    let names = ["thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"];
    let at = names.iter().position(|name| word.len() >= 3 && name.starts_with(word))?;
    i64::try_from(at).ok()
}

/// A day of an ISO week: `2026-w48` is its Monday, `2026-w48-5` its Friday, `w48` is in this year.
fn of_week(word: &str, now: Moment) -> Option<(i64, i64, i64)> {
    let (year, rest) = word.split_once('w')?;
    let year = if year.is_empty() { now.numbers().0 } else { digits(year.trim_end_matches('-'))? };
    let (week, day) = rest.split_once('-').unwrap_or((rest, "1"));
    let (week, day) = (digits(week)?, digits(day)?);
    if !(1..=53).contains(&week) || !(1..=7).contains(&day) {
        return None;
    }
    // January 4 is always in the first week; day 0 of Moment is a Thursday.
    let fourth = days_since_epoch(year, 1, 4);
    let monday = fourth - (fourth + 3).rem_euclid(7);
    Some(Moment::of_days(monday + 7 * (week - 1) + day - 1).numbers())
}

/// An active timestamp of what a client writes: a day as for [`parse_day`], perhaps with a time, a repeater, and a warning
/// (`2026-01-31 10:00 +1w`), or a timestamp. The repeater and the warning of `old` are kept where `new` has neither.
///
/// # Errors
/// [`OrgError::Invalid`]
pub(super) fn timestamp(new: &str, old: Option<&str>) -> Result<String, OrgError> {
    let inner = new.trim().trim_start_matches('<').trim_end_matches('>').trim();
    let (day, rest) = inner.split_once([' ', '\t']).unwrap_or((inner, ""));
    let rest = rest.trim();
    let day = absolute(day)?;
    let text = if rest.is_empty() { format!("<{day}>") } else { format!("<{day} {rest}>") };
    let bad = || {
        let shown = OrgError::shown(new);
        OrgError::invalid(format!("`{shown}` is not a timestamp: write 2026-01-31 or 2026-01-31 10:00 +1w"))
    };
    let mut stamp = Timestamp::read(&text).filter(|stamp| stamp.text == text).ok_or_else(bad)?;
    if !stamp.start.unread.is_empty() {
        return Err(bad());
    }
    if let Some(time) = stamp.stamps().find_map(|stamp| not_of_a_day(stamp.time?)) {
        return Err(OrgError::invalid(format!("`{time}` is not a time of day: write 00:00 to 23:59")));
    }
    let old = old.and_then(Timestamp::read);
    if let Some(old) = old.filter(|_| stamp.start.repeater.is_none() && stamp.start.warning.is_none()) {
        stamp.start.repeater = old.start.repeater;
        stamp.start.warning = old.start.warning;
        return stamp.canonical().ok_or_else(bad);
    }
    stamp.canonical().ok_or_else(bad)
}

/// The part of `9:00` or `10:00-11:30` that a day does not have; a range may end at 24:00.
fn not_of_a_day(time: &str) -> Option<&str> {
    let is_time = |time: &str| {
        let numbers = time.split_once(':').and_then(|(hour, minute)| Some((digits(hour)?, digits(minute)?)));
        numbers.is_some_and(|(hour, minute)| hour < 24 && minute < 60)
    };
    let (from, to) = time.split_once('-').unwrap_or((time, "00:00"));
    if is_time(from) { Some(to).filter(|to| !is_time(to) && *to != "24:00") } else { Some(from) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_completed() {
        assert_eq!(timestamp("2026-01-31", None).unwrap(), "<2026-01-31 Sat>");
        assert_eq!(timestamp("<2026-01-31 9:00 +1w>", None).unwrap(), "<2026-01-31 Sat 09:00 +1w>");
        assert_eq!(
            timestamp("2026-01-31", Some("<2026-01-24 Sat +1w -2d>")).unwrap(),
            "<2026-01-31 Sat +1w -2d>"
        );
        for bad in [
            "2026-02-30",
            "soon",
            "2026-01-31 soon 5",
            "",
            "2026-1-31",
            "++2d",
            "+",
            "+2x",
            "2026-W60",
            "1fri2",
        ] {
            assert!(timestamp(bad, None).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_those_of_a_day() {
        for time in ["0:00", "23:59", "9:00-11:30", "22:00-24:00"] {
            assert!(timestamp(&format!("2026-12-01 {time}"), None).is_ok(), "{time}");
        }
        for (time, part) in [
            ("25:00", "25:00"),
            ("24:00", "24:00"),
            ("12:60", "12:60"),
            ("10:00-25:00", "25:00"),
            ("99:00-10:00", "99:00"),
        ] {
            let why = timestamp(&format!("2026-12-01 {time}"), None).unwrap_err().to_string();
            assert_eq!(why, format!("`{part}` is not a time of day: write 00:00 to 23:59"));
        }
    }

    /// What `org-read-date` of Org 9.5 gives; Org does not know `tomorrow` and `yesterday`.
    #[test]
    fn days_are_counted_from_today() {
        let now = Moment::of((2026, 11, 25), (12, 30));
        for (word, expected) in [
            ("today", "2026-11-25"),
            (".", "2026-11-25"),
            ("tomorrow", "2026-11-26"),
            ("yesterday", "2026-11-24"),
            ("fri", "2026-11-27"),
            ("Friday", "2026-11-27"),
            ("wed", "2026-12-02"),
            ("-wed", "2026-11-18"),
            ("+2tue", "2026-12-08"),
            ("+2", "2026-11-27"),
            ("+2d", "2026-11-27"),
            ("-1w", "2026-11-18"),
            ("+1m", "2026-12-25"),
            ("+1y", "2027-11-25"),
            ("2026-W48", "2026-11-23"),
            ("2026-w48-5", "2026-11-27"),
            ("w9", "2026-02-23"),
            ("2026-W01", "2025-12-29"),
        ] {
            let (year, month, day) = day_from(word, now).unwrap();
            assert_eq!(format!("{year:04}-{month:02}-{day:02}"), expected, "{word}");
        }
    }

    #[test]
    fn a_relative_day_may_have_a_time_and_a_repeater() {
        let today = Moment::now();
        let tomorrow = Moment::of_days(today.days() + 1);
        assert_eq!(timestamp("tomorrow 9:00 +1w", None).unwrap(), format!("<{} 09:00 +1w>", tomorrow.day()));
    }
}

//! Dates and times of YAML 1.1: plain scalars that QType does not read as strings.

use crate::calendar::{days_since_epoch, is_day};

/// A plain scalar read as a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timestamp {
    /// Not a timestamp: an ordinary string.
    None,
    /// A date or a point in time, as days since 1970-01-01.
    Days(i64),
    /// Written like a timestamp, but the date does not exist.
    Impossible,
}

/// Reads `YYYY-MM-DD`, or with a time `YYYY-M-D[Tt ]H:MM:SS[.f][zone]`, as `PyYAML` does.
pub(super) fn timestamp(text: &str) -> Timestamp {
    let bytes = text.as_bytes();
    if bytes.len() < 8 || bytes[4] != b'-' || !bytes[..4].iter().all(u8::is_ascii_digit) {
        return Timestamp::None;
    }
    let rest = &text[5..];
    let day_end = rest.find(['T', 't', ' ', '\t']).unwrap_or(rest.len());
    let (date, time) = (&rest[..day_end], rest[day_end..].trim_start_matches(['T', 't', ' ', '\t']));
    let Some((month, day)) = date.split_once('-') else { return Timestamp::None };
    let digits = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(month) || !digits(day) {
        return Timestamp::None;
    }
    let bare = day_end == rest.len();
    if (bare && (month.len() != 2 || day.len() != 2)) || (!bare && !is_time(time)) {
        return Timestamp::None;
    }
    let number = |part: &str| part.parse::<i64>().unwrap_or_default();
    let (year, month, day) = (number(&text[..4]), number(month), number(day));
    // Python has no year 0.
    if year < 1 || !is_day(year, month, day) {
        return Timestamp::Impossible;
    }
    Timestamp::Days(days_since_epoch(year, month, day))
}

/// `H:MM:SS`, a fraction, a zone.
fn is_time(text: &str) -> bool {
    let mut parts = text.splitn(3, ':');
    let (Some(hour), Some(minute), Some(second)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    (1..=2).contains(&hour.len())
        && digits(hour)
        && minute.len() == 2
        && digits(minute)
        && second.get(..2).is_some_and(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_distinguished_from_strings_and_impossible_dates() {
        assert_eq!(timestamp("1970-01-02"), Timestamp::Days(1));
        assert_eq!(timestamp("2024-02-29 1:02:03.5Z"), Timestamp::Days(19_782));
        assert_eq!(timestamp("2024-13-45"), Timestamp::Impossible);
        for text in ["2024-1-1", "2024-01-01x", "gpt-4o-2024-08-06", "2024-01-01 noon"] {
            assert_eq!(timestamp(text), Timestamp::None, "{text}");
        }
    }
}

//! Times and durations of RFC 3339; its dates are those of [`crate::calendar`].

use crate::calendar::is_date;

/// §5.6 `full-time`.
pub(super) fn is_time(text: &str) -> bool {
    time(text).is_some()
}

/// §5.6 `date-time`: `T` and `Z` may be in lower case.
pub(super) fn is_date_time(text: &str) -> bool {
    let parts = text.split_once(['T', 't']);
    parts.is_some_and(|(day, clock)| is_date(day) && is_time(clock))
}

fn time(text: &str) -> Option<()> {
    let offset_at = text.find(['Z', 'z', '+', '-'])?;
    let (clock, offset) = text.split_at(offset_at);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut parts = clock.split(':');
    let (hour, minute, second) =
        (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let ahead = match offset.split_at(1) {
        ("Z" | "z", "") => 0,
        (sign, zone) => {
            let (hours, minutes) = zone.split_once(':')?;
            let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let minutes = (hours * 60 + minutes).cast_signed();
            if sign == "+" { minutes } else { -minutes }
        }
    };
    let in_range = hour < 24 && minute < 60 && second <= 60;
    // §5.7: a leap second is the last one of a day in UTC.
    let utc = ((hour * 60 + minute).cast_signed() - ahead).rem_euclid(24 * 60);
    let leap = second < 60 || utc == 23 * 60 + 59;
    let fraction = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    (parts.next().is_none() && in_range && leap && fraction).then_some(())
}

/// A number of exactly `count` digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    (text.len() == count && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Appendix A `duration`: weeks alone, or a date and a time whose units follow each other.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else { return false };
    if let Some(weeks) = text.strip_suffix('W') {
        return is_count(weeks);
    }
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let date_holds = if date.is_empty() { time.is_some() } else { has_units(date, "YMD") };
    date_holds && time.is_none_or(|time| has_units(time, "HMS"))
}

/// Counts with a run of these units: each unit directly follows the one before it.
fn has_units(text: &str, units: &str) -> bool {
    let found: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let counts = text.split_inclusive(|c: char| !c.is_ascii_digit());
    !found.is_empty()
        && units.contains(&found)
        && counts
            .into_iter()
            .all(|part| part.strip_suffix(|c: char| !c.is_ascii_digit()).is_some_and(is_count))
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_an_offset_and_leap_seconds_end_a_day() {
        for time in ["23:59:60Z", "08:29:60.5-15:30", "10:00:00z", "10:00:00.123+00:00"] {
            assert!(is_time(time), "{time}");
        }
        for time in ["10:00:00", "24:00:00Z", "10:00:60Z", "10:00:00.Z", "10:00:00+24:00", "10:00:00Zz", "é"]
        {
            assert!(!is_time(time), "{time}");
        }
    }

    #[test]
    fn units_of_a_duration_follow_each_other() {
        for duration in ["P3W", "P1Y", "P1Y2M3D", "PT36H", "P1DT1M2S"] {
            assert!(is_duration(duration), "{duration}");
        }
        for duration in ["P", "PT", "P1", "P1Y1D", "PT1H1S", "P1W1D", "P1D2Y", "1D", "P1DT"] {
            assert!(!is_duration(duration), "{duration}");
        }
    }
}

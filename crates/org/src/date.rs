use schemars::JsonSchema;
use serde::Deserialize;

use super::files::OrgError;
use crate::kinds::org::{Timestamp, days_in};

/// A range of days, both included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Range {
    /// First day, `2026-01-31`.
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

/// Year, month, and day of `2026-01-31`.
///
/// # Errors
/// [`OrgError::Invalid`]
pub(super) fn parse_day(date: &str) -> Result<(i64, i64, i64), OrgError> {
    let bad = || OrgError::invalid(format!("`{}` is not a date: write 2026-01-31", OrgError::shown(date)));
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return Err(bad()) };
    let is_written = year.len() == 4 && month.len() == 2 && day.len() == 2;
    let number = |text: &str| text.parse::<i64>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let numbers = (number(year), number(month), number(day));
    let (Some(year), Some(month), Some(day)) = numbers else { return Err(bad()) };
    let is_real = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    if is_written && is_real { Ok((year, month, day)) } else { Err(bad()) }
}

/// An active timestamp of what a client writes: `2026-01-31`, `2026-01-31 10:00 +1w`, or a timestamp. The
/// repeater and the warning of `old` are kept where `new` has neither.
///
/// # Errors
/// [`OrgError::Invalid`]
pub(super) fn timestamp(new: &str, old: Option<&str>) -> Result<String, OrgError> {
    let inner = new.trim().trim_start_matches('<').trim_end_matches('>').trim();
    parse_day(inner.get(..10).unwrap_or(inner))?;
    let text = format!("<{inner}>");
    let bad = || {
        let shown = OrgError::shown(new);
        OrgError::invalid(format!("`{shown}` is not a timestamp: write 2026-01-31 or 2026-01-31 10:00 +1w"))
    };
    let mut stamp = Timestamp::read(&text).filter(|stamp| stamp.text == text).ok_or_else(bad)?;
    if !stamp.start.unread.is_empty() {
        return Err(bad());
    }
    let old = old.and_then(Timestamp::read);
    if let Some(old) = old.filter(|_| stamp.start.repeater.is_none() && stamp.start.warning.is_none()) {
        stamp.start.repeater = old.start.repeater;
        stamp.start.warning = old.start.warning;
        return stamp.canonical().ok_or_else(bad);
    }
    stamp.canonical().ok_or_else(bad)
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
        for bad in ["2026-02-30", "tomorrow", "2026-01-31 soon 5", "", "2026-1-31"] {
            assert!(timestamp(bad, None).is_err(), "{bad}");
        }
    }
}

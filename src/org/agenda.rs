//! What is on which day.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    date::parse_day,
    files::{Files, OrgError},
    headline::HeadlineInfo,
};
use crate::{
    engine::{day, today},
    kinds::org::{Outline, Timestamp, days_since_epoch},
};

/// Which days to show.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgendaQuery {
    /// First day; today (UTC) when absent.
    pub from: Option<String>,
    /// Number of days, default 7, at most 366.
    pub days: Option<u32>,
    /// Only these files.
    pub files: Option<Vec<String>>,
}

/// Something on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AgendaItem {
    /// The day.
    pub date: String,
    /// `10:00` or `10:00-11:30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Why it is there.
    pub r#type: AgendaType,
    /// The headline.
    pub headline: HeadlineInfo,
}

/// Why something is on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum AgendaType {
    /// Scheduled or due before the first day, and not done.
    Overdue,
    /// Due on the day.
    Deadline,
    /// Scheduled for the day.
    Scheduled,
}

impl AgendaType {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Overdue => "overdue",
            Self::Deadline => "deadline",
            Self::Scheduled => "scheduled",
        }
    }
}

/// Tasks that are scheduled or due on the days, by day and time. What is done is left out; a repeating date
/// counts on each day that it falls on.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn items(files: &Files<'_>, query: &AgendaQuery) -> Result<Vec<AgendaItem>, OrgError> {
    let from = query.from.clone().unwrap_or_else(today);
    let (year, month, day_of_month) = parse_day(&from)?;
    let first = days_since_epoch(year, month, day_of_month);
    let last = first + i64::from(query.days.unwrap_or(7).clamp(1, 366)) - 1;
    let mut found = Vec::new();
    for subject in files.some(query.files.as_deref(), false)? {
        let outline = Outline::read(subject.text());
        for (index, headline) in outline.headlines.iter().enumerate() {
            let Some(planning) = &headline.planning else { continue };
            if headline.todo.is_some_and(|state| outline.settings.is_final(state)) || headline.commented {
                continue;
            }
            for (keyword, kind) in [("DEADLINE", AgendaType::Deadline), ("SCHEDULED", AgendaType::Scheduled)]
            {
                let Some(stamp) = planning.get(keyword).and_then(Timestamp::read) else { continue };
                if !stamp.start.is_active {
                    continue;
                }
                let is_task = headline.todo.is_some();
                for (on, kind) in occurrences(&stamp, first..=last, kind, is_task) {
                    found.push(AgendaItem {
                        date: written(on),
                        time: stamp.start.time.map(str::to_owned),
                        r#type: kind,
                        headline: HeadlineInfo::new(subject.name(), &outline, index),
                    });
                }
            }
        }
    }
    found.sort_by(|a, b| {
        let key =
            |item: &AgendaItem| (item.date.clone(), item.time.is_none(), item.time.clone(), item.r#type);
        key(a).cmp(&key(b))
    });
    Ok(found)
}

/// The days of a range that a timestamp falls on.
fn occurrences(
    stamp: &Timestamp<'_>,
    days: std::ops::RangeInclusive<i64>,
    kind: AgendaType,
    is_task: bool,
) -> Vec<(i64, AgendaType)> {
    let Some((year, month, day)) = stamp.start.numbers().filter(|_| stamp.start.is_real()) else {
        return Vec::new();
    };
    let on = days_since_epoch(year, month, day);
    let mut found = Vec::new();
    if on < *days.start() && is_task {
        found.push((*days.start(), AgendaType::Overdue));
    }
    match stamp.start.repeater.and_then(interval) {
        Some(Interval::Days(step)) => {
            let behind = (*days.start() - on).max(0);
            let mut next = on + (behind + step - 1) / step * step;
            while next <= *days.end() {
                found.push((next, kind));
                next += step;
            }
        }
        Some(Interval::Months(step)) => {
            let mut months = year * 12 + month - 1;
            for _ in 0..12_000 {
                let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
                let next = days_since_epoch(year, month, day);
                if next > *days.end() {
                    break;
                }
                if next >= *days.start() {
                    found.push((next, kind));
                }
                months += step;
            }
        }
        None if days.contains(&on) => found.push((on, kind)),
        None => {}
    }
    found
}

enum Interval {
    Days(i64),
    Months(i64),
}

/// The interval of a repeater: `+1w`, `.+1d/3d`. Hours are left out, since items are on days.
fn interval(repeater: &str) -> Option<Interval> {
    let rest = repeater.trim_start_matches(['.', '+']);
    let rest = rest.split('/').next()?;
    let (number, unit) = rest.split_at(rest.len().checked_sub(1)?);
    let number: i64 = number.parse().ok().filter(|number| (1..100_000).contains(number))?;
    Some(match unit {
        "d" => Interval::Days(number),
        "w" => Interval::Days(7 * number),
        "m" => Interval::Months(number),
        "y" => Interval::Months(12 * number),
        _ => return None,
    })
}

/// A number of days since 1970 as a date.
fn written(days: i64) -> String {
    day(u64::try_from(days).unwrap_or_default() * 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(stamp: &str, days: std::ops::RangeInclusive<i64>) -> Vec<String> {
        let stamp = Timestamp::read(stamp).unwrap();
        let found = occurrences(&stamp, days, AgendaType::Scheduled, true);
        found.into_iter().map(|(day, kind)| format!("{} {}", written(day), kind.name())).collect()
    }

    #[test]
    fn repeating_dates_fall_on_later_days() {
        let first = days_since_epoch(2026, 2, 1);
        assert_eq!(
            on("<2026-01-31 Sat +1w>", first..=first + 14),
            ["2026-02-01 overdue", "2026-02-07 scheduled", "2026-02-14 scheduled"]
        );
        assert_eq!(
            on("<2026-02-03 Tue +1m>", first..=first + 40),
            ["2026-02-03 scheduled", "2026-03-03 scheduled"]
        );
        assert_eq!(on("<2026-02-03 Tue>", first..=first + 40), ["2026-02-03 scheduled"]);
        assert!(on("<2026-02-30 Mon>", first..=first + 40).is_empty());
    }
}

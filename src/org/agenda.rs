//! What is on which day.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    date::parse_day,
    digest::{Entry, Planned},
    files::{Files, OrgError},
    filter::Filter,
    headline::HeadlineInfo,
    page::{Found, PAGE, Page, Start},
    search,
};
use crate::{
    engine::{day, today},
    kinds::org::{Timestamp, days_since_epoch},
};

/// Which days to show.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgendaQuery {
    /// First day; today (UTC) when absent.
    pub from: Option<String>,
    /// Number of days, default 7, at most 366.
    pub days: Option<u32>,
    /// Only these files.
    pub files: Option<Vec<String>>,
    #[serde(flatten)]
    pub filter: Filter,
    #[serde(flatten)]
    pub page: Page,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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

/// Day, time (those without one last), type, file, and line of an item, by which items are sorted.
type Key = (String, bool, Option<String>, AgendaType, String, u32);

/// Tasks that are scheduled or due on the days, by day and time. What is done is left out; a repeating date
/// counts on each day that it falls on.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn items(files: &Files<'_>, query: &AgendaQuery) -> Result<Found<AgendaItem>, OrgError> {
    let from = query.from.clone().unwrap_or_else(today);
    let (year, month, day_of_month) = parse_day(&from)?;
    let first = days_since_epoch(year, month, day_of_month);
    let days = first..=first + i64::from(query.days.unwrap_or(7).clamp(1, 366)) - 1;
    let asked = (&query.from, query.days, &query.files, &query.filter);
    let start: Start<Key> = query.page.start(&asked, PAGE)?;
    query.filter.check()?;
    let digests = files.digests(query.files.as_deref(), false)?;
    let mut found: Vec<(Key, Entry<'_>)> = Vec::new();
    for digest in &digests {
        let dated = digest.entries().filter(|entry| !entry.is_final() && !entry.is_commented());
        for entry in dated.filter(|entry| entry.is_planned()) {
            for (planned, kind) in
                [(Planned::Deadline, AgendaType::Deadline), (Planned::Scheduled, AgendaType::Scheduled)]
            {
                let Some(stamp) = planned.of(entry).filter(|stamp| stamp.start.is_active) else { continue };
                let on = occurrences(&stamp, days.clone(), kind, entry.todo().is_some());
                if on.is_empty() || !query.filter.accepts(entry) {
                    continue;
                }
                let time = stamp.start.time.map(str::to_owned);
                found.extend(on.into_iter().map(|(on, kind)| {
                    let place = (entry.file().to_owned(), entry.line());
                    ((written(on), time.is_none(), time.clone(), kind, place.0, place.1), entry)
                }));
            }
        }
    }
    if let Some(wanted) = query.filter.wanted_text() {
        let with_text = search::headlines_with(files, &digests, &wanted);
        found.retain(|(key, _)| with_text.contains(&(key.4.as_str(), key.5)));
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let total = found.len();
    let skipped = start.after.as_ref().map_or(0, |after| found.partition_point(|(key, _)| key <= after));
    let rest = &found[skipped..];
    let page = &rest[..rest.len().min(start.limit)];
    let next = page.last().filter(|_| page.len() < rest.len()).map(|(key, _)| start.cursor(key));
    let item = |(key, entry): &(Key, Entry<'_>)| AgendaItem {
        date: key.0.clone(),
        time: key.2.clone(),
        r#type: key.3,
        headline: entry.info(),
    };
    Ok(Found { items: page.iter().map(item).collect(), total, next })
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

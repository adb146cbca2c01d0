//! On which days the agenda shows headlines.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    calendar::{date_of, days_since_epoch},
    digest::{Entry, Planned},
    kinds::org::{Stamp, Timestamp},
};

/// Why something is on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum AgendaType {
    /// Scheduled or due before the first day, and not done.
    Overdue,
    /// Due on the day.
    Deadline,
    /// Scheduled for the day.
    Scheduled,
    /// A timestamp in the title or the text is on the day.
    Timestamp,
    /// Due after the last day, and soon.
    Upcoming,
}

impl AgendaType {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overdue => "overdue",
            Self::Deadline => "deadline",
            Self::Scheduled => "scheduled",
            Self::Timestamp => "timestamp",
            Self::Upcoming => "upcoming",
        }
    }
}

/// A date by which a headline is scheduled or due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Day {
    /// The headline.
    pub(in super::super) row: u32,
    /// Days since 1970.
    date: i32,
    /// The last day of a range.
    last: i32,
    /// How many days before a deadline it is upcoming.
    warning: i32,
    /// Its time: see [`written_time`].
    pub(in super::super) time: u32,
    kind: AgendaType,
    step: Step,
}

/// When a date comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Step {
    /// Never.
    None,
    /// After a number of days.
    Days(i32),
    /// After a number of months.
    Months(i32),
}

/// The number of the time of what has none, which is shown last.
const UNTIMED: u32 = u32::MAX;

/// How many days before a deadline Org warns of it (`org-deadline-warning-days`).
const WARNING: i32 = 14;

/// The dates of a headline, which has a row. For a headline that is done, these are only the timestamps in its text.
pub(super) fn days_of(entry: Entry<'_>, row: u32) -> impl Iterator<Item = Day> {
    let kinds = [(Planned::Deadline, AgendaType::Deadline), (Planned::Scheduled, AgendaType::Scheduled)];
    let planned = kinds.into_iter().filter(move |_| !entry.is_final());
    let planned = planned.filter_map(move |(planned, kind)| Day::new(row, &planned.of(entry)?, kind));
    planned.chain(entry.stamps().filter_map(move |stamp| Day::new(row, &stamp, AgendaType::Timestamp)))
}

/// Days since 1970 of a stamp that is active and in the calendar.
fn day_of(stamp: &Stamp<'_>) -> Option<i32> {
    let (year, month, day) = stamp.numbers().filter(|_| stamp.is_active && stamp.is_real())?;
    i32::try_from(days_since_epoch(year, month, day)).ok()
}

impl Day {
    /// The dates of an active timestamp that is in the calendar.
    fn new(row: u32, stamp: &Timestamp<'_>, kind: AgendaType) -> Option<Self> {
        let date = day_of(&stamp.start)?;
        let last = stamp.end.as_ref().filter(|_| kind == AgendaType::Timestamp).and_then(day_of);
        let step = stamp.start.repeater.map_or(Step::None, Step::of_repeater);
        let warning = match stamp.start.warning {
            Some(warning) => match Step::of_repeater(warning.trim_start_matches('-')) {
                Step::None => 0,
                Step::Days(days) => days,
                Step::Months(months) => months.saturating_mul(30),
            },
            None => WARNING,
        };
        let time = stamp.start.time.map_or(UNTIMED, time_number);
        Some(Self { row, date, last: last.unwrap_or(date).max(date), warning, time, kind, step })
    }

    /// Calls `found` with each day of a range on which it is shown, and with the reason: once on each day.
    pub(in super::super) fn on(
        self,
        days: &RangeInclusive<i32>,
        is_task: bool,
        mut found: impl FnMut(i32, AgendaType),
    ) {
        let first = *days.start();
        let is_overdue = self.date < first && is_task && self.kind != AgendaType::Timestamp;
        if is_overdue {
            found(first, AgendaType::Overdue);
        }
        let mut is_shown = is_overdue;
        self.occurrences(days, |day| {
            is_shown = true;
            // What is overdue by an earlier date is not shown again for the one of the same day.
            if day != first || !is_overdue {
                found(day, self.kind);
            }
        });
        if self.kind == AgendaType::Deadline && is_task && !is_shown {
            // Not of a deadline within the days, which is shown there.
            let mut next = None;
            let soon = *days.end() + 1..=first.saturating_add(self.warning);
            self.occurrences(&soon, |day| {
                next.get_or_insert(day);
            });
            if next.is_some() {
                found(first, AgendaType::Upcoming);
            }
        }
    }

    /// Calls `found` with each day of a range on which the date is.
    fn occurrences(self, days: &RangeInclusive<i32>, mut found: impl FnMut(i32)) {
        let Self { date: day, .. } = self;
        if days.is_empty() {
            return;
        }
        match self.step {
            Step::None => {
                for day in day.max(*days.start())..=self.last.min(*days.end()) {
                    found(day);
                }
            }
            Step::Days(step) => {
                let passed = (*days.start() - day).max(0);
                let mut next = day + (passed + step - 1) / step * step;
                while next <= *days.end() {
                    found(next);
                    next += step;
                }
            }
            Step::Months(step) => {
                let (year, month, of_month) = date_of(day.into());
                let mut months = year * 12 + month - 1;
                let (first_year, first_month, _) = date_of((*days.start()).into());
                // A day that a month does not have is one of the next month, as in Emacs.
                let passed = (first_year * 12 + first_month - 2 - months).max(0);
                months += passed / i64::from(step) * i64::from(step);
                loop {
                    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
                    let Ok(next) = i32::try_from(days_since_epoch(year, month, of_month)) else { break };
                    if next > *days.end() {
                        break;
                    }
                    if days.contains(&next) {
                        found(next);
                    }
                    months += i64::from(step);
                }
            }
        }
    }
}

impl Step {
    /// The step of a repeater: `+1w`, `.+1d/3d`. Hours are left out, since items are on days.
    fn of_repeater(repeater: &str) -> Self {
        let rest = repeater.trim_start_matches(['.', '+']).split('/').next().unwrap_or_default();
        let (number, unit) = rest.split_at(rest.len().saturating_sub(1));
        let Some(number) = number.parse::<i32>().ok().filter(|number| (1..100_000).contains(number)) else {
            return Self::None;
        };
        match unit {
            "d" => Self::Days(number),
            "w" => Self::Days(7 * number),
            "m" => Self::Months(number),
            "y" => Self::Months(12 * number),
            _ => Self::None,
        }
    }
}

/// `10:00` or `10:00-11:30` as a number that is larger for later times. The digits of the end, if there is one, are in
/// the low half.
fn time_number(time: &str) -> u32 {
    let digits = |time: &str| time.replace(':', "").parse::<u32>().unwrap_or(0);
    let (start, end) = time.split_once('-').map_or((time, 0), |(start, end)| (start, digits(end) + 1));
    digits(start) << 16 | end
}

/// The time that has a number, with two digits for the hour.
pub(in super::super) fn written_time(number: u32) -> Option<String> {
    let one = |digits: u32| format!("{:02}:{:02}", digits / 100, digits % 100);
    let (start, end) = (number >> 16, number & 0xFFFF);
    let end = end.checked_sub(1).map(|end| format!("-{}", one(end))).unwrap_or_default();
    (number != UNTIMED).then(|| one(start) + &end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{calendar, kinds::org::Timestamp};

    fn on(stamp: &str, days: RangeInclusive<i32>) -> Vec<String> {
        as_kind(AgendaType::Scheduled, stamp, days)
    }

    fn as_kind(kind: AgendaType, stamp: &str, days: RangeInclusive<i32>) -> Vec<String> {
        let stamp = Timestamp::read(stamp).unwrap();
        let mut found = Vec::new();
        if let Some(day) = Day::new(0, &stamp, kind) {
            day.on(&days, true, |day, kind| {
                found.push(format!("{} {}", calendar::written(day.into()), kind.name()));
            });
        }
        found
    }

    fn day(year: i64, month: i64, day: i64) -> i32 {
        i32::try_from(days_since_epoch(year, month, day)).unwrap()
    }

    #[test]
    fn repeating_dates_fall_on_later_days() {
        let first = day(2026, 2, 1);
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
        assert!(on("[2026-02-03 Tue]", first..=first + 40).is_empty());
    }

    #[test]
    fn months_are_counted_from_the_first_date() {
        let march = day(2031, 3, 1);
        assert_eq!(
            on("<2001-01-31 Wed +1m>", march..=march + 30),
            ["2031-03-01 overdue", "2031-03-03 scheduled", "2031-03-31 scheduled"],
            "February has no 31st day"
        );
        assert_eq!(on("<2000-02-29 Tue +1y>", march..=march + 3), ["2031-03-01 overdue"], "once on a day");
    }

    #[test]
    fn deadlines_are_announced_and_ranges_are_on_each_of_their_days() {
        let first = day(2026, 11, 23);
        let due = |stamp| as_kind(AgendaType::Deadline, stamp, first..=first);
        assert_eq!(due("<2026-11-28 Sat>"), ["2026-11-23 upcoming"]);
        assert_eq!(due("<2026-12-08 Tue>"), Vec::<String>::new(), "more than 14 days");
        assert_eq!(due("<2026-11-28 Sat -2d>"), Vec::<String>::new());
        assert_eq!(due("<2026-11-23 Mon>"), ["2026-11-23 deadline"]);
        let week = |kind, stamp| as_kind(kind, stamp, first..=first + 6);
        assert_eq!(week(AgendaType::Deadline, "<2026-11-28 Sat>"), ["2026-11-28 deadline"]);
        let range = "<2026-11-20 Fri>--<2026-11-24 Tue>";
        assert_eq!(week(AgendaType::Timestamp, range), ["2026-11-23 timestamp", "2026-11-24 timestamp"]);
        assert_eq!(week(AgendaType::Timestamp, "<2026-11-20 Fri>"), Vec::<String>::new());
        assert_eq!(week(AgendaType::Timestamp, "<2026-11-20 Fri +5d>"), ["2026-11-25 timestamp"]);
    }

    #[test]
    fn times_are_in_order() {
        let times = ["0:05", "9:00", "09:30-10:00", "10:00", "10:00-11:30", "10:00-12:00", "23:59"];
        assert!(times.map(time_number).is_sorted());
        assert!(time_number("99:99-99:99") < UNTIMED);
        for (time, written) in [("9:00", "09:00"), ("10:00-0:30", "10:00-00:30"), ("0:00", "00:00")] {
            assert_eq!(written_time(time_number(time)).as_deref(), Some(written));
        }
        assert_eq!(written_time(UNTIMED), None);
    }
}

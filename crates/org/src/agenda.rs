//! What is on which day.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    date::parse_day,
    files::{Files, OrgError},
    filter::Filter,
    headline::HeadlineInfo,
    page::{Found, PAGE, Page, Start},
    search,
    table::{Conditions, written_time},
};
use crate::calendar::{self, days_since_epoch};

pub use super::table::AgendaType;

/// Which days to show.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgendaQuery {
    /// First day (default: today).
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
pub struct AgendaItem {
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

/// Day, time, reason, file, and line of an item, by which items are sorted.
type Key = (i32, u32, AgendaType, String, u32);

/// Tasks that are scheduled or due on the days, and timestamps in text, by day and time. Dates of what is done are left out; a
/// repeating date counts on each day that it falls on.
///
/// # Errors
/// [`OrgError`]
pub fn items(files: &Files<'_>, query: &AgendaQuery) -> Result<Found<AgendaItem>, OrgError> {
    let AgendaQuery { from, days, files: names, filter, page } = query;
    let (year, month, day) = parse_day(from.as_deref().unwrap_or("today"))?;
    let first = days_since_epoch(year, month, day) as i32;
    let last = first + days.unwrap_or(7).clamp(1, 366) as i32 - 1;
    let start: Start<Key> = page.start(&(from, days, names, filter), PAGE)?;
    filter.check()?;
    let mut table = files.table(names.as_deref())?;
    let with_text = filter.wanted_text().map(|wanted| search::rows_with(files, &mut table, &wanted));
    let with_text: Option<HashSet<u32>> = with_text.map(HashSet::from_iter);
    let conditions = Conditions::new(filter, &table);
    let after = start.after.as_ref();
    let after = after.map(|(day, time, kind, file, line)| (*day, *time, *kind, table.row_after(file, *line)));
    let (mut found, mut total) = (Least::new(start.limit), 0);
    // What is overdue by two dates is shown once.
    let mut last_overdue = None;
    for day in table.days() {
        let is_right = conditions.accept(day.row)
            && with_text.as_ref().is_none_or(|with_text| with_text.contains(&day.row));
        if is_right {
            day.on(&(first..=last), conditions.is_task(day.row), |on, kind| {
                if kind == AgendaType::Overdue && last_overdue.replace(day.row) == Some(day.row) {
                    return;
                }
                total += 1;
                let item = (on, day.time, kind, day.row);
                if after.is_none_or(|after| item >= after) {
                    found.add(item);
                }
            });
        }
    }
    let (found, is_last) = found.sorted();
    let next = found.last().filter(|_| !is_last).map(|(day, time, kind, row)| {
        let last = table.entry(*row);
        start.cursor(&(*day, *time, *kind, last.file().to_owned(), last.line()))
    });
    let item = |(day, time, kind, row): (i32, u32, AgendaType, u32)| AgendaItem {
        date: calendar::written(day.into()),
        time: written_time(time),
        r#type: kind,
        headline: table.entry(row).info(),
    };
    Ok(Found { items: found.into_iter().map(item).collect(), total, next })
}

/// The least of many items, at most a number of them.
struct Least<T> {
    items: Vec<T>,
    limit: usize,
    /// No item after this one is among them.
    most: Option<T>,
    is_all: bool,
}

impl<T: Ord + Copy> Least<T> {
    fn new(limit: usize) -> Self {
        Self { items: Vec::new(), limit, most: None, is_all: true }
    }

    fn add(&mut self, item: T) {
        if self.most.is_some_and(|most| item > most) {
            self.is_all = false;
            return;
        }
        self.items.push(item);
        if self.items.len() > self.limit.saturating_mul(2) {
            self.cut();
        }
    }

    /// Drops the items beyond the limit.
    fn cut(&mut self) {
        if self.items.len() > self.limit {
            let (_, most, _) = self.items.select_nth_unstable(self.limit - 1);
            self.most = Some(*most);
            self.items.truncate(self.limit);
            self.is_all = false;
        }
    }

    /// The items in their order, and whether there were no others.
    fn sorted(mut self) -> (Vec<T>, bool) {
        self.cut();
        self.items.sort_unstable();
        (self.items, self.is_all)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Least;

    proptest! {
        #[test]
        fn the_least_items_are_kept(mut items in prop::collection::vec(0..20_u8, 0..40), limit in 1..12_usize) {
            let mut least = Least::new(limit);
            for item in &items {
                least.add(*item);
            }
            let (found, is_all) = least.sorted();
            items.sort_unstable();
            prop_assert_eq!(is_all, items.len() <= limit);
            items.truncate(limit);
            prop_assert_eq!(found, items);
        }
    }
}

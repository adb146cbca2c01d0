use std::{collections::BTreeMap, ops::RangeInclusive};

use super::{ARCHIVED, FINAL, PROPERTIES, TASK, Table, date_number, properties::Wanted, tags_in};
use crate::{
    date::{Range, absolute},
    filter::Filter,
};

/// The conditions of a filter on the headlines of a table, apart from the text.
pub(in super::super) struct Conditions<'c> {
    table: &'c Table,
    filter: &'c Filter,
    /// Which flags count, and which of them are set.
    flags: (u8, u8),
    /// Whether nothing else counts.
    is_on_flags: bool,
    /// Which TODO keywords are right, by number.
    states: Option<Vec<bool>>,
    /// Which sets of tags are right, by number, and the column that they are in.
    tags: Option<(&'c [u32], Vec<bool>)>,
    /// Which dates are right, with their columns.
    dates: Vec<(&'c [u32], RangeInclusive<u32>)>,
    properties: PropertyCondition,
}

/// Which properties are right.
enum PropertyCondition {
    /// All of these, of the headline itself.
    Own(Vec<Wanted>),
    /// Whether each row has all of the properties, where inherited ones count.
    Rows(Vec<bool>),
    /// Never met: no headline has a property of a name that is asked for.
    Never,
}

impl<'c> Conditions<'c> {
    /// The conditions of a filter.
    pub(in super::super) fn new(filter: &'c Filter, table: &'c Table) -> Self {
        let is_right = |states: &Vec<String>| {
            table
                .states
                .strings()
                .map(|state| !state.is_empty() && states.iter().any(|one| one == state))
                .collect()
        };
        let inherits = filter.inherited.unwrap_or(true);
        let columns = &table.columns;
        let has_tags = filter.tags.is_some() || filter.exclude_tags.is_some();
        let tags = has_tags.then(|| {
            let has = |set: &str, tag: &String| tags_in(set).any(|one| one == tag);
            let is_right = |set: &str| {
                filter.tags.iter().flatten().all(|tag| has(set, tag))
                    && !filter.exclude_tags.iter().flatten().any(|tag| has(set, tag))
            };
            let column = if inherits { &columns.tags } else { &columns.own_tags };
            (column.as_slice(), table.tags.strings().map(is_right).collect())
        });
        let ranges = [&filter.scheduled, &filter.deadline, &filter.closed];
        let dates = columns.dates.iter().zip(ranges);
        let mut conditions = Self {
            table,
            filter,
            flags: (ARCHIVED, 0),
            is_on_flags: false,
            states: filter.states.as_ref().map(is_right),
            tags,
            dates: dates
                .filter_map(|(column, range)| Some((column.as_slice(), numbers(range.as_ref()?))))
                .collect(),
            properties: PropertyCondition::new(filter, table),
        };
        conditions.is_on_flags = conditions.states.is_none()
            && conditions.tags.is_none()
            && conditions.dates.is_empty()
            && filter.level.is_none()
            && filter.properties.is_none();
        if filter.states.is_some() {
            conditions.want(TASK, true);
        }
        if filter.properties.as_ref().is_some_and(|wanted| !wanted.is_empty())
            && filter.inherited != Some(true)
        {
            conditions.want(PROPERTIES, true);
        }
        conditions
    }

    /// The conditions of a filter on tasks: on those that are not done, where it does not say in which states.
    pub(in super::super) fn on_tasks(filter: &'c Filter, table: &'c Table) -> Self {
        let mut conditions = Self::new(filter, table);
        conditions.want(TASK, true);
        if filter.states.is_none() {
            conditions.want(FINAL, false);
        }
        conditions
    }

    /// Lets headlines of archives meet the conditions, too.
    pub(in super::super) fn with_archives(mut self) -> Self {
        self.flags.0 &= !ARCHIVED;
        self
    }

    fn want(&mut self, flag: u8, is_set: bool) {
        self.flags.0 |= flag;
        self.flags.1 |= if is_set { flag } else { 0 };
    }

    /// Whether a headline meets all of them.
    pub(in super::super) fn accept(&self, row: u32) -> bool {
        // Few headlines have a date in a range, and about half of them the flags, which a processor does not foresee.
        self.dates.iter().all(|(dates, range)| range.contains(&dates[row as usize]))
            && self.table.columns.flags[row as usize] & self.flags.0 == self.flags.1
            && (self.is_on_flags || self.accept_rest(row))
    }

    /// How many headlines meet them, where that is known without looking at each.
    pub(in super::super) fn count(&self) -> Option<usize> {
        let flags = self.table.columns.flags.iter();
        self.is_on_flags.then(|| flags.filter(|flags| **flags & self.flags.0 == self.flags.1).count())
    }

    fn accept_rest(&self, row: u32) -> bool {
        let columns = &self.table.columns;
        let at = row as usize;
        self.states.as_ref().is_none_or(|right| right[columns.states[at] as usize])
            && self.tags.as_ref().is_none_or(|(tags, right)| right[tags[at] as usize])
            && self.filter.level.is_none_or(|level| level.contains(columns.levels[at] as usize))
            && self.properties.accepts(self.table, row)
    }

    /// Whether a headline is a task.
    pub(in super::super) fn is_task(&self, row: u32) -> bool {
        self.table.columns.flags[row as usize] & TASK != 0
    }
}

impl PropertyCondition {
    fn new(filter: &Filter, table: &Table) -> Self {
        let Some(wanted) = &filter.properties else { return Self::Own(Vec::new()) };
        if filter.inherited == Some(true) {
            return Self::Rows(with_inherited(wanted, table));
        }
        let own = wanted.iter().map(|(name, value)| Wanted::new(name, value, &table.names));
        own.collect::<Option<_>>().map_or(Self::Never, Self::Own)
    }

    fn accepts(&self, table: &Table, row: u32) -> bool {
        let has = |wanted: &Wanted| table.columns.properties.has(row, *wanted) == Some(true);
        match self {
            Self::Own(wanted) => wanted.iter().all(has),
            Self::Rows(right) => right[row as usize],
            Self::Never => false,
        }
    }
}

/// Which rows have all of these properties: of their own, or else from the nearest headline above that has one of the
/// name, or from the file.
fn with_inherited(wanted: &BTreeMap<String, String>, table: &Table) -> Vec<bool> {
    let mut all = vec![true; table.rows() as usize];
    for (name, value) in wanted {
        let own = Wanted::new(name, value, &table.names);
        let mut right = Vec::with_capacity(all.len());
        for (file, digest) in table.files(true) {
            let of_file = digest.file_property(name).is_some_and(|found| value == "*" || value == found);
            for row in table.starts[file]..table.starts[file + 1] {
                let has = own.and_then(|own| table.columns.properties.has(row, own));
                let inherited = || match table.columns.above[row as usize] {
                    0 => of_file,
                    above => right[(row - above) as usize],
                };
                right.push(has.unwrap_or_else(inherited));
            }
        }
        for (all, right) in all.iter_mut().zip(right) {
            *all &= right;
        }
    }
    all
}

/// The numbers of the dates of a range. 0, which stands for a missing date, is not one of them.
fn numbers(range: &Range) -> RangeInclusive<u32> {
    let number = |day: &Option<String>, absent| {
        day.as_deref().and_then(|day| date_number(&absolute(day).ok()?)).unwrap_or(absent)
    };
    number(&range.from, 1)..=number(&range.to, u32::MAX)
}

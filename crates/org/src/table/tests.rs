//! A table that was changed file by file is the table of its files, and conditions on it are those of a filter.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{
    date::Range,
    filter::{Filter, Levels},
    headline::HeadlineInfo,
    kinds::org::{Outline, Setup},
};

fn digest(name: &str, text: &str) -> Arc<Digest> {
    Arc::new(Digest::new(name, text, &Outline::read(text), &Setup::default()))
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => "\\*{1,3} (TODO |DONE )?(COMMENT )?[a-c]{0,2}( :[ab]{1,2}:(c:)?)?",
        1 => "SCHEDULED: <2026-01-0[1-4] Sat( \\+1d)?>( DEADLINE: <2026-01-0[1-4] Sat>)?",
        1 => Just(":PROPERTIES:\n:Effort: 1\n:END:".to_owned()),
        1 => Just(":PROPERTIES:\n:Effort: 1\n:effort: 2\n:ID: x\n:END:".to_owned()),
        1 => Just("#+FILETAGS: :f:".to_owned()),
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

const NAMES: [&str; 4] = ["a.org", "b.org", "b.org_archive", "c.org"];

fn filter() -> impl Strategy<Value = Filter> {
    let tags = || prop::option::of(prop::collection::vec("[abcf]", 0..2));
    let states = prop::option::of(prop::collection::vec("TODO|DONE", 0..2));
    let day = || prop::option::of("2026-01-0[1-4]");
    let range = || prop::option::of((day(), day()).prop_map(|(from, to)| Range { from, to }));
    let value = prop::option::of("1|2|\\*");
    let level = prop::option::of((prop::option::of(1..3_usize), prop::option::of(1..3_usize)));
    let inherited = prop::option::of(any::<bool>());
    (tags(), tags(), states, range(), range(), value, level, inherited).prop_map(
        |(tags, exclude_tags, states, scheduled, deadline, value, level, inherited)| Filter {
            tags,
            exclude_tags,
            states,
            scheduled,
            deadline,
            inherited,
            properties: value.map(|value| BTreeMap::from([("effort".to_owned(), value)])),
            level: level.map(|(min, max)| Levels { min, max }),
            ..Filter::default()
        },
    )
}

/// Whether a headline is what a filter asks for.
fn is_right(filter: &Filter, entry: Entry<'_>) -> bool {
    let inherits = filter.inherited.unwrap_or(true);
    let tags: Vec<&str> = entry.tags(inherits).collect();
    let HeadlineInfo { level, todo, scheduled, deadline, .. } = entry.info();
    let is_in = |range: &Option<Range>, stamp: &Option<String>| {
        let Some(range) = range else { return true };
        stamp.as_deref().and_then(|stamp| stamp.get(1..11)).is_some_and(|day| {
            range.from.as_deref().is_none_or(|from| from <= day)
                && range.to.as_deref().is_none_or(|to| day <= to)
        })
    };
    let effort = entry.property("effort", filter.inherited == Some(true));
    filter.tags.iter().flatten().all(|tag| tags.contains(&tag.as_str()))
        && !filter.exclude_tags.iter().flatten().any(|tag| tags.contains(&tag.as_str()))
        && filter.states.as_ref().is_none_or(|states| todo.is_some_and(|todo| states.contains(&todo)))
        && is_in(&filter.scheduled, &scheduled)
        && is_in(&filter.deadline, &deadline)
        && filter.level.is_none_or(|range| range.contains(level))
        && filter
            .properties
            .iter()
            .flat_map(BTreeMap::values)
            .all(|wanted| effort.is_some_and(|effort| wanted == "*" || effort == wanted))
}

fn accepted(table: &Table, conditions: &Conditions<'_>) -> Vec<HeadlineInfo> {
    (0..table.rows()).filter(|row| conditions.accept(*row)).map(|row| table.entry(row).info()).collect()
}

/// On which days the agenda shows what.
fn days(table: &Table) -> Vec<(u32, i32, AgendaType)> {
    let mut found = Vec::new();
    for day in table.days() {
        day.on(&(20_454..=20_456), true, |on, kind| found.push((day.row, on, kind)));
    }
    found
}

proptest! {
    #[test]
    fn a_changed_table_is_the_one_of_its_files(
        changes in prop::collection::vec((0..NAMES.len(), prop::option::of(text())), 1..12),
        filter in filter(),
    ) {
        let mut table = Table::of(Vec::new(), false);
        let mut files = BTreeMap::new();
        for (name, text) in changes {
            let new = text.map(|text| digest(NAMES[name], &text));
            table.put(NAMES[name], new.clone());
            match new {
                Some(new) => files.insert(NAMES[name], new),
                None => files.remove(NAMES[name]),
            };
        }
        let anew = Table::of(files.into_values().collect(), false);
        prop_assert_eq!(days(&table), days(&anew));
        let found = accepted(&table, &Conditions::new(&filter, &table));
        prop_assert_eq!(&found, &accepted(&anew, &Conditions::new(&filter, &anew)));
        let entries = anew.files(false).flat_map(|(_, digest)| digest.entries());
        let expected: Vec<HeadlineInfo> =
            entries.filter(|entry| is_right(&filter, *entry)).map(Entry::info).collect();
        prop_assert_eq!(&found, &expected);
        let tasks = accepted(&anew, &Conditions::on_tasks(&filter, &anew));
        let is_open = |info: &&HeadlineInfo| info.todo.as_deref().is_some_and(|todo| filter.states.is_some() || todo != "DONE");
        prop_assert_eq!(tasks, expected.iter().filter(is_open).cloned().collect::<Vec<_>>());
        for row in 0..table.rows() {
            let entry = table.entry(row);
            prop_assert_eq!(table.row_after(entry.file(), entry.line()), row + 1);
        }
    }
}

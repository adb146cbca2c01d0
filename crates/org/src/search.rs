//! Finding headlines, tasks, and lines of text.

use std::{collections::HashSet, sync::Arc};

use memchr::memmem::Finder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    digest::{Digest, Entry},
    files::{self, Files, OrgError},
    filter::Filter,
    headline::HeadlineInfo,
    page::{Found, PAGE, Page, Start},
    parallel::parallel,
    table::{Conditions, Table},
};
use crate::text::{clip, visible};

/// Which headlines to find.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadlineQuery {
    /// Part of the title.
    pub query: String,
    /// Only these files.
    pub files: Option<Vec<String>>,
    /// Default false.
    #[serde(default)]
    pub case_sensitive: bool,
    #[serde(flatten)]
    pub filter: Filter,
    #[serde(flatten)]
    pub page: Page,
}

/// Which tasks to find.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoQuery {
    /// Part of the title.
    pub query: Option<String>,
    /// Only these files.
    pub files: Option<Vec<String>>,
    #[serde(flatten)]
    pub filter: Filter,
    #[serde(flatten)]
    pub page: Page,
}

/// Which lines to find.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentQuery {
    /// Part of a line, in any case.
    pub query: String,
    /// Only these files.
    pub files: Option<Vec<String>>,
    /// Also `*.org_archive` files and sections with the tag ARCHIVE.
    #[serde(default)]
    pub include_archived: bool,
    /// Default 50, at most 200.
    pub max_results: Option<usize>,
    /// What the headline that a line is below must have.
    #[serde(flatten)]
    pub filter: Filter,
    #[serde(flatten)]
    pub page: Page,
}

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Match {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The headline that it is below; absent above the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<HeadlineInfo>,
}

/// Lines that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matches {
    /// The lines of the page.
    pub found: Found<Match>,
    /// Whether `total` counts only the files that were read: not all are, once the page is full.
    pub is_minimum: bool,
}

/// File and line of a result.
type Key = (String, u32);

/// The headlines that a query finds.
///
/// # Errors
/// [`OrgError`]
pub fn headlines(files: &Files<'_>, query: &HeadlineQuery) -> Result<Found<HeadlineInfo>, OrgError> {
    let HeadlineQuery { query: title, files: names, case_sensitive, filter, page } = query;
    let start = page.start(&("headlines", title, names, case_sensitive, filter), PAGE)?;
    let title = Title::new(title, *case_sensitive);
    find(files, names.as_deref(), filter, &start, title.as_ref(), false)
}

/// The tasks that a query finds: those that are not done, where it does not say in which states.
///
/// # Errors
/// [`OrgError`]
pub fn todos(files: &Files<'_>, query: &TodoQuery) -> Result<Found<HeadlineInfo>, OrgError> {
    let TodoQuery { query: title, files: names, filter, page } = query;
    let start = page.start(&("todos", title, names, filter), PAGE)?;
    let title = title.as_deref().and_then(|title| Title::new(title, false));
    find(files, names.as_deref(), filter, &start, title.as_ref(), true)
}

/// A part of titles to look for.
struct Title<'q> {
    /// The part in lower case.
    folded: Finder<'q>,
    /// The part as it is written, where case counts.
    exact: Option<&'q str>,
}

impl<'q> Title<'q> {
    /// The part as it is compared; nothing for an empty part, which all titles have.
    fn new(wanted: &'q str, case_sensitive: bool) -> Option<Self> {
        let folded = Finder::new(&wanted.to_lowercase()).into_owned();
        let exact = case_sensitive.then_some(wanted);
        (!wanted.is_empty()).then_some(Self { folded, exact })
    }

    fn is_in(&self, title: &str) -> bool {
        match self.exact {
            Some(wanted) => title.contains(wanted),
            None => self.folded.find(title.to_lowercase().as_bytes()).is_some(),
        }
    }

    /// The positions of the headlines of a file that have it.
    fn of(&self, digest: &Digest) -> Vec<usize> {
        match self.exact {
            // What a final sigma is in lower case depends on what is after it.
            Some(wanted) if wanted.contains('Σ') => {
                let titled = digest.entries().enumerate().filter(|(_, entry)| entry.title().contains(wanted));
                titled.map(|(index, _)| index).collect()
            }
            exact => {
                let mut found = digest.titled(&self.folded);
                found
                    .retain(|index| exact.is_none_or(|wanted| digest.entry(*index).title().contains(wanted)));
                found
            }
        }
    }
}

/// The headlines, or only tasks, with a title that meet the conditions of a filter, by file and line.
fn find(
    files: &Files<'_>,
    names: Option<&[String]>,
    filter: &Filter,
    start: &Start<Key>,
    title: Option<&Title<'_>>,
    tasks_only: bool,
) -> Result<Found<HeadlineInfo>, OrgError> {
    filter.check()?;
    let mut table = files.table(names)?;
    let with_text = filter.wanted_text().map(|wanted| rows_with(files, &mut table, &wanted));
    let conditions =
        if tasks_only { Conditions::on_tasks(filter, &table) } else { Conditions::new(filter, &table) };
    let first = start.after.as_ref().map_or(0, |(file, line)| table.row_after(file, *line));
    let (mut page, mut total, mut is_last) = (Vec::new(), 0, true);
    let mut add = |row: u32| {
        if !conditions.accept(row) {
            return;
        }
        total += 1;
        if row >= first && page.len() < start.limit {
            page.push(table.entry(row));
        } else if row >= first {
            is_last = false;
        }
    };
    match (with_text, title) {
        (Some(rows), title) => {
            let has_title = |row: &u32| title.is_none_or(|title| title.is_in(table.entry(*row).title()));
            rows.into_iter().filter(has_title).for_each(&mut add);
        }
        (None, Some(title)) => {
            for (file, digest) in table.files(false) {
                title.of(digest).into_iter().for_each(|index| add(table.row(file, index)));
            }
        }
        (None, None) => match conditions.count() {
            Some(count) => {
                let mut rows = (first..table.rows()).filter(|row| conditions.accept(*row));
                page.extend(rows.by_ref().take(start.limit).map(|row| table.entry(row)));
                (total, is_last) = (count, rows.next().is_none());
            }
            None => (0..table.rows()).for_each(&mut add),
        },
    }
    let next =
        page.last().filter(|_| !is_last).map(|last| start.cursor(&(last.file().to_owned(), last.line())));
    Ok(Found { items: page.into_iter().map(Entry::info).collect(), total, next })
}

/// The rows of the headlines whose own sections contain a string, which is in lower case. Files that have changed since
/// the table was made have new digests in it then.
pub(super) fn rows_with(files: &Files<'_>, table: &mut Arc<Table>, wanted: &str) -> Vec<u32> {
    if let Some(rows) = table.rows_with(wanted) {
        return rows;
    }
    let candidates: Vec<(usize, Arc<Digest>)> =
        table.files_with(&[wanted], false).map(|(file, digest)| (file, Arc::clone(digest))).collect();
    let read = |(file, digest): &(usize, Arc<Digest>)| {
        let subject = files.open(&digest.name).ok()?;
        let lines: Vec<u32> = lines_with(subject.text(), wanted).into_iter().map(|(line, _)| line).collect();
        let fresh = (!digest.is_of(subject.text())).then(|| Arc::new(files::digest(&subject)));
        Some((*file, lines, fresh))
    };
    let mut read: Vec<_> = parallel(&candidates, read).into_iter().flatten().flatten().collect();
    for (file, _, fresh) in &mut read {
        if let Some(fresh) = fresh.take() {
            Arc::make_mut(table).replace(*file, fresh);
        }
    }
    let mut rows = Vec::new();
    for (file, lines, _) in read {
        let digest = table.file(file);
        let headlines = lines.into_iter().filter_map(|line| digest.index_at(line));
        rows.extend(headlines.map(|index| table.row(file, index)));
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The lines that contain a string, which is in lower case, with their numbers.
fn lines_with<'t>(text: &'t str, wanted: &str) -> Vec<(u32, &'t str)> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    // The number of a line, and where it begins in both: no character gets or loses a line break in lower case.
    let (mut number, mut start, mut lower_start) = (1, 0, 0);
    for at in memchr::memmem::find_iter(lower.as_bytes(), wanted) {
        if at < lower_start {
            continue;
        }
        let mut lower_end = line_end(&lower, lower_start);
        while lower_end < at {
            (number, start, lower_start) = (number + 1, line_end(text, start) + 1, lower_end + 1);
            lower_end = line_end(&lower, lower_start);
        }
        let end = line_end(text, start);
        // What goes on after the line break is not in the line.
        if lower[lower_start..lower_end].trim_end_matches('\r').contains(wanted) {
            found.push((number, text[start..end].trim_end_matches('\r')));
        }
        (number, start, lower_start) = (number + 1, end + 1, lower_end + 1);
    }
    found
}

/// Where the line that begins at an offset ends.
fn line_end(text: &str, start: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |length| start + length)
}

/// How many bytes are still read for the total when the page is full.
const COUNTED: usize = 256 << 10;

/// The lines that a query finds.
///
/// # Errors
/// [`OrgError`]
pub fn content(files: &Files<'_>, query: &ContentQuery) -> Result<Matches, OrgError> {
    let wanted = query.query.to_lowercase();
    if wanted.trim().is_empty() {
        return Err(OrgError::invalid("`query` is empty"));
    }
    query.filter.check()?;
    let page = Page { limit: query.page.limit.or(query.max_results), ..query.page.clone() };
    let asked = ("content", &query.query, &query.files, query.include_archived, &query.filter);
    let start: Start<Key> = page.start(&asked, 50)?;
    let table = files.table(query.files.as_deref())?;
    let conditions = Conditions::new(&query.filter, &table).with_archives();
    let inside = query.filter.wanted_text();
    let strings: Vec<&str> = std::iter::once(&wanted).chain(&inside).map(String::as_str).collect();
    let first = start.after.as_ref().map_or(0, |(name, _)| table.position(name));
    let mut matches = Matches { found: Found { items: Vec::new(), total: 0, next: None }, is_minimum: false };
    let found = &mut matches.found;
    let (mut is_last, mut counted) = (true, 0);
    for (file, digest) in table.files_with(&strings, query.include_archived) {
        let is_only_counted = found.items.len() >= start.limit || file < first;
        if is_only_counted && counted > COUNTED {
            matches.is_minimum = true;
            if file < first {
                continue;
            }
            is_last = false;
            break;
        }
        let Ok(subject) = files.open(&digest.name) else { continue };
        let text = subject.text();
        if is_only_counted {
            counted += text.len();
        }
        // A file that has changed since the table was made has one of its own.
        let fresh = (!digest.is_of(text)).then(|| Table::of(vec![Arc::new(files::digest(&subject))], true));
        let hits = match &fresh {
            None => hits(text, &wanted, query, (&table, file), &conditions),
            Some(fresh) => hits(text, &wanted, query, (fresh, 0), &Conditions::new(&query.filter, fresh)),
        };
        found.total += hits.len();
        let line =
            start.after.as_ref().filter(|(name, _)| *name == *digest.name).map_or(0, |(_, line)| *line);
        for hit in hits.into_iter().filter(|hit| file >= first && hit.line > line) {
            if found.items.len() < start.limit {
                found.items.push(hit.shown(&digest.name));
            } else {
                is_last = false;
            }
        }
    }
    let last = found.items.last().filter(|_| !is_last);
    found.next = last.map(|last| start.cursor(&(last.file.clone(), last.line)));
    Ok(matches)
}

/// A line that a query finds, and the headline that it is below.
struct Hit<'t> {
    line: u32,
    text: &'t str,
    headline: Option<Entry<'t>>,
}

impl Hit<'_> {
    fn shown(&self, file: &str) -> Match {
        Match {
            file: file.to_owned(),
            line: self.line,
            text: visible(&clip(self.text.trim_end(), 200)).into_owned(),
            headline: self.headline.map(Entry::info),
        }
    }
}

/// The lines of a file that a query finds. The file is the one at a position of a table.
fn hits<'t>(
    text: &'t str,
    wanted: &str,
    query: &ContentQuery,
    (table, file): (&'t Table, usize),
    conditions: &Conditions<'_>,
) -> Vec<Hit<'t>> {
    let digest = table.file(file);
    let index_of = |line: u32| digest.index_at(line);
    let inside = query.filter.wanted_text().map(|wanted| {
        let lines = lines_with(text, &wanted).into_iter();
        lines.filter_map(|(line, _)| index_of(line)).collect::<HashSet<usize>>()
    });
    let is_right = |index: usize| {
        conditions.accept(table.row(file, index))
            && inside.as_ref().is_none_or(|inside| inside.contains(&index))
    };
    let is_archived = |index: usize| digest.entry(index).tags(true).any(|tag| tag == "ARCHIVE");
    let is_hit = |index: Option<usize>| match index {
        Some(index) => is_right(index) && (query.include_archived || !is_archived(index)),
        None => !query.filter.is_set(),
    };
    let lines = lines_with(text, wanted).into_iter().map(|(line, text)| (line, text, index_of(line)));
    let hits = lines.filter(|(.., index)| is_hit(*index));
    hits.map(|(line, text, index)| Hit { line, text, headline: index.map(|index| digest.entry(index)) })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::lines_with;

    proptest! {
        #[test]
        fn lines_are_found_as_one_by_one(text in "[aAbΣİ\r\n ]{0,40}", wanted in "[aAbΣİ\n ]{1,3}") {
            let wanted = wanted.to_lowercase();
            let lines = (1..).zip(text.lines().map(|line| line.trim_end_matches('\r')));
            let expected: Vec<(u32, &str)> =
                lines.filter(|(_, line)| line.to_lowercase().contains(&wanted)).collect();
            prop_assert_eq!(lines_with(&text, &wanted), expected);
        }
    }
}

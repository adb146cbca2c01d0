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
};
use crate::{
    kinds::org::Outline,
    project::Subject,
    text::{clip, visible},
};

/// Which headlines to find.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeadlineQuery {
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
pub(crate) struct TodoQuery {
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
pub(crate) struct ContentQuery {
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
pub(crate) struct Match {
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
pub(crate) struct Matches {
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
pub(crate) fn headlines(files: &Files<'_>, query: &HeadlineQuery) -> Result<Found<HeadlineInfo>, OrgError> {
    let HeadlineQuery { query: title, files: names, case_sensitive, filter, page } = query;
    let start = page.start(&("headlines", title, names, case_sensitive, filter), PAGE)?;
    let title = Title::new(title, *case_sensitive);
    find(files, names.as_deref(), filter, &start, |digest| title.of(digest))
}

/// The tasks that a query finds: those that are not done, where it does not say in which states.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn todos(files: &Files<'_>, query: &TodoQuery) -> Result<Found<HeadlineInfo>, OrgError> {
    let start = query.page.start(&("todos", &query.query, &query.files, &query.filter), PAGE)?;
    let title = query.query.as_deref().map(|title| Title::new(title, false));
    let any_state = query.filter.states.is_some();
    find(files, query.files.as_deref(), &query.filter, &start, |digest| {
        let mut entries = title.as_ref().map_or_else(|| digest.entries().collect(), |title| title.of(digest));
        entries.retain(|entry| entry.todo().is_some() && (any_state || !entry.is_final()));
        entries
    })
}

/// A part of titles to look for.
struct Title<'q> {
    wanted: Finder<'q>,
    case_sensitive: bool,
}

impl<'q> Title<'q> {
    fn new(wanted: &'q str, case_sensitive: bool) -> Self {
        let finder = if case_sensitive {
            Finder::new(wanted)
        } else {
            Finder::new(&wanted.to_lowercase()).into_owned()
        };
        Self { wanted: finder, case_sensitive }
    }

    fn of<'d>(&self, digest: &'d Digest) -> Vec<Entry<'d>> {
        if self.case_sensitive {
            let has = |entry: &Entry<'_>| self.wanted.find(entry.title().as_bytes()).is_some();
            return digest.entries().filter(has).collect();
        }
        digest.titled(&self.wanted)
    }
}

/// The headlines among these candidates that a filter accepts, by file and line.
fn find(
    files: &Files<'_>,
    names: Option<&[String]>,
    filter: &Filter,
    start: &Start<Key>,
    candidates: impl Fn(&Digest) -> Vec<Entry<'_>>,
) -> Result<Found<HeadlineInfo>, OrgError> {
    filter.check()?;
    let text = filter.wanted_text();
    let digests = files.digests(names, false)?;
    let first = first_file(&digests, start, names.is_some());
    let mut found = Found { items: Vec::new(), total: 0, next: None };
    let mut last = None;
    for (position, digest) in digests.iter().enumerate() {
        let fresh;
        let mut digest = digest;
        let mut with_text = Vec::new();
        if let Some(wanted) = &text {
            if !digest.may_contain(wanted) {
                continue;
            }
            // Lines are read from the file, and so is everything else then: it may have changed.
            let Ok(subject) = files.open(&digest.name) else { continue };
            fresh = Arc::new(files::digest(&subject, false));
            digest = &fresh;
            with_text = sections_with(subject.text(), &Outline::read(subject.text()), wanted);
        }
        for entry in candidates(digest) {
            if !filter.accepts(entry) || text.is_some() && !with_text.contains(&entry.line()) {
                continue;
            }
            found.total += 1;
            if position < first || is_before(start, digest, entry.line()) {
                continue;
            }
            if found.items.len() < start.limit {
                last = Some((entry.file().to_owned(), entry.line()));
                found.items.push(entry.info());
            } else if found.next.is_none() {
                found.next = last.as_ref().map(|key| start.cursor(key));
            }
        }
    }
    Ok(found)
}

/// The position of the file with which a page begins.
fn first_file(digests: &[Arc<Digest>], start: &Start<Key>, are_named: bool) -> usize {
    let Some((file, _)) = &start.after else { return 0 };
    if are_named {
        digests.iter().position(|digest| *digest.name == **file).unwrap_or(0)
    } else {
        digests.partition_point(|digest| *digest.name < **file)
    }
}

/// Whether a line comes before the page, of the file with which it begins.
fn is_before(start: &Start<Key>, digest: &Digest, line: u32) -> bool {
    start.after.as_ref().is_some_and(|(file, last)| *digest.name == **file && line <= *last)
}

/// The lines of the headlines whose own sections contain a string, which is in lower case.
fn sections_with(text: &str, outline: &Outline<'_>, wanted: &str) -> Vec<u32> {
    let mut found = Vec::new();
    let mut below = Below::new(outline);
    for (number, line) in (1..).zip(text.lines()) {
        let at = below.at(number);
        if line.to_lowercase().contains(wanted) {
            found.extend(at.map(|index| outline.headlines[index].line));
        }
    }
    found.dedup();
    found
}

/// File and line of the headlines of files whose own sections contain a string, which is in lower case.
pub(super) fn headlines_with<'d>(
    files: &Files<'_>,
    digests: &'d [Arc<Digest>],
    wanted: &str,
) -> HashSet<(&'d str, u32)> {
    let mut found = HashSet::new();
    for digest in digests.iter().filter(|digest| digest.may_contain(wanted)) {
        let Ok(subject) = files.open(&digest.name) else { continue };
        let lines = sections_with(subject.text(), &Outline::read(subject.text()), wanted);
        found.extend(lines.into_iter().map(|line| (&*digest.name, line)));
    }
    found
}

/// The headline that each line is below, for lines in their order.
struct Below<'o, 't> {
    outline: &'o Outline<'t>,
    at: Option<usize>,
}

impl<'o, 't> Below<'o, 't> {
    fn new(outline: &'o Outline<'t>) -> Self {
        Self { outline, at: None }
    }

    fn at(&mut self, line: u32) -> Option<usize> {
        let next = self.at.map_or(0, |index| index + 1);
        if self.outline.headlines.get(next).is_some_and(|headline| headline.line == line) {
            self.at = Some(next);
        }
        self.at
    }
}

/// How many bytes are still read for the total when the page is full.
const COUNTED: usize = 1 << 20;

/// The lines that a query finds.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn content(files: &Files<'_>, query: &ContentQuery) -> Result<Matches, OrgError> {
    let wanted = query.query.to_lowercase();
    if wanted.trim().is_empty() {
        return Err(OrgError::invalid("`query` is empty"));
    }
    query.filter.check()?;
    let page = Page { limit: query.page.limit.or(query.max_results), ..query.page.clone() };
    let asked = ("content", &query.query, &query.files, query.include_archived, &query.filter);
    let start: Start<Key> = page.start(&asked, 50)?;
    let names = query.files.as_deref();
    let listed = files.containing(names, query.include_archived, &wanted)?;
    let first = start.after.as_ref().map_or(0, |(file, _)| match names {
        Some(_) => listed.iter().position(|one| one.name == *file).unwrap_or(0),
        None => listed.partition_point(|one| one.name < *file),
    });
    let mut matches = Matches { found: Found { items: Vec::new(), total: 0, next: None }, is_minimum: false };
    let found = &mut matches.found;
    let (mut last, mut counted) = (None, 0);
    for (position, one) in listed.iter().enumerate() {
        let is_after = found.items.len() >= start.limit || position < first;
        if is_after && counted > COUNTED {
            matches.is_minimum = true;
            if position < first {
                continue;
            }
            found.next = found.next.take().or_else(|| last.as_ref().map(|key| start.cursor(key)));
            break;
        }
        let Ok(subject) = files.subject(one.input.clone()) else { continue };
        if is_after {
            counted += subject.text().len();
        }
        let setup = files::setup(&subject);
        let outline = Outline::read_with(subject.text(), &setup);
        for hit in lines_with(&subject, &outline, &wanted, query) {
            found.total += 1;
            let is_before =
                start.after.as_ref().is_some_and(|(file, line)| one.name == *file && hit.0 <= *line);
            if position < first || is_before {
                continue;
            }
            if found.items.len() < start.limit {
                last = Some((one.name.clone(), hit.0));
                found.items.push(hit.shown(subject.name(), &outline));
            } else if found.next.is_none() {
                found.next = last.as_ref().map(|key| start.cursor(key));
            }
        }
    }
    Ok(matches)
}

/// The number and the text of a line, and the headline that it is below.
struct Hit<'t>(u32, &'t str, Option<usize>);

impl Hit<'_> {
    fn shown(&self, file: &str, outline: &Outline<'_>) -> Match {
        Match {
            file: file.to_owned(),
            line: self.0,
            text: visible(&clip(self.1.trim_end(), 200)).into_owned(),
            headline: self.2.map(|index| HeadlineInfo::new(file, outline, index)),
        }
    }
}

/// The lines of a file that a query finds.
fn lines_with<'t>(
    subject: &'t Subject<'_>,
    outline: &Outline<'_>,
    wanted: &str,
    query: &ContentQuery,
) -> Vec<Hit<'t>> {
    let text = subject.text();
    let filtered = query.filter.is_set().then(|| {
        let digest = files::digest(subject, false);
        let inside = query.filter.wanted_text().map(|wanted| sections_with(text, outline, &wanted));
        let accepted = digest.entries().map(|entry| {
            query.filter.accepts(entry) && inside.as_ref().is_none_or(|inside| inside.contains(&entry.line()))
        });
        accepted.collect::<Vec<bool>>()
    });
    let mut below = Below::new(outline);
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let at = below.at(number);
        if !line.to_lowercase().contains(wanted) {
            continue;
        }
        let is_archived = || at.is_some_and(|index| outline.all_tags(index).contains(&"ARCHIVE"));
        let is_accepted = filtered.as_ref().is_none_or(|accepted| at.is_some_and(|index| accepted[index]));
        if is_accepted && (query.include_archived || !is_archived()) {
            found.push(Hit(number, line, at));
        }
    }
    found
}

//! The headlines of many files in columns.
//!
//! A condition looks at a few bytes of each headline, which lie next to each other in the order of files and lines. TODO
//! keywords and sets of tags have numbers, so that a condition on them is decided once for each that occurs. Hundreds of
//! thousands of headlines are checked within a millisecond or two, and their number is exact. Everything else of a
//! headline is in the digest of its file, and read for what a page shows.

mod conditions;
mod days;
mod properties;
mod symbols;

use std::sync::{Arc, PoisonError, RwLock};

pub use self::days::AgendaType;
pub(super) use self::{conditions::Conditions, days::written_time};
use self::{
    days::{Day, days_of},
    properties::Properties,
    symbols::Symbols,
};
use super::{
    digest::{Digest, Entry, Planned},
    extension::is_org,
    vocabulary::{FileSet, Vocabulary},
};

/// Files and their headlines. A headline is called by its position among all of them, its row.
#[derive(Debug, Clone)]
pub(super) struct Table {
    files: Vec<Arc<Digest>>,
    /// The row with which each file begins, and the number of rows.
    starts: Vec<u32>,
    columns: Columns,
    states: Symbols,
    /// Sets of tags, with colons between them.
    tags: Symbols,
    /// Names of properties, in lower case.
    names: Symbols,
    /// Whether its files were asked for by name. Otherwise archives are left out of most results.
    is_named: bool,
    /// What a query needs of each file before its digest.
    facts: Vec<FileFacts>,
    /// The words of the files, where there is an index.
    vocabulary: Option<Arc<RwLock<Vocabulary>>>,
}

/// What a query needs of a file before its digest.
#[derive(Debug, Clone, Copy)]
struct FileFacts {
    is_archive: bool,
    /// Its number in the vocabulary.
    number: Option<u32>,
}

/// What conditions look at, by row.
#[derive(Debug, Clone, Default)]
struct Columns {
    flags: Vec<u8>,
    levels: Vec<u32>,
    states: Vec<u32>,
    /// Own tags and inherited ones.
    tags: Vec<u32>,
    own_tags: Vec<u32>,
    /// Scheduled, due, closed: see [`date_number`].
    dates: [Vec<u32>; 3],
    properties: Properties,
    /// How many rows above it the headline is that it is below; 0 for none.
    above: Vec<u32>,
    /// What the agenda may show, in the order of rows.
    days: Vec<Day>,
}

/// Flag of a headline that has a TODO keyword.
const TASK: u8 = 1;
/// Flag of a headline with nothing left to do.
const FINAL: u8 = 2;
/// Flag of a headline that the word COMMENT keeps out of the agenda.
const COMMENTED: u8 = 4;
/// Flag of a headline that has properties of its own.
const PROPERTIES: u8 = 8;
/// Flag of a headline in an archive that was not asked for by name.
const ARCHIVED: u8 = 16;

impl Table {
    /// A table of files: those that were asked for by name, in their order, or all, sorted by name.
    pub(super) fn of(files: Vec<Arc<Digest>>, is_named: bool) -> Self {
        let mut table = Self {
            files: Vec::new(),
            starts: vec![0],
            columns: Columns::default(),
            states: Symbols::new(),
            tags: Symbols::new(),
            names: Symbols::new(),
            is_named,
            facts: Vec::new(),
            vocabulary: None,
        };
        let mut columns = Columns::default();
        for digest in &files {
            table.add(&mut columns, digest);
            table.starts.push(columns.flags.len() as u32);
            table.facts.push(table.facts_of(digest));
        }
        Self { files, columns, ..table }
    }

    /// Adds the words of its files.
    pub(super) fn with_vocabulary(self, vocabulary: Arc<RwLock<Vocabulary>>) -> Self {
        Self { vocabulary: Some(vocabulary), ..self }
    }

    fn facts_of(&self, digest: &Digest) -> FileFacts {
        FileFacts { is_archive: self.is_archive(digest), number: digest.number }
    }

    /// Gives a file of a sorted table another digest, or none.
    pub(super) fn put(&mut self, name: &str, digest: Option<Arc<Digest>>) {
        match (self.files.binary_search_by(|known| (*known.name).cmp(name)), digest) {
            (Ok(at), Some(digest)) => self.replace(at, digest),
            (Ok(at), None) => {
                self.splice(at, None);
                self.files.remove(at);
                self.facts.remove(at);
                self.starts.remove(at);
            }
            (Err(at), Some(digest)) => {
                self.starts.insert(at, self.starts[at]);
                self.splice(at, Some(&digest));
                self.facts.insert(at, self.facts_of(&digest));
                self.files.insert(at, digest);
            }
            (Err(_), None) => {}
        }
    }

    /// Gives the file at a position another digest.
    pub(super) fn replace(&mut self, at: usize, digest: Arc<Digest>) {
        self.splice(at, Some(&digest));
        self.facts[at] = self.facts_of(&digest);
        self.files[at] = digest;
    }

    /// Whether most of its strings are of digests that it does not have any more.
    pub(super) fn is_overgrown(&self) -> bool {
        let symbols = [&self.states, &self.tags, &self.names];
        symbols.map(|symbols| symbols.strings().len()).iter().sum::<usize>() > 1000 + 2 * self.rows() as usize
    }

    /// Puts rows in the place of those of the file at a position.
    fn splice(&mut self, at: usize, digest: Option<&Digest>) {
        let mut new = Columns::default();
        if let Some(digest) = digest {
            self.add(&mut new, digest);
        }
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        let new_end = start + new.flags.len() as u32;
        self.columns.splice(start..end, new);
        for later in &mut self.starts[at + 1..] {
            *later = *later - end + new_end;
        }
    }

    /// Adds the rows of a file.
    fn add(&mut self, columns: &mut Columns, digest: &Digest) {
        let file = if self.is_archive(digest) { ARCHIVED } else { 0 };
        let mut tags = String::new();
        let mut number = |entry: Entry<'_>, inherited| {
            tags.clear();
            for tag in entry.tags(inherited) {
                tags.push_str(tag);
                tags.push(':');
            }
            self.tags.number(&tags)
        };
        for (index, entry) in digest.entries().enumerate() {
            let flags = [
                (TASK, entry.todo().is_some()),
                (FINAL, entry.is_final()),
                (COMMENTED, entry.is_commented()),
                (PROPERTIES, entry.has_properties()),
            ];
            let flags =
                flags.into_iter().filter(|(_, is_set)| *is_set).fold(file, |all, (flag, _)| all | flag);
            if flags & (COMMENTED | ARCHIVED) == 0 {
                columns.days.extend(days_of(entry, columns.flags.len() as u32));
            }
            columns.flags.push(flags);
            columns.levels.push(entry.level() as u32);
            columns.above.push(entry.parent_index().map_or(0, |parent| (index - parent) as u32));
            columns.properties.add(entry.properties(), &mut self.names);
            columns.states.push(self.states.number(entry.todo().unwrap_or_default()));
            columns.tags.push(number(entry, true));
            columns.own_tags.push(number(entry, false));
            for (dates, planned) in columns.dates.iter_mut().zip(Planned::ALL) {
                dates.push(planned.of(entry).and_then(|stamp| date_number(stamp.start.date)).unwrap_or(0));
            }
        }
    }

    /// How many headlines there are.
    pub(super) fn rows(&self) -> u32 {
        self.columns.flags.len() as u32
    }

    /// The files with their positions; archives only where wanted.
    pub(super) fn files(&self, archives: bool) -> impl Iterator<Item = (usize, &Arc<Digest>)> {
        self.files.iter().enumerate().filter(move |(file, _)| archives || !self.facts[*file].is_archive)
    }

    /// The files that may contain all of these strings, which are in lower case; archives only where wanted.
    pub(super) fn files_with<'s>(
        &'s self,
        wanted: &'s [&str],
        archives: bool,
    ) -> impl Iterator<Item = (usize, &'s Arc<Digest>)> {
        let vocabulary =
            self.vocabulary.as_ref().map(|words| words.read().unwrap_or_else(PoisonError::into_inner));
        let sets =
            vocabulary.iter().flat_map(|words| wanted.iter().filter_map(|wanted| words.files_with(wanted)));
        let sets: Vec<FileSet> = sets.collect();
        let has_words = move |facts: &FileFacts| {
            facts.number.is_none_or(|number| sets.iter().all(|files| files.contains(number)))
        };
        let files = self.facts.iter().enumerate();
        let files = files.filter(move |(_, facts)| (archives || !facts.is_archive) && has_words(facts));
        let files = files.map(|(file, _)| (file, &self.files[file]));
        files.filter(|(_, digest)| wanted.iter().all(|wanted| digest.may_contain(wanted)))
    }

    /// The rows of the headlines whose own text has a string, which is in lower case, where the words of all files say
    /// so; archives left out.
    pub(super) fn rows_with(&self, wanted: &str) -> Option<Vec<u32>> {
        let vocabulary = self.vocabulary.as_ref()?.read().unwrap_or_else(PoisonError::into_inner);
        let mut starts = vec![None; vocabulary.files() as usize];
        for (facts, start) in self.facts.iter().zip(&self.starts) {
            starts[facts.number? as usize] = (!facts.is_archive).then_some(*start);
        }
        let places = vocabulary.places_with(wanted)?;
        // The place 0 is above the first headline.
        let row = |(file, place): (u32, u32)| Some(starts[file as usize]? + place.checked_sub(1)?);
        let mut rows: Vec<u32> = places.into_iter().filter_map(row).collect();
        rows.sort_unstable();
        Some(rows)
    }

    fn is_archive(&self, digest: &Digest) -> bool {
        !self.is_named && !is_org(&digest.name, false)
    }

    /// The file at a position.
    pub(super) fn file(&self, at: usize) -> &Digest {
        &self.files[at]
    }

    /// The position of a file, or of the first one after it where it is gone.
    pub(super) fn position(&self, name: &str) -> usize {
        let at = self.files.iter().position(|known| *known.name == *name);
        at.unwrap_or_else(|| self.files.partition_point(|known| *known.name < *name))
    }

    /// The row of a headline of the file at a position.
    pub(super) fn row(&self, file: usize, index: usize) -> u32 {
        self.starts[file] + index as u32
    }

    /// The headline of a row.
    pub(super) fn entry(&self, row: u32) -> Entry<'_> {
        let file = self.starts.partition_point(|start| *start <= row) - 1;
        self.files[file].entry((row - self.starts[file]) as usize)
    }

    /// The first row after a line of a file, which may be gone.
    pub(super) fn row_after(&self, name: &str, line: u32) -> u32 {
        let at = self.position(name);
        let is_there = self.files.get(at).is_some_and(|file| *file.name == *name);
        if is_there { self.row(at, self.files[at].headlines_to(line)) } else { self.starts[at] }
    }

    /// What the agenda may show.
    pub(super) fn days(&self) -> &[Day] {
        &self.columns.days
    }

    /// The tags that headlines have of their own, each as often as there are such headlines.
    pub(super) fn own_tags(&self) -> impl Iterator<Item = (&str, usize)> {
        let mut counts = vec![0; self.tags.strings().len()];
        for (tags, flags) in self.columns.own_tags.iter().zip(&self.columns.flags) {
            counts[*tags as usize] += usize::from(flags & ARCHIVED == 0);
        }
        let used = self.tags.strings().zip(counts).filter(|(_, count)| *count > 0);
        used.flat_map(|(tags, count)| tags_in(tags).map(move |tag| (tag, count)))
    }
}

impl Columns {
    /// Puts other rows in the place of these.
    fn splice(&mut self, rows: std::ops::Range<u32>, new: Self) {
        let range = rows.start as usize..rows.end as usize;
        let end = rows.start + new.flags.len() as u32;
        let [first, last] = [rows.start, rows.end].map(|row| self.days.partition_point(|day| day.row < row));
        for day in &mut self.days[last..] {
            day.row = day.row - rows.end + end;
        }
        let mut days = new.days;
        for day in &mut days {
            day.row += rows.start;
        }
        self.days.splice(first..last, days);
        self.flags.splice(range.clone(), new.flags);
        self.properties.splice(range.clone(), new.properties);
        for (column, new) in [
            (&mut self.levels, new.levels),
            (&mut self.above, new.above),
            (&mut self.states, new.states),
            (&mut self.tags, new.tags),
            (&mut self.own_tags, new.own_tags),
        ] {
            column.splice(range.clone(), new);
        }
        for (column, new) in self.dates.iter_mut().zip(new.dates) {
            column.splice(range.clone(), new);
        }
    }
}

/// The tags of a set that has a string.
fn tags_in(set: &str) -> impl Iterator<Item = &str> {
    set.split(':').filter(|tag| !tag.is_empty())
}

/// `2026-01-31` as a number that is larger for later days, and not 0.
fn date_number(date: &str) -> Option<u32> {
    let digits: String = date.split('-').collect();
    digits.parse::<u32>().ok().map(|number| number + 1)
}

#[cfg(test)]
mod tests;

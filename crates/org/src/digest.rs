//! What queries need of a file, in little memory.

use std::{collections::HashMap, hash::BuildHasher as _, num::NonZeroU32, ops::Range, sync::Arc};

use foldhash::fast::FixedState;
use memchr::memmem::Finder;

use super::{
    declared::{FileSettings, file_settings},
    hash::hash as hash_for_clients,
    headline::HeadlineInfo,
    stamps, title,
    uri::Location,
    words::{Trigrams, Words},
};
use crate::kinds::org::{Outline, Setup, Timestamp};

/// The headlines and the settings of a file, without its text.
#[derive(Debug)]
pub(super) struct Digest {
    /// The file.
    pub(super) name: Arc<str>,
    pub(super) settings: FileSettings,
    /// The set-up files that it depends on, from its folder, and whether they could be read.
    pub(super) setup: Box<[(String, bool)]>,
    /// Hash of the text, for comparing.
    text: u64,
    /// Hash of the text, as clients get it.
    pub(super) hash: Box<str>,
    /// Which strings the text may contain; absent where no one asks for them.
    trigrams: Option<Trigrams>,
    /// Its number in the vocabulary, if it is in it.
    pub(super) number: Option<u32>,
    /// The strings that the rows refer to.
    strings: Box<str>,
    /// The titles in lower case, each with a line break after it.
    folded: Box<str>,
    rows: Box<[Row]>,
    /// The tags of the rows, inherited ones first.
    tags: Box<[Part]>,
    /// The properties of the rows: name and value.
    properties: Box<[(Part, Part)]>,
    /// The active timestamps of the rows, but their dates.
    stamps: Box<[Part]>,
    /// Properties of the file itself, which all headlines may inherit.
    file_properties: Range<u32>,
}

/// A part of the strings.
type Part = Range<u32>;

#[derive(Debug, Clone, Default)]
struct Row {
    line: u32,
    level: u32,
    /// Its last line where it is an inline task.
    inline_end: Option<NonZeroU32>,
    /// Position of the row above it in the outline, plus one; 0 for none.
    parent: u32,
    /// Its number among the headlines with the same path, from 1; 0 where it is the only one.
    nth: u32,
    /// Where its title begins among the titles in lower case.
    folded: u32,
    title: Part,
    todo: Option<Part>,
    is_final: bool,
    is_commented: bool,
    priority: Option<Part>,
    tags: Range<u32>,
    /// Where its own tags end, which begin where `tags` ends.
    own_tags: u32,
    scheduled: Option<Part>,
    deadline: Option<Part>,
    closed: Option<Part>,
    properties: Range<u32>,
    stamps: Range<u32>,
    id: Option<Part>,
}

/// A headline of a digest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'d> {
    digest: &'d Digest,
    row: &'d Row,
}

impl Digest {
    /// Digests a file, with the words of its text. Their places are the positions of the headlines, from 1.
    pub(super) fn with_words<'t>(
        name: &str,
        text: &'t str,
        outline: &Outline<'t>,
        setup: &Setup,
    ) -> (Self, Words) {
        let mut digest = Self::new(name, text, outline, setup);
        let text = text.to_lowercase();
        digest.trigrams = Some(Trigrams::of(&text));
        let words = Words::of(&text, |line| digest.index_at(line).map_or(0, |index| index as u32 + 1));
        (digest, words)
    }

    /// Digests a file.
    pub(super) fn new<'t>(name: &str, text: &'t str, outline: &Outline<'t>, setup: &Setup) -> Self {
        let mut strings = Strings::default();
        let (mut tags, mut properties) = (Vec::new(), Vec::new());
        for (name, value) in &outline.settings.properties {
            properties.push((strings.add_owned(name), strings.add_owned(value)));
        }
        let mut drawer = |strings: &mut Strings<'_>, entries: &[(&str, &str)]| {
            let start = properties.len() as u32;
            for (name, value) in entries {
                properties.push((strings.add_owned(name), strings.add_owned(value)));
            }
            start..properties.len() as u32
        };
        let of_file = outline.properties.as_ref().map(|drawer| drawer.entries.as_slice()).unwrap_or_default();
        // Properties of the drawer come after those of keywords: of several with a name, the last one counts.
        let file_properties = 0..drawer(&mut strings, of_file).end;
        let mut folded = String::new();
        let ordinals = ordinals(outline);
        let mut stamps = Vec::new();
        let mut rows = Vec::with_capacity(outline.headlines.len());
        for (index, headline) in outline.headlines.iter().enumerate() {
            let all = outline.all_tags(index);
            let own = headline.tags.iter().filter(|tag| !tag.is_empty());
            let start = tags.len() as u32;
            tags.extend(all.iter().map(|tag| strings.add(tag)));
            let own_start = tags.len() as u32;
            tags.extend(own.map(|tag| strings.add(tag)));
            let dated = |keyword| headline.planning.as_ref().and_then(|planning| planning.get(keyword));
            let entries =
                headline.properties.as_ref().map(|drawer| drawer.entries.as_slice()).unwrap_or_default();
            let first_stamp = stamps.len() as u32;
            let found = stamps_of(text, outline, index);
            stamps.extend(found.into_iter().map(|stamp| strings.add(stamp)));
            rows.push(Row {
                line: headline.line,
                level: headline.level as u32,
                inline_end: headline.inline.and_then(|_| NonZeroU32::new(headline.end_line)),
                parent: headline.parent.map_or(0, |parent| parent as u32 + 1),
                nth: ordinals[index],
                folded: folded.len() as u32,
                title: strings.add_owned(headline.title),
                todo: headline.todo.map(|todo| strings.add(todo)),
                is_final: headline.todo.is_some_and(|todo| outline.settings.is_final(todo)),
                is_commented: headline.commented,
                priority: headline.priority.map(|priority| strings.add(priority)),
                tags: start..own_start,
                own_tags: tags.len() as u32,
                scheduled: dated("SCHEDULED").map(|stamp| strings.add(stamp)),
                deadline: dated("DEADLINE").map(|stamp| strings.add(stamp)),
                closed: dated("CLOSED").map(|stamp| strings.add(stamp)),
                properties: drawer(&mut strings, entries),
                stamps: first_stamp..stamps.len() as u32,
                id: headline.id().map(|id| strings.add_owned(id)),
            });
            folded.push_str(&headline.title.to_lowercase());
            folded.push('\n');
        }
        Self {
            name: name.into(),
            settings: file_settings(name, outline),
            setup: setup.paths().map(|(path, was_read)| (path.to_owned(), was_read)).collect(),
            text: hash(text),
            hash: hash_for_clients(text).into(),
            trigrams: None,
            number: None,
            strings: strings.text.into(),
            folded: folded.into(),
            rows: rows.into(),
            tags: tags.into(),
            properties: properties.into(),
            stamps: stamps.into(),
            file_properties,
        }
    }

    /// Its headlines, in order.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = Entry<'_>> {
        self.rows.iter().map(|row| Entry { digest: self, row })
    }

    /// The headline at a position, which must be one of its headlines.
    pub(super) fn entry(&self, index: usize) -> Entry<'_> {
        Entry { digest: self, row: &self.rows[index] }
    }

    /// How many headlines begin on the lines up to one.
    pub(super) fn headlines_to(&self, line: u32) -> usize {
        self.rows.partition_point(|row| row.line <= line)
    }

    /// The position of the headline whose text a line is, an inline task included: none above the first one.
    pub(super) fn index_at(&self, line: u32) -> Option<usize> {
        let mut index = self.headlines_to(line).checked_sub(1)?;
        while self.rows[index].inline_end.is_some_and(|end| end.get() < line) {
            index = self.rows[index].parent.checked_sub(1)? as usize;
        }
        Some(index)
    }

    /// Whether it is that of some text.
    pub(super) fn is_of(&self, text: &str) -> bool {
        self.text == hash(text)
    }

    /// How many bytes of memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.strings.len()
            + self.folded.len()
            + size_of_val(&*self.rows)
            + size_of_val(&*self.tags)
            + size_of_val(&*self.properties)
            + size_of_val(&*self.stamps)
            + self.trigrams.as_ref().map_or(0, Trigrams::bytes)
    }

    /// Whether the text may contain a string, which is in lower case.
    pub(super) fn may_contain(&self, wanted: &str) -> bool {
        self.trigrams.as_ref().is_none_or(|trigrams| trigrams.may_contain(wanted))
    }

    /// The positions of the headlines whose title in lower case contains `wanted`, which is in lower case and not empty.
    pub(super) fn titled(&self, wanted: &Finder<'_>) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = wanted.find(&self.folded.as_bytes()[from..]) {
            let at = (from + at) as u32;
            let index = self.rows.partition_point(|row| row.folded <= at) - 1;
            let end = self.rows.get(index + 1).map_or(self.folded.len(), |row| row.folded as usize);
            // A match that goes on after the line break is not one in the title.
            if at as usize + wanted.needle().len() < end {
                found.push(index);
            }
            from = end;
        }
        found
    }

    fn part(&self, part: &Part) -> &str {
        &self.strings[part.start as usize..part.end as usize]
    }

    fn optional(&self, part: Option<&Part>) -> Option<&str> {
        part.map(|part| self.part(part))
    }
}

impl<'d> Entry<'d> {
    /// The file.
    pub(super) fn file(self) -> &'d str {
        &self.digest.name
    }

    /// Line of the headline.
    pub(super) fn line(self) -> u32 {
        self.row.line
    }

    /// Number of stars.
    pub(super) fn level(self) -> usize {
        self.row.level as usize
    }

    /// Its title.
    pub(super) fn title(self) -> &'d str {
        self.digest.part(&self.row.title)
    }

    /// Its TODO keyword.
    pub(super) fn todo(self) -> Option<&'d str> {
        self.digest.optional(self.row.todo.as_ref())
    }

    /// Whether its TODO keyword says that nothing is left to do.
    pub(super) fn is_final(self) -> bool {
        self.row.is_final
    }

    /// Whether it is kept out of exports and the agenda by the word COMMENT.
    pub(super) fn is_commented(self) -> bool {
        self.row.is_commented
    }

    /// Whether it has properties of its own.
    pub(super) fn has_properties(self) -> bool {
        !self.row.properties.is_empty()
    }

    /// The timestamp after a keyword: `SCHEDULED`, `DEADLINE`, or `CLOSED`.
    fn planned(self, keyword: Planned) -> Option<&'d str> {
        let part = match keyword {
            Planned::Scheduled => &self.row.scheduled,
            Planned::Deadline => &self.row.deadline,
            Planned::Closed => &self.row.closed,
        };
        self.digest.optional(part.as_ref())
    }

    /// Its tags: with those of the file and the headlines above it, or its own.
    pub(super) fn tags(self, inherited: bool) -> impl Iterator<Item = &'d str> {
        let Row { tags, own_tags, .. } = self.row;
        let range = if inherited { tags.clone() } else { tags.end..*own_tags };
        self.digest.tags[range.start as usize..range.end as usize].iter().map(|part| self.digest.part(part))
    }

    /// Its own properties: names and values.
    pub(super) fn properties(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        let Range { start, end } = self.row.properties;
        let entries = &self.digest.properties[start as usize..end as usize];
        entries.iter().map(|(name, value)| (self.digest.part(name), self.digest.part(value)))
    }

    /// The active timestamps in its title and its text.
    pub(super) fn stamps(self) -> impl Iterator<Item = Timestamp<'d>> {
        let Range { start, end } = self.row.stamps;
        let stamps = &self.digest.stamps[start as usize..end as usize];
        stamps.iter().filter_map(|stamp| Timestamp::read(self.digest.part(stamp)))
    }

    /// The position of the headline that it is below.
    pub(super) fn parent_index(self) -> Option<usize> {
        Some(self.row.parent.checked_sub(1)? as usize)
    }

    #[cfg(test)]
    /// The value of its last property of this name, whatever its case; or of the nearest headline above it that has
    /// one, or of the file.
    pub(super) fn property(self, name: &str, inherited: bool) -> Option<&'d str> {
        let own = self.digest.property(&self.row.properties, name);
        if own.is_some() || !inherited {
            return own;
        }
        match self.parent() {
            Some(parent) => parent.property_above(name),
            None => self.digest.file_property(name),
        }
    }

    #[cfg(test)]
    fn property_above(self, name: &str) -> Option<&'d str> {
        let mut at = self;
        loop {
            if let Some(value) = self.digest.property(&at.row.properties, name) {
                return Some(value);
            }
            match at.parent() {
                Some(parent) => at = parent,
                None => return self.digest.file_property(name),
            }
        }
    }

    fn parent(self) -> Option<Self> {
        Some(Self { row: self.digest.rows.get(self.parent_index()?)?, ..self })
    }

    fn location(self) -> Location {
        if let Some(id) = self.digest.optional(self.row.id.as_ref()) {
            return Location::Id(id.to_owned());
        }
        let above = std::iter::successors(Some(self), |entry| entry.parent());
        Location::of_titles(self.file(), above.map(Entry::title), self.nth())
    }

    /// The titles that lead to it, as a URI has them.
    pub(super) fn path(self) -> String {
        let above = std::iter::successors(Some(self), |entry| entry.parent());
        Location::written_path(above.map(Entry::title), self.nth())
    }

    /// Its number among the headlines with the same path.
    fn nth(self) -> Option<usize> {
        (self.row.nth > 0).then_some(self.row.nth as usize)
    }

    /// Its ID.
    pub(super) fn id(self) -> Option<&'d str> {
        self.digest.optional(self.row.id.as_ref())
    }

    /// The headline as results show it.
    pub(super) fn info(self) -> HeadlineInfo {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        HeadlineInfo {
            file: self.file().to_owned(),
            line: self.line(),
            level: self.level(),
            inline: self.row.inline_end.is_some(),
            title: self.title().to_owned(),
            todo: owned(self.todo()),
            priority: owned(self.digest.optional(self.row.priority.as_ref())),
            tags: self.tags(true).map(str::to_owned).collect(),
            scheduled: owned(self.planned(Planned::Scheduled)),
            deadline: owned(self.planned(Planned::Deadline)),
            resource_uri: self.location().to_string(),
            org_id: owned(self.id()),
            hash: self.digest.hash.to_string(),
        }
    }
}

impl Digest {
    /// The value of the last property of this name of the file itself.
    pub(super) fn file_property(&self, name: &str) -> Option<&str> {
        self.property(&self.file_properties, name)
    }

    fn property(&self, range: &Range<u32>, name: &str) -> Option<&str> {
        let entries = &self.properties[range.start as usize..range.end as usize];
        let named = |(key, _): &&(Part, Part)| self.part(key).eq_ignore_ascii_case(name);
        entries.iter().rev().find(named).map(|(_, value)| self.part(value))
    }
}

/// What a date below a headline means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Planned {
    Scheduled,
    Deadline,
    Closed,
}

impl Planned {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Scheduled, Self::Deadline, Self::Closed];

    /// The timestamp of a headline that has one of this meaning.
    pub(super) fn of(self, entry: Entry<'_>) -> Option<Timestamp<'_>> {
        entry.planned(self).and_then(Timestamp::read)
    }
}

/// The active timestamps in the title and the text of a headline, without those of inline tasks in it.
fn stamps_of<'t>(text: &'t str, outline: &Outline<'t>, index: usize) -> Vec<&'t str> {
    let headline = &outline.headlines[index];
    let mut found = stamps::active(headline.title);
    found.extend(stamps::active(&text[headline.body.range()]));
    let tasks = || {
        let below = outline.headlines[index + 1..].iter();
        below.take_while(|other| other.inline.is_some() && headline.inline.is_none())
    };
    if tasks().next().is_some() {
        let offset = |stamp: &str| stamp.as_ptr() as usize - text.as_ptr() as usize;
        found.retain(|stamp| !tasks().any(|task| task.section.range().contains(&offset(stamp))));
    }
    found
}

/// The numbers of headlines among those with the same path, from 1; 0 where it is the only one.
fn ordinals(outline: &Outline<'_>) -> Vec<u32> {
    let hasher = FixedState::default();
    let mut paths: Vec<u64> = Vec::with_capacity(outline.headlines.len());
    let mut counts: HashMap<u64, (u32, u32)> = HashMap::new();
    for headline in &outline.headlines {
        let above = headline.parent.map_or(0, |parent| paths[parent]);
        let path = hasher.hash_one((above, headline.parent.is_some(), &*title::name(headline.title)));
        paths.push(path);
        counts.entry(path).or_default().0 += 1;
    }
    let mut number = |path: &u64| match counts.get_mut(path) {
        Some((count, last)) if *count > 1 => {
            *last += 1;
            *last
        }
        _ => 0,
    };
    paths.iter().map(&mut number).collect()
}

/// A hash that differs when the content of a file differs.
fn hash(text: &str) -> u64 {
    FixedState::default().hash_one(text)
}

/// Strings in one, those that occur often only once.
#[derive(Debug, Default)]
struct Strings<'t> {
    text: String,
    known: HashMap<&'t str, Part>,
}

impl<'t> Strings<'t> {
    fn add(&mut self, text: &'t str) -> Part {
        if let Some(part) = self.known.get(text) {
            return part.clone();
        }
        let part = self.add_owned(text);
        self.known.insert(text, part.clone());
        part
    }

    fn add_owned(&mut self, text: &str) -> Part {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        start..self.text.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = ":PROPERTIES:\n:Area: home\n:END:\n#+FILETAGS: :all:\n* TODO [#A] Plan :a::b:\nSCHEDULED: <2026-01-31 Sat +1w>\n:PROPERTIES:\n:ID: p1\n:Effort: 1\n:EFFORT: 2\n:END:\n** DONE Ärger :a:\nCLOSED: [2026-02-01 Sun]\n*** Deep\n";

    fn digest(text: &str) -> Digest {
        Digest::new("notes.org", text, &Outline::read(text), &Setup::default())
    }

    #[test]
    fn properties_are_inherited_where_that_is_asked_for() {
        let digest = digest(TEXT);
        let of = |index: usize, name: &str, inherited| {
            digest.entries().nth(index).unwrap().property(name, inherited).map(str::to_owned)
        };
        assert_eq!(of(0, "effort", false).as_deref(), Some("2"));
        assert_eq!(of(2, "Effort", false), None);
        assert_eq!(of(2, "Effort", true).as_deref(), Some("2"));
        assert_eq!((of(2, "area", false), of(2, "area", true).as_deref()), (None, Some("home")));
        let own: Vec<&str> = digest.entries().nth(1).unwrap().tags(false).collect();
        assert_eq!(own, ["a"]);
    }

    #[test]
    fn titles_are_found_whatever_their_case_and_not_across_lines() {
        let digest = digest(TEXT);
        let titled = |wanted: &str| {
            let found = digest.titled(&Finder::new(wanted));
            found.into_iter().map(|index| digest.entry(index).title()).collect::<Vec<_>>()
        };
        assert_eq!(titled("ärg"), ["Ärger"]);
        assert_eq!(titled("plan\n"), Vec::<&str>::new());
        assert_eq!(titled("e"), ["Ärger", "Deep"]);
    }

    proptest! {
        /// A digest says of each headline what the outline says.
        #[test]
        fn a_digest_says_what_the_outline_says(lines in prop::collection::vec(
            prop_oneof![
                "\\*{1,3} (TODO |DONE |NEXT )?(\\[#[AB]\\] )?(COMMENT )?[a-cÄΣ ]{0,4}( :[ab]{1,2}:)?",
                Just("SCHEDULED: <2026-01-31 Sat +1w> DEADLINE: <2026-02-01 Sun>".to_owned()),
                Just(":PROPERTIES:\n:ID: x\n:END:".to_owned()),
                Just("#+FILETAGS: :f:".to_owned()),
                Just("#+TODO: NEXT | DONE".to_owned()),
                "[a-c*: ]{0,6}",
            ],
            0..12,
        )) {
            let text = lines.join("\n");
            let outline = Outline::read(&text);
            let digest = digest(&text);
            let infos: Vec<HeadlineInfo> = digest.entries().map(Entry::info).collect();
            let expected: Vec<HeadlineInfo> =
                (0..outline.headlines.len()).map(|at| HeadlineInfo::new("notes.org", &outline, at).of_file(&text)).collect();
            prop_assert_eq!(infos, expected);
            let titles = outline.headlines.iter().map(|headline| headline.title.to_lowercase());
            for title in titles.filter(|title| !title.is_empty()) {
                let found = digest.titled(&Finder::new(&title)).len();
                let contain = outline.headlines.iter().filter(|one| one.title.to_lowercase().contains(&title));
                prop_assert_eq!(found, contain.count());
            }
        }
    }
}

//! A document that is edited, with its outline, which follows each edit instead of being read again.
//!
//! The document is divided where headlines begin that are not inline tasks. How Org reads such a part depends on its own text
//! and on the keywords of the file, so that an edit concerns the parts that it touches. Positions inside of a part are
//! relative to it; where the parts are, and how many lines and headlines are before them, are sums in a tree
//! (`sums`). What connects headlines, the levels, is found when it is asked for, and kept while it does not change.

use std::{cell::OnceCell, ops::Range};

use super::{
    entry::{Entry, Pairs},
    keywords::keywords_in,
    lines::Lines,
    outline::{self, Drawer, Headline, Outline},
    settings::{Settings, is_of_file},
    setup::Setup,
    sums::{Size, Sums},
};
use crate::text::Span;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a document, and its outline.
#[derive(Debug, Clone)]
pub struct Edited {
    text: String,
    /// What it is read with.
    setup: Setup,
    /// The first is the text before the first headline, and may be empty.
    parts: Vec<Part>,
    sums: Sums,
    /// The keywords that are about the file, in order.
    keywords: Vec<(String, String)>,
    levels: OnceCell<Levels>,
}

/// A part of the document.
#[derive(Debug, Clone)]
struct Part {
    size: Size,
    /// Its headline, and the inline tasks below that.
    entries: Vec<Entry>,
    lone_ends: Vec<Span>,
    keywords: Vec<(String, String)>,
    /// The drawer of the file, which only the first part has.
    properties: Option<Pairs>,
}

impl Part {
    /// Whether it begins with a headline, as all parts but the first do.
    fn has_headline(&self) -> bool {
        self.entries.first().is_some_and(|entry| entry.span.start == 0 && entry.inline.is_none())
    }

    /// What connects its headlines with those of other parts.
    fn levels(&self) -> impl Iterator<Item = (usize, bool)> {
        self.entries.iter().map(|entry| (entry.level, entry.inline.is_some()))
    }
}

/// How headlines are below each other.
#[derive(Debug, Clone)]
struct Levels {
    /// The headline above each.
    parents: Vec<Option<usize>>,
    /// The first one after each that is not below it.
    nexts: Vec<usize>,
}

impl Edited {
    /// Reads a document with the settings of its set-up files.
    pub fn read(text: &str, setup: &Setup) -> Self {
        let mut edited = Self {
            text: text.to_owned(),
            setup: setup.clone(),
            parts: Vec::new(),
            sums: Sums::default(),
            keywords: Vec::new(),
            levels: OnceCell::new(),
        };
        edited.read_all();
        edited
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces a part of the text.
    pub fn replace(&mut self, range: Range<usize>, new: &str) {
        if range.is_empty() && new.is_empty() {
            return;
        }
        if range.start < BYTE_ORDER_MARK.len() && self.text.starts_with(BYTE_ORDER_MARK) {
            // Only at the begin of the text is the mark not a part of the first line.
            self.text.replace_range(range, new);
            return self.read_all();
        }
        // A line break that goes or comes at the end of the part before changes where this one begins.
        let mut first = range.start.checked_sub(1).map_or(0, |at| self.part_at(at));
        let last = self.part_at(range.end);
        let end = self.sums.before(last + 1).bytes - range.len() + new.len();
        let was_crlf = self.has_crlf();
        self.text.replace_range(range, new);
        let start = self.sums.before(first).bytes;
        let before = self.parts[first..=last].iter().map(|part| part.size);
        let total = self.sums.total() - before.fold(Size::default(), |sum, size| sum + size)
            + Size::of(&self.text[start..end]);
        if was_crlf != total.has_crlf() {
            return self.read_all();
        }
        let settings = Settings::of(pairs(&self.keywords), &self.setup);
        let mut parts = self.read_parts(start..end, was_crlf, &settings);
        if first > 0 && !parts[0].has_headline() {
            // Its first line is not a headline any more: the text belongs to the part before.
            first -= 1;
            parts = self.read_parts(self.sums.before(first).bytes..end, was_crlf, &settings);
        }
        let keywords = |parts: &[Part]| -> Vec<(String, String)> {
            parts.iter().flat_map(|part| part.keywords.iter().cloned()).collect()
        };
        if keywords(&parts) == keywords(&self.parts[first..=last]) {
            self.put(first..last + 1, parts);
        } else {
            self.read_all();
        }
    }

    /// Puts parts in the place of others.
    fn put(&mut self, range: Range<usize>, parts: Vec<Part>) {
        let old = &self.parts[range.clone()];
        let is_same = |(old, new): (&Part, &Part)| old.levels().eq(new.levels());
        if old.len() != parts.len() || !old.iter().zip(&parts).all(is_same) {
            self.levels = OnceCell::new();
        }
        if old.len() == parts.len() {
            for ((at, old), new) in range.clone().zip(old).zip(&parts) {
                self.sums.change(at, old.size, new.size);
            }
            self.parts.splice(range, parts);
        } else {
            self.parts.splice(range, parts);
            self.sums = Sums::of(self.parts.iter().map(|part| part.size));
        }
    }

    /// Reads the whole text.
    fn read_all(&mut self) {
        let is_crlf = Size::of(&self.text).has_crlf();
        let found = keywords_in(Lines::of_part(&self.text, is_crlf, true));
        let keywords = of_file(found);
        let settings = Settings::of(pairs(&keywords), &self.setup);
        self.parts = self.read_parts(0..self.text.len(), is_crlf, &settings);
        self.sums = Sums::of(self.parts.iter().map(|part| part.size));
        self.keywords = keywords;
        self.levels = OnceCell::new();
    }

    /// Reads the parts that are in a range of the text.
    fn read_parts(&self, range: Range<usize>, is_crlf: bool, settings: &Settings<'_>) -> Vec<Part> {
        let text = &self.text[range.clone()];
        let is_begin = range.start == 0;
        let (headlines, lone_ends) = outline::headlines(Lines::of_part(text, is_crlf, is_begin), settings);
        let starts = headlines
            .iter()
            .filter(|headline| headline.inline.is_none())
            .map(|found| found.span.start as usize);
        let mut starts: Vec<usize> = starts.collect();
        if is_begin || starts.first() != Some(&0) {
            starts.insert(0, 0);
        }
        let mut headlines = headlines.iter().peekable();
        let mut lone_ends = lone_ends.into_iter().peekable();
        let mut parts = Vec::with_capacity(starts.len());
        let mut line = 0;
        for (at, &start) in starts.iter().enumerate() {
            // Where the text begins with a headline, the first part is empty.
            let end = starts.get(at + 1).copied().unwrap_or(text.len());
            let is_last = at + 1 == starts.len();
            let is_first = is_begin && at == 0;
            let own = &text[start..end];
            let is_in = |span: Span| is_last || (span.start as usize) < end;
            let mut entries = Vec::new();
            while let Some(headline) = headlines.next_if(|headline| is_in(headline.span)) {
                entries.push(Entry::of(headline, text, start, line));
            }
            let mut ends = Vec::new();
            while let Some(span) = lone_ends.next_if(|span| is_in(*span)) {
                ends.push(Span::new(span.start as usize - start, span.end as usize - start));
            }
            let lines = Lines::of_part(own, is_crlf, is_first);
            let properties = if is_first { outline::file_properties(lines.clone()) } else { None };
            let size = Size { headlines: entries.len(), ..Size::of(own) };
            line += size.lines as u32;
            parts.push(Part {
                size,
                entries,
                lone_ends: ends,
                keywords: of_file(keywords_in(lines)),
                properties: properties.map(|drawer| Pairs::of(drawer.span, &drawer.entries, own, 0)),
            });
        }
        parts
    }

    fn has_crlf(&self) -> bool {
        self.sums.total().has_crlf()
    }

    /// The part that a byte is in; the last one at the end of the text.
    fn part_at(&self, at: usize) -> usize {
        self.sums.find(at, |size| size.bytes).min(self.parts.len() - 1)
    }

    /// Number of headlines.
    pub fn count(&self) -> usize {
        self.sums.total().headlines
    }

    /// A headline as it was read, with its part and what is before that.
    fn entry(&self, index: usize) -> (&Entry, usize, Size) {
        let part = self.sums.find(index, |size| size.headlines);
        let before = self.sums.before(part);
        (&self.parts[part].entries[index - before.headlines], part, before)
    }

    /// The headline at a position of the outline.
    pub fn headline(&self, index: usize) -> Headline<'_> {
        let (entry, part, before) = self.entry(index);
        let end = before.bytes + self.parts[part].size.bytes;
        let mut headline = entry.headline(&self.text[before.bytes..end], before.bytes, before.lines as u32);
        headline.parent = self.levels().parents[index];
        if entry.inline.is_none() {
            let next = self.levels().nexts[index];
            headline.body.end = end as u32;
            headline.section = Span::new(headline.span.start as usize, self.start(next));
            headline.end_line = if next < self.count() {
                self.lines_before(next)
            } else {
                // After a final line break there is one more line.
                self.sums.total().lines as u32 + 1
            };
        }
        headline
    }

    /// Level and keyword of the headlines from a position on.
    pub fn keywords_from(&self, index: usize) -> impl Iterator<Item = (usize, Option<&str>)> {
        let part = self.sums.find(index, |size| size.headlines);
        let before = self.sums.before(part);
        let mut start = before.bytes;
        let parts = self.parts.iter().skip(part).flat_map(move |part| {
            let own = &self.text[start..start + part.size.bytes];
            start += part.size.bytes;
            part.entries.iter().map(move |entry| (entry.level, entry.todo.map(|todo| todo.of(own))))
        });
        parts.skip(index - before.headlines)
    }

    /// Number of stars of a headline.
    pub fn level(&self, index: usize) -> usize {
        self.entry(index).0.level
    }

    /// Whether a headline is an inline task.
    pub fn is_inline(&self, index: usize) -> bool {
        self.entry(index).0.inline.is_some()
    }

    /// The headline above another one.
    pub fn parent(&self, index: usize) -> Option<usize> {
        self.levels().parents[index]
    }

    /// Where a headline begins; for the position after the last one, where the text ends.
    pub fn start(&self, index: usize) -> usize {
        if index >= self.count() {
            return self.text.len();
        }
        let (entry, _, before) = self.entry(index);
        before.bytes + entry.span.start as usize
    }

    fn lines_before(&self, index: usize) -> u32 {
        let (entry, _, before) = self.entry(index);
        before.lines as u32 + entry.line
    }

    /// The headline whose text is at a byte, an inline task included; none above the first one.
    pub fn index_at(&self, at: usize) -> Option<usize> {
        let part = self.part_at(at);
        let before = self.sums.before(part);
        let entries = &self.parts[part].entries;
        let own = entries.iter().rposition(|entry| before.bytes + entry.span.start as usize <= at);
        let mut index = before.headlines + own?;
        // What is below an inline task belongs to the headline above it.
        loop {
            let (entry, _, before) = self.entry(index);
            if entry.inline.is_none() || before.bytes + entry.section.end as usize > at {
                return Some(index);
            }
            index = self.parent(index)?;
        }
    }

    /// The drawer of properties of the file itself.
    pub fn properties(&self) -> Option<Drawer<'_>> {
        let (span, entries) = self.parts[0].properties.as_ref()?.pairs(&self.text, 0);
        Some(Drawer { span, entries })
    }

    /// The keywords that are about the file.
    pub fn keywords(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> {
        pairs(&self.keywords)
    }

    /// What the keywords say.
    pub fn settings(&self) -> Settings<'_> {
        Settings::of(self.keywords(), &self.setup)
    }

    /// The whole outline.
    pub fn outline(&self) -> Outline<'_> {
        let headlines = (0..self.count()).map(|index| self.headline(index)).collect();
        let mut start = 0;
        let mut lone_ends = Vec::new();
        for part in &self.parts {
            lone_ends.extend(part.lone_ends.iter().map(|end| end.shifted(start)));
            start += part.size.bytes;
        }
        Outline::of_parts(self.settings(), self.properties(), headlines, lone_ends, self.setup.clone())
    }

    fn levels(&self) -> &Levels {
        self.levels.get_or_init(|| {
            let count = self.count();
            let (mut parents, mut nexts) = (Vec::with_capacity(count), vec![count; count]);
            // The headlines that are open, innermost last.
            let mut open: Vec<(usize, usize)> = Vec::new();
            let all = self.parts.iter().flat_map(Part::levels);
            for (index, (level, is_inline)) in all.enumerate() {
                if !is_inline {
                    while let Some((_, above)) = open.pop_if(|(other, _)| *other >= level) {
                        nexts[above] = index;
                    }
                }
                parents.push(open.last().map(|(_, above)| *above));
                if !is_inline {
                    open.push((level, index));
                }
            }
            Levels { parents, nexts }
        })
    }

    /// Takes the text.
    pub fn into_text(self) -> String {
        self.text
    }
}

fn pairs(keywords: &[(String, String)]) -> impl DoubleEndedIterator<Item = (&str, &str)> {
    keywords.iter().map(|(key, value)| (key.as_str(), value.as_str()))
}

/// The keywords that say something about the whole file.
fn of_file(keywords: Vec<(&str, &str)>) -> Vec<(String, String)> {
    let kept = keywords.into_iter().filter(|(key, _)| is_of_file(key));
    kept.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    /// The outline with the position of everything in it.
    fn positions(text: &str, outline: &Outline<'_>) -> String {
        let entries = outline.headlines.iter().map(|headline| {
            let entry = Entry::of(headline, text, 0, 0);
            format!("{entry:?} {:?} {:?} {:?}\n", headline.parent, headline.end_line, headline.section)
        });
        let drawer = outline.properties.as_ref();
        let drawer = drawer.map(|drawer| Pairs::of(drawer.span, &drawer.entries, text, 0));
        let rest = format!("{:?}\n{drawer:?}\n{:?}", outline.settings, outline.lone_ends);
        entries.collect::<String>() + &rest
    }

    #[track_caller]
    fn assert_follows(edited: &Edited, setup: &Setup) {
        let text = edited.text();
        let anew = Outline::read_with(text, setup);
        assert_eq!(positions(text, &edited.outline()), positions(text, &anew), "{text:?}");
        for at in 0..=text.len() {
            let mut index = anew.headlines.iter().rposition(|headline| headline.span.start as usize <= at);
            while let Some(found) = index.map(|at| &anew.headlines[at])
                && found.inline.is_some()
                && found.section.end as usize <= at
            {
                index = found.parent;
            }
            assert_eq!(edited.index_at(at), index, "{at} of {text:?}");
        }
        let levels = anew.headlines.iter().map(|headline| (headline.level, headline.todo));
        assert!(anew.headlines.is_empty() || edited.keywords_from(0).eq(levels), "{text:?}");
    }

    /// What documents are made of, and what edits insert.
    const PIECES: [&str; 42] = [
        "* A\n",
        "** TODO B :x:\n",
        "*** DONE [#A] C [1/2]\n",
        "* COMMENT D",
        "**** T\n",
        "**** END\n",
        "***** END\n",
        "* ",
        "*",
        "** ",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        " ",
        "text",
        "é\n",
        "\u{feff}",
        "#+TODO: NEXT | X\n",
        "#+TYP_TODO: Ann Bob | DONE\n",
        "** Ann Call :x:\n",
        "#+FILETAGS: :f:\n",
        "#+begin_src org\n",
        "#+end_src\n",
        "#+BEGIN_EXAMPLE\n",
        "#+END_EXAMPLE\n",
        "#+CAPTION: c\n",
        "#+STARTUP: logdone\n",
        "#+PROPERTY: a b\n",
        "# comment\n",
        ":PROPERTIES:\n",
        ":END:\n",
        ":ID: 1\n",
        ":a+: 2\n",
        "SCHEDULED: <2026-01-31 Sat +1w>\n",
        "CLOSED: [2026-01-31 Sat 09:00]",
        "DEADLINE: ",
        "- [ ] item\n",
        "NEXT ",
        ":tag:",
        "#+",
        "* X y\n",
    ];

    fn document() -> impl Strategy<Value = String> {
        proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..14)
            .prop_map(|pieces| pieces.concat())
    }

    fn boundary(text: &str, at: usize) -> usize {
        (0..=at % (text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1500, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn an_outline_that_follows_edits_is_that_of_the_text(
            text in document(),
            crlf in any::<bool>(),
            inline_tasks in proptest::option::of(3_usize..6),
            edits in proptest::collection::vec((any::<u16>(), any::<u16>(), 0_usize..5, document()), 1..8),
        ) {
            let text = if crlf { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text };
            let setup = Setup::default().with_inline_tasks(inline_tasks);
            let mut edited = Edited::read(&text, &setup);
            assert_follows(&edited, &setup);
            for (start, length, pieces, new) in edits {
                let start = boundary(edited.text(), start.into());
                // Most edits are short.
                let length = if pieces == 0 { usize::from(length) } else { usize::from(length % 8) };
                let rest = edited.text().len() - start;
                let end = start + boundary(&edited.text()[start..], length.min(rest));
                let new: String = new.split_inclusive('\n').take(pieces).collect();
                let new = if crlf { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new };
                let mut expected = edited.text().to_owned();
                expected.replace_range(start..end, &new);
                edited.replace(start..end, &new);
                prop_assert_eq!(edited.text(), expected);
                assert_follows(&edited, &setup);
            }
        }
    }
}

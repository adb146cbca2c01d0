//! Pandoc's Markdown as a document model.
//!
//! [`crate::syntax::pandoc`] records the parts of a document that rules look at; this reader builds all of it,
//! as Pandoc does: blocks from lines, inlines from the text of blocks.

mod blocks;
mod cursor;
mod entities;
mod grid;
mod inlines;
mod lists;
mod tables;
mod text;

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    sync::Arc,
};

pub(crate) use self::text::{Include, Texts};
use self::text::{Joined, Line};
use super::{
    model::{Attr, Block, Inline, Place, Rewrite, Shortcode, Target},
    weight,
};
use crate::{syntax::pandoc, text::Source};

/// A document as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Read {
    pub blocks: Vec<Block>,
    pub texts: Texts,
    /// Where blocks are nested deeper than what is read as blocks.
    pub too_deep: Option<Place>,
}

/// Reads a document and what it includes.
pub(crate) fn read(source: Arc<Source>, smart: bool, include: Include<'_>) -> Read {
    let (texts, lines) = text::lines(source, include);
    read_lines(texts, &lines, smart)
}

/// Reads a document that follows others, whose sources are `texts`. Its notes and the like are its own.
pub(crate) fn read_after(texts: Texts, source: Arc<Source>, smart: bool, include: Include<'_>) -> Read {
    let (texts, lines) = text::lines_after(texts, source, include);
    read_lines(texts, &lines, smart)
}

/// Reads text that is not part of a file as blocks.
pub(crate) fn read_text(text: &str, smart: bool) -> Vec<Block> {
    let source = Arc::new(Source::new("", text));
    let (texts, lines) = text::whole(source);
    read_lines(texts, &lines, smart).blocks
}

/// Reads text that is not part of a file as inlines, such as a title.
pub(crate) fn read_inlines(text: &str, smart: bool) -> Vec<Inline> {
    let names = Definitions { smart, ..Definitions::default() };
    let joined = Joined::at(text.trim(), Place::default());
    inlines::read(&joined, &names)
}

fn read_lines(texts: Texts, lines: &[Line], smart: bool) -> Read {
    let definitions = Definitions::gather(&texts, lines, smart);
    let blocks = unresolved(&texts, lines, &definitions);
    let notes = definitions.notes.take();
    let too_deep = definitions.too_deep.take();
    let examples = definitions.examples.take();
    let blocks =
        Resolve { notes: &notes, examples: &examples, used: HashMap::new(), in_note: false }.rewrite(blocks);
    Read { blocks, texts, too_deep }
}

/// The blocks with references to notes and to numbers of examples.
fn unresolved(texts: &Texts, lines: &[Line], definitions: &Definitions) -> Vec<Block> {
    let reader = cursor::Reader {
        texts,
        definitions,
        blocks: blocks::read,
        divs: Cell::default(),
        tags: Cell::default(),
    };
    reader.read(&text::ended(lines), 0)
}

/// What a document defines for all of its text.
#[derive(Default)]
struct Definitions {
    links: HashMap<String, Target>,
    headings: HashMap<String, Target>,
    note_names: HashSet<String>,
    notes: RefCell<HashMap<String, Vec<Block>>>,
    /// Numbers of the labels of examples: `(@label)`.
    examples: RefCell<HashMap<String, u32>>,
    example_count: RefCell<u32>,
    too_deep: RefCell<Option<Place>>,
    smart: bool,
}

impl Definitions {
    /// The names that are defined in a document, before it is read.
    fn gather(texts: &Texts, lines: &[Line], smart: bool) -> Self {
        let mut out = Self { smart, ..Self::default() };
        out.gather_headings(texts, lines);
        for line in lines {
            let text = without_marks(texts.of(*line));
            if let Some(rest) = text.strip_prefix("[^") {
                out.note_names.extend(rest.find("]:").map(|end| rest[..end].to_owned()));
            } else if let Some((label, found)) = pandoc::link_definition(text) {
                let target = inlines::target(text, &found);
                out.links.entry(normal(&text[label])).or_insert(target);
            }
        }
        out
    }
}

impl Definitions {
    /// The headings, which their text in brackets refers to.
    fn gather_headings(&mut self, texts: &Texts, lines: &[Line]) {
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut fence: Option<(u8, usize)> = None;
        for (at, line) in lines.iter().enumerate() {
            let text = texts.of(*line);
            fence = fence_after(fence, text);
            let Some((_, marks)) = pandoc::heading_marks(text).filter(|_| fence.is_none()) else { continue };
            let above = at.checked_sub(1).map_or("", |at| texts.of(lines[at]));
            let words = text[marks..].trim();
            if !above.trim().is_empty() && !above.starts_with('#') || words.is_empty() {
                continue;
            }
            let (words, own) = match words.rfind('{').filter(|_| words.ends_with('}')) {
                Some(brace) => match pandoc::braces(words, brace) {
                    pandoc::Braces::Attributes(found) => {
                        (words[..brace].trim_end(), found.id.map(|id| words[id].to_owned()))
                    }
                    _ => (words, None),
                },
                None => (words, None),
            };
            let words = words.trim_end_matches('#').trim_end();
            let id = own.unwrap_or_else(|| {
                let base = super::model::identifier(&read_inlines(words, self.smart));
                let count = known.entry(base.clone()).or_default();
                *count += 1;
                if *count == 1 { base } else { format!("{base}-{}", *count - 1) }
            });
            let target = Target { url: format!("#{id}"), title: String::new() };
            self.headings.entry(normal(words)).or_insert(target);
        }
    }
}

/// A line without the marks of quotes and list items before its words.
fn without_marks(line: &str) -> &str {
    let mut words = line.trim_start_matches([' ', '>', '\t']);
    while let Some(mark) = pandoc::list_mark(words) {
        words = words[mark..].trim_start_matches([' ', '>', '\t']);
    }
    words
}

/// The fence that is open after a line.
fn fence_after(open: Option<(u8, usize)>, line: &str) -> Option<(u8, usize)> {
    let words = line.trim();
    let mark = words.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'));
    let length = mark.map_or(0, |mark| pandoc::run(words, mark));
    match (open, mark) {
        (Some((own, least)), Some(mark)) if own == mark && length >= least && length == words.len() => None,
        (Some(open), _) => Some(open),
        (None, Some(mark)) if length >= 3 && !words[length..].contains(char::from(mark)) => {
            Some((mark, length))
        }
        _ => None,
    }
}

/// Labels are compared without case and with single spaces.
fn normal(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl inlines::Names for Definitions {
    fn link(&self, label: &str) -> Option<Target> {
        if self.links.is_empty() && self.headings.is_empty() {
            return None;
        }
        let label = normal(label);
        self.links.get(&label).or_else(|| self.headings.get(&label)).cloned()
    }

    fn has_note(&self, name: &str) -> bool {
        self.note_names.contains(name)
    }

    fn smart(&self) -> bool {
        self.smart
    }
}

/// Puts notes where they are referred to, and numbers where examples are.
struct Resolve<'n> {
    notes: &'n HashMap<String, Vec<Block>>,
    examples: &'n HashMap<String, u32>,
    /// How often each note was put somewhere.
    used: HashMap<String, u32>,
    /// Whether it is in a note, which has no notes of its own.
    in_note: bool,
}

/// How often a note is repeated at most.
const REPEATED: u32 = 32;

impl Rewrite for Resolve<'_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let resolved = inlines.into_iter().map(|inline| match inline {
            Inline::NoteReference(name, place) => {
                let used = self.used.entry(name.clone()).or_default();
                *used += 1;
                let repeated = *used > REPEATED;
                match self.notes.get(&name).filter(|_| !self.in_note && !repeated) {
                    Some(blocks) => {
                        self.in_note = true;
                        let blocks = self.rewrite(weight::repeated(blocks));
                        self.in_note = false;
                        Inline::Note(blocks)
                    }
                    // Read again, it would still have no note.
                    None if self.in_note && self.notes.contains_key(&name) => {
                        Inline::NoteReference(name, place)
                    }
                    None => Inline::Str(format!("[^{name}]")),
                }
            }
            Inline::Cite(citations, shown) => {
                let number = match citations.as_slice() {
                    [only] => self.examples.get(&only.key),
                    _ => None,
                };
                match number {
                    Some(number) => Inline::Str(number.to_string()),
                    None => Inline::Cite(citations, shown),
                }
            }
            other => other,
        });
        resolved.collect()
    }
}

/// The attributes of a tag of HTML.
pub(crate) fn tag_attr(tag: &str, place: Place) -> Attr {
    blocks::html_attr(tag, place)
}

/// The shortcode that is written so, with its marks.
pub(crate) fn shortcode(text: &str, place: Place) -> Option<Shortcode> {
    let found = pandoc::shortcode_of(text)?;
    let of = |range: &std::ops::Range<usize>| text[range.clone()].to_owned();
    Some(Shortcode {
        name: of(&found.name),
        arguments: found.arguments.iter().map(of).collect(),
        options: found.options.iter().map(|(key, value)| (of(key), of(value))).collect(),
        text: text.to_owned(),
        place,
    })
}

#[cfg(test)]
mod tests;

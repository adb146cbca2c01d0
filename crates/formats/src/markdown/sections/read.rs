//! From text to sections.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{Item, List, Section, Table, sentences::sentences};
use crate::budget;

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH);

/// Bytes of memory for a mark of Markdown, and what reading one costs, in steps.
const MARK: usize = 64;
const MARK_STEPS: u64 = 4;

/// The sections of text, the first one without a heading if something precedes the first heading.
pub(super) fn read(text: &str) -> Vec<Section> {
    let marks = memchr::memchr3_iter(b'\n', b'*', b'[', text.as_bytes()).count()
        + memchr::memchr3_iter(b'_', b'`', b'|', text.as_bytes()).count();
    if !budget::allocate(marks * MARK) || !budget::charge(marks as u64 * MARK_STEPS) {
        return Vec::new();
    }
    let mut reader = Reader { text, ..Reader::default() };
    reader.flat.push(Section { range: 0..text.len(), ..Section::default() });
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        reader.event(event, range);
    }
    reader.finish_leaf();
    budget::free(marks * MARK);
    let mut flat = reader.flat;
    let ends: Vec<usize> = flat.iter().skip(1).map(|next| next.range.start).chain([text.len()]).collect();
    for (section, end) in flat.iter_mut().zip(ends) {
        section.range.end = end;
    }
    let preface = &flat[0];
    let is_empty = preface.paragraphs.is_empty()
        && preface.lists.is_empty()
        && preface.tables.is_empty()
        && preface.code.is_empty();
    nested(flat.into_iter().skip(usize::from(is_empty)).collect())
}

/// Puts sections into those of the headings above them.
fn nested(flat: Vec<Section>) -> Vec<Section> {
    let mut open: Vec<Section> = Vec::new();
    let mut top: Vec<Section> = Vec::new();
    let close = |open: &mut Vec<Section>, top: &mut Vec<Section>| {
        let Some(done) = open.pop() else { return };
        match open.last_mut() {
            Some(outer) => {
                outer.range.end = outer.range.end.max(done.range.end);
                outer.sections.push(done);
            }
            None => top.push(done),
        }
    };
    for section in flat {
        while open.last().is_some_and(|outer| outer.level >= section.level || outer.level == 0) {
            close(&mut open, &mut top);
        }
        open.push(section);
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

/// What is open while the events of the parser come.
#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    flat: Vec<Section>,
    /// Lists around the position, the innermost last.
    lists: Vec<List>,
    table: Option<Table>,
    /// The text of a heading.
    title: Option<String>,
    leaf: Option<Leaf>,
    /// Code and links within lines, where no sentence ends.
    inlines: Vec<Range<usize>>,
}

/// Text in lines.
struct Leaf {
    range: Range<usize>,
    is_paragraph: bool,
    /// Where the code and the links in it begin, among those of the reader.
    inlines: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::TaskListMarker(done) => {
                if let Some(item) = self.lists.last_mut().and_then(|list| list.items.last_mut()) {
                    item.done = Some(done);
                }
            }
            Event::Text(text) => {
                if let Some(title) = &mut self.title {
                    title.push_str(&text);
                }
                self.inline(range);
            }
            Event::Code(text) => {
                if let Some(title) = &mut self.title {
                    title.push_str(&text);
                }
                if self.table.is_none() {
                    self.inlines.push(range.clone());
                }
                self.section().code.push(range.clone());
                self.inline(range);
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut self.title {
                    title.push(' ');
                }
            }
            Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => {
                self.inline(range);
            }
            Event::Html(_) | Event::Rule => self.finish_leaf(),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                self.inline(range);
                return;
            }
            Tag::Link { .. } | Tag::Image { .. } => {
                if self.table.is_none() {
                    self.inlines.push(range.clone());
                }
                self.inline(range);
                return;
            }
            _ => self.finish_leaf(),
        }
        match tag {
            Tag::Paragraph => {
                let range = self.trimmed(range);
                self.leaf = Some(Leaf { range, is_paragraph: true, inlines: self.inlines.len() });
            }
            // A heading in a list or a quote is not one of the document.
            Tag::Heading { level, .. } if self.lists.is_empty() => {
                self.title = Some(String::new());
                let level = level_of(*level);
                let range = self.trimmed(range);
                self.flat.push(Section {
                    level,
                    title: Some((String::new(), range.clone())),
                    range,
                    ..Section::default()
                });
            }
            Tag::List(first) => {
                self.lists.push(List { range, ordered: first.is_some(), items: Vec::new() });
            }
            Tag::Item => {
                let range = self.trimmed(range);
                if let Some(list) = self.lists.last_mut() {
                    list.items.push(Item { range, text: None, done: None, lists: Vec::new() });
                }
            }
            Tag::Table(_) => self.table = Some(Table { range: self.trimmed(range), rows: Vec::new() }),
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                let range = self.trimmed(range);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(range);
                }
            }
            Tag::CodeBlock(kind) => {
                let fenced = matches!(kind, CodeBlockKind::Fenced(_));
                let range = if fenced { self.trimmed(range) } else { range };
                self.section().code.push(range);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Item => self.finish_leaf(),
            TagEnd::Heading(_) => {
                let text = self.title.take();
                if let (Some(text), Some((title, _))) = (text, &mut self.section().title) {
                    *title = text;
                }
            }
            TagEnd::List(_) => {
                self.finish_leaf();
                let Some(mut done) = self.lists.pop() else { return };
                done.range = self.trimmed(done.range);
                match self.lists.last_mut().and_then(|outer| outer.items.last_mut()) {
                    Some(item) => item.lists.push(done),
                    None => self.section().lists.push(done),
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.section().tables.push(table);
                }
            }
            _ => {}
        }
    }

    /// Something within lines: the items of lists have such text without a paragraph around it.
    fn inline(&mut self, range: Range<usize>) {
        if self.title.is_some() || self.table.is_some() || !budget::charge(1) {
            return;
        }
        match &mut self.leaf {
            Some(leaf) if !leaf.is_paragraph => leaf.range.end = leaf.range.end.max(range.end),
            None if !self.lists.is_empty() => {
                let inlines = self.inlines.len().saturating_sub(1);
                self.leaf = Some(Leaf { range, is_paragraph: false, inlines });
            }
            // A paragraph has its range, and the text of a code block is not in lines.
            Some(_) | None => {}
        }
    }

    fn finish_leaf(&mut self) {
        let Some(leaf) = self.leaf.take() else { return };
        let range = self.trimmed(leaf.range);
        if range.is_empty() {
            return;
        }
        let found =
            sentences(self.text, range.clone(), &self.inlines[leaf.inlines.min(self.inlines.len())..]);
        self.section().sentences.extend(found);
        let item = self.lists.last_mut().and_then(|list| list.items.last_mut());
        match item.filter(|item| item.text.is_none()) {
            Some(item) => item.text = Some(range),
            None => self.section().paragraphs.push(range),
        }
    }

    fn section(&mut self) -> &mut Section {
        if self.flat.is_empty() {
            self.flat.push(Section::default());
        }
        let last = self.flat.len() - 1;
        &mut self.flat[last]
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let whole = &self.text[range.clone()];
        let start = range.start + (whole.len() - whole.trim_start().len());
        start..(start + whole.trim().len())
    }
}

fn level_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

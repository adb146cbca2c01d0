//! What is within the lines of a paragraph, a heading or a cell: text, links, code, emphasis, HTML.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{
    addresses,
    lines::{Lines, Part},
    links::{Link, LinkForm},
    tags,
};
use crate::budget;

/// What the inline content of a document consists of.
#[derive(Debug, Default)]
pub(super) struct Inlines {
    pub(super) links: Vec<Link>,
    pub(super) code: Vec<Code>,
    pub(super) emphasis: Vec<Emphasis>,
    pub(super) strays: Vec<Stray>,
    pub(super) tags: Vec<tags::Tag>,
    pub(super) addresses: Vec<Range<usize>>,
    /// Notes that are referred to, by name.
    pub(super) notes: Vec<(Range<usize>, String)>,
}

/// A code span.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) range: Range<usize>,
    /// What is between its backticks.
    pub(super) content: Range<usize>,
}

/// Emphasis, or strong emphasis.
#[derive(Debug)]
pub(super) struct Emphasis {
    pub(super) range: Range<usize>,
    pub(super) strong: bool,
    /// Whether a letter, a digit or an underscore is directly beside it.
    pub(super) intraword: bool,
    /// Whether a paragraph consists of it, and it of text alone.
    pub(super) alone: bool,
}

impl Emphasis {
    /// The length of each of its marks.
    pub(super) fn mark(&self) -> usize {
        1 + usize::from(self.strong)
    }
}

/// Two runs of the same mark that do not make emphasis.
#[derive(Debug)]
pub(super) struct Stray {
    pub(super) opening: Range<usize>,
    pub(super) closing: Range<usize>,
}

/// The kind of block that lines are the text of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeafKind {
    Paragraph { top: bool },
    Heading,
    Cell,
}

/// A paragraph, a heading or a cell that is being read.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) kind: LeafKind,
    pub(super) range: Range<usize>,
    open: Vec<Open>,
    /// Runs of text, with the construct that they are directly in.
    pieces: Vec<Piece>,
    runs: Vec<Run>,
    tags: Vec<(u32, tags::Tag)>,
    /// What is directly in the leaf, besides HTML and whitespace.
    meaningful: usize,
    /// Brackets that are open in the text.
    brackets: usize,
    next: u32,
    /// The pieces of the plain text of a heading.
    pub(super) plain: Vec<Range<usize>>,
    /// Pieces of HTML that are directly in it.
    pub(super) html: Vec<Range<usize>>,
    pub(super) only_link: Option<usize>,
}

#[derive(Debug)]
struct Open {
    id: u32,
    what: What,
    start: usize,
    /// What is directly in it.
    children: usize,
    /// The end of the text that it consists of so far.
    text_end: Option<usize>,
}

#[derive(Debug)]
enum What {
    Leaf,
    Emphasis { strong: bool },
    Link { position: usize },
}

#[derive(Debug)]
struct Piece {
    parent: u32,
    range: Range<usize>,
    /// Whether a bracket is open before it.
    bracketed: bool,
    linked: bool,
}

#[derive(Debug)]
struct Run {
    parent: u32,
    range: Range<usize>,
}

impl Leaf {
    pub(super) fn new(kind: LeafKind, range: Range<usize>) -> Self {
        let leaf = Open { id: 0, what: What::Leaf, start: range.start, children: 0, text_end: None };
        Self {
            kind,
            range,
            open: vec![leaf],
            pieces: Vec::new(),
            runs: Vec::new(),
            tags: Vec::new(),
            meaningful: 0,
            brackets: 0,
            next: 1,
            plain: Vec::new(),
            html: Vec::new(),
            only_link: None,
        }
    }

    fn parent(&self) -> u32 {
        self.open.last().map_or(0, |open| open.id)
    }

    fn child(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.children += 1;
        }
    }

    fn in_image(&self, inlines: &Inlines) -> bool {
        let is_image =
            |open: &Open| matches!(open.what, What::Link { position } if inlines.links[position].image);
        self.open.iter().any(is_image)
    }

    /// Takes in an event within the leaf.
    pub(super) fn event(&mut self, text: &str, event: Event<'_>, range: Range<usize>, inlines: &mut Inlines) {
        self.range.end = self.range.end.max(range.end);
        match event {
            Event::Start(Tag::Emphasis) => self.start(What::Emphasis { strong: false }, range.start),
            Event::Start(Tag::Strong) => self.start(What::Emphasis { strong: true }, range.start),
            Event::Start(Tag::Link { link_type, dest_url, title, .. }) => {
                let form = LinkForm::of(link_type);
                let link = Link::new(false, form, form.whole(text, range), &dest_url, &title);
                self.link(link, inlines);
            }
            Event::Start(Tag::Image { link_type, dest_url, title, .. }) => {
                let form = LinkForm::of(link_type);
                let link = Link::new(true, form, form.whole(text, range), &dest_url, &title);
                self.link(link, inlines);
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image) => {
                self.end(text, range, inlines);
            }
            Event::Text(written) => self.text(text, &written, range, inlines),
            Event::Code(_) => self.code(text, range, inlines),
            Event::InlineHtml(_) => self.html(text, range, inlines),
            Event::FootnoteReference(name) => {
                self.meaningful += usize::from(self.open.len() == 1);
                self.child();
                budget::push(&mut inlines.notes, (range, name.to_string()));
            }
            Event::SoftBreak | Event::HardBreak => self.child(),
            _ => {}
        }
    }

    fn start(&mut self, what: What, start: usize) {
        self.meaningful += usize::from(self.open.len() == 1);
        self.child();
        let id = self.next;
        self.next += 1;
        self.open.push(Open { id, what, start, children: 0, text_end: None });
    }

    fn link(&mut self, link: Link, inlines: &mut Inlines) {
        let position = inlines.links.len();
        if self.meaningful == 0 && self.open.len() == 1 && !link.image {
            self.only_link = Some(position);
        }
        self.start(What::Link { position }, link.range.start);
        budget::push(&mut inlines.links, link);
    }

    fn end(&mut self, text: &str, range: Range<usize>, inlines: &mut Inlines) {
        let Some(open) = self.open.pop() else { return };
        match open.what {
            What::Leaf => {}
            What::Emphasis { strong } => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let intraword =
                    text[..range.start].ends_with(is_word) || text[range.end..].starts_with(is_word);
                let alone = self.open.len() == 1 && open.children == 1 && open.text_end.is_some();
                budget::push(&mut inlines.emphasis, Emphasis { range, strong, intraword, alone });
            }
            What::Link { position } => {
                let link = &mut inlines.links[position];
                link.finish(text);
                let shown = link.label.clone();
                let range = link.range.clone();
                for outer in &self.open {
                    if let What::Link { position } = outer.what {
                        inlines.links[position].covers(&range);
                    }
                }
                debug_assert!(shown.start >= open.start);
            }
        }
    }

    fn cover(&mut self, range: &Range<usize>, inlines: &mut Inlines) {
        for open in &self.open {
            if let What::Link { position } = open.what {
                inlines.links[position].covers(range);
            }
        }
    }

    fn code(&mut self, text: &str, range: Range<usize>, inlines: &mut Inlines) {
        self.meaningful += usize::from(self.open.len() == 1);
        self.child();
        self.cover(&range, inlines);
        for open in &self.open {
            if let What::Link { position } = open.what {
                inlines.links[position].has_code = true;
            }
        }
        let ticks = text[range.clone()].bytes().take_while(|byte| *byte == b'`').count();
        let content = range.start + ticks..range.end - ticks;
        if self.kind == LeafKind::Heading && !self.in_image(inlines) {
            self.plain.push(without_padding(text, content.clone()));
        }
        budget::push(&mut inlines.code, Code { range, content });
    }

    fn html(&mut self, text: &str, range: Range<usize>, inlines: &mut Inlines) {
        self.child();
        if self.open.len() == 1 {
            self.html.push(range.clone());
        }
        for open in &self.open {
            if let What::Link { position } = open.what {
                inlines.links[position].has_code = true;
                inlines.links[position].covers(&range);
            }
        }
        let parent = self.parent();
        if let Some(mut tag) = tags::Tag::read(text, range) {
            tag.in_table = self.kind == LeafKind::Cell;
            budget::push(&mut self.tags, (parent, tag));
        }
    }

    fn text(&mut self, text: &str, written: &str, range: Range<usize>, inlines: &mut Inlines) {
        self.cover(&range, inlines);
        let is_verbatim = text[range.clone()] == *written;
        if self.kind == LeafKind::Heading && is_verbatim && !self.in_image(inlines) {
            self.plain.push(range.clone());
        }
        let is_blank = is_verbatim && written.trim().is_empty();
        self.meaningful += usize::from(self.open.len() == 1 && !is_blank);
        self.child();
        if !is_verbatim {
            return;
        }
        let parent = self.parent();
        let linked = self.open.iter().any(|open| matches!(open.what, What::Link { .. }));
        let follows_backslash = text[..range.start].ends_with('\\') && self.is_new(range.start - 1);
        if let Some(open) = self.open.last_mut() {
            // The parser splits text at characters that could be marks. An escape is a construct of its own.
            open.children -= usize::from(open.text_end == Some(range.start));
            open.children += usize::from(follows_backslash);
            open.text_end = Some(range.end);
        }
        let from = range.start + if follows_backslash { first_length(written) } else { 0 };
        self.runs(text, parent, from..range.end);
        let bracketed = self.brackets > 0;
        budget::push(&mut self.pieces, Piece { parent, range: range.clone(), bracketed, linked });
        for byte in text[from.min(range.end)..range.end].bytes() {
            match byte {
                b'[' => self.brackets += 1,
                b']' => self.brackets = self.brackets.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether no piece of text has the byte at an offset.
    fn is_new(&self, offset: usize) -> bool {
        self.pieces.last().is_none_or(|last| last.range.end <= offset)
    }

    /// Notes the runs of `*` and `_` in a piece of text.
    fn runs(&mut self, text: &str, parent: u32, range: Range<usize>) {
        let bytes = text.as_bytes();
        let mut at = range.start;
        while let Some(start) = memchr::memchr2(b'*', b'_', bytes.get(at..range.end).unwrap_or_default()) {
            let start = at + start;
            let length = bytes[start..range.end].iter().take_while(|byte| **byte == bytes[start]).count();
            at = start + length;
            match self.runs.last_mut() {
                Some(last)
                    if last.parent == parent
                        && last.range.end == start
                        && bytes[last.range.start] == bytes[start] =>
                {
                    last.range.end = at;
                }
                _ => budget::push(&mut self.runs, Run { parent, range: start..at }),
            }
        }
    }

    /// Adds what can be seen at the end of the leaf.
    pub(super) fn finish(mut self, text: &str, lines: &mut Lines<'_>, inlines: &mut Inlines) -> Self {
        self.strays(text, inlines);
        let addresses = self.find_addresses(text);
        self.mark_lines(&addresses, lines);
        let tags = std::mem::take(&mut self.tags);
        let ignored = elements(text, &tags);
        for (parent, address) in addresses {
            let in_element =
                ignored.iter().any(|(within, range)| *within == parent && range.contains(&address.start));
            let in_brackets = text[..address.start].ends_with('<') && text[address.end..].starts_with('>');
            if !in_element && !in_brackets {
                budget::push(&mut inlines.addresses, address);
            }
        }
        inlines.tags.extend(tags.into_iter().map(|(_, tag)| tag));
        if self.meaningful != 1 || self.kind != (LeafKind::Paragraph { top: true }) {
            let range = self.range.clone();
            let own =
                inlines.emphasis.iter_mut().rev().take_while(|emphasis| emphasis.range.start >= range.start);
            own.for_each(|emphasis| emphasis.alone = false);
        }
        if self.meaningful != 1 {
            self.only_link = None;
        }
        self
    }

    fn strays(&mut self, text: &str, inlines: &mut Inlines) {
        let runs = std::mem::take(&mut self.runs);
        let mut waiting: Vec<&Run> = Vec::new();
        // Within emphasis and links, marks that are left over are text.
        for run in budget::within(&runs).filter(|run| run.range.len() <= 3 && run.parent == 0) {
            let same = |other: &&Run| {
                other.parent == run.parent && text[other.range.clone()] == text[run.range.clone()]
            };
            match waiting.iter().position(same) {
                Some(position) => {
                    let opening = waiting.swap_remove(position).range.clone();
                    budget::push(&mut inlines.strays, Stray { opening, closing: run.range.clone() });
                }
                None => waiting.push(run),
            }
        }
    }

    fn find_addresses(&self, text: &str) -> Vec<(u32, Range<usize>)> {
        let mut found = Vec::new();
        for piece in self.joined() {
            if piece.linked {
                continue;
            }
            let mut open = usize::from(piece.bracketed);
            let mut from = piece.range.start;
            for address in addresses::find(text, piece.range.clone()) {
                for byte in text[from..address.start].bytes() {
                    match byte {
                        b'[' => open += 1,
                        b']' => open = open.saturating_sub(1),
                        _ => {}
                    }
                }
                from = address.start;
                if open == 0 {
                    found.push((piece.parent, address));
                }
            }
        }
        found
    }

    /// The pieces of text, those that follow each other as one.
    fn joined(&self) -> Vec<Piece> {
        let mut joined: Vec<Piece> = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            match joined.last_mut() {
                Some(last) if last.range.end == piece.range.start && last.parent == piece.parent => {
                    last.range.end = piece.range.end;
                }
                _ => joined.push(Piece { range: piece.range.clone(), ..*piece }),
            }
        }
        joined
    }

    /// Marks the lines of a paragraph that have text outside of links and the rest.
    fn mark_lines(&self, addresses: &[(u32, Range<usize>)], lines: &mut Lines<'_>) {
        for (_, address) in addresses {
            let line = lines.at(address.start);
            lines.mark(line..line + 1, Part::LINK);
        }
        if !matches!(self.kind, LeafKind::Paragraph { .. }) {
            return;
        }
        for piece in self.joined().iter().filter(|piece| piece.parent == 0) {
            let inside = |(_, address): &&(u32, Range<usize>)| piece.range.contains(&address.start);
            let linked: usize = addresses.iter().filter(inside).map(|(_, address)| address.len()).sum();
            if linked < piece.range.len() {
                let line = lines.at(piece.range.start);
                lines.mark(line..line + 1, Part::TEXT);
            }
        }
    }
}

/// The code within these marks without the space on both sides that only separates it from them.
fn without_padding(text: &str, content: Range<usize>) -> Range<usize> {
    let code = &text[content.clone()];
    let is_padded = code.len() > 1 && code.starts_with(' ') && code.ends_with(' ') && !code.trim().is_empty();
    let padding = usize::from(is_padded);
    content.start + padding..content.end - padding
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// From each opening tag to its closing tag, within the same construct.
fn elements(text: &str, tags: &[(u32, tags::Tag)]) -> Vec<(u32, Range<usize>)> {
    let mut elements = Vec::new();
    for (index, (parent, tag)) in tags.iter().enumerate().filter(|(_, (_, tag))| !tag.closing) {
        let mut depth = 1_usize;
        let same = tags[index + 1..]
            .iter()
            .filter(|(other, next)| other == parent && text[next.name.clone()] == text[tag.name.clone()]);
        for (_, next) in budget::within(same) {
            depth = if next.closing { depth - 1 } else { depth + 1 };
            if depth == 0 {
                elements.push((*parent, tag.range.start..next.range.end));
                break;
            }
        }
    }
    elements
}

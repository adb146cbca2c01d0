//! The lines that a list of blocks is read from, and where reading is.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
};

use super::{
    Definitions, inlines,
    text::{Joined, Line, Texts},
};
use crate::{
    model::{Block, Inline, Place},
    syntax::pandoc::{self, Braces, indentation, prefix, run, tags},
};

/// Reads lines as blocks, at a depth, within a list item or not.
type ReadBlocks = fn(&Reader<'_>, &[Line], u32, bool) -> Vec<Block>;

/// Reads blocks.
pub(super) struct Reader<'d> {
    pub(super) texts: &'d Texts,
    pub(super) definitions: &'d Definitions,
    /// Reads the blocks inside of lists and tables.
    pub(super) blocks: ReadBlocks,
    /// How many divs are open, which end the blocks in them.
    pub(super) divs: Cell<u32>,
    /// How many divs that are written as tags are open, which end the blocks in them.
    pub(super) tags: Cell<u32>,
}

/// Lines that are being read as blocks.
pub(super) struct Blocks<'r, 'd> {
    pub(super) reader: &'r Reader<'d>,
    pub(super) lines: Vec<Line>,
    pub(super) at: usize,
    pub(super) depth: u32,
    /// Whether a list item begins a list without an empty line above it.
    pub(super) in_item: bool,
    /// Ends of verbatim content that no longer occur.
    pub(super) endless: HashSet<String>,
    /// Lengths from which on fences of backticks and of tildes are not closed.
    pub(super) unclosed: RefCell<[usize; 2]>,
    /// Tags around, with the columns by which the content of each is indented.
    pub(super) html: Vec<(String, usize)>,
}

impl<'d> Reader<'d> {
    /// Whether a line closes a div that is open, and so ends what is before it.
    pub(super) fn closes_div(&self, line: &str) -> bool {
        self.divs.get() > 0 && is_div_end(line)
    }

    /// Reads lines as blocks.
    pub(super) fn read(&self, lines: &[Line], depth: u32) -> Vec<Block> {
        (self.blocks)(self, lines, depth, false)
    }

    /// Like [`Self::read`], for the lines of a list item.
    pub(super) fn read_in(&self, lines: &[Line], depth: u32) -> Vec<Block> {
        (self.blocks)(self, lines, depth, true)
    }

    /// Reads lines as the text of a block.
    pub(super) fn inlines(&self, lines: &[Line]) -> Vec<Inline> {
        let mut lines = lines.to_vec();
        if let Some(first) = lines.first_mut() {
            let text = self.text(*first);
            first.start += text.len() - text.trim_start_matches([' ', '\t']).len();
        }
        inlines::read(&Joined::of(self.texts, &lines), self.definitions)
    }

    pub(super) fn text(&self, line: Line) -> &'d str {
        self.texts.of(line)
    }
}

impl<'d> Blocks<'_, 'd> {
    pub(super) fn line(&self, at: usize) -> Option<&'d str> {
        self.lines.get(at).map(|line| self.reader.texts.of(*line))
    }

    pub(super) fn is_blank(&self, at: usize) -> bool {
        self.line(at).is_none_or(|line| line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')))
    }

    /// A line that is there and not empty.
    pub(super) fn text_at(&self, at: usize) -> Option<&'d str> {
        self.line(at).filter(|_| !self.is_blank(at))
    }

    /// A line without some columns of its indentation.
    pub(super) fn cut_line(&self, at: usize, columns: usize) -> Line {
        let line = self.lines[at];
        Line { start: line.start + prefix(self.reader.texts.of(line), columns), ..line }
    }

    /// Whether a line closes the div around an item.
    pub(super) fn ends_item(&self, line: &str) -> bool {
        self.reader.closes_div(line) || self.reader.tags.get() > 0 && closes_div_tag(line)
    }

    /// Whether a block of code with a fence begins at a line: one that is closed.
    pub(super) fn is_fence(&self, at: usize) -> bool {
        self.fence_end(at).is_some()
    }

    /// The line that closes the fence at a line.
    pub(super) fn fence_end(&self, at: usize) -> Option<usize> {
        let line = self.line(at)?;
        let (columns, space) = indentation(line, 0);
        let words = &line[space..];
        let mark = words.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let length = run(words, mark);
        let info = words[length..].trim();
        let slot = usize::from(mark == b'~');
        if columns >= 4 || length < 3 || !is_info(info) || length >= self.unclosed.borrow()[slot] {
            return None;
        }
        let closes = |at: &usize| {
            let line = self.line(*at).unwrap_or_default();
            let line = line[prefix(line, 3)..].trim_end();
            run(line, mark) >= length && line.bytes().all(|byte| byte == mark)
        };
        let found = (at + 1..self.lines.len()).find(closes);
        if found.is_none() {
            self.unclosed.borrow_mut()[slot] = length;
        }
        found
    }

    /// The position of the first word of a line.
    pub(super) fn place(&self, at: usize) -> Place {
        let Some(line) = self.lines.get(at.min(self.lines.len().saturating_sub(1))) else {
            return Place::default();
        };
        let text = self.reader.texts.of(*line);
        let indent = text.len() - text.trim_start().len();
        Place { source: line.source, offset: (line.start + indent) as u32 }
    }
}

/// Whether a line is nothing but colons, without indentation.
pub(super) fn is_div_end(line: &str) -> bool {
    let words = line.trim_end();
    pandoc::div_marks(words) == Some(words.len())
}

/// Whether the text after the marks of a fence is one that it may have: a word, attributes or both.
fn is_info(info: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '{' | '}');
    let word = info.find(is_end).unwrap_or(info.len());
    let rest = info[word..].trim_start();
    if rest.is_empty() {
        return true;
    }
    if !rest.starts_with('{') {
        return false;
    }
    match pandoc::braces(rest, 0) {
        Braces::Attributes(found) => found.range.end == rest.len(),
        Braces::Raw { range, .. } => word == 0 && range.end == rest.len(),
        // A cell, or one that is shown.
        Braces::Other | Braces::Unclosed(_) => {
            let starts = |c: char| c == '{' || c.is_ascii_alphabetic();
            word == 0 && rest[1..].starts_with(starts) && rest.ends_with('}') && !rest.contains('`')
        }
    }
}

/// Whether a line begins with the tag that closes a div.
pub(super) fn closes_div_tag(line: &str) -> bool {
    let tag = tags::tag(line.trim_start());
    tag.is_some_and(|tag| tag.closing && tag.name.eq_ignore_ascii_case("div"))
}

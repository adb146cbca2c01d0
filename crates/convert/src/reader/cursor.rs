//! The lines that a list of blocks is read from, and where reading is.

use std::collections::HashSet;

use super::{
    Definitions, inlines,
    text::{Joined, Line, Texts},
};
use crate::{
    model::{Block, Inline, Place},
    syntax::pandoc::indentation,
};

/// Reads lines as blocks, at a depth, within a list item or not.
type ReadBlocks = fn(&Reader<'_>, &[Line], u32, bool) -> Vec<Block>;

/// Reads blocks.
pub(super) struct Reader<'d> {
    pub(super) texts: &'d Texts,
    pub(super) definitions: &'d Definitions,
    /// Lists and tables have blocks in them again.
    pub(super) blocks: ReadBlocks,
}

/// What is being read.
pub(super) struct Blocks<'r, 'd> {
    pub(super) reader: &'r Reader<'d>,
    pub(super) lines: Vec<Line>,
    pub(super) at: usize,
    pub(super) depth: u32,
    /// Whether a list item begins a list without an empty line above it.
    pub(super) in_item: bool,
    /// Ends of verbatim content that no longer occur.
    pub(super) endless: HashSet<String>,
}

impl<'d> Reader<'d> {
    /// Reads lines as blocks.
    pub(super) fn read(&self, lines: &[Line], depth: u32) -> Vec<Block> {
        (self.blocks)(self, lines, depth, false)
    }

    /// The same within a list item.
    pub(super) fn read_in(&self, lines: &[Line], depth: u32) -> Vec<Block> {
        (self.blocks)(self, lines, depth, true)
    }

    /// Reads lines as the text of a block.
    pub(super) fn inlines(&self, lines: &[Line]) -> Vec<Inline> {
        let trimmed = lines.iter().map(|line| {
            let text = self.text(*line);
            Line { start: line.start + (text.len() - text.trim_start().len()), ..*line }
        });
        let trimmed: Vec<Line> = trimmed.collect();
        inlines::read(&Joined::of(self.texts, &trimmed), self.definitions)
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
        self.line(at).is_none_or(|line| line.trim().is_empty())
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

/// Whether a line ends the paragraph above it.
pub(super) fn interrupts(line: &str) -> bool {
    let words = line.trim_start();
    let backticks = words.starts_with("```") && !words.trim_start_matches('`').contains('`');
    (backticks || words.starts_with("~~~")) && indentation(line, 0).0 < 4
}

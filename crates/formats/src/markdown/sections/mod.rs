//! The text of a Markdown document by its headings: sections with their paragraphs, lists, tables and sentences, for rules
//! of prose. Nothing of it is made unless a rule asks for `$.sections`.

mod read;
mod sentences;
mod write;

use std::{borrow::Cow, ops::Range};

use super::page::Page;
use crate::tree::TreeBuilder;

/// The key of the sections in the tree.
pub(super) const KEY: &str = "sections";

/// A heading with the text below it, up to the next heading.
#[derive(Debug, Default)]
struct Section {
    /// The level of the heading; 0 for the text before the first one.
    level: u8,
    /// The text of the heading, without marks, and where it is.
    title: Option<(String, Range<usize>)>,
    range: Range<usize>,
    paragraphs: Vec<Range<usize>>,
    lists: Vec<List>,
    tables: Vec<Table>,
    sentences: Vec<Range<usize>>,
    /// Code within lines, and code blocks.
    code: Vec<Range<usize>>,
    /// The sections of the headings below this one.
    sections: Vec<Section>,
}

#[derive(Debug)]
struct List {
    range: Range<usize>,
    ordered: bool,
    items: Vec<Item>,
}

#[derive(Debug)]
struct Item {
    range: Range<usize>,
    /// The text before the first other block.
    text: Option<Range<usize>>,
    /// Whether a task is done.
    done: Option<bool>,
    lists: Vec<List>,
}

#[derive(Debug)]
struct Table {
    range: Range<usize>,
    /// The cells of each row; the first row is the header.
    rows: Vec<Vec<Range<usize>>>,
}

/// Adds `sections` to the open mapping; `blocks` are not part of the text.
pub(super) fn write(page: &Page<'_>, blocks: &[Range<usize>], builder: &mut TreeBuilder) {
    let text = without(page.text(), blocks);
    let sections = read::read(&text);
    write::Writer { page, builder }.write(&sections);
}

/// The text with spaces in the place of blocks, so that offsets stay the same.
fn without<'t>(text: &'t str, blocks: &[Range<usize>]) -> Cow<'t, str> {
    if blocks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for block in blocks.iter().filter(|block| block.start <= block.end && block.end <= text.len()) {
        if block.start < done {
            continue;
        }
        masked.push_str(&text[done..block.start]);
        masked.extend(text[block.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        done = block.end;
    }
    masked.push_str(&text[done..]);
    Cow::Owned(masked)
}

//! The layout of a Markdown document: how its parts are written, for rules of style. Lines and whitespace, the marks
//! of headings, lists, quotes, code, tables and emphasis, and the blank lines between them.
//!
//! The text is read as GitHub reads it, with a reader of its own: headings have no attributes, formulas and directives
//! do not count as text. Nothing of it is made unless a rule asks for `$.layout`.

mod addresses;
mod blocks;
pub(super) mod front_matter;
mod headings;
mod inlines;
mod lines;
mod links;
mod lists;
mod masks;
mod quotes;
mod references;
mod spaces;
mod tables;
mod tags;
mod write;

use self::{blocks::Blocks, write::Writer};
use super::page::Page;
use crate::tree::TreeBuilder;

/// The key of the layout in the tree.
pub(super) const KEY: &str = "layout";

/// Adds `layout` to the open mapping.
pub(super) fn write(page: &Page<'_>, builder: &mut TreeBuilder) {
    let blocks = Blocks::read(page.text());
    Writer { blocks: &blocks, page, builder }.write();
}

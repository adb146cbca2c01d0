//! What Quarto writes in Typst and Pandoc does not: figures with kinds, callouts, theorems, notes in the margin, grids, and
//! properties of CSS. The functions that are called here are in `pandoc/template.typ`.

mod callouts;
mod columns;
mod css;
mod floats;
mod grids;
mod properties;

pub(super) use self::{
    callouts::{Callout, callout, number as callout_number},
    floats::{Float, float},
    grids::{columns_grid, grid, parts_grid},
};
use super::Context;
use crate::{
    formats::Family,
    model::{Block, Inline, Place, Rewrite as _},
};

/// The class of blocks that belong together until the document is written.
const GROUP: &str = "typst-group";

/// Rewrites a document for Typst.
pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    if context.family() != Family::Typst {
        return blocks;
    }
    let blocks = columns::apply(blocks, context);
    properties::apply(blocks, context)
}

/// Rewrites pictures that have an alternative text as calls, once their files have been placed.
pub(crate) fn with_pictures(blocks: Vec<Block>, highlighted: bool) -> Vec<Block> {
    properties::Pictures { highlighted }.rewrite(blocks)
}

/// Text of Typst within a line.
pub(super) fn code(text: impl Into<String>) -> Inline {
    Inline::Raw { format: "typst".to_owned(), text: text.into(), place: Place::default() }
}

/// Text of Typst on lines of its own.
pub(super) fn line(text: impl Into<String>) -> Block {
    Block::Plain(vec![code(text)])
}

/// A string of Typst.
pub(super) fn quoted(text: &str) -> String {
    css::quoted(text)
}

/// Values of CSS and strings as values of Typst.
pub(crate) mod values {
    pub(crate) use super::css::{fonts, length, number, quoted, rgb, weight};

    /// A color.
    pub(crate) fn color(text: &str) -> Option<String> {
        super::css::color(text).map(|color| color.typst(None))
    }
}

//! Speaker notes, which only slides have.

use super::{Context, LossKind};
use crate::{
    formats::Family,
    model::{Block, Rewrite},
};

/// Leaves speaker notes out of documents that are not slides, and records that.
pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    // Formats that documents are read from again keep them.
    let keeps = context.format.slides
        || matches!(context.family(), Family::Pptx | Family::Json)
        || context.format.id == "markdown";
    if keeps { blocks } else { Notes { context }.rewrite(blocks) }
}

struct Notes<'a, 'c> {
    context: &'a mut Context<'c>,
}

impl Rewrite for Notes<'_, '_> {
    fn blocks(&mut self, mut blocks: Vec<Block>) -> Vec<Block> {
        blocks.retain(|block| match block {
            Block::Div(attr, _) if attr.classes == ["notes"] && attr.id.is_empty() => {
                self.context.lose(LossKind::Dropped, attr.place, "speaker note");
                false
            }
            _ => true,
        });
        blocks
    }
}

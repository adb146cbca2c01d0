//! Cards and value boxes, which only dashboards have.

use super::Context;
use crate::{
    model::{Block, Inline, Rewrite},
    reader,
};

/// Shows the titles of cards above what they contain where there are no cards.
pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    if context.format.id == "dashboard" { blocks } else { Cards.rewrite(blocks) }
}

struct Cards;

impl Rewrite for Cards {
    fn blocks(&mut self, mut blocks: Vec<Block>) -> Vec<Block> {
        for block in &mut blocks {
            let Block::Div(attr, inner) = block else { continue };
            if attr.has_class("card") || attr.has_class("valuebox") {
                let title = attr.take("title").map(|title| reader::read_inlines(&title, true));
                if let Some(title) = title.filter(|title| !title.is_empty()) {
                    inner.insert(0, Block::Para(vec![Inline::Strong(title)]));
                }
            }
        }
        blocks
    }
}

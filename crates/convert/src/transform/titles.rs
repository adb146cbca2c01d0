//! Titles of links and pictures, which some formats do not have.

use super::{Context, LossKind};
use crate::{
    formats::Family,
    model::{Block, Inline, Rewrite},
};

/// Records the titles that a format has no place for.
pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    let of_pictures = matches!(context.family(), Family::Latex | Family::Typst | Family::Pptx);
    if of_pictures || matches!(context.family(), Family::Docx | Family::Odt) {
        Titles { context, of_pictures }.rewrite(blocks)
    } else {
        blocks
    }
}

struct Titles<'a, 'c> {
    context: &'a mut Context<'c>,
    of_pictures: bool,
}

impl Rewrite for Titles<'_, '_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &inlines {
            let (attr, target, what) = match inline {
                Inline::Link(attr, _, target) => (attr, target, "the title of a link"),
                Inline::Image(attr, _, target) if self.of_pictures => {
                    (attr, target, "the title of a picture")
                }
                _ => continue,
            };
            if !target.title.trim().is_empty() {
                self.context.lose(LossKind::Dropped, attr.place, what);
            }
        }
        inlines
    }
}

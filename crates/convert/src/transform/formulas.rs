//! Formulas that the result shows as TeX are reported.

use super::{Context, Family, LossKind};
use crate::{
    formats::Engine,
    html::mathml,
    model::{Block, Inline, Rewrite},
    office_math::{self, office_math},
};

pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    // Pandoc has formulas in both.
    let is_built_in = context.engine == Engine::Embedded;
    if !is_built_in || !matches!(context.family(), Family::Html | Family::Pptx) {
        return blocks;
    }
    Formulas { context }.rewrite(blocks)
}

struct Formulas<'a, 'c> {
    context: &'a mut Context<'c>,
}

impl Rewrite for Formulas<'_, '_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &inlines {
            let Inline::Math { display, tex, place } = inline else { continue };
            let is_shown = match self.context.family() {
                Family::Html => mathml(tex, *display).is_some(),
                _ => office_math::is_text(tex) || office_math(tex, *display).is_some(),
            };
            if !is_shown {
                self.context.lose(LossKind::Simplified, *place, "formula");
            }
        }
        inlines
    }
}

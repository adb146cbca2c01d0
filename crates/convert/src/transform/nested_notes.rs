//! Footnotes inside footnotes, which few formats have.

use super::{Context, LossKind};
use crate::{
    formats::{Engine, Family},
    model::{Block, Inline, Rewrite, plain_blocks, words},
};

/// Puts a note that is inside another one into parentheses where the format would drop it. Reports notes that Pandoc's
/// Markdown does not have: those that a note refers to by a name.
pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    let keeps = match context.engine {
        Engine::Pandoc => matches!(context.family(), Family::Typst | Family::Json),
        Engine::Embedded => !context.format.slides,
    };
    Outer { context, keeps }.rewrite(blocks)
}

struct Outer<'a, 'c> {
    context: &'a mut Context<'c>,
    keeps: bool,
}

impl Rewrite for Outer<'_, '_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut inner = Inner { context: &mut *self.context, keeps: self.keeps };
        let notes = inlines.into_iter().map(|inline| match inline {
            Inline::Note(blocks) => Inline::Note(inner.rewrite(blocks)),
            other => other,
        });
        notes.collect()
    }
}

struct Inner<'a, 'c> {
    context: &'a mut Context<'c>,
    keeps: bool,
}

impl Rewrite for Inner<'_, '_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            match inline {
                Inline::Note(blocks) if !self.keeps => {
                    if !matches!(out.last(), None | Some(Inline::Space | Inline::SoftBreak)) {
                        out.push(Inline::Space);
                    }
                    out.push(Inline::Str("(".to_owned()));
                    out.extend(in_line(blocks));
                    out.push(Inline::Str(")".to_owned()));
                }
                Inline::NoteReference(name, place) => {
                    let what = format!("the footnote `{name}` inside a footnote");
                    self.context.lose(LossKind::Dropped, place, what);
                    out.push(Inline::Str(format!("[^{name}]")));
                }
                other => out.push(other),
            }
        }
        out
    }
}

/// The words of a note.
fn in_line(blocks: Vec<Block>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::new();
    for block in blocks {
        if !out.is_empty() {
            out.push(Inline::Space);
        }
        match block {
            Block::Plain(inlines) | Block::Para(inlines) => out.extend(inlines),
            other => out.extend(words(&plain_blocks(&[other]))),
        }
    }
    out
}

//! What the parts of a document take, in the budget of the thread. What makes parts charges them: the reader, shortcodes,
//! notes that are repeated, lists of works.

use super::model::{Attr, Block, Citation, Inline, Target};
use crate::budget;

/// Bytes that a string or a list takes besides its content.
const HEAP: usize = 16;

/// Steps that making a part takes.
const STEPS: u64 = 8;

/// The parts of a document: how many there are, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Weight {
    pub(super) parts: u64,
    pub(super) bytes: usize,
}

impl Weight {
    pub(super) fn of_blocks(blocks: &[Block]) -> Self {
        let mut weight = Self::default();
        weight.blocks(blocks);
        weight
    }

    pub(super) fn of_inlines(inlines: &[Inline]) -> Self {
        let mut weight = Self::default();
        weight.inlines(inlines);
        weight
    }

    /// Charges the parts as made. False when the budget is used up.
    pub(super) fn charge(self) -> bool {
        budget::charge(self.parts.saturating_mul(STEPS)) && budget::allocate(self.bytes)
    }

    fn text(&mut self, text: &str) {
        self.bytes += text.len() + HEAP;
    }

    fn attr(&mut self, attr: &Attr) {
        self.text(&attr.id);
        for class in &attr.classes {
            self.text(class);
            self.bytes += size_of::<String>();
        }
        for (key, value) in &attr.pairs {
            self.text(key);
            self.text(value);
            self.bytes += 2 * size_of::<String>();
        }
    }

    fn target(&mut self, target: &Target) {
        self.text(&target.url);
        self.text(&target.title);
    }

    fn blocks(&mut self, blocks: &[Block]) {
        self.parts += blocks.len() as u64;
        self.bytes += size_of_val(blocks) + HEAP;
        for block in blocks {
            match block {
                Block::Plain(inner) | Block::Para(inner) => self.inlines(inner),
                Block::LineBlock(lines) => lines.iter().for_each(|line| self.inlines(line)),
                Block::Code(attr, text) => {
                    self.attr(attr);
                    self.text(text);
                }
                Block::Raw { format, text, .. } => {
                    self.text(format);
                    self.text(text);
                }
                Block::Quote(inner) => self.blocks(inner),
                Block::OrderedList(_, items) | Block::BulletList(items) => {
                    for item in items {
                        self.blocks(item);
                    }
                }
                Block::DefinitionList(items) => {
                    for (term, definitions) in items {
                        self.inlines(term);
                        for definition in definitions {
                            self.blocks(definition);
                        }
                    }
                }
                Block::Header(_, attr, inner) => {
                    self.attr(attr);
                    self.inlines(inner);
                }
                Block::Table(table) => {
                    self.attr(&table.attr);
                    self.inlines(&table.caption);
                    for cell in table.head.iter().chain(&table.rows).flatten() {
                        self.bytes += size_of_val(cell);
                        self.attr(&cell.attr);
                        self.blocks(&cell.blocks);
                    }
                }
                Block::Figure(attr, caption, inner) => {
                    self.attr(attr);
                    self.inlines(caption);
                    self.blocks(inner);
                }
                Block::Div(attr, inner) => {
                    self.attr(attr);
                    self.blocks(inner);
                }
                Block::Rule => {}
            }
        }
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        self.parts += inlines.len() as u64;
        self.bytes += size_of_val(inlines) + HEAP;
        for inline in inlines {
            match inline {
                Inline::Space | Inline::SoftBreak | Inline::LineBreak => {}
                Inline::Str(text) | Inline::NoteReference(text, _) => self.text(text),
                Inline::Emph(inner)
                | Inline::Strong(inner)
                | Inline::Underline(inner)
                | Inline::Strikeout(inner)
                | Inline::Superscript(inner)
                | Inline::Subscript(inner)
                | Inline::SmallCaps(inner) => self.inlines(inner),
                Inline::Code(attr, text) => {
                    self.attr(attr);
                    self.text(text);
                }
                Inline::Math { tex, .. } => self.text(tex),
                Inline::Raw { format, text, .. } => {
                    self.text(format);
                    self.text(text);
                }
                Inline::Link(attr, inner, target) | Inline::Image(attr, inner, target) => {
                    self.attr(attr);
                    self.inlines(inner);
                    self.target(target);
                }
                Inline::Note(inner) => self.blocks(inner),
                Inline::Span(attr, inner) => {
                    self.attr(attr);
                    self.inlines(inner);
                }
                Inline::Cite(citations, inner) => {
                    self.inlines(inner);
                    for Citation { key, prefix, suffix, .. } in citations {
                        self.parts += 1;
                        self.bytes += size_of::<Citation>();
                        self.text(key);
                        self.inlines(prefix);
                        self.inlines(suffix);
                    }
                }
                Inline::Shortcode(shortcode) => {
                    self.text(&shortcode.text);
                    shortcode.arguments.iter().for_each(|argument| self.text(argument));
                }
            }
        }
    }
}

/// Charges blocks that were made, and gives them back: none of them when the budget is used up.
pub(super) fn made(blocks: Vec<Block>) -> Vec<Block> {
    if Weight::of_blocks(&blocks).charge() { blocks } else { Vec::new() }
}

/// A copy of blocks, which is charged: none of them when the budget is used up.
pub(super) fn repeated(blocks: &[Block]) -> Vec<Block> {
    if Weight::of_blocks(blocks).charge() { blocks.to_vec() } else { Vec::new() }
}

/// Like [`made`], for inlines.
pub(super) fn made_inlines(inlines: Vec<Inline>) -> Vec<Inline> {
    if Weight::of_inlines(&inlines).charge() { inlines } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::words;

    #[test]
    fn nested_parts_are_counted_and_charged() {
        let text = vec![Block::Div(Attr::class("a"), vec![Block::Para(words("one two"))])];
        let weight = Weight::of_blocks(&text);
        assert_eq!(weight.parts, 5);
        assert!(weight.bytes > 3 * size_of::<Inline>());
        let budget = budget::Budget { bytes: Some(1_000), ..budget::Budget::default() };
        let (kept, spent) = budget.spend(|| (0..100).take_while(|_| !made(text.clone()).is_empty()).count());
        assert!(kept < 10 && spent.exceeded.is_some(), "{kept}");
    }
}

//! Citations in the order in which a reader meets them: a note where it is referred to.

use crate::{
    budget,
    model::{Block, Inline},
};

/// Visits the citations of a document.
pub(super) fn each(blocks: &mut [Block], visit: &mut dyn FnMut(&mut Inline)) {
    for block in blocks {
        if !budget::charge(1) {
            return;
        }
        match block {
            Block::Plain(inner) | Block::Para(inner) | Block::Header(_, _, inner) => {
                each_inline(inner, visit);
            }
            Block::LineBlock(lines) => lines.iter_mut().for_each(|line| each_inline(line, visit)),
            Block::Quote(inner) | Block::Div(_, inner) => each(inner, visit),
            Block::OrderedList(_, items) | Block::BulletList(items) => {
                for item in items {
                    each(item, visit);
                }
            }
            Block::DefinitionList(items) => {
                for (term, definitions) in items {
                    each_inline(term, visit);
                    for definition in definitions {
                        each(definition, visit);
                    }
                }
            }
            Block::Table(table) => {
                each_inline(&mut table.caption, visit);
                for cell in table.head.iter_mut().chain(&mut table.rows).flatten() {
                    each(&mut cell.blocks, visit);
                }
            }
            Block::Figure(_, caption, inner) => {
                each_inline(caption, visit);
                each(inner, visit);
            }
            Block::Code(..) | Block::Raw { .. } | Block::Rule => {}
        }
    }
}

fn each_inline(inlines: &mut [Inline], visit: &mut dyn FnMut(&mut Inline)) {
    for inline in inlines {
        if !budget::charge(1) {
            return;
        }
        match inline {
            // What is in a citation belongs to it.
            Inline::Cite(..) => visit(inline),
            Inline::Note(blocks) => each(blocks, visit),
            other => each_inline(other.inner_mut(), visit),
        }
    }
}

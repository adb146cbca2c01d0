//! The only picture of a slide fills what the text leaves.

use crate::model::{Attr, Block, Inline, Target};

/// A picture that is alone on its slide.
pub(super) struct Stretched<'b> {
    pub(super) attr: Attr,
    pub(super) words: &'b [Inline],
    pub(super) target: &'b Target,
    pub(super) caption: &'b [Inline],
}

/// The picture that a block consists of, where it is the only one of the slide and has no size of its own.
pub(super) fn stretched<'b>(block: &'b Block, slide: &[&'b Block]) -> Option<Stretched<'b>> {
    let found = picture(block)?;
    let fixed = ["nostretch", "absolute", "fragment", "r-stretch"];
    let is_fixed = fixed.iter().any(|class| found.attr.has_class(class))
        || ["width", "height", "style"].iter().any(|key| found.attr.get(key).is_some());
    let pictures: usize = slide.iter().map(|block| pictures(std::slice::from_ref(*block))).sum();
    (!is_fixed && pictures == 1).then_some(found)
}

fn picture(block: &Block) -> Option<Stretched<'_>> {
    match block {
        Block::Para(inlines) | Block::Plain(inlines) => match inlines.as_slice() {
            [Inline::Image(attr, words, target)] => {
                Some(Stretched { attr: (**attr).clone(), words, target, caption: &[] })
            }
            _ => None,
        },
        Block::Figure(own, caption, inner) => {
            let [block] = inner.as_slice() else { return None };
            let mut found = picture(block).filter(|found| found.caption.is_empty())?;
            found.caption = caption;
            if found.attr.id.is_empty() {
                found.attr.id.clone_from(&own.id);
            }
            Some(found)
        }
        // A figure with a number.
        Block::Div(attr, inner) if attr.has_class("quarto-float") && attr.pairs.is_empty() => {
            let [block @ Block::Figure(..)] = inner.as_slice() else { return None };
            let mut found = picture(block)?;
            found.attr.id.clone_from(&attr.id);
            Some(found)
        }
        _ => None,
    }
}

/// How many pictures there are in blocks.
fn pictures(blocks: &[Block]) -> usize {
    let lists = |items: &[Vec<Block>]| items.iter().map(|item| pictures(item)).sum();
    blocks
        .iter()
        .map(|block| match block {
            Block::Plain(inlines) | Block::Para(inlines) => in_line(inlines),
            Block::Quote(inner) | Block::Div(_, inner) | Block::Figure(_, _, inner) => pictures(inner),
            Block::BulletList(items) | Block::OrderedList(_, items) => lists(items),
            Block::Table(table) => {
                table.head.iter().chain(&table.rows).flatten().map(|cell| pictures(&cell.blocks)).sum()
            }
            _ => 0,
        })
        .sum()
}

fn in_line(inlines: &[Inline]) -> usize {
    let count = |inline: &Inline| match inline {
        Inline::Image(..) => 1,
        Inline::Link(_, inner, _) | Inline::Span(_, inner) | Inline::Strong(inner) | Inline::Emph(inner) => {
            in_line(inner)
        }
        _ => 0,
    };
    inlines.iter().map(count).sum()
}

//! A document as slides.

use super::placed::{self, Placed};
use crate::{
    budget,
    model::{Attr, Block, Inline, Place, plain},
    transform::callouts,
};

/// What is on a slide.
#[derive(Debug, Clone, Default)]
pub(super) struct Slide {
    pub(super) layout: &'static str,
    /// The level of its heading; 0 where it has none.
    pub(super) level: u8,
    pub(super) title: Vec<Inline>,
    /// The content, in one or two columns.
    pub(super) columns: Vec<Vec<Block>>,
    /// What has a position of its own.
    pub(super) placed: Vec<Placed>,
    pub(super) notes: Vec<Block>,
    pub(super) attr: Attr,
    pub(super) place: Place,
}

impl Slide {
    fn new(level: u8, title: Vec<Inline>, attr: Attr) -> Self {
        Self {
            layout: "Title and Content",
            level,
            title,
            place: attr.place,
            attr,
            columns: vec![vec![]],
            placed: vec![],
            notes: vec![],
        }
    }

    fn is_empty(&self) -> bool {
        self.title.is_empty()
            && self.columns.iter().all(Vec::is_empty)
            && self.placed.is_empty()
            && self.notes.is_empty()
    }
}

/// The slides of a document; headings of `level` begin slides, headings above it sections.
pub(super) fn slides(blocks: &[Block], level: u8) -> Vec<Slide> {
    let mut out: Vec<Slide> = Vec::new();
    let mut current: Option<Slide> = None;
    let mut sections: Vec<bool> = Vec::new();
    let mut close = |current: &mut Option<Slide>, section: bool| {
        if let Some(slide) = current.take().filter(|slide| !slide.is_empty()) {
            out.push(slide);
            sections.push(section);
        }
    };
    let mut is_section = false;
    for block in budget::within(blocks) {
        match block {
            Block::Header(found, attr, inner) if *found <= level => {
                close(&mut current, is_section);
                is_section = *found < level;
                current = Some(Slide::new(*found, inner.clone(), attr.clone()));
            }
            Block::Rule => {
                close(&mut current, is_section);
                is_section = false;
                current = Some(Slide::new(0, vec![], Attr::default()));
            }
            other => {
                let slide = current.get_or_insert_with(|| Slide::new(0, vec![], Attr::default()));
                for block in placed::taken(std::slice::from_ref(other), &mut slide.placed) {
                    add(slide, &block);
                }
            }
        }
    }
    close(&mut current, is_section);
    for (slide, section) in out.iter_mut().zip(sections) {
        slide.layout = layout(slide, section);
    }
    out
}

/// The layout for what a slide has.
fn layout(slide: &Slide, section: bool) -> &'static str {
    let empty = slide.columns.iter().all(Vec::is_empty);
    if slide.columns.len() > 1 {
        let mixed = slide.columns.iter().any(|column| {
            matches!(column.as_slice(), [Block::Para(_) | Block::Plain(_), rest @ ..] if rest.iter().any(is_graphic))
        });
        return if mixed { "Comparison" } else { "Two Content" };
    }
    match (empty, section) {
        (true, true) => "Section Header",
        (true, false) if slide.title.is_empty() => "Blank",
        (true, false) if !slide.placed.is_empty() => "Title Only",
        _ => "Title and Content",
    }
}

/// Whether a block is a picture or a table.
pub(super) fn is_graphic(block: &Block) -> bool {
    match block {
        Block::Table(_) | Block::Figure(..) => true,
        Block::Para(inlines) | Block::Plain(inlines) => {
            matches!(inlines.as_slice(), [only] if is_picture(only))
        }
        _ => false,
    }
}

/// Whether an inline is a picture, also as a link.
fn is_picture(inline: &Inline) -> bool {
    match inline {
        Inline::Image(..) => true,
        Inline::Link(_, inner, _) => matches!(inner.as_slice(), [Inline::Image(..)]),
        _ => false,
    }
}

/// A paragraph without its pictures, and the pictures after it: shapes of their own on a slide.
fn separated(inlines: &[Inline], out: &mut Vec<Block>) {
    let (pictures, mut words): (Vec<Inline>, Vec<Inline>) = inlines.iter().cloned().partition(is_picture);
    let blank = |inline: &Inline| matches!(inline, Inline::Space | Inline::SoftBreak | Inline::LineBreak);
    if words.iter().all(blank) {
        words.clear();
    }
    out.extend((!words.is_empty()).then_some(Block::Para(words)));
    out.extend(pictures.into_iter().map(|picture| Block::Para(vec![picture])));
}

fn add(slide: &mut Slide, block: &Block) {
    match block {
        Block::Div(attr, inner) if attr.has_class("notes") => slide.notes.extend(inner.iter().cloned()),
        Block::Div(attr, inner) if attr.has_class("columns") => {
            let columns: Vec<Vec<Block>> = inner
                .iter()
                .filter_map(|block| match block {
                    Block::Div(attr, inner) if attr.has_class("column") => Some(flattened(inner)),
                    _ => None,
                })
                .collect();
            let before: Vec<Block> = slide.columns.concat();
            slide.columns = columns;
            if slide.columns.is_empty() {
                slide.columns.push(vec![]);
            }
            if let (false, Some(first)) = (before.is_empty(), slide.columns.first_mut()) {
                first.splice(0..0, before);
            }
            // Further columns follow in the second one: a layout has two.
            if slide.columns.len() > 2 {
                let rest: Vec<Block> = slide.columns.drain(2..).flatten().collect();
                slide.columns[1].extend(rest);
            }
        }
        Block::Para(inlines) if plain(inlines) == ". . ." => {}
        other => {
            let parts = flattened(std::slice::from_ref(other));
            if let Some(last) = slide.columns.last_mut() {
                last.extend(parts);
            }
        }
    }
}

/// Blocks without divs, except for those that say how lists appear, and callouts.
fn flattened(blocks: &[Block]) -> Vec<Block> {
    let mut out = Vec::new();
    for block in blocks {
        match block {
            Block::Div(attr, inner) if attr.has_class("incremental") || attr.has_class("nonincremental") => {
                out.push(Block::Div(attr.clone(), flattened(inner)));
            }
            Block::Div(attr, inner) if attr.has_class(callouts::BOX) => {
                boxed(attr, flattened(inner), &mut out);
            }
            Block::Div(_, inner) => out.extend(flattened(inner)),
            Block::Para(inlines) if inlines.iter().any(is_picture) => separated(inlines, &mut out),
            other => out.push(other.clone()),
        }
    }
    out
}

/// The text of a callout in boxes, and its pictures and tables as shapes of their own between them.
fn boxed(attr: &Attr, blocks: Vec<Block>, out: &mut Vec<Block>) {
    let mut text = Vec::new();
    let close = |text: &mut Vec<Block>, out: &mut Vec<Block>| {
        if !text.is_empty() {
            out.push(Block::Div(attr.clone(), std::mem::take(text)));
        }
    };
    for block in blocks {
        if is_graphic(&block) {
            close(&mut text, out);
            out.push(block);
        } else {
            text.push(block);
        }
    }
    close(&mut text, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader;

    fn shown(text: &str, level: u8) -> Vec<String> {
        let slides = slides(&reader::read_text(text, true), level);
        slides
            .iter()
            .map(|slide| format!("{}: {} {}", slide.layout, plain(&slide.title), slide.columns.len()))
            .collect()
    }

    #[test]
    fn pictures_in_text_become_shapes_of_their_own() {
        let slides = slides(
            &reader::read_text("## A\n\nSee ![x](x.png) and [![y](y.png)](https://example.org).\n", true),
            2,
        );
        let graphics = slides[0].columns[0].iter().filter(|block| is_graphic(block)).count();
        assert_eq!((slides[0].columns[0].len(), graphics), (3, 2));
    }

    #[test]
    fn pictures_in_callouts_are_between_their_boxes() {
        let text = "## A\n\n::: callout-box\nOne.\n\n![x](x.png)\n\n- two\n:::\n";
        let slides = slides(&reader::read_text(text, true), 2);
        let kinds: Vec<bool> =
            slides[0].columns[0].iter().map(|block| matches!(block, Block::Div(..))).collect();
        assert_eq!(kinds, [true, false, true]);
    }

    #[test]
    fn headings_rules_and_columns_make_slides() {
        let text = "# Part\n\n## A\n\ntext\n\n---\n\nmore\n\n## B\n\n:::: columns\n::: column\nx\n:::\n::: column\ny\n:::\n::::\n";
        assert_eq!(
            shown(text, 2),
            ["Section Header: Part 1", "Title and Content: A 1", "Title and Content:  1", "Two Content: B 2"]
        );
    }
}

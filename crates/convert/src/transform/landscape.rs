//! Pages in landscape: the content of divs with the class `landscape`.

use super::{Context, LossKind};
use crate::{
    formats::Family,
    model::{Attr, Block, Inline, Rewrite},
};

/// Turns the pages of landscape divs where the format has pages.
pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    if context.family() != Family::Typst {
        return Landscape { context }.rewrite(blocks);
    }
    // Typst neither turns nor ends a page inside of a block.
    let mut inside = Inside { context };
    let blocks = blocks.into_iter().map(|block| match block {
        Block::Para(_) | Block::Plain(_) | Block::Header(..) => block,
        other => inside.block(other),
    });
    let blocks = blocks.collect();
    Landscape { context }.blocks(blocks)
}

/// Breaks in Typst.
const PAGE_BREAK: &str = "#pagebreak()";
const COLUMN_BREAK: &str = "#colbreak()";

/// Replaces what Typst allows only between blocks: pages in landscape are upright, and a break of a column, which is the
/// page where there is one column, takes the place of one of a page.
struct Inside<'a, 'c> {
    context: &'a mut Context<'c>,
}

impl Rewrite for Inside<'_, '_> {
    fn blocks(&mut self, mut blocks: Vec<Block>) -> Vec<Block> {
        for block in &mut blocks {
            match block {
                Block::Div(attr, _) if attr.has_class("landscape") => {
                    attr.classes.retain(|class| class != "landscape");
                    let what = "landscape page inside another block";
                    self.context.lose(LossKind::Simplified, attr.place, what);
                }
                Block::Raw { text, .. } if *text == PAGE_BREAK => COLUMN_BREAK.clone_into(text),
                _ => {}
            }
        }
        blocks
    }

    fn inlines(&mut self, mut inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &mut inlines {
            if let Inline::Raw { text, .. } = inline
                && *text == PAGE_BREAK
            {
                COLUMN_BREAK.clone_into(text);
            }
        }
        inlines
    }
}

struct Landscape<'a, 'c> {
    context: &'a mut Context<'c>,
}

/// What begins and ends a section of pages in Word. A section is described at its end, and letter paper is
/// the size that Pandoc's template has.
const WORD: [&str; 2] = [
    "<w:p><w:pPr><w:sectPr><w:pgSz w:w=\"12240\" w:h=\"15840\"/></w:sectPr></w:pPr></w:p>",
    "<w:p><w:pPr><w:sectPr><w:pgSz w:w=\"15840\" w:h=\"12240\" w:orient=\"landscape\"/></w:sectPr></w:pPr></w:p>",
];

impl Rewrite for Landscape<'_, '_> {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let marks = match self.context.family() {
            Family::Latex => ("tex", ["\\begin{landscape}", "\\end{landscape}"]),
            Family::Docx => ("openxml", WORD),
            Family::Typst => ("typst", ["#set page(flipped: true)", "#set page(flipped: false)"]),
            _ => return blocks,
        };
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Div(Attr { mut classes, id, pairs, place }, inner)
                    if classes.iter().any(|class| class == "landscape") =>
                {
                    if self.context.family() == Family::Latex {
                        self.context.preamble("\\usepackage{pdflscape}");
                    }
                    classes.retain(|class| class != "landscape");
                    let (format, [begin, end]) = marks;
                    let raw =
                        |text: &str| Block::Raw { format: format.to_owned(), text: text.to_owned(), place };
                    out.push(raw(begin));
                    let rest = Attr { id, classes, pairs, place };
                    if rest.is_empty() {
                        out.extend(inner);
                    } else {
                        out.push(Block::Div(rest, inner));
                    }
                    out.push(raw(end));
                }
                other => out.push(other),
            }
        }
        out
    }
}

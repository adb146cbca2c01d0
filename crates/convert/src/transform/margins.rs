//! What is in the margin of web pages: each part in a container beside the text that it belongs to.

use super::Context;
use crate::{
    formats::Family,
    model::{Attr, Block, Inline, Rewrite},
};

/// Classes of the element that puts content into the margin.
const CONTAINER: &str = "no-row-height column-margin column-container";

/// Moves parts of the text into containers in the margin. Those of tabs and of callouts are beside the whole tabset or callout.
pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    if context.family() != Family::Html || context.format.slides || context.format.id != "html" {
        return blocks;
    }
    contained(Margins.rewrite(blocks))
}

fn is_margin(attr: &Attr) -> bool {
    attr.has_class("column-margin") && !attr.has_class("column-container")
}

/// An element of the margin by its class, as `aside` too.
fn marked(attr: &mut Attr) {
    if attr.has_class("aside") && !attr.has_class("footnotes") {
        attr.classes.retain(|class| class != "aside");
        attr.classes.splice(0..0, ["column-margin".to_owned(), "margin-aside".to_owned()]);
    }
}

/// Takes the parts in the margin out of blocks, also out of divs in them.
fn taken(blocks: Vec<Block>, out: &mut Vec<(Attr, Vec<Block>)>) -> Vec<Block> {
    let mut kept = Vec::with_capacity(blocks.len());
    for block in blocks {
        match block {
            Block::Div(attr, inner) if is_margin(&attr) => out.push((attr, inner)),
            Block::Div(attr, inner) => kept.push(Block::Div(attr, taken(inner, out))),
            other => kept.push(other),
        }
    }
    kept
}

struct Margins;

impl Margins {
    fn tabset(attr: Attr, inner: Vec<Block>, out: &mut Vec<Block>) {
        let mut beside = Vec::new();
        let inner = inner.into_iter().map(|block| match block {
            Block::Div(own, panes) if own.has_class("tab-content") => {
                let panes = panes.into_iter().enumerate().map(|(index, pane)| {
                    let Block::Div(own, content) = pane else { return pane };
                    let mut found = Vec::new();
                    let content = taken(content, &mut found);
                    for (mut part, content) in found {
                        part.classes.push("tabset-margin-content".to_owned());
                        part.classes.push(format!("{}-tab-margin-content", own.id));
                        if index > 0 {
                            part.classes.push("collapse".to_owned());
                        }
                        beside.push(Block::Div(part, content));
                    }
                    Block::Div(own, content)
                });
                Block::Div(own, panes.collect())
            }
            other => other,
        });
        let inner = inner.collect();
        if !beside.is_empty() {
            out.push(Block::Div(Attr::class("tabset-margin-container"), beside));
        }
        out.push(Block::Div(attr, inner));
    }

    fn callout(attr: Attr, inner: Vec<Block>, out: &mut Vec<Block>) {
        let mut found = Vec::new();
        let inner = taken(inner, &mut found);
        let folding = inner.iter().find_map(|block| match block {
            Block::Div(own, _) if own.has_class("callout-collapse") => Some(own.classes.clone()),
            _ => None,
        });
        let simple = attr.has_class("callout-style-simple");
        out.push(Block::Div(attr, inner));
        for (mut part, content) in found {
            part.classes.extend(folding.iter().flatten().cloned());
            part.classes.push("callout-margin-content".to_owned());
            if simple {
                part.classes.push("callout-margin-content-simple".to_owned());
            }
            out.push(Block::Div(part, content));
        }
    }
}

impl Rewrite for Margins {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Div(mut attr, inner) => {
                    marked(&mut attr);
                    if attr.has_class("panel-tabset") {
                        Self::tabset(attr, inner, &mut out);
                    } else if attr.has_class("callout") {
                        Self::callout(attr, inner, &mut out);
                    } else {
                        out.push(Block::Div(attr, inner));
                    }
                }
                // Words in the margin are beside their paragraph.
                Block::Para(mut inlines) => {
                    let is_aside = |inline: &mut Inline| matches!(inline, Inline::Span(attr, _) if attr.has_class("aside") || is_margin(attr));
                    let beside: Vec<Inline> = inlines.extract_if(.., |inline| is_aside(inline)).collect();
                    if !inlines.is_empty() {
                        out.push(Block::Para(inlines));
                    }
                    for inline in beside {
                        let Inline::Span(mut attr, words) = inline else { continue };
                        marked(&mut attr);
                        attr.classes.retain(|class| class != "column-margin");
                        let place = attr.place;
                        let span = Block::Plain(vec![Inline::Span(attr, words)]);
                        out.push(Block::Div(Attr { place, ..Attr::class("column-margin") }, vec![span]));
                    }
                }
                other => out.push(other),
            }
        }
        out
    }
}

/// Puts the parts in the margin that follow each other into one container.
fn contained(blocks: Vec<Block>) -> Vec<Block> {
    struct Contained;
    impl Rewrite for Contained {
        fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
            let mut out: Vec<Block> = Vec::with_capacity(blocks.len());
            for block in blocks {
                match block {
                    Block::Div(mut attr, mut inner) if is_margin(&attr) => {
                        attr.classes.retain(|class| class != "column-margin");
                        // A div that says nothing else is the container itself.
                        if !attr.is_empty() {
                            inner = vec![Block::Div(attr, inner)];
                        } else if !matches!(inner.as_slice(), [Block::Plain(_)]) {
                            inner = vec![Block::Div(Attr::default(), inner)];
                        }
                        match out.last_mut() {
                            Some(Block::Div(last, content)) if last.has_class("column-container") => {
                                content.extend(inner);
                            }
                            _ => out.push(Block::Div(Attr::classes(CONTAINER), inner)),
                        }
                    }
                    other => out.push(other),
                }
            }
            out
        }
    }
    Contained.rewrite(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::read_text;

    #[test]
    fn words_and_divs_in_the_margin_are_in_one_container() {
        let text = "Text[beside]{.aside} on.\n\n::: {.column-margin}\nMore\n:::\n\nEnd.\n";
        let blocks = contained(Margins.rewrite(read_text(text, true)));
        assert!(
            matches!(&blocks[0], Block::Para(inlines) if !inlines.iter().any(|inline| matches!(inline, Inline::Span(..))))
        );
        let Block::Div(attr, inner) = &blocks[1] else { panic!("{blocks:?}") };
        assert!(attr.has_class("column-container") && inner.len() == 2, "{blocks:?}");
        assert_eq!(blocks.len(), 3);
    }
}

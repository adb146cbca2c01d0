//! Slides with more than fits, divided between their blocks where the author asks for it: the class `allowframebreaks` of
//! a heading, as in beamer, or the option of this name for all slides.

use std::borrow::Cow;

use super::{
    metadata::Metadata,
    model::{Attr, Block, Inline, Numbering},
    weight::Weight,
};

/// The class of a heading, and the option for all slides.
const NAME: &str = "allowframebreaks";

/// A part of a slide that is not divided, and the block that it is from.
struct Piece {
    from: usize,
    block: Block,
}

/// The blocks of a document with further headings of `level` or above where slides are divided. `height` measures a block, and
/// `room` is what a slide has for its content.
pub(super) fn divided<'b>(
    blocks: &'b [Block],
    level: u8,
    metadata: &Metadata,
    (room, height): (i64, &dyn Fn(&Block) -> i64),
) -> Cow<'b, [Block]> {
    let divides_all = metadata.is_true(NAME);
    let is_asked = |block: &Block| matches!(block, Block::Header(_, attr, _) if attr.has_class(NAME));
    if !(divides_all || blocks.iter().any(is_asked)) || !Weight::of_blocks(blocks).charge() {
        return Cow::Borrowed(blocks);
    }
    let begins = |block: &Block| match block {
        Block::Header(found, ..) => *found <= level,
        Block::Rule => true,
        _ => false,
    };
    let mut out = Vec::with_capacity(blocks.len());
    let mut rest = blocks;
    while let Some(first) = rest.first() {
        let start = begins(first).then_some(first);
        let content = &rest[usize::from(start.is_some())..];
        let end = content.iter().position(begins).unwrap_or(content.len());
        let (content, after) = content.split_at(end);
        rest = after;
        let frames = if divides_all || start.is_some_and(is_asked) {
            frames(content, room, height)
        } else {
            Vec::new()
        };
        if frames.len() < 2 {
            out.extend(start.cloned());
            out.extend_from_slice(content);
            continue;
        }
        let count = frames.len();
        for (index, frame) in frames.into_iter().enumerate() {
            match start {
                Some(Block::Header(level, attr, title)) => {
                    // Each frame has the title.
                    Weight::of_inlines(title).charge();
                    out.push(Block::Header(
                        *level,
                        continued(attr, index),
                        numbered(title, index + 1, count),
                    ));
                }
                Some(other) => out.push(other.clone()),
                None if index > 0 => out.push(Block::Rule),
                None => {}
            }
            out.extend(joined(frame));
        }
    }
    Cow::Owned(out)
}

/// The attributes of the heading of a frame: only the first one is what references and lists of slides lead to.
fn continued(attr: &Attr, index: usize) -> Attr {
    let mut attr = attr.clone();
    if index > 0 {
        attr.id.clear();
        attr.classes.push("unlisted".to_owned());
    }
    attr
}

/// A title with the number of its frame, such as "Results (2/3)".
fn numbered(title: &[Inline], number: usize, count: usize) -> Vec<Inline> {
    let mut title = title.to_vec();
    if !title.is_empty() {
        title.extend([Inline::Space, Inline::Str(format!("({number}/{count})"))]);
    }
    title
}

/// The content of a slide in as many frames as it needs.
fn frames(content: &[Block], room: i64, height: &dyn Fn(&Block) -> i64) -> Vec<Vec<Piece>> {
    let mut frames: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut used = 0;
    for (from, block) in content.iter().enumerate() {
        for block in pieces(block) {
            let own = height(&block);
            let Some(last) = frames.last_mut() else { continue };
            if used > 0 && used + own > room {
                // A heading is not the last of its frame.
                let headings = last.iter().rev().take_while(|piece| matches!(piece.block, Block::Header(..)));
                let kept = last.len() - headings.count();
                let moved = if kept > 0 { last.split_off(kept) } else { Vec::new() };
                used = moved.iter().map(|piece| height(&piece.block)).sum();
                frames.push(moved);
            }
            used += own;
            if let Some(last) = frames.last_mut() {
                last.push(Piece { from, block });
            }
        }
    }
    frames
}

/// A block, or the items of a list as lists.
fn pieces(block: &Block) -> Vec<Block> {
    match block {
        Block::BulletList(items) => items.iter().map(|item| Block::BulletList(vec![item.clone()])).collect(),
        Block::OrderedList(numbering, items) => (numbering.start..)
            .zip(items)
            .map(|(start, item)| Block::OrderedList(Numbering { start, ..*numbering }, vec![item.clone()]))
            .collect(),
        Block::DefinitionList(items) => {
            items.iter().map(|item| Block::DefinitionList(vec![item.clone()])).collect()
        }
        other => vec![other.clone()],
    }
}

/// The blocks of a frame, items of one list together.
fn joined(pieces: Vec<Piece>) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::with_capacity(pieces.len());
    let mut before = None;
    for Piece { from, block } in pieces {
        let last = if before == Some(from) { out.last_mut() } else { None };
        match (last, block) {
            (Some(Block::BulletList(items)), Block::BulletList(own))
            | (Some(Block::OrderedList(_, items)), Block::OrderedList(_, own)) => items.extend(own),
            (Some(Block::DefinitionList(items)), Block::DefinitionList(own)) => items.extend(own),
            (_, block) => out.push(block),
        }
        before = Some(from);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{formats, model::plain, reader};

    /// The titles of slides with the number of their items, where each paragraph and each item takes one of four lines.
    fn shown(header: Value, text: &str) -> Vec<String> {
        let format = formats::named("revealjs").unwrap();
        let metadata = Metadata::new(Value::Null, header, &[], format);
        let height = |block: &Block| i64::from(!matches!(block, Block::Div(..)));
        let blocks = reader::read_text(text, true);
        let blocks = divided(&blocks, 2, &metadata, (4, &height));
        let mut out = Vec::new();
        for block in blocks.iter() {
            match block {
                Block::Header(2, attr, title) => out.push(format!("{}#{}", plain(title), attr.id)),
                Block::BulletList(items) => out.push(format!("- {}", items.len())),
                Block::OrderedList(numbering, items) => {
                    out.push(format!("{}. {}", numbering.start, items.len()));
                }
                Block::Header(..) => out.push("heading".to_owned()),
                _ => {}
            }
        }
        out
    }

    #[test]
    fn a_slide_is_divided_between_its_blocks_where_it_asks_for_it() {
        let list = "1. a\n2. b\n3. c\n4. d\n5. e\n6. f\n";
        let asked = shown(json!({}), &format!("## A {{#a .allowframebreaks}}\n\nText.\n\n{list}"));
        assert_eq!(asked, ["A (1/2)#a", "1. 3", "A (2/2)#", "4. 3"]);
        assert_eq!(shown(json!({}), &format!("## A\n\nText.\n\n{list}")), ["A#", "1. 6"]);
        let all =
            shown(json!({"allowframebreaks": true}), "## A\n\n- a\n- b\n\n## B\n\n- a\n- b\n- c\n- d\n- e\n");
        assert_eq!(all, ["A#", "- 2", "B (1/2)#", "- 4", "B (2/2)#", "- 1"]);
    }

    #[test]
    fn a_heading_goes_with_what_follows_and_notes_stay() {
        let text = "## A {.allowframebreaks}\n\n- a\n- b\n- c\n\n### H\n\n- d\n\n::: notes\nn\n:::\n";
        assert_eq!(shown(json!({}), text), ["A (1/2)#", "- 3", "A (2/2)#", "heading", "- 1"]);
    }
}

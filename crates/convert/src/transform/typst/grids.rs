//! Content side by side.

use super::line;
use crate::model::{Attr, Block, Inline};

/// Rows of content: the width of each part, as a share or as it is written, and the part.
pub(in super::super) fn grid(rows: Vec<Vec<(String, Option<Block>)>>) -> Vec<Block> {
    let mut out = Vec::new();
    for row in rows {
        let widths: Vec<&str> = row.iter().map(|(width, _)| width.as_str()).collect();
        out.push(line("#grid("));
        out.push(line(format!("columns: ({}), gutter: 1em, rows: 1,", widths.join(", "))));
        for (_, part) in row {
            out.push(line("  rect(stroke: none, width: 100%)["));
            out.extend(part.map(filling));
            out.push(line("],"));
        }
        out.push(line(")\n"));
    }
    out
}

/// Columns of text: the width of each, and what is in it.
pub(in super::super) fn columns_grid(parts: Vec<(String, Vec<Block>)>) -> Vec<Block> {
    let widths: Vec<&str> = parts.iter().map(|(width, _)| width.as_str()).collect();
    let mut out = vec![line(format!("#grid(columns: ({},), gutter: 1em,", widths.join(", ")))];
    for (_, content) in parts {
        out.push(line("  ["));
        out.extend(content);
        out.push(line("],"));
    }
    out.push(line(")"));
    out
}

/// The parts of a figure in columns.
pub(in super::super) fn parts_grid(columns: usize, parts: Vec<Block>) -> Vec<Block> {
    let mut out = vec![line(format!("#grid(columns: {columns}, gutter: 2em,"))];
    for part in parts {
        out.push(line("  ["));
        out.push(Block::Div(Attr::default(), vec![part]));
        out.push(line("],"));
    }
    out.push(line(")"));
    out
}

/// A picture without a size fills its part.
fn filling(mut block: Block) -> Block {
    let only = match &mut block {
        Block::Para(inlines) | Block::Plain(inlines) => Some(inlines),
        Block::Figure(_, _, inner) => match inner.as_mut_slice() {
            [Block::Plain(inlines) | Block::Para(inlines)] => Some(inlines),
            _ => None,
        },
        _ => None,
    };
    if let Some([Inline::Image(attr, ..)]) = only.map(Vec::as_mut_slice)
        && attr.is_empty()
    {
        attr.pairs.push(("width".to_owned(), "100%".to_owned()));
    }
    block
}

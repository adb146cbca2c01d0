//! What LaTeX writes with environments that Pandoc's model does not have: parts side by side with captions of
//! their own, tables without rows, pictures at one side.

use std::fmt::Write as _;

use super::Context;
use crate::model::{Block, Inline, Place, Rewrite};

fn raw(text: impl Into<String>) -> Block {
    Block::Raw { format: "tex".to_owned(), text: text.into(), place: Place::default() }
}

fn raw_inline(text: impl Into<String>) -> Inline {
    Inline::Raw { format: "tex".to_owned(), text: text.into(), place: Place::default() }
}

/// Parts side by side, as pages within the page.
pub(super) fn side_by_side(
    rows: Vec<Vec<(f64, Option<Block>)>>,
    in_float: bool,
    context: &mut Context<'_>,
) -> Vec<Block> {
    context.preamble("\\usepackage{caption}");
    context.preamble("\\usepackage{subcaption}");
    let mut out = Vec::new();
    let has_captions = rows
        .iter()
        .flatten()
        .any(|(_, part)| matches!(part, Some(Block::Figure(_, caption, _)) if !caption.is_empty()));
    let is_float = has_captions && !in_float;
    if is_float {
        out.push(raw("\\begin{figure}"));
    }
    for row in rows {
        // An empty line between two of them would begin a new line of the page.
        let mut end = String::new();
        for (width, part) in row {
            let Some(part) = part else {
                let _ = writeln!(end, "\\hspace{{{width:.2}\\linewidth}}%");
                continue;
            };
            out.push(raw(format!("{end}\\begin{{minipage}}{{{width:.2}\\linewidth}}")));
            out.extend(part_of(part));
            "\\end{minipage}%\n%\n".clone_into(&mut end);
        }
        if !end.is_empty() {
            out.push(raw(end.trim_end().trim_end_matches("%\n%").to_owned()));
        }
    }
    if is_float {
        out.push(raw("\\end{figure}%"));
    }
    out
}

/// A part; the caption of a figure is that of a part.
fn part_of(part: Block) -> Vec<Block> {
    let Block::Figure(_, caption, content) = part else { return vec![part] };
    let mut out = vec![raw("\\centering{")];
    out.extend(content);
    out.push(raw("}"));
    if !caption.is_empty() {
        let mut line = vec![raw_inline("\\subcaption{")];
        line.extend(caption);
        line.push(raw_inline("}"));
        out.push(Block::Plain(line));
    }
    out
}

/// A table whose content is not rows of cells.
pub(super) fn table(caption: Vec<Inline>, content: Vec<Block>) -> Vec<Block> {
    let mut lead = vec![raw_inline("\\begin{table}\n\\caption{")];
    lead.extend(caption);
    lead.push(raw_inline("}\n\\centering{"));
    let mut out = vec![Block::Plain(lead)];
    out.extend(content);
    out.push(raw("}\n\\end{table}"));
    out
}

/// Puts pictures at the side that they name.
pub(super) fn aligned(blocks: Vec<Block>) -> Vec<Block> {
    Aligned.rewrite(blocks)
}

struct Aligned;

impl Rewrite for Aligned {
    fn inlines(&mut self, mut inlines: Vec<Inline>) -> Vec<Inline> {
        let side = match inlines.as_slice() {
            [Inline::Image(attr, ..)] => attr.get("fig-align").map(str::to_owned),
            _ => None,
        };
        match side.as_deref() {
            Some("right") => inlines.insert(0, raw_inline("\\hfill")),
            Some("left") => inlines.push(raw_inline("\\hfill")),
            _ => {}
        }
        for inline in &mut inlines {
            if let Inline::Image(attr, ..) = inline {
                attr.pairs.retain(|(key, _)| key != "fig-align");
            }
        }
        inlines
    }
}

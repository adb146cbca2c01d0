//! What is above the text: title, authors, date, abstract, table of contents.

use super::{Writer, slug};
use crate::{
    metadata::{Metadata, scalar},
    model::{Attr, Block, Inline, plain},
    people::authors,
    reader,
};

/// The title as a heading, with subtitle, authors and date below it.
pub(crate) fn heading(writer: &mut Writer, metadata: &Metadata) -> String {
    let Some(title) = metadata.inlines("title").filter(|_| metadata.is_not_false("title-block")) else {
        return String::new();
    };
    let mut parts = vec![format!("# {}", writer.line(&title).replace('\n', " "))];
    if let Some(subtitle) = metadata.inlines("subtitle") {
        parts.push(format!("*{}*", writer.line(&subtitle).replace('\n', " ")));
    }
    let names: Vec<String> = authors(metadata)
        .iter()
        .map(|author| {
            let name = writer.line(&reader::read_inlines(&author.name, true));
            if author.affiliations.is_empty() {
                name
            } else {
                let places = reader::read_inlines(&author.affiliations.join(", "), true);
                format!("{name} ({})", writer.line(&places))
            }
        })
        .collect();
    let date =
        metadata.at("date").and_then(scalar).map(|date| writer.line(&reader::read_inlines(&date, true)));
    let lines: Vec<String> = names.into_iter().chain(date).collect();
    if !lines.is_empty() {
        parts.push(lines.join("\\\n"));
    }
    if let Some(text) = metadata.text("abstract") {
        let words =
            metadata.text("abstract-title").or_else(|| metadata.text("language.section-title-abstract"));
        let title = writer.line(&[Inline::Strong(reader::read_inlines(words.unwrap_or("Abstract"), true))]);
        parts.push(title);
        let text = writer.blocks(&reader::read_text(text, true));
        parts.push(text);
    }
    parts.join("\n\n")
}

/// Links to the headings, in a list for each level.
pub(super) fn contents(writer: &mut Writer, blocks: &[Block], metadata: &Metadata) -> String {
    let depth = metadata.number("toc-depth").unwrap_or(3).clamp(1, 6);
    let headings: Vec<(u8, &Attr, &[Inline])> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Header(level, attr, inner) => Some((*level, attr, inner.as_slice())),
            _ => None,
        })
        .collect();
    let Some(top) = headings.iter().map(|(level, ..)| *level).min() else { return String::new() };
    let mut seen: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    let mut lines = Vec::with_capacity(headings.len());
    let mut open: Vec<u8> = Vec::new();
    for (level, attr, inner) in headings {
        let number = attr.get("number").map(|number| format!("{number} ")).unwrap_or_default();
        let own = slug(&format!("{number}{}", plain(inner)));
        let count = seen.entry(own.clone()).or_insert(0);
        let id = if *count == 0 { own } else { format!("{own}-{count}") };
        *count += 1;
        if u64::from(level) > depth || attr.has_class("unlisted") {
            continue;
        }
        // A heading that skips a level is one level below the heading before it.
        open.retain(|above| *above < level);
        let indent = "  ".repeat(open.len().min(usize::from(level - top)));
        open.push(level);
        let words: Vec<Inline> =
            inner.iter().filter(|inline| !matches!(inline, Inline::Note(_))).cloned().collect();
        lines.push(format!("{indent}- [{number}{}](#{id})", writer.line(&words).replace('\n', " ")));
    }
    lines.join("\n")
}

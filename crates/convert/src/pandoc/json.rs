//! The document model as the JSON that Pandoc reads.

use serde_json::{Map, Value, json};

use crate::budget;
use crate::model::{
    Alignment, Attr, Block, Cell, Citation, CitationMode, Inline, NumberDelimiter, NumberStyle, Target,
};

/// The version of Pandoc's types that the JSON follows: that of Pandoc 3.0 and later.
const TYPES: [u32; 4] = [1, 23, 1, 0];

/// Bytes that an object with two keys takes.
const OBJECT: usize = 200;

/// A document with its metadata.
pub(crate) fn document(meta: &Map<String, Value>, content: &[Block]) -> Value {
    json!({"pandoc-api-version": TYPES, "meta": meta, "blocks": blocks(content)})
}

pub(crate) fn blocks(content: &[Block]) -> Value {
    budget::within(content).map(block).collect()
}

pub(crate) fn inlines(content: &[Inline]) -> Value {
    // An object of JSON takes more than the part.
    let parts = budget::within(content).take_while(|_| budget::allocate(OBJECT));
    parts.map(inline).collect()
}

fn tagged(tag: &str, content: Value) -> Value {
    json!({"t": tag, "c": content})
}

fn attr(attr: &Attr) -> Value {
    json!([attr.id, attr.classes, attr.pairs])
}

fn lists(items: &[Vec<Block>]) -> Value {
    items.iter().map(|item| blocks(item)).collect()
}

fn block(block: &Block) -> Value {
    match block {
        Block::Plain(inner) => tagged("Plain", inlines(inner)),
        Block::Para(inner) => tagged("Para", inlines(inner)),
        Block::LineBlock(lines) => tagged("LineBlock", lines.iter().map(|line| inlines(line)).collect()),
        Block::Code(attributes, text) => tagged("CodeBlock", json!([attr(attributes), text])),
        Block::Raw { format, text, .. } => tagged("RawBlock", json!([format, text])),
        Block::Quote(inner) => tagged("BlockQuote", blocks(inner)),
        Block::OrderedList(numbering, items) => {
            let style = match numbering.style {
                NumberStyle::Decimal => "Decimal",
                NumberStyle::LowerAlpha => "LowerAlpha",
                NumberStyle::UpperAlpha => "UpperAlpha",
                NumberStyle::LowerRoman => "LowerRoman",
                NumberStyle::UpperRoman => "UpperRoman",
                NumberStyle::Example => "Example",
            };
            let delimiter = match numbering.delimiter {
                NumberDelimiter::Period => "Period",
                NumberDelimiter::OneParenthesis => "OneParen",
                NumberDelimiter::TwoParentheses => "TwoParens",
            };
            let how = json!([numbering.start, {"t": style}, {"t": delimiter}]);
            tagged("OrderedList", json!([how, lists(items)]))
        }
        Block::BulletList(items) => tagged("BulletList", lists(items)),
        Block::DefinitionList(items) => {
            let items = items.iter().map(|(term, definitions)| json!([inlines(term), lists(definitions)]));
            tagged("DefinitionList", items.collect())
        }
        Block::Header(level, attributes, inner) => {
            tagged("Header", json!([level, attr(attributes), inlines(inner)]))
        }
        Block::Rule => json!({"t": "HorizontalRule"}),
        Block::Table(table) => {
            let columns: Vec<Value> = table
                .alignments
                .iter()
                .zip(&table.widths)
                .map(|(alignment, width)| {
                    let width = width.map_or_else(
                        || json!({"t": "ColWidthDefault"}),
                        |width| tagged("ColWidth", json!(width)),
                    );
                    json!([aligned(*alignment), width])
                })
                .collect();
            let empty = json!(["", [], []]);
            let rows = |rows: &[Vec<Cell>]| -> Value {
                rows.iter().map(|row| json!([empty, row.iter().map(cell).collect::<Vec<_>>()])).collect()
            };
            let caption = if table.caption.is_empty() {
                json!([null, []])
            } else {
                json!([null, [tagged("Plain", inlines(&table.caption))]])
            };
            let body = json!([empty, 0, [], rows(&table.rows)]);
            tagged(
                "Table",
                json!([attr(&table.attr), caption, columns, [empty, rows(&table.head)], [body], [empty, []]]),
            )
        }
        Block::Figure(attributes, caption, inner) => {
            let caption =
                if caption.is_empty() { json!([]) } else { json!([tagged("Plain", inlines(caption))]) };
            tagged("Figure", json!([attr(attributes), [null, caption], blocks(inner)]))
        }
        Block::Div(attributes, inner) => tagged("Div", json!([attr(attributes), blocks(inner)])),
    }
}

fn aligned(alignment: Alignment) -> Value {
    let name = match alignment {
        Alignment::Left => "AlignLeft",
        Alignment::Right => "AlignRight",
        Alignment::Center => "AlignCenter",
        Alignment::Default => "AlignDefault",
    };
    json!({"t": name})
}

fn cell(cell: &Cell) -> Value {
    let (rows, columns) = (cell.rows.max(1), cell.columns.max(1));
    json!([attr(&cell.attr), aligned(Alignment::Default), rows, columns, blocks(&cell.blocks)])
}

fn target(target: &Target) -> Value {
    json!([target.url, target.title])
}

fn inline(inline: &Inline) -> Value {
    match inline {
        Inline::Str(text) => tagged("Str", json!(text)),
        Inline::Space => json!({"t": "Space"}),
        Inline::SoftBreak => json!({"t": "SoftBreak"}),
        Inline::LineBreak => json!({"t": "LineBreak"}),
        Inline::Emph(inner) => tagged("Emph", inlines(inner)),
        Inline::Strong(inner) => tagged("Strong", inlines(inner)),
        Inline::Underline(inner) => tagged("Underline", inlines(inner)),
        Inline::Strikeout(inner) => tagged("Strikeout", inlines(inner)),
        Inline::Superscript(inner) => tagged("Superscript", inlines(inner)),
        Inline::Subscript(inner) => tagged("Subscript", inlines(inner)),
        Inline::SmallCaps(inner) => tagged("SmallCaps", inlines(inner)),
        Inline::Code(attributes, text) => tagged("Code", json!([attr(attributes), text])),
        Inline::Math { display, tex, .. } => {
            let kind = if *display { "DisplayMath" } else { "InlineMath" };
            tagged("Math", json!([{"t": kind}, tex]))
        }
        Inline::Raw { format, text, .. } => tagged("RawInline", json!([format, text])),
        Inline::Link(attributes, inner, to) => {
            tagged("Link", json!([attr(attributes), inlines(inner), target(to)]))
        }
        Inline::Image(attributes, inner, to) => {
            tagged("Image", json!([attr(attributes), inlines(inner), target(to)]))
        }
        Inline::Note(inner) => tagged("Note", blocks(inner)),
        Inline::Span(attributes, inner) => tagged("Span", json!([attr(attributes), inlines(inner)])),
        Inline::Cite(citations, inner) => {
            let shown = shown(citations, inner);
            let citations: Vec<Value> = citations.iter().map(citation).collect();
            tagged("Cite", json!([citations, shown]))
        }
        Inline::NoteReference(name, _) => tagged("Str", json!(format!("[^{name}]"))),
        Inline::Shortcode(shortcode) => tagged("Str", json!(shortcode.text)),
    }
}

/// What stands for citations where they are not resolved: as they are written. Citations in it would be
/// resolved first, and on their own.
fn shown(citations: &[Citation], inner: &[Inline]) -> Value {
    let mut out = Vec::with_capacity(inner.len() + 2);
    for inline in inner {
        match inline {
            Inline::Cite(_, words) => out.extend(words.iter().map(self::inline)),
            other => out.push(self::inline(other)),
        }
    }
    if citations.iter().any(|citation| citation.mode == CitationMode::Normal) {
        out.insert(0, tagged("Str", json!("[")));
        out.push(tagged("Str", json!("]")));
    }
    Value::Array(out)
}

fn citation(citation: &Citation) -> Value {
    let mode = match citation.mode {
        CitationMode::InText => "AuthorInText",
        CitationMode::Normal => "NormalCitation",
        CitationMode::SuppressAuthor => "SuppressAuthor",
    };
    json!({
        "citationId": citation.key,
        "citationPrefix": inlines(&citation.prefix),
        "citationSuffix": inlines(&citation.suffix),
        "citationMode": {"t": mode},
        "citationNoteNum": 1,
        "citationHash": 0,
    })
}

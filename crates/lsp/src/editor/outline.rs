//! The parts of a document as a tree: sections, what has a name, and keys that are written in the text.

use std::cmp::Reverse;

use serde::Serialize;

use crate::{
    kinds::Document,
    protocol::Range,
    text::{SourceId, Span},
    tree::{Entry, Node},
};

use super::{reading::Reading, snapshot::Snapshot};

/// Most parts that are listed.
const MOST: usize = 5_000;

/// A part of a document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Symbol {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
    kind: u8,
    range: Range,
    selection_range: Range,
    children: Vec<Self>,
}

/// Kinds of symbols, by their numbers in the protocol.
#[derive(Clone, Copy)]
enum Sort {
    Module = 2,
    Property = 7,
    Variable = 13,
    String = 15,
    Object = 19,
    Key = 20,
}

/// A part before it has its place in the tree.
struct Part {
    span: Span,
    name_span: Span,
    name: String,
    detail: String,
    sort: Sort,
}

/// The parts of a document.
pub(crate) fn symbols(snapshot: &Snapshot) -> Vec<Symbol> {
    let Some(reading) = snapshot.reading() else { return Vec::new() };
    let mut parts = Vec::new();
    for document in reading.documents() {
        add(document, &snapshot.text, &mut parts);
    }
    add_names(reading, &mut parts);
    parts.sort_by_key(|part| (part.span.start, Reverse(part.span.end)));
    parts.dedup_by(|second, first| second.span == first.span && second.name_span == first.name_span);
    parts.truncate(MOST);
    nested(snapshot, &mut parts.into_iter().peekable(), snapshot.text.len() as u32)
}

fn nested(
    snapshot: &Snapshot,
    parts: &mut std::iter::Peekable<std::vec::IntoIter<Part>>,
    end: u32,
) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    while let Some(part) = parts.next_if(|part| part.span.end <= end) {
        let children = nested(snapshot, parts, part.span.end);
        symbols.push(Symbol {
            name: part.name,
            detail: part.detail,
            kind: part.sort as u8,
            range: snapshot.range(part.span),
            selection_range: snapshot.range(part.name_span),
            children,
        });
    }
    symbols
}

fn add(document: &Document, text: &str, parts: &mut Vec<Part>) {
    let whole = document.tree.root().span();
    if whole.start > 0 && whole.end > whole.start {
        // A document inside another one.
        let name = document.kind.to_string();
        let name_span = Span { start: whole.start, end: whole.start };
        parts.push(Part { span: whole, name_span, name, detail: String::new(), sort: Sort::Module });
    }
    parts.extend(sections(document).into_iter().map(|section| Part {
        span: section.span,
        name_span: section.heading,
        name: section.name,
        detail: String::new(),
        sort: Sort::String,
    }));
    add_keys(document.tree.root(), text, parts);
}

/// A section of a document.
pub(super) struct Section {
    /// From its heading to the next one of the same level or a higher one.
    pub(super) span: Span,
    pub(super) heading: Span,
    name: String,
}

/// The sections of a document: what its tree lists with a level and a title.
pub(super) fn sections(document: &Document) -> Vec<Section> {
    let root = document.tree.root();
    let heading = |node: Node<'_>| {
        let name = ["text", "title"].iter().find_map(|key| node.get(key)).and_then(Node::as_str)?;
        let level = node.get("level").and_then(Node::as_i64)?;
        (node.source_id() == SourceId(0) && !name.is_empty()).then(|| (level, node.span(), name.to_owned()))
    };
    let mut found: Vec<(i64, Span, String)> =
        root.children().filter(|list| list.is_sequence()).flat_map(Node::items).filter_map(heading).collect();
    found.sort_by_key(|(_, span, _)| span.start);
    let whole = document.source().text().len() as u32;
    let end = |index: usize| {
        let (level, span, _) = &found[index];
        let next = found[index + 1..].iter().find(|(other, at, _)| other <= level && at.start >= span.end);
        next.map_or(whole, |(_, span, _)| span.start).max(span.end)
    };
    let spans: Vec<Span> = (0..found.len()).map(|index| Span { end: end(index), ..found[index].1 }).collect();
    let sections = found.into_iter().zip(spans);
    sections.map(|((_, heading, name), span)| Section { span, heading, name }).collect()
}

/// Whether a key is written in the text, and not a name that the kind gives to a part.
pub(super) fn is_written(entry: Entry<'_>, text: &str) -> bool {
    let key = entry.key_span();
    entry.value().source_id() == SourceId(0)
        && key != entry.value().span()
        && text.get(key.range()).is_some_and(|raw| raw.contains(entry.key()))
        && key.end <= entry.value().span().end
}

/// The bytes of a value with everything below it.
pub(super) fn extent(node: Node<'_>) -> Span {
    let below = node.children().filter(|child| child.source_id() == SourceId(0));
    below.map(extent).fold(node.span(), Span::cover)
}

/// Adds the keys that are written in the text, and the items that have keys.
fn add_keys(node: Node<'_>, text: &str, parts: &mut Vec<Part>) {
    if parts.len() > MOST {
        return;
    }
    for entry in node.entries() {
        let value = entry.value();
        if is_written(entry, text) {
            let detail = value.scalar_text().unwrap_or_default();
            let short = detail.lines().next().unwrap_or_default().chars().take(60).collect();
            parts.push(Part {
                span: entry.key_span().cover(extent(value)),
                name_span: entry.key_span(),
                name: if entry.key().is_empty() { "\"\"".to_owned() } else { entry.key().to_owned() },
                detail: short,
                sort: if value.is_mapping() { Sort::Object } else { Sort::Property },
            });
        }
        add_keys(value, text, parts);
    }
    node.items().for_each(|item| add_keys(item, text, parts));
}

/// Adds what declares a name: an item of a list has the name that it declares.
fn add_names(reading: &Reading, parts: &mut Vec<Part>) {
    // The anchor of a heading is the section.
    let headings: Vec<Span> =
        reading.documents().into_iter().flat_map(sections).map(|one| one.heading).collect();
    let is_heading =
        |span: Span| headings.iter().any(|heading| heading.start <= span.start && span.end <= heading.end);
    for one in reading.own_names().filter(|one| one.declares && !is_heading(one.span)) {
        let covers = |span: &Span| span.start <= one.span.start && one.span.end <= span.end;
        let span = one.declaration.filter(covers).unwrap_or(one.span);
        parts.push(Part {
            span,
            name_span: one.span,
            name: one.name.clone(),
            detail: one.value_type.clone().or_else(|| one.of.clone()).unwrap_or_default(),
            sort: if one.value_type.is_some() { Sort::Variable } else { Sort::Key },
        });
    }
}

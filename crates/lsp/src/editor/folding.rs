//! The parts of a document that an editor can fold, and those that it can select around a position.

use std::cmp::Reverse;

use serde::Serialize;

use crate::{
    protocol::{Position, Range},
    text::{SourceId, Span},
    tree::Node,
};

use super::{
    outline::{extent, is_written, sections},
    snapshot::Snapshot,
};

/// Lines that can be folded into the first of them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fold {
    start_line: u32,
    end_line: u32,
}

/// Most parts that can be folded.
const MOST: usize = 5_000;

/// The parts that can be folded: sections, documents inside this one, and values of several lines.
pub(crate) fn folds(snapshot: &Snapshot) -> Vec<Fold> {
    let Some(reading) = snapshot.reading() else { return Vec::new() };
    let mut spans: Vec<Span> = Vec::new();
    for document in reading.documents() {
        let root = document.tree.root();
        if root.span().start > 0 {
            spans.push(root.span());
        }
        spans.extend(sections(document).iter().map(|section| section.span));
        add(root, &snapshot.text, &mut spans);
    }
    let mut folds: Vec<Fold> = spans.into_iter().filter_map(|span| fold(snapshot, span)).collect();
    folds.sort_by_key(|fold| (fold.start_line, Reverse(fold.end_line)));
    folds.dedup_by_key(|fold| fold.start_line);
    folds.truncate(MOST);
    folds
}

fn fold(snapshot: &Snapshot, span: Span) -> Option<Fold> {
    let text = snapshot.text.get(span.range())?;
    let end = span.start + text.trim_end().len() as u32;
    let range = snapshot.range(Span { start: span.start, end });
    let (start_line, end_line) = (range.start.line, range.end.line);
    (start_line < end_line).then_some(Fold { start_line, end_line })
}

fn add(node: Node<'_>, text: &str, spans: &mut Vec<Span>) {
    for child in node.children().filter(|child| child.source_id() == SourceId(0)) {
        match child.own_entry() {
            Some(entry) if is_written(entry, text) => spans.push(entry.key_span().cover(extent(child))),
            None if !child.is_empty() => spans.push(extent(child)),
            _ => {}
        }
        add(child, text, spans);
    }
}

/// A part around a position, with the next larger one.
#[derive(Debug, Serialize)]
pub(crate) struct Selection {
    range: Range,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<Box<Self>>,
}

/// For each position, the parts around it from the smallest one to the whole document.
pub(crate) fn selections(snapshot: &Snapshot, positions: &[Position]) -> Vec<Selection> {
    positions.iter().map(|position| selection(snapshot, *position)).collect()
}

fn selection(snapshot: &Snapshot, position: Position) -> Selection {
    let at = snapshot.offset(position);
    let covers = |span: &Span| span.start <= at && at <= span.end;
    let whole = Span::new(0, snapshot.text.len());
    let mut spans = vec![whole, word(&snapshot.text, at as usize)];
    spans.push(snapshot.lines.line(&snapshot.text, position.line));
    if let Some(reading) = snapshot.reading() {
        spans.extend(reading.own_names().map(|one| one.span));
        for document in reading.documents() {
            spans.push(document.tree.root().span());
            spans.extend(sections(document).iter().map(|section| section.span));
            around(document.tree.root(), at, &mut spans);
        }
    }
    spans.retain(covers);
    spans.sort_by_key(|span| span.len());
    let mut nested: Vec<Span> = Vec::new();
    for span in spans {
        // Each part contains the one before it.
        let contains = |inner: &Span| span.start <= inner.start && inner.end <= span.end && span != *inner;
        if nested.last().is_none_or(contains) {
            nested.push(span);
        }
    }
    let outermost = Selection { range: snapshot.range(whole), parent: None };
    let inner = nested.into_iter().rev().filter(|span| *span != whole);
    inner.fold(outermost, |parent, span| Selection {
        range: snapshot.range(span),
        parent: Some(Box::new(parent)),
    })
}

fn around(node: Node<'_>, at: u32, spans: &mut Vec<Span>) {
    for child in node.children().filter(|child| child.source_id() == SourceId(0)) {
        let own = extent(child);
        let with_key = child.own_entry().map_or(own, |entry| entry.key_span().cover(own));
        if with_key.start <= at && at <= with_key.end {
            spans.extend([own, with_key, child.span()]);
            spans.extend(child.own_entry().map(|entry| entry.key_span()));
            around(child, at, spans);
        }
    }
}

/// The word around a byte.
fn word(text: &str, at: usize) -> Span {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start = text[..at].trim_end_matches(is_part).len();
    let rest = &text[at..];
    Span::new(start, at + rest.len() - rest.trim_start_matches(is_part).len())
}

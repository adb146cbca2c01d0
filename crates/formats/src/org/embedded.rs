//! Documents inside blocks: code in a language that a kind reads.

use super::elements::Block;
use crate::{
    Document, ParseOptions,
    text::{Fragment, Source, Span},
};
use std::sync::Arc;

/// The documents in the code and export blocks whose language some kind reads. A block of Org shows a part of a file, such as an
/// unclosed drawer, not a document.
pub(super) fn read(
    blocks: &[Block<'_>],
    source: &Arc<Source>,
    fragment: &Fragment<'_>,
    text: &str,
    options: &ParseOptions<'_>,
) -> Vec<Document> {
    let Some(kinds) = options.fences else { return Vec::new() };
    let options = options.for_embedded();
    let read = |block: &Block<'_>| {
        let kind = kinds.for_language(&block.language?.to_ascii_lowercase())?;
        if kind.name() == super::NAME {
            return None;
        }
        let pieces: Vec<Span> = lines(text, block).into_iter().map(|span| fragment.host(span)).collect();
        Some(kind.parse(source, &Fragment::pieces(source.text(), &pieces), &options))
    };
    blocks.iter().filter_map(read).collect()
}

/// The content of a block: its lines without the indentation that they share, and without the comma that
/// escapes a line that would be a headline or a keyword.
fn lines(text: &str, block: &Block<'_>) -> Vec<Span> {
    let content = &text[block.content.clone()];
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let filled = content.lines().filter(|line| !line.trim().is_empty());
    let shared = filled.map(indent).min().unwrap_or_default();
    let mut spans: Vec<Span> = Vec::new();
    let mut start = block.content.start;
    for line in content.split_inclusive('\n') {
        let end = start + line.len();
        let mut from = start + shared.min(indent(line));
        if let Some(comma) = escape(&text[from..end]) {
            if comma > 0 {
                push(&mut spans, Span::new(from, from + comma));
            }
            from += comma + 1;
        }
        push(&mut spans, Span::new(from, end));
        start = end;
    }
    if spans.is_empty() {
        spans.push(Span::at(start));
    }
    spans
}

/// Adds a span, joined with the last one where that is directly before it.
fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut().filter(|last| last.end == span.start) {
        Some(last) => last.end = span.end,
        None => spans.push(span),
    }
}

/// The position of the comma that escapes a line: `,*`, `,#+`, also after further commas.
fn escape(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches([' ', '\t']);
    let escaped = rest.trim_start_matches(',');
    let is_escaped = escaped.len() < rest.len() && (escaped.starts_with('*') || escaped.starts_with("#+"));
    is_escaped.then_some(line.len() - rest.len())
}

//! What words of the text mean, for colors: words of a language, names, and keys.

use crate::text::{SourceId, Span};
use crate::tree::Node;

use super::{outline::is_written, reading::written, snapshot::Snapshot};

/// The types of tokens, in the order of their numbers.
pub(crate) const TYPES: [&str; 3] = ["keyword", "variable", "property"];

/// What can be said about a token besides, by bit.
pub(crate) const MODIFIERS: [&str; 1] = ["declaration"];

/// A token: where it is, the number of its type, and its modifiers.
type Token = (Span, u32, u32);

/// The tokens of a document, in the form of the protocol: five numbers each, positions relative to the token before.
pub(crate) fn tokens(snapshot: &Snapshot) -> Vec<u32> {
    let Some(reading) = snapshot.reading() else { return Vec::new() };
    let mut all: Vec<Token> = Vec::new();
    for one in reading.own_names() {
        let span = written(&snapshot.text, one).unwrap_or(one.span);
        all.push((span, 1, u32::from(one.declares)));
    }
    for document in reading.documents() {
        let words = document.lexemes.iter().filter(|lexeme| lexeme.name_of.is_none());
        all.extend(words.map(|lexeme| (lexeme.span, 0, 0)));
        add_keys(document.tree.root(), &snapshot.text, &mut all);
    }
    all.sort_by_key(|(span, kind, _)| (span.start, *kind));
    encoded(snapshot, &all)
}

fn add_keys(node: Node<'_>, text: &str, all: &mut Vec<Token>) {
    for entry in node.entries().filter(|entry| is_written(*entry, text)) {
        all.push((entry.key_span(), 2, 0));
    }
    node.children()
        .filter(|child| child.source_id() == SourceId(0))
        .for_each(|child| add_keys(child, text, all));
}

fn encoded(snapshot: &Snapshot, all: &[Token]) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(all.len() * 5);
    let (mut line, mut column, mut end) = (0, 0, 0);
    for (span, kind, modifiers) in all {
        let range = snapshot.range(*span);
        if span.start < end || span.is_empty() || range.start.line != range.end.line {
            continue;
        }
        end = span.end;
        let start = range.start;
        let before = if start.line == line { column } else { 0 };
        let length = range.end.character - start.character;
        numbers.extend([start.line - line, start.character - before, length, *kind, *modifiers]);
        (line, column) = (start.line, start.character);
    }
    numbers
}

//! How YAML is written around a node: lines, indentation, dashes, colons, in block and in flow style.

use crate::tree::{Entry, Node};

pub(super) fn is_flow(node: Node<'_>) -> bool {
    (node.is_mapping() || node.is_sequence()) && node.raw().starts_with(['{', '['])
}

pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ')
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The end of the line of `at`, before its line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    if text[..end].ends_with('\r') { end - 1 } else { end }
}

/// The start of the line after that of `at`, which may be its first byte.
pub(super) fn next_line_after(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

/// The offset after the colon of an entry.
pub(super) fn after_colon(text: &str, entry: Entry<'_>) -> Option<usize> {
    let end = entry.key_span().end as usize;
    let rest = text.get(end..)?;
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    rest[spaces..].starts_with(':').then_some(end + spaces + 1)
}

/// The dash of an item of a block sequence.
pub(super) fn dash(text: &str, node: Node<'_>) -> Option<usize> {
    node.parent().filter(|parent| parent.is_sequence())?;
    let first = node.entries().next().map(|entry| entry.key_span().start);
    let start = first.filter(|_| !is_flow(node)).unwrap_or(node.span().start) as usize;
    let before = text[..start].trim_end_matches(' ');
    before.ends_with('-').then(|| before.len() - 1)
}

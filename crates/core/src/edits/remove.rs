use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Apply, Change, EditKind, NodeEdit,
    yaml::{after_colon, dash, is_blank, is_flow, line_start, next_line_after},
};
use crate::{
    checks::{Compiler, Field},
    text::Span,
    tree::Node,
};

/// Removes an entry of a YAML mapping or an item of a sequence, with the lines or the comma that belong to
/// it. `[]` is left of the only item; the only entry stays.
///
/// ```yaml
/// fix: {applicability: unsafe, remove: self}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Remove {
    /// The entry or item to remove.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    remove: String,
}

impl EditKind for Remove {
    const NAME: &'static str = "remove";
    const FIELDS: &'static [&'static str] = &["remove"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        NodeEdit::compile(&self.remove, &at.key("remove"), compiler, remove, None)
    }
}

/// The only item leaves `[]`; the only entry stays.
pub(super) fn remove(node: Node<'_>) -> Option<Vec<Change>> {
    let parent = node.parent()?;
    let text = parent.source().text();
    let whole = whole(node);
    if is_flow(parent) {
        return Some(vec![(with_comma(text, whole), String::new())]);
    }
    if parent.len() == 1 {
        let owner = parent.own_entry().filter(|_| parent.is_sequence())?;
        let colon = after_colon(text, owner)?;
        return Some(vec![(Span::new(colon, parent.span().end as usize), " []".into())]);
    }
    let start = dash(text, node).unwrap_or(whole.start as usize);
    let line = line_start(text, start);
    if is_blank(&text[line..start]) {
        let end = next_line(text, whole.end as usize);
        // The last line of the file may have no end: then the one before it is the one to go.
        let line = if end == text.len() && !text.ends_with('\n') { line.saturating_sub(1) } else { line };
        return Some(vec![(Span::new(line, end), String::new())]);
    }
    // The first entry follows the dash of an item, and the next one takes its place.
    let mut entries = parent.entries().skip_while(|entry| entry.value().id() != node.id()).skip(1);
    let next = entries.next()?.key_span().start as usize;
    (dash(text, parent).is_some() && start < next).then(|| vec![(Span::new(start, next), String::new())])
}

/// The key with its value, or the item.
fn whole(node: Node<'_>) -> Span {
    node.own_entry().map_or(node.span(), |entry| entry.key_span().cover(node.span()))
}

/// The start of the line after the one that ends at or after `at`.
fn next_line(text: &str, at: usize) -> usize {
    if at > 0 && text[..at].ends_with('\n') { at } else { next_line_after(text, at) }
}

/// An item or entry in flow style with the comma after it, or with the one before it.
fn with_comma(text: &str, whole: Span) -> Span {
    let (start, end) = (whole.start as usize, whole.end as usize);
    let rest = text[end..].trim_start();
    if let Some(behind) = rest.strip_prefix(',') {
        let next = behind.trim_start_matches(' ');
        return Span::new(start, text.len() - next.len());
    }
    let before = text[..start].trim_end();
    match before.strip_suffix(',') {
        Some(kept) => Span::new(kept.len(), end),
        None => whole,
    }
}

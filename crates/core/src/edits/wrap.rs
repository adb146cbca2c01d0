use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Apply, Change, EditKind, NodeEdit,
    yaml::{is_blank, is_flow, line_start, next_line_after},
};
use crate::{
    checks::{Compiler, Field},
    text::Span,
    tree::Node,
};

/// Makes a YAML value the only item of a sequence: `x` becomes `[x]`.
///
/// ```yaml
/// fix: {applicability: unsafe, wrap: self}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wrap {
    /// The value.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    wrap: String,
}

impl EditKind for Wrap {
    const NAME: &'static str = "wrap";
    const FIELDS: &'static [&'static str] = &["wrap"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        NodeEdit::compile(&self.wrap, &at.key("wrap"), compiler, wrap, Some("make it the item of a list"))
    }
}

/// The changes that make a scalar, or a mapping, the only item of a sequence.
pub(super) fn wrap(node: Node<'_>) -> Option<Vec<Change>> {
    let text = node.source().text();
    let span = node.span();
    if node.is_mapping() && !is_flow(node) {
        let first = node.entries().next()?.key_span().start as usize;
        let line = line_start(text, first);
        is_blank(&text[line..first]).then_some(())?;
        let mut changes = vec![(Span::at(first), "- ".to_owned())];
        for at in lines_after(text, first, span.end as usize) {
            changes.push((Span::at(at), "  ".into()));
        }
        return Some(changes);
    }
    let raw = node.raw();
    let quoted = raw.starts_with(['"', '\'']);
    let plain = !raw.is_empty() && !quoted && !raw.contains([',', '[', ']', '{', '}', '#', ':']);
    let whole = !raw.contains('\n') && (quoted || plain || is_flow(node));
    whole
        .then(|| vec![(Span::at(span.start as usize), "[".into()), (Span::at(span.end as usize), "]".into())])
}

/// Starts of the lines after that of `from`, up to `end`, that are not blank.
pub(super) fn lines_after(text: &str, from: usize, end: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = next_line_after(text, from);
    while at < end {
        let next = next_line_after(text, at);
        if !text[at..next].trim().is_empty() {
            starts.push(at);
        }
        at = next;
    }
    starts
}

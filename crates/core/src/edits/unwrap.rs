use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Apply, Change, EditKind, NodeEdit,
    yaml::{dash, is_flow},
};
use crate::{
    checks::{Compiler, Field},
    text::Span,
    tree::Node,
};

/// Replaces a YAML sequence by its only item: `[x]` becomes `x`.
///
/// ```yaml
/// fix: {applicability: unsafe, unwrap: self}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Unwrap {
    /// The sequence.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    unwrap: String,
}

impl EditKind for Unwrap {
    const NAME: &'static str = "unwrap";
    const FIELDS: &'static [&'static str] = &["unwrap"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        NodeEdit::compile(&self.unwrap, &at.key("unwrap"), compiler, unwrap, Some("take it out of its list"))
    }
}

fn unwrap(node: Node<'_>) -> Option<Vec<Change>> {
    let only = node.items().next().filter(|_| node.len() == 1)?;
    let span = node.span();
    if is_flow(node) {
        let (start, end) = (span.start as usize, span.end as usize);
        let item = only.span();
        let before = Span::new(start, item.start as usize);
        return Some(vec![(before, String::new()), (Span::new(item.end as usize, end), String::new())]);
    }
    let text = node.source().text();
    let dash = dash(text, only)?;
    Some(vec![(Span::new(dash, dash + 1), " ".into())])
}

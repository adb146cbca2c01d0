use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
use crate::tree::Node;

/// The mapping has none of these keys; with `true`, the selected node itself must not be there.
///
/// ```yaml
/// check: {forbidden: [author, authors]}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Forbidden {
    /// `true`: the selected node itself.
    Node(bool),
    /// One key.
    One(String),
    /// Any of these keys.
    Many(Vec<String>),
}

impl CheckKind for Forbidden {
    const NAME: &'static str = "forbidden";
    const READS_TEXT: bool = false;

    fn compile(self, _: &Field<'_>, _: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(match self {
            Self::Node(true) => Arc::new(NoNode),
            Self::Node(false) => Arc::new(NoKeys(Vec::new())),
            Self::One(key) => Arc::new(NoKeys(vec![key])),
            Self::Many(keys) => Arc::new(NoKeys(keys)),
        })
    }
}

#[derive(Debug)]
struct NoNode;

impl Evaluate for NoNode {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().copied().map(Finding::at))
    }

    fn can_pass(&self) -> bool {
        false
    }
}

#[derive(Debug)]
struct NoKeys(Vec<String>);

impl Evaluate for NoKeys {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let entries = nodes.iter().flat_map(|node| node.entries());
        let forbidden = entries.filter(|entry| self.0.iter().any(|key| key == entry.key()));
        context.kept(forbidden.map(|entry| Finding { span: entry.key_span(), ..Finding::at(entry.value()) }))
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn forbidden_keys_and_nodes_are_reported() {
        assert_eq!(findings("{forbidden: [b, c]}", "$", "a: 1\nb: 2\n"), ["/b b"]);
        assert_eq!(findings("{forbidden: true}", "$.a", "a: 1\nb: 2\n"), ["/a 1"]);
    }
}

use std::{borrow::Cow, cmp::Ordering, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
use crate::tree::{JsonPath, Node};

/// The selected nodes that are in one sequence or mapping are in order: of their values, or of what a path leads to.
/// Numbers are compared as numbers, everything else as text. The finding is at the first one that is too late.
///
/// ```yaml
/// check: {sorted: {by: '@.name'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sorted {
    /// Path to the value that is compared (default: the node itself).
    by: Option<String>,
    /// Whether the keys of the nodes are compared instead.
    #[serde(default)]
    keys: bool,
    /// Whether uppercase and lowercase letters are the same.
    #[serde(default)]
    fold: bool,
}

impl CheckKind for Sorted {
    const NAME: &'static str = "sorted";
    const VALUES: &'static [(&'static str, &'static str)] =
        &[("name", "the value that is compared"), ("before", "the value before it, which belongs after it")];
    const PLACES: &'static [(&'static str, &'static str)] = &[("before", "the node before it")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let by = self.by.and_then(|by| compiler.path(&by, &at.key("by")));
        Some(Arc::new(Ordered { by, keys: self.keys, fold: self.fold }))
    }
}

#[derive(Debug)]
struct Ordered {
    by: Option<JsonPath>,
    keys: bool,
    fold: bool,
}

impl Evaluate for Ordered {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut findings = Vec::new();
        let parent = |node: &Node<'t>| node.parent().map(Node::id);
        for group in nodes.chunk_by(|one, next| parent(one) == parent(next)) {
            let compared: Vec<(Node<'t>, Cow<'t, str>)> =
                group.iter().filter_map(|node| Some((*node, self.compared(*node)?))).collect();
            let late = compared.windows(2).find(|pair| self.order(&pair[0], &pair[1]) == Ordering::Greater);
            let late = late.map(|pair| {
                let ((before, first), (node, name)) = (&pair[0], &pair[1]);
                let finding = if self.keys { Finding::at_key(*node) } else { Finding::at(*node) };
                let finding = finding.with("name", name.as_ref()).with("before", first.as_ref());
                finding.place("before", before.span())
            });
            context.keep(late, &mut findings);
        }
        findings
    }
}

impl Ordered {
    fn compared<'t>(&self, node: Node<'t>) -> Option<Cow<'t, str>> {
        if self.keys {
            return node.key().map(Cow::Borrowed);
        }
        self.by.as_ref().map_or(Some(node), |by| by.first(node))?.scalar_text()
    }

    fn order(&self, (_, one): &(Node<'_>, Cow<'_, str>), (_, other): &(Node<'_>, Cow<'_, str>)) -> Ordering {
        if let (Ok(one), Ok(other)) = (one.parse::<f64>(), other.parse::<f64>()) {
            return one.total_cmp(&other);
        }
        if self.fold { one.to_lowercase().cmp(&other.to_lowercase()) } else { one.cmp(other) }
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn the_first_node_that_comes_too_late_is_reported() {
        assert_eq!(findings("{sorted: {}}", "$[*]", "[a, c, b, d, a]"), ["/2 b"]);
        assert_eq!(findings("{sorted: {}}", "$[*]", "[2, 10, 9]"), ["/2 9"]);
        assert_eq!(findings("{sorted: {by: '@.n'}}", "$.t[*]", "t: [{n: b}, {n: a}]"), ["/t/1 {n: a}"]);
        assert_eq!(findings("{sorted: {keys: true}}", "$.t[*]", "t: {b: 1, a: 2}"), ["/t/a a"]);
        assert_eq!(findings("{sorted: {fold: true}}", "$[*]", "[a, B, c]"), [""; 0]);
        assert_eq!(findings("{sorted: {}}", "$[*][*]", "[[b], [a]]"), [""; 0]);
    }
}

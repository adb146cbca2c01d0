use std::{borrow::Cow, sync::Arc};

use foldhash::{HashMap, HashMapExt};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
use crate::tree::{JsonPath, Node};

/// What an option says where the first node decides.
const FIRST: &str = "consistent";

/// All selected nodes have the same value: that of the first node, or the one that an option names.
///
/// ```yaml
/// check: {consistent: {by: '@.style'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Consistent {
    /// Path to the value that is compared; the default is the node itself. Nodes without such a value pass.
    by: Option<String>,
    /// Name of the option that says which value all nodes have. Where it says `consistent`, that is the value of
    /// the first node.
    option: Option<String>,
    /// Path to the value by which nodes are grouped: the first node of each group decides about the group.
    group: Option<String>,
}

impl CheckKind for Consistent {
    const NAME: &'static str = "consistent";
    const VALUES: &'static [(&'static str, &'static str)] = &[("wanted", "the value that the nodes have")];
    const PLACES: &'static [(&'static str, &'static str)] = &[("first", "the first node, where it decides")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let by = self.by.and_then(|path| compiler.path(&path, &at.key("by")));
        let group = self.group.and_then(|path| compiler.path(&path, &at.key("group")));
        if let Some(option) = &self.option {
            compiler.option(option, &at.key("option"));
        }
        Some(Arc::new(Same { by, option: self.option, group }))
    }
}

#[derive(Debug)]
struct Same {
    by: Option<JsonPath>,
    option: Option<String>,
    group: Option<JsonPath>,
}

impl Same {
    fn value<'t>(path: Option<&JsonPath>, node: Node<'t>) -> Option<Node<'t>> {
        path.map_or(Some(node), |path| path.first(node))
    }

    /// The value that the option names.
    fn wanted<'o>(&self, options: &'o Value) -> Option<&'o str> {
        options.get(self.option.as_ref()?)?.as_str().filter(|value| *value != FIRST)
    }
}

impl Evaluate for Same {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let wanted = self.wanted(context.options);
        let mut first: HashMap<Option<Cow<'t, str>>, (Cow<'t, str>, Node<'t>)> = HashMap::new();
        let mut finding = |node: &Node<'t>| {
            let value = Self::value(self.by.as_ref(), *node)?;
            let text = value.scalar_text()?;
            if let Some(wanted) = wanted {
                return (text != wanted).then(|| Finding::at(*node).with("wanted", wanted));
            }
            let group = self.group.as_ref().and_then(|group| group.first(*node)?.scalar_text());
            let (decided, by) = first.entry(group).or_insert_with(|| (text.clone(), *node));
            let differs = *decided != text;
            differs.then(|| Finding::at(*node).with("wanted", &**decided).place("first", by.span()))
        };
        let found: Vec<Finding<'t>> = nodes.iter().filter_map(&mut finding).collect();
        context.kept(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn the_first_node_decides() {
        let text = "[{s: a, d: 1}, {s: b, d: 2}, {s: a, d: 1}, {d: 1}, {s: a, d: 2}]";
        assert_eq!(findings("{consistent: {by: '@.s'}}", "$[*]", text), ["/1 {s: b, d: 2}"]);
        assert_eq!(findings("{consistent: {by: '@.s', group: '@.d'}}", "$[*]", text), ["/4 {s: a, d: 2}"]);
        assert_eq!(findings("{consistent: {}}", "$[*]", "[x, x, y]"), ["/2 y"]);
        assert_eq!(faults("{consistent: {option: stile}}"), ["unknown-option"]);
    }
}

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
    /// For groups that must differ: what decides where a group would get the value of another one.
    unlike: Option<Unlike>,
}

/// The group that another group must differ from.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Unlike {
    /// Path to the name of the other group, which is compared with the names that `group` gives.
    group: String,
    /// All values. A group that would get the value of the other group gets the one after it.
    values: Vec<String>,
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
        let unlike = self.unlike.and_then(|unlike| {
            let other = compiler.path(&unlike.group, &at.key("unlike").key("group"))?;
            Some((other, unlike.values))
        });
        Some(Arc::new(Same { by, option: self.option, group, unlike }))
    }
}

#[derive(Debug)]
struct Same {
    by: Option<JsonPath>,
    option: Option<String>,
    group: Option<JsonPath>,
    unlike: Option<(JsonPath, Vec<String>)>,
}

/// The value of each group, with the node that decided.
type Decided<'t> = HashMap<Option<Cow<'t, str>>, (Cow<'t, str>, Node<'t>)>;

impl Same {
    fn value<'t>(path: Option<&JsonPath>, node: Node<'t>) -> Option<Node<'t>> {
        path.map_or(Some(node), |path| path.first(node))
    }

    /// The value that a group gets whose first node has `value`: another one where the group beside it has the same.
    fn decide<'t>(&self, value: Cow<'t, str>, node: Node<'t>, decided: &Decided<'t>) -> Cow<'t, str> {
        let Some((path, values)) = &self.unlike else { return value };
        let other = path.first(node).and_then(|other| decided.get(&other.scalar_text()));
        if other.is_none_or(|(other, _)| *other != value) {
            return value;
        }
        let position = values.iter().position(|known| *known == value).map_or(0, |position| position + 1);
        values.get(position % values.len().max(1)).map_or(value, |next| Cow::Owned(next.clone()))
    }

    /// The value that the option names.
    fn wanted<'o>(&self, options: &'o Value) -> Option<&'o str> {
        options.get(self.option.as_ref()?)?.as_str().filter(|value| *value != FIRST)
    }
}

impl Evaluate for Same {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let wanted = self.wanted(context.options);
        let mut first: Decided<'t> = HashMap::new();
        let mut finding = |node: &Node<'t>| {
            let value = Self::value(self.by.as_ref(), *node)?;
            let text = value.scalar_text()?;
            if let Some(wanted) = wanted {
                return (text != wanted).then(|| Finding::at(*node).with("wanted", wanted));
            }
            let group = self.group.as_ref().and_then(|group| group.first(*node)?.scalar_text());
            if !first.contains_key(&group) {
                let value = self.decide(text.clone(), *node, &first);
                first.insert(group.clone(), (value, *node));
            }
            let (decided, by) = first.get(&group)?;
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
        let unlike = "{consistent: {by: '@.s', group: '@.d', unlike: {group: '@.o', values: [a, b, c]}}}";
        let text = "[{s: a, d: 1}, {s: a, d: 2, o: 1}, {s: b, d: 2, o: 1}]";
        assert_eq!(findings(unlike, "$[*]", text), ["/1 {s: a, d: 2, o: 1}"]);
        assert_eq!(findings("{consistent: {}}", "$[*]", "[x, x, y]"), ["/2 y"]);
        assert_eq!(faults("{consistent: {option: stile}}"), ["unknown-option"]);
    }
}

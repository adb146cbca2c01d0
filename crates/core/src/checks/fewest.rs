use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Check, CheckKind, Compiler, Context, Evaluate, Field, Finding, RawCheck, choose::applies};
use crate::{
    expressions::Condition,
    tree::{Node, NodeId},
};

/// The one of several checks that fails least: where a document may follow any of several styles, it is compared with
/// the style that it is nearest to. Of checks that fail equally often, the first one counts.
///
/// ```yaml
/// check: {fewest: {of: [{as: lower, check: {pattern: '^[a-z]+$'}}, {as: upper, check: {pattern: '^[A-Z]+$'}}]}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Fewest {
    /// Name of an ancestor: the nodes within each are compared by themselves (default: all nodes together).
    within: Option<String>,
    /// The checks.
    of: Vec<Style>,
}

/// A check, and what it is called.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Style {
    /// What messages call it.
    #[serde(rename = "as")]
    name: String,
    /// CEL expression over `options`: whether the style is allowed (default: always).
    #[schemars(extend("format" = "cel", "x-fault" = {"format": "bad-cel"}))]
    when: Option<String>,
    /// What must hold.
    check: RawCheck,
}

impl CheckKind for Fewest {
    const NAME: &'static str = "fewest";
    const VALUES: &'static [(&'static str, &'static str)] =
        &[("style", "the name of the check that fails least")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let mut styles = Vec::with_capacity(self.of.len());
        let field = at.key("of");
        for (index, style) in self.of.into_iter().enumerate() {
            let at = field.index(index);
            let when = style.when.map(|when| compiler.condition(&when, &at.key("when")));
            let check = style.check.compile(&at.key("check"), compiler);
            styles.extend(check.map(|check| (style.name, when, check)));
        }
        if let Some(within) = &self.within {
            compiler.ancestor(within, &at.key("within"))?;
        }
        Some(Arc::new(Nearest { within: self.within, styles }))
    }
}

#[derive(Debug)]
struct Nearest {
    within: Option<String>,
    styles: Vec<(String, Option<Condition>, Check)>,
}

impl Nearest {
    /// The nodes by the ancestor that they are compared within, in the order of the document.
    fn groups<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Vec<Node<'t>>> {
        let mut groups: Vec<(Option<NodeId>, Vec<Node<'t>>)> = Vec::new();
        for node in nodes {
            let around =
                self.within.as_ref().and_then(|name| context.state.ancestor(*node, name)).map(Node::id);
            match groups.last_mut() {
                Some((last, group)) if *last == around => group.push(*node),
                _ => groups.push((around, vec![*node])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    fn least<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut least: Option<(&str, Vec<Finding<'t>>)> = None;
        for (name, when, check) in &self.styles {
            if least.as_ref().is_some_and(|(_, findings)| findings.is_empty()) {
                break;
            }
            if !applies(when.as_ref(), context) {
                continue;
            }
            let findings = check.run(nodes, &context.deciding());
            if least.as_ref().is_none_or(|(_, fewest)| findings.len() < fewest.len()) {
                least = Some((name.as_str(), findings));
            }
        }
        let (name, findings) = least.unwrap_or_default();
        findings.into_iter().map(|finding| finding.with("style", name)).collect()
    }
}

impl Evaluate for Nearest {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let groups = self.groups(nodes, context);
        context.kept(groups.into_iter().flat_map(|group| self.least(&group, context)))
    }

    fn inner(&self) -> Vec<&Check> {
        self.styles.iter().map(|(_, _, check)| check).collect()
    }

    fn parts(&self) -> Vec<(String, &Check)> {
        let parts = self.styles.iter().enumerate();
        parts.map(|(index, (_, _, check))| (format!("/of/{index}/check"), check)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn the_check_that_fails_least_counts() {
        let styles =
            "of: [{as: lower, check: {pattern: '^[a-z]+$'}}, {as: upper, check: {pattern: '^[A-Z]+$'}}]";
        let check = format!("{{fewest: {{{styles}}}}}");
        assert_eq!(findings(&check, "$[*]", "[a, B, C]"), ["/0 a"]);
        let check = format!("{{fewest: {{within: shelf, {styles}}}}}");
        let text = "shelves:\n- [a, B, c]\n- [A, B]\n";
        assert_eq!(findings(&check, "$.shelves[*][*]", text), ["/shelves/0/1 B"]);
        assert_eq!(faults("{fewest: {within: shelff, of: []}}"), ["unknown-ancestor"]);
    }
}

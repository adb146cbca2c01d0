use std::{borrow::Cow, sync::Arc};

use foldhash::HashSet;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany, evaluate::Name};
use crate::{expressions::Route, tree::Node};

/// Every name of one route is among those of others. A route is a JSONPath that may lead over
/// declarations; see [Routes](#routes).
///
/// ```yaml
/// check: {subset: {of: '@.tags[*]', in: '$.vocabulary[*]'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Subset {
    /// Route to the names; the node itself when absent.
    of: Option<String>,
    /// Route, or routes, to the names that they must be among.
    #[serde(rename = "in")]
    within: Option<OneOrMany<String>>,
    /// Points at the selected node instead of the name.
    #[serde(default)]
    blame_node: bool,
}

impl CheckKind for Subset {
    const NAME: &'static str = "subset";
    const VALUES: &'static [(&'static str, &'static str)] =
        &[("name", "the name that is not among the others")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let of = self.of.and_then(|of| compiler.route(&of, &at.key("of")));
        let within = compiler.routes(self.within.as_ref(), &at.key("in"));
        Some(Arc::new(Among { of, within, blame_node: self.blame_node }))
    }
}

#[derive(Debug)]
struct Among {
    of: Option<Route>,
    within: Vec<Route>,
    blame_node: bool,
}

impl Evaluate for Among {
    /// Routes that do not depend on the node are followed once for all nodes.
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let state = context.state;
        let fixed = self.within.iter().filter(|route| route.is_absolute());
        let shared: HashSet<Cow<'t, str>> = match nodes.first() {
            Some(first) => fixed.flat_map(|route| state.route_names(route, *first)).map(|n| n.text).collect(),
            None => return Vec::new(),
        };
        let mut findings = Vec::new();
        for node in nodes {
            let names = match &self.of {
                Some(route) => state.route_names(route, *node),
                None => state.name_of(*node).into_iter().collect(),
            };
            if names.iter().all(|name| shared.contains(&name.text)) {
                continue;
            }
            let relative = self.within.iter().filter(|route| !route.is_absolute());
            let own: HashSet<Cow<'t, str>> =
                relative.flat_map(|route| state.route_names(route, *node)).map(|name| name.text).collect();
            for name in names {
                if !shared.contains(&name.text) && !own.contains(&name.text) {
                    findings.push(self.finding(*node, name, &shared, &own));
                }
            }
        }
        findings
    }
}

impl Among {
    fn finding<'t>(
        &self,
        node: Node<'t>,
        name: Name<'t>,
        shared: &HashSet<Cow<'t, str>>,
        own: &HashSet<Cow<'t, str>>,
    ) -> Finding<'t> {
        let finding = if self.blame_node {
            Finding::at_key(node)
        } else {
            Finding { span: name.span, ..Finding::at(name.node) }
        };
        let mut known: Vec<String> = own.union(shared).map(|name| name.clone().into_owned()).collect();
        known.sort_unstable();
        finding.among(&name.text, known).with("name", name.text.into_owned())
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn names_are_among_those_of_another_route() {
        let text = "known: [a, b]\nused: [b, c]\n";
        assert_eq!(findings("{subset: {in: '$.known[*]'}}", "$.used[*]", text), ["/used/1 c"]);
        let blamed = "{subset: {of: '@[*]', in: '$.known[*]', blame_node: true}}";
        assert_eq!(findings(blamed, "$.used", text), ["/used used"]);
    }
}

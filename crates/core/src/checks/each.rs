use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Check, CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany, RawCheck};
use crate::{
    budget::Once,
    tree::{
        JsonPath, Node,
        jsonpath::{PathSet, Selected},
    },
};

/// Checks at the nodes that paths lead to; every failure is a finding. A check without a path is for all selected nodes
/// together, so that they can be compared.
///
/// ```yaml
/// check: {each: [{of: '@.inputs[*]', check: {type: string}}]}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Each(Vec<Case>);

/// Nodes and what must hold there.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Path, or paths, to the nodes (default: the selected nodes together).
    of: Option<OneOrMany<String>>,
    /// What must hold at each.
    check: RawCheck,
}

impl CheckKind for Each {
    const NAME: &'static str = "each";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let mut cases = Vec::with_capacity(self.0.len());
        for (index, case) in self.0.into_iter().enumerate() {
            let at = at.index(index);
            let paths = compiler.paths(case.of.as_ref(), &at.key("of"));
            let check = case.check.compile(&at.key("check"), compiler);
            cases.extend(check.map(|check| (paths, check)));
        }
        Some(Arc::new(Cases { cases, paths: Once::new() }))
    }
}

#[derive(Debug)]
struct Cases {
    cases: Vec<(Vec<JsonPath>, Check)>,
    /// The paths of all cases, which are often alike in the beginning.
    paths: Once<PathSet>,
}

impl Evaluate for Cases {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut findings = Vec::new();
        for (_, check) in self.cases.iter().filter(|(paths, _)| paths.is_empty()) {
            context.keep(check.run(nodes, context), &mut findings);
        }
        let all = || PathSet::new(self.cases.iter().flat_map(|(paths, _)| paths));
        let paths = self.paths.get_or_init(all);
        let mut selected = Selected::default();
        for node in nodes {
            paths.select(*node, &mut selected);
            let mut end = 0;
            for (paths, check) in &self.cases {
                let first = end;
                end += paths.len();
                let inner = selected.of(first..end);
                if !inner.is_empty() {
                    context.keep(check.run(inner, context), &mut findings);
                }
            }
        }
        findings
    }

    fn inner(&self) -> Vec<&Check> {
        self.cases.iter().map(|(_, check)| check).collect()
    }

    fn parts(&self) -> Vec<(String, &Check)> {
        let cases = self.cases.iter().enumerate();
        cases.map(|(index, (_, check))| (format!("/{index}/check"), check)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn every_failure_is_a_finding() {
        let text = "a: [x, 1]\nb: [2]\n";
        let check = "{each: [{of: ['@.a[*]', '@.b[*]'], check: {type: string}}]}";
        assert_eq!(findings(check, "$", text), ["/a/1 1", "/b/0 2"]);
        assert_eq!(findings("{each: [{check: {unique: {}}}]}", "$[*]", "[a, b, a]"), ["/2 a"]);
    }
}

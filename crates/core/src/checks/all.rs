use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Arity, Check, CheckKind, Compiler, Context, Evaluate, Field, Finding, KindInfo, RawCheck};
use crate::tree::Node;

/// All of these checks hold; the first one that fails makes the finding.
///
/// ```yaml
/// check: {all: [{type: string}, {pattern: '^[a-z]+$'}]}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct All(Vec<RawCheck>);

impl CheckKind for All {
    const NAME: &'static str = "all";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(Arc::new(Every(compile(self.0, at, compiler))))
    }
}

/// The checks of a list; those that do not compile are left out.
pub(super) fn compile(checks: Vec<RawCheck>, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Vec<Check> {
    let checks = checks.into_iter().enumerate();
    checks.filter_map(|(index, check)| check.compile(&at.index(index), compiler)).collect()
}

/// A check that every node passes.
pub fn passing() -> Check {
    static KIND: KindInfo = KindInfo::of::<All>();
    Check::new(&KIND, Arc::new(Every(Vec::new())))
}

#[derive(Debug)]
struct Every(Vec<Check>);

impl Every {
    /// Whether nothing is found in the nodes, as in most documents, where that can be asked of all of them together.
    fn all_pass<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> bool {
        let is_noted = context.state.recorder.is_some() || context.state.listens();
        nodes.len() > 1
            && !is_noted
            && self.0.iter().all(Check::looks_at_each)
            && self.0.iter().all(|check| check.run(nodes, &context.deciding()).is_empty())
    }
}

impl Evaluate for Every {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        if self.all_pass(nodes, context) {
            return Vec::new();
        }
        let first = |node: &Node<'t>| self.0.iter().find_map(|check| check.first(*node, context));
        context.kept(nodes.iter().filter_map(first))
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        self.0.iter().all(|check| check.holds(node, context))
    }

    fn inner(&self) -> Vec<&Check> {
        self.0.iter().collect()
    }

    fn parts(&self) -> Vec<(String, &Check)> {
        self.0.iter().enumerate().map(|(index, check)| (format!("/{index}"), check)).collect()
    }

    fn arity(&self, items: &str) -> Arity {
        let mut arity = Arity::default();
        for check in &self.0 {
            arity += check.arity(items);
        }
        arity
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn the_first_check_that_fails_makes_the_finding() {
        let check = "{all: [{type: string}, {one_of: [red, blue]}]}";
        assert_eq!(findings(check, "$[*]", "[red, 1, blu]"), ["/1 1", "/2 blu (blue?)"]);
    }
}

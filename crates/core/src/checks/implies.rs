use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Arity, Check, CheckKind, Compiler, Context, Evaluate, Field, Finding, RawCheck};
use crate::tree::Node;

/// A check that must hold where another one does.
///
/// ```yaml
/// check: {implies: {if: {required: price}, then: {required: currency}}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Implies {
    /// Nodes that fail this check pass.
    #[serde(rename = "if")]
    condition: RawCheck,
    /// What must hold for the others.
    then: RawCheck,
}

impl CheckKind for Implies {
    const NAME: &'static str = "implies";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let condition = self.condition.compile(&at.key("if"), compiler)?;
        let then = self.then.compile(&at.key("then"), compiler)?;
        Some(Arc::new(Conditional { condition, then }))
    }
}

#[derive(Debug)]
struct Conditional {
    condition: Check,
    then: Check,
}

impl Evaluate for Conditional {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let holding = nodes.iter().copied().filter(|node| self.condition.holds(*node, context));
        let nodes: Vec<Node<'t>> = holding.collect();
        self.then.run(&nodes, context)
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        !self.condition.holds(node, context) || self.then.holds(node, context)
    }

    fn inner(&self) -> Vec<&Check> {
        vec![&self.then]
    }

    fn parts(&self) -> Vec<(String, &Check)> {
        vec![("/if".to_owned(), &self.condition), ("/then".to_owned(), &self.then)]
    }

    fn arity(&self, items: &str) -> Arity {
        self.then.arity(items)
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn nodes_that_fail_the_condition_pass() {
        let check = "{implies: {if: {required: price}, then: {required: currency}}}";
        assert_eq!(findings(check, "$[*]", "[{price: 1}, {name: x}]"), ["/0 price"]);
    }
}

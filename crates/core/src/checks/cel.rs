use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
use crate::{expressions::Condition, tree::Node};

/// The CEL expression is true. A node that lacks a key which the expression asks for passes. An expression that
/// cannot be evaluated for another reason, or is not a boolean, is reported as PM016.
///
/// ```yaml
/// check: {cel: 'self.end >= self.start'}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("format" = "cel", "x-fault" = {"format": "bad-cel"}))]
pub(super) struct Cel(String);

impl CheckKind for Cel {
    const NAME: &'static str = "cel";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(Arc::new(True(compiler.condition(&self.0, at))))
    }
}

#[derive(Debug)]
struct True(Condition);

impl Evaluate for True {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let holding = context.holding(&self.0, nodes.len());
        let failing = nodes.iter().filter(|node| !holding(**node, true));
        context.kept(failing.map(|node| Finding::at(*node)))
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        context.bindings(node).hold(&self.0, true)
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn an_expression_that_fails_at_run_time_passes() {
        let check = "{cel: 'self.end >= self.start'}";
        assert_eq!(findings(check, "$[*]", "[{start: 2, end: 1}, {start: 2}]"), ["/0 {start: 2, end: 1}"]);
        assert_eq!(faults("{cel: 'sef.end > 1'}"), ["unknown-cel-name"]);
    }
}

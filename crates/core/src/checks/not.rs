use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Check, CheckKind, Compiler, Context, Evaluate, Field, Finding, RawCheck};
use crate::tree::Node;

/// The check does not hold.
///
/// ```yaml
/// check: {not: {one_of: [TODO, FIXME]}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Not(RawCheck);

impl CheckKind for Not {
    const NAME: &'static str = "not";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(Arc::new(Fails(self.0.compile(at, compiler)?)))
    }
}

#[derive(Debug)]
struct Fails(Check);

impl Evaluate for Fails {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let failing = nodes.iter().filter(|node| !self.holds(**node, context));
        context.kept(failing.map(|node| Finding::at(*node)))
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        !self.0.holds(node, context)
    }

    fn parts(&self) -> Vec<(String, &Check)> {
        vec![(String::new(), &self.0)]
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn a_check_that_holds_is_a_finding() {
        assert_eq!(findings("{not: {one_of: [TODO]}}", "$[*]", "[a, TODO]"), ["/1 TODO"]);
    }
}

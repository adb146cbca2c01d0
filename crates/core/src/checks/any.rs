use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Check, CheckKind, Compiler, Context, Evaluate, Field, Finding, RawCheck, all};
use crate::tree::Node;

/// At least one of these checks holds; otherwise the first one makes the finding.
///
/// ```yaml
/// check: {any: [{type: number}, {pattern: '^[0-9]+%$'}]}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Any(Vec<RawCheck>);

impl CheckKind for Any {
    const NAME: &'static str = "any";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(Arc::new(OneHolds(all::compile(self.0, at, compiler))))
    }
}

#[derive(Debug)]
struct OneHolds(Vec<Check>);

impl OneHolds {
    fn finding<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
        let mut first = None;
        for check in &self.0 {
            let finding = check.first(node, context)?;
            first.get_or_insert(finding);
        }
        first
    }
}

impl Evaluate for OneHolds {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().filter_map(|node| self.finding(*node, context)))
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        self.0.iter().any(|check| check.holds(node, context))
    }

    fn inner(&self) -> Vec<&Check> {
        self.0.iter().collect()
    }

    fn parts(&self) -> Vec<(String, &Check)> {
        self.0.iter().enumerate().map(|(index, check)| (format!("/{index}"), check)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn one_check_that_holds_is_enough() {
        let check = "{any: [{type: integer}, {pattern: '%$'}]}";
        assert_eq!(findings(check, "$[*]", "[1, 5%, five]"), ["/2 five"]);
    }
}

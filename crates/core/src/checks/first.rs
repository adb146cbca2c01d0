use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Arity, Check, CheckKind, Compiler, Context, Evaluate, Field, Finding, RawCheck};
use crate::tree::Node;

/// A check of which only the first finding counts, so that what is missing once is reported once.
///
/// ```yaml
/// check: {first: {required: id}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct First(RawCheck);

impl CheckKind for First {
    const NAME: &'static str = "first";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(Arc::new(Once(self.0.compile(at, compiler)?)))
    }
}

#[derive(Debug)]
struct Once(Check);

impl Evaluate for Once {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut findings = self.0.run(nodes, context);
        findings.truncate(1);
        findings
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        self.0.holds(node, context)
    }

    fn inner(&self) -> Vec<&Check> {
        vec![&self.0]
    }

    fn can_pass(&self) -> bool {
        self.0.can_pass()
    }

    fn parts(&self) -> Vec<(String, &Check)> {
        vec![(String::new(), &self.0)]
    }

    fn arity(&self, items: &str) -> Arity {
        self.0.arity(items)
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn only_the_first_finding_counts() {
        assert_eq!(findings("{first: {type: string}}", "$[*]", "[a, 1, 2]"), ["/1 1"]);
    }
}

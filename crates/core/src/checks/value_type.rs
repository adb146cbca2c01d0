use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany};
use crate::tree::{Node, NodeType};

/// The value has this type, or one of these types.
///
/// ```yaml
/// check: {type: [string, 'null']}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Type(OneOrMany<NodeType>);

impl CheckKind for Type {
    const NAME: &'static str = "type";
    const VALUES: &'static [(&'static str, &'static str)] = &[("type", "the type of the value")];

    const READS_TEXT: bool = false;

    fn compile(self, _: &Field<'_>, _: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(Arc::new(OfType(self.0.into_vec())))
    }
}

#[derive(Debug)]
struct OfType(Vec<NodeType>);

impl Evaluate for OfType {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let wrong = nodes.iter().filter(|node| !self.0.iter().any(|t| t.accepts(node.node_type())));
        let expected = || self.0.iter().map(|expected| expected.name().to_owned()).collect();
        context.kept(wrong.map(|node| Finding {
            expected: expected(),
            ..Finding::at(*node).with("type", node.node_type().name())
        }))
    }

    fn holds<'t>(&self, node: Node<'t>, _: &Context<'_, 't>) -> bool {
        self.0.iter().any(|one| one.accepts(node.node_type()))
    }

    fn looks_at_each(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn an_integer_is_a_number_but_not_the_other_way_round() {
        assert_eq!(findings("{type: [number, 'null']}", "$[*]", "[1, 1.5, null, x]"), ["/3 x"]);
        assert_eq!(findings("{type: integer}", "$[*]", "[1, 1.5]"), ["/1 1.5"]);
    }
}

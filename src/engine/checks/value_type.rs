use crate::{engine::finding::Finding, rules::raw::ValueType, tree::Node};

/// `type`: the value has one of these types.
pub(super) fn test<'t>(types: &[ValueType], node: Node<'t>) -> Option<Finding<'t>> {
    let found = node.node_type();
    if types.iter().any(|expected| expected.accepts(found)) {
        return None;
    }
    let finding = Finding::at(node).with("type", found.name());
    Some(Finding { expected: types.iter().map(|t| t.name().to_owned()).collect(), ..finding })
}

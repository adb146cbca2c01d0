use std::collections::HashMap;

use crate::{
    engine::finding::Finding,
    rules::check::Unique,
    tree::{Node, NodeId},
};

/// `unique`: all selected nodes differ. Every repetition is a finding, with the first as its reason.
pub(super) fn run<'t>(unique: &Unique, nodes: &[Node<'t>]) -> Vec<Finding<'t>> {
    let mut first: HashMap<(Option<NodeId>, String), Node<'t>> = HashMap::new();
    let mut findings = Vec::new();
    for node in nodes {
        let value = match &unique.by {
            Some(path) => path.first(*node),
            None => Some(*node),
        };
        let Some(value) = value else { continue };
        let text =
            value.scalar_text().map_or_else(|| value.to_json().to_string(), std::borrow::Cow::into_owned);
        let text = if unique.fold { text.to_lowercase() } else { text };
        let scope = unique.within.as_ref().and_then(|within| {
            let members = within.select(*node);
            let mut ancestors = node.ancestors();
            ancestors.find(|ancestor| members.iter().any(|member| member.id() == ancestor.id()))
        });
        let key = (scope.map(|scope| scope.id()), text);
        match first.get(&key) {
            None => {
                first.insert(key, value);
            }
            Some(first) if first.id() == value.id() => {}
            Some(first) if shares(unique, *first, value) => {}
            Some(first) => {
                let written = first.scalar_text().map(std::borrow::Cow::into_owned).unwrap_or_default();
                findings.push(Finding::at(value).with("first", written).place("first", first.span()));
            }
        }
    }
    findings
}

/// Whether both stand in the same file and in the same node of those that a repetition must not share
/// with its first.
fn shares<'t>(unique: &Unique, first: Node<'t>, other: Node<'t>) -> bool {
    let Some(across) = &unique.across else { return false };
    let members = across.select(first);
    let around = |node: Node<'t>| {
        node.ancestors().find(|ancestor| members.iter().any(|m| m.id() == ancestor.id())).map(Node::id)
    };
    first.source_id() == other.source_id() && around(first) == around(other)
}

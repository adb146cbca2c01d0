use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::{
    engine::finding::Finding,
    rules::check::Unique,
    tree::{JsonPath, Node, NodeId},
};

/// `unique`: all selected nodes differ. Every repetition is a finding, with the first as its reason.
pub(super) fn run<'t>(unique: &Unique, nodes: &[Node<'t>]) -> Vec<Finding<'t>> {
    let mut first: HashMap<(Option<NodeId>, Cow<'t, str>), Node<'t>> = HashMap::with_capacity(nodes.len());
    let mut findings = Vec::new();
    let mut within = unique.within.as_ref().map(Members::new);
    let mut across = unique.across.as_ref().map(Members::new);
    for node in nodes {
        let value = match &unique.by {
            Some(path) => path.first(*node),
            None => Some(*node),
        };
        let Some(value) = value else { continue };
        let text = value.scalar_text().unwrap_or_else(|| value.to_json().to_string().into());
        let text = if unique.fold { text.to_lowercase().into() } else { text };
        let key = (within.as_mut().and_then(|within| within.around(*node)), text);
        match first.get(&key) {
            None => {
                first.insert(key, value);
            }
            Some(first) if first.id() == value.id() => {}
            Some(first) if across.as_mut().is_some_and(|across| across.shared(*first, value)) => {}
            Some(first) => {
                let written = first.scalar_text().map(Cow::into_owned).unwrap_or_default();
                let same = owner(*first).to_json() == owner(value).to_json();
                let finding = Finding::at(value).with("first", written).with("same", same);
                findings.push(finding.place("first", first.span()));
            }
        }
    }
    findings
}

/// The mapping that a value tells apart from others; the value itself where it is an item.
fn owner(value: Node<'_>) -> Node<'_> {
    value.parent().filter(|parent| parent.is_mapping()).unwrap_or(value)
}

/// The nodes that a path selects; once for the document where it does not depend on the node.
struct Members<'p> {
    path: &'p JsonPath,
    fixed: Option<HashSet<NodeId>>,
}

impl<'p> Members<'p> {
    fn new(path: &'p JsonPath) -> Self {
        Self { path, fixed: None }
    }

    /// The innermost of them around a node.
    fn around(&mut self, node: Node<'_>) -> Option<NodeId> {
        let select = || self.path.select(node).into_iter().map(Node::id).collect();
        let selected;
        let members = if self.path.is_relative() {
            selected = select();
            &selected
        } else {
            self.fixed.get_or_insert_with(select)
        };
        node.ancestors().map(Node::id).find(|id| members.contains(id))
    }

    /// Whether both nodes stand in the same file and in the same one of them.
    fn shared(&mut self, first: Node<'_>, other: Node<'_>) -> bool {
        first.source_id() == other.source_id() && self.around(first) == self.around(other)
    }
}

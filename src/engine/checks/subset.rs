use std::borrow::Cow;

use foldhash::HashSet;

use super::Context;
use crate::{
    engine::{finding::Finding, route::Name},
    rules::check::Subset,
    tree::Node,
};

/// `subset`: every name of one route is among those of others. Routes that do not depend on the node
/// are followed once for all nodes.
pub(super) fn run<'t>(subset: &Subset, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
    let state = context.state;
    let fixed = subset.within.iter().filter(|route| route.is_absolute());
    let shared: HashSet<Cow<'t, str>> = match nodes.first() {
        Some(first) => fixed.flat_map(|route| state.route_names(route, *first)).map(|n| n.text).collect(),
        None => return Vec::new(),
    };
    let mut findings = Vec::new();
    for node in nodes {
        let names = match &subset.of {
            Some(route) => state.route_names(route, *node),
            None => state.name_of(*node).into_iter().collect(),
        };
        if names.iter().all(|name| shared.contains(&name.text)) {
            continue;
        }
        let relative = subset.within.iter().filter(|route| !route.is_absolute());
        let own: HashSet<Cow<'t, str>> =
            relative.flat_map(|route| state.route_names(route, *node)).map(|name| name.text).collect();
        for name in names {
            if !shared.contains(&name.text) && !own.contains(&name.text) {
                findings.push(stranger(subset, *node, name, &shared, &own));
            }
        }
    }
    findings
}

fn stranger<'t>(
    subset: &Subset,
    node: Node<'t>,
    name: Name<'t>,
    shared: &HashSet<Cow<'t, str>>,
    own: &HashSet<Cow<'t, str>>,
) -> Finding<'t> {
    let finding = if subset.blame_node {
        Finding::at_key(node)
    } else {
        Finding { span: name.span, ..Finding::at(name.node) }
    };
    let mut known: Vec<String> = own.union(shared).map(|name| name.clone().into_owned()).collect();
    known.sort_unstable();
    finding.among(&name.text, known).with("name", name.text.into_owned())
}

use std::collections::HashSet;

use super::Context;
use crate::{
    engine::finding::Finding,
    rules::{check::Reference, raw::Report},
    tree::Node,
};

/// `reference` with `once`: every bad name by its first use.
pub(super) fn once<'t>(
    reference: &Reference,
    nodes: &[Node<'t>],
    context: &Context<'_, 't>,
) -> Vec<Finding<'t>> {
    let mut seen = HashSet::new();
    let findings = nodes.iter().filter_map(|node| test(reference, *node, context));
    let mut findings: Vec<Finding<'t>> = findings.collect();
    findings.sort_by_key(|finding| (finding.source, finding.span));
    let name = |finding: &Finding<'t>| {
        finding.node.and_then(|node| Some(context.state.name_of(node)?.text.into_owned()))
    };
    findings.retain(|finding| name(finding).is_none_or(|name| seen.insert(name)));
    findings
}

/// `reference`: the name is declared in one of the symbol tables.
pub(super) fn test<'t>(
    reference: &Reference,
    node: Node<'t>,
    context: &Context<'_, 't>,
) -> Option<Finding<'t>> {
    let named = match &reference.name {
        Some(path) => path.first(node)?,
        None => node,
    };
    let held = context.state.name_of(named)?;
    let name = held.text.as_ref();
    let symbols = context.state.symbols();
    let declarations = symbols.find(name, named);
    if declarations.iter().any(|declaration| reference.to.iter().any(|table| table == declaration.table)) {
        return None;
    }
    // What is always known, such as a type, is not what a name was meant for.
    let other = declarations.iter().find(|declaration| declaration.node.is_some());
    let reported = match reference.report {
        Report::Any => true,
        Report::Undefined => other.is_none(),
        Report::WrongKind => other.is_some(),
    };
    if !reported {
        return None;
    }
    let names = symbols.names(&reference.to, named);
    let mut finding =
        Finding { span: held.span, ..Finding::at(named) }.among(name, names.into_iter().map(str::to_owned));
    if let Some(other) = other {
        finding = finding.with("kind", other.table);
        if let Some(place) = other.name {
            finding = finding.place("declaration", place.span());
        }
    }
    let nearest = finding.nearest.clone();
    let declared = nearest.and_then(|nearest| symbols.find(&nearest, named).first().and_then(|d| d.name));
    Some(match declared {
        Some(node) => finding.place("nearest", node.span()),
        None => finding,
    })
}

use foldhash::{HashSet, HashSetExt};

use super::Context;
use crate::{
    engine::{finding::Finding, route::Name, state::Declaration},
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

/// A name that is not declared as it must be.
pub(super) struct Fault<'s, 't> {
    named: Node<'t>,
    held: Name<'t>,
    /// What it is the name of instead.
    other: Option<&'s Declaration<'t>>,
}

/// Whether the name is declared in none of the symbol tables.
pub(super) fn fault<'s, 't>(
    reference: &Reference,
    node: Node<'t>,
    context: &Context<'s, 't>,
) -> Option<Fault<'s, 't>> {
    let named = match &reference.name {
        Some(path) => path.first(node)?,
        None => node,
    };
    let held = context.state.name_of(named)?;
    let declarations = context.state.symbols().find(&held.text, named);
    if declarations.iter().any(|declaration| reference.to.iter().any(|table| table == declaration.table)) {
        return None;
    }
    // What is always known, such as a type, is not what a name was meant for.
    let other = declarations.into_iter().find(|declaration| declaration.node.is_some());
    let reported = match reference.report {
        Report::Any => true,
        Report::Undefined => other.is_none(),
        Report::WrongKind => other.is_some(),
    };
    reported.then_some(Fault { named, held, other })
}

/// `reference`: the name is declared in one of the symbol tables.
pub(super) fn test<'t>(
    reference: &Reference,
    node: Node<'t>,
    context: &Context<'_, 't>,
) -> Option<Finding<'t>> {
    let Fault { named, held, other } = fault(reference, node, context)?;
    let name = held.text.as_ref();
    let symbols = context.state.symbols();
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

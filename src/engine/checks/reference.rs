use super::Context;
use crate::{
    engine::finding::Finding,
    rules::{check::Reference, raw::Report},
    tree::Node,
};

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
    let name = named.as_str()?;
    let symbols = context.state.symbols();
    let declarations = symbols.find(name, named);
    if declarations.iter().any(|declaration| reference.to.iter().any(|table| table == declaration.table)) {
        return None;
    }
    let other = declarations.first();
    let reported = match reference.report {
        Report::Any => true,
        Report::Undefined => other.is_none(),
        Report::WrongKind => other.is_some(),
    };
    if !reported {
        return None;
    }
    let names = symbols.names(&reference.to, named);
    let mut finding = Finding::at(named).among(name, names.into_iter().map(str::to_owned));
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

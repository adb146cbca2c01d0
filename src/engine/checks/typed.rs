use serde_json::Value;

use super::Context;
use crate::{
    engine::finding::Finding,
    kinds::TypeExpression,
    rules::{
        Route,
        check::{Demand, Typed},
    },
    tree::Node,
};

/// `typed`: a declared type, or a type expression, is as it must be.
pub(super) fn run<'t>(typed: &Typed, node: Node<'t>, context: &Context<'_, 't>) -> Vec<Finding<'t>> {
    let state = context.state;
    let Some(route) = &typed.of else {
        return match state.type_of(node) {
            Some(found) => judge(typed, node, node, &found, context).into_iter().collect(),
            None => unreadable(typed, node).into_iter().collect(),
        };
    };
    let names = state.route_names(route, node);
    let mut findings = Vec::new();
    let mut types = Vec::new();
    for name in names {
        let Some((declared, found)) = state.declared_type(&name.text, name.node) else {
            // A name without a readable type may be the one that fits.
            if typed.some {
                return Vec::new();
            }
            continue;
        };
        types.push(found.to_string());
        match judge(typed, node, name.node, &found, context) {
            Some(finding) => {
                let finding = Finding { span: name.span, ..finding }.with("name", name.text.into_owned());
                let near = declared.source_id() == name.node.source_id();
                findings.push(if near { finding.place("declaration", declared.span()) } else { finding });
            }
            None if typed.some => return Vec::new(),
            None => {}
        }
    }
    if typed.some && !types.is_empty() {
        let finding = Finding::at_key(node).with("type", types.join(", "));
        return vec![Finding { expected: wanted(&typed.demand), ..finding }];
    }
    findings
}

/// A node that is no type expression: a finding only for those who ask for one.
fn unreadable<'t>(typed: &Typed, node: Node<'t>) -> Option<Finding<'t>> {
    let text = node.as_str()?;
    matches!(typed.demand, Demand::Readable).then(|| Finding::at(node).with("type", text))
}

/// Judges the type of `node`; routes start at `origin`, the node that the rule selected.
fn judge<'t>(
    typed: &Typed,
    origin: Node<'t>,
    node: Node<'t>,
    found: &TypeExpression,
    context: &Context<'_, 't>,
) -> Option<Finding<'t>> {
    let state = context.state;
    let finding = || Finding::at(node).with("type", found.to_string()).with("base", found.base.as_str());
    let related = |route: &Route| {
        let other = related_type(typed, route, origin, context);
        other.map(|other| (other.to_string(), other))
    };
    let (holds, other) = match &typed.demand {
        Demand::OneOf(types) => (types.iter().any(|wanted| found.is(wanted)), None),
        Demand::List(wanted) => ((found.lists > 0) == *wanted, None),
        Demand::MaxLists(most) => (found.lists <= *most, None),
        Demand::PlainElements => (!found.optional_elements, None),
        Demand::Readable => (true, None),
        Demand::DeclaredIn(tables) => {
            let symbols = state.symbols();
            if symbols.find(&found.base, node).iter().any(|d| tables.iter().any(|table| table == d.table)) {
                return None;
            }
            // Of a name, a type that nothing declares is told where it is declared.
            if typed.of.is_some() && symbols.find(&found.base, node).is_empty() {
                return None;
            }
            let names = symbols.names(tables, node).into_iter().map(str::to_owned);
            return Some(base_place(finding().among(&found.base, names), node, &found.base));
        }
        Demand::Equals(route) => {
            let (text, other) = related(route)?;
            (other.same_as(found, 0), Some(text))
        }
        Demand::ElementOf(route) => {
            let (text, other) = related(route)?;
            (other.lists == 0 || other.same_as(found, 1), Some(text))
        }
        Demand::ListOf(route) => {
            let (text, other) = related(route)?;
            (found.lists == 0 || found.same_as(&other, 1), Some(text))
        }
    };
    if holds {
        return None;
    }
    let finding = finding().with("other", other.map_or(Value::Null, Value::from));
    Some(Finding { expected: wanted(&typed.demand), ..finding })
}

/// Where the name of the innermost element stands in a type expression.
fn base_place<'t>(finding: Finding<'t>, node: Node<'t>, base: &str) -> Finding<'t> {
    match node.raw().find(base) {
        Some(at) => {
            let start = node.span().start as usize + at;
            finding.place("base", crate::text::Span::new(start, start + base.len()))
        }
        None => finding,
    }
}

fn wanted(demand: &Demand) -> Vec<String> {
    match demand {
        Demand::OneOf(types) => types.clone(),
        _ => Vec::new(),
    }
}

/// The type of what a route leads to: of a declared name, or, by key, of the declaration or member
/// that has the node's key as its name.
fn related_type<'t>(
    typed: &Typed,
    route: &Route,
    node: Node<'t>,
    context: &Context<'_, 't>,
) -> Option<TypeExpression> {
    let state = context.state;
    if !typed.by_key {
        let name = state.route_names(route, node).into_iter().next()?;
        return state.declared_type(&name.text, name.node).map(|(_, found)| found);
    }
    let key = node.key()?;
    let named = |candidate: &Node<'t>| {
        candidate.key() == Some(key) || candidate.get("id").and_then(Node::as_str) == Some(key)
    };
    let found = state.follow(route, node).into_iter().find(named)?;
    state.type_of(found.get("type").unwrap_or(found))
}

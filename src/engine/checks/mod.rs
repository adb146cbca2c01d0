//! The check kinds: one file each.

mod acyclic;
mod count;
mod dataflow;
mod format;
mod keys;
mod one_of;
mod pattern;
mod range;
mod reference;
mod schema;
mod structure;
mod subset;
mod typed;
mod unique;
mod value_type;

use serde_json::Value;

use super::{
    finding::Finding,
    state::{NodeBindings, State},
};
use crate::{
    rules::Check,
    tree::{JsonPath, Node},
};

/// What a check may ask for besides the node.
pub(super) struct Context<'s, 't> {
    pub(super) state: &'s State<'t>,
    pub(super) options: &'s Value,
}

impl<'s, 't> Context<'s, 't> {
    pub(super) fn bindings(&self, node: Node<'t>) -> NodeBindings<'s, 't> {
        NodeBindings { state: self.state, node: Some(node), options: self.options, values: &[] }
    }
}

/// Runs a check on all nodes that a rule selects in a document.
pub(super) fn run<'t>(check: &Check, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
    match check {
        Check::Unique(unique) => unique::run(unique, nodes),
        Check::Subset(subset) => subset::run(subset, nodes, context),
        Check::Typed(typed) => nodes.iter().flat_map(|node| typed::run(typed, *node, context)).collect(),
        Check::Each(cases) => nodes.iter().flat_map(|node| each(cases, *node, context)).collect(),
        Check::Reference(reference) if reference.once => reference::once(reference, nodes, context),
        Check::First(check) => run(check, nodes, context).into_iter().take(1).collect(),
        Check::Implies(both) => {
            let holding = nodes.iter().copied().filter(|node| holds(&both.0, *node, context));
            let nodes: Vec<Node<'t>> = holding.collect();
            run(&both.1, &nodes, context)
        }
        Check::Acyclic(acyclic) => acyclic::run(acyclic, nodes, context.state),
        Check::Schema(schema) => nodes.iter().flat_map(|node| schema::run(schema, *node, context)).collect(),
        Check::Required { keys, any } => {
            nodes.iter().flat_map(|node| keys::missing(keys, *any, *node)).collect()
        }
        Check::Forbidden(keys) => {
            nodes.iter().flat_map(|node| keys::forbidden(keys.as_deref(), *node)).collect()
        }
        Check::Dataflow(flow) => {
            nodes.iter().flat_map(|node| dataflow::run(flow, *node, context.state)).collect()
        }
        _ => nodes.iter().filter_map(|node| test(check, *node, context)).collect(),
    }
}

/// Runs a check on one node; the first finding where there are several.
fn test<'t>(check: &Check, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
    match check {
        Check::Observed(..) => None,
        Check::Type(types) => value_type::test(types, node),
        Check::OneOf(one_of) => one_of::test(one_of, node),
        Check::Pattern(pattern) => pattern::test(pattern, node),
        Check::Count(count) => count::test(count, node, context),
        Check::Reference(reference) => reference::test(reference, node, context),
        Check::Range(range) => range::test(range, node, context),
        Check::Format(format) => format::test(*format, node),
        Check::Cel(condition) => (!condition.holds(&context.bindings(node), true)).then(|| Finding::at(node)),
        Check::All(checks) => checks.iter().find_map(|check| test(check, node, context)),
        Check::Any(checks) => {
            let mut first = None;
            for check in checks {
                let finding = test(check, node, context)?;
                first.get_or_insert(finding);
            }
            first
        }
        Check::Not(check) => holds(check, node, context).then(|| Finding::at(node)),
        Check::Unique(_)
        | Check::Acyclic(_)
        | Check::Schema(_)
        | Check::Required { .. }
        | Check::Forbidden(_)
        | Check::Subset(_)
        | Check::Typed(_)
        | Check::Each(_)
        | Check::First(_)
        | Check::Implies(_)
        | Check::Dataflow(_) => run(check, &[node], context).into_iter().next(),
    }
}

/// Whether a check has nothing to find at a node; what it would say of it is not made up.
fn holds<'t>(check: &Check, node: Node<'t>, context: &Context<'_, 't>) -> bool {
    match check {
        Check::Reference(reference) => reference::fault(reference, node, context).is_none(),
        Check::All(checks) => checks.iter().all(|check| holds(check, node, context)),
        Check::Any(checks) => checks.iter().any(|check| holds(check, node, context)),
        Check::Not(check) => !holds(check, node, context),
        _ => test(check, node, context).is_none(),
    }
}

/// The findings of several checks, each at the nodes that its paths lead to.
fn each<'t>(cases: &[(Vec<JsonPath>, Check)], node: Node<'t>, context: &Context<'_, 't>) -> Vec<Finding<'t>> {
    let mut findings = Vec::new();
    for (paths, check) in cases {
        let mut nodes = Vec::new();
        for path in paths {
            path.visit(node, &mut |found| nodes.push(found));
        }
        if !nodes.is_empty() {
            findings.extend(run(check, &nodes, context));
        }
    }
    findings
}

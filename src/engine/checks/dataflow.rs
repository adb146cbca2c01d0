use std::collections::{HashMap, HashSet};

use super::names;
use crate::{engine::finding::Finding, rules::check::Dataflow, tree::Node};

/// `dataflow`: what a step uses was known at the start or produced by an earlier step; with
/// `must_define`, what must be known at the end is.
pub(super) fn run<'t>(flow: &Dataflow, node: Node<'t>) -> Vec<Finding<'t>> {
    let mut known: HashSet<String> = names(&flow.init, node).into_iter().map(|(name, _)| name).collect();
    let steps = flow.over.select(node);
    let mut later: HashMap<String, Node<'t>> = HashMap::new();
    for step in steps.iter().rev() {
        later.extend(names(&flow.defs, *step));
    }
    let mut findings = Vec::new();
    for step in &steps {
        if flow.must_define.is_empty() {
            for (name, at) in names(&flow.uses, *step) {
                if !known.contains(&name) {
                    findings.push(unknown(name, at, &known, &later));
                }
            }
        }
        known.extend(names(&flow.defs, *step).into_iter().map(|(name, _)| name));
    }
    for (name, at) in names(&flow.must_define, node) {
        if !known.contains(&name) {
            findings.push(unknown(name, at, &known, &HashMap::new()));
        }
    }
    findings
}

fn unknown<'t>(
    name: String,
    at: Node<'t>,
    known: &HashSet<String>,
    later: &HashMap<String, Node<'t>>,
) -> Finding<'t> {
    let mut candidates: Vec<String> = known.iter().cloned().collect();
    candidates.sort_unstable();
    let finding = Finding::at(at).among(&name, candidates);
    let produced = later.get(&name).map(|node| node.span());
    let finding = finding.with("name", name);
    match produced {
        Some(span) => finding.place("later", span),
        None => finding,
    }
}

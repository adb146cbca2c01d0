use std::borrow::Cow;

use foldhash::HashSet;

use crate::{
    engine::{finding::Finding, route::Name, state::State},
    rules::check::Dataflow,
    tree::Node,
};

/// `dataflow`: what a step uses was known at the start or produced by an earlier step; with
/// `must_define`, what must be known at the end is.
pub(super) fn run<'t>(flow: &Dataflow, node: Node<'t>, state: &State<'t>) -> Vec<Finding<'t>> {
    let mut known: HashSet<Cow<'t, str>> =
        state.names(&flow.init, node).into_iter().map(|name| name.text).collect();
    let steps: Vec<Node<'t>> =
        flow.over.select(node).into_iter().map(|step| stands_for(flow, step, state)).collect();
    let mut findings = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        if flow.must_define.is_empty() {
            for name in state.names(&flow.uses, *step) {
                if !known.contains(&name.text) {
                    let later = produced_later(flow, &steps[position..], &name.text, state);
                    let text = name.text.clone();
                    findings.push(report(name, &known, later));
                    // One missing name is one finding, however often it is used.
                    known.insert(text);
                }
            }
        }
        known.extend(state.names(&flow.defs, *step).into_iter().map(|name| name.text));
    }
    for name in state.names(&flow.must_define, node) {
        if !known.contains(&name.text) {
            findings.push(report(name, &known, None));
        }
    }
    findings
}

/// A step that is only a reference is the step it names.
fn stands_for<'t>(flow: &Dataflow, step: Node<'t>, state: &State<'t>) -> Node<'t> {
    let (Some(table), Some(key)) = (&flow.steps, &state.pack.reference_key) else { return step };
    if step.get(key).is_none() {
        return step;
    }
    let Some(name) = state.name_of(step) else { return step };
    let declarations = state.symbols().find(&name.text, step);
    let declared = declarations.into_iter().find(|d| d.table == table).and_then(|d| d.node);
    declared.unwrap_or(step)
}

fn produced_later<'t>(
    flow: &Dataflow,
    steps: &[Node<'t>],
    name: &str,
    state: &State<'t>,
) -> Option<Name<'t>> {
    steps.iter().flat_map(|step| state.names(&flow.defs, *step)).find(|made| made.text == name)
}

fn report<'t>(name: Name<'t>, known: &HashSet<Cow<'t, str>>, later: Option<Name<'t>>) -> Finding<'t> {
    let mut candidates: Vec<String> = known.iter().map(|name| name.clone().into_owned()).collect();
    candidates.sort_unstable();
    let finding = Finding { span: name.span, ..Finding::at(name.node) };
    let finding = finding.among(&name.text, candidates).with("name", name.text.into_owned());
    match later.filter(|later| later.node.source_id() == name.node.source_id()) {
        Some(later) => finding.place("later", later.span),
        None => finding,
    }
}

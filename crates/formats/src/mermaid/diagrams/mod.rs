//! What the descriptions of diagram types cannot say: semantic passes, and trees that are more than the parts
//! of the text. One file for each type that has such a pass.

mod agentflow;
mod block;
mod c4;
mod class;
mod date_format;
mod er;
mod flow_tree;
mod flowchart;
mod gantt;
mod gitgraph;
mod journey;
mod kanban;
mod lifelines;
mod mindmap;
mod packet;
mod pie;
mod sequence;
mod state;
mod task;
mod treeview;
mod usecase;
mod wardley;
mod xychart;

use super::{
    diagram::{Diagram, Findings},
    syntax::Syntax,
    tree::TreeWriter,
};

/// Observes what the grammar of a type does not.
pub(super) type Check = for<'t> fn(&'t Syntax<'t>, &mut Findings);

/// Adds to the open root of the tree what parts alone do not say.
pub(super) type Write = for<'t> fn(&'t Syntax<'t>, &mut TreeWriter<'_>);

/// The checks, by the name of the type.
const CHECKS: &[(&str, Check)] = &[
    ("agentflow", agentflow::check),
    ("block", block::check),
    ("c4", c4::check),
    ("class", class::check),
    ("er", er::check),
    ("flowchart", flowchart::check),
    ("kanban", kanban::check),
    ("mindmap", mindmap::check),
    ("pie", pie::check),
    ("sequence", sequence::check),
    ("state", state::check),
    ("treeView", treeview::check),
    ("usecase", usecase::check),
    ("wardley", wardley::check),
    ("xychart", xychart::check),
];

/// What is added to trees, by the name of the type.
const TREES: &[(&str, Write)] = &[
    ("flowchart", flow_tree::write),
    ("gantt", gantt::planned),
    ("gitGraph", gitgraph::write),
    ("journey", journey::scored),
    ("packet", packet::write),
    ("sequence", lifelines::write),
];

/// The check of a type that has one.
pub(super) fn check(diagram: &Diagram) -> Option<Check> {
    CHECKS.iter().find(|(name, _)| *name == diagram.name).map(|(_, check)| *check)
}

/// What adds to the tree of a type.
pub(super) fn tree(diagram: &Diagram) -> Option<Write> {
    TREES.iter().find(|(name, _)| *name == diagram.name).map(|(_, write)| *write)
}

#[cfg(test)]
mod tests {
    use super::{super::grammars::DIAGRAMS, *};

    #[test]
    fn every_pass_is_of_a_type_that_is_described() {
        let passes = CHECKS.iter().map(|(name, _)| *name).chain(TREES.iter().map(|(name, _)| *name));
        let unknown: Vec<&str> =
            passes.filter(|name| DIAGRAMS.iter().all(|diagram| diagram.name != *name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

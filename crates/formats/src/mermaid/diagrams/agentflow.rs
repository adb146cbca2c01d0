//! agentflow-beta.

use crate::mermaid::{
    diagram::{Blocks, Findings},
    grammars::rules::agentflow as rule,
    syntax::Syntax,
    yaml,
};

/// Shapes that only this diagram type has.
const SHAPES: &[&str] = &["action", "decision", "input", "refdoc", "round", "task", "tool"];

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let blocks = Blocks::new("err_missing_end", "err_surplus_end");
    blocks.check(syntax, &["flow", "global"], "end_statement", findings);
    for part in syntax.children() {
        for data in part.find_all(rule::SHAPE_YAML) {
            let tree = yaml::metadata_with_commas(data, findings);
            // What a flow or a connector says is kept, but has no shape.
            if let Some(tree) = tree.filter(|_| part.is(rule::EDGES)) {
                yaml::shape(data, &tree, yaml::KnownShapes::And(SHAPES), findings);
            }
        }
    }
}

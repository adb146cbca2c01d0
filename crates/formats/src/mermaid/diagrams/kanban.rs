//! kanban.

use crate::mermaid::{
    diagram::Findings, grammars::rules::kanban as rule, labels::raw_shape_fault, syntax::Syntax, yaml,
};

/// The first node is a column; nothing is indented less than it.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut indent = 0;
    let mut first: Option<usize> = None;
    let mut shallow = false;
    for part in syntax.children() {
        match part.number() {
            rule::INDENT => indent = part.text().chars().count(),
            rule::NODE => {
                if let Some(raw) = part.find(rule::RAW_SHAPE) {
                    findings.push(raw_shape_fault(raw));
                }
                if let Some(data) = part.find(rule::SHAPE_YAML)
                    && let Some(tree) = yaml::metadata(data, findings)
                {
                    yaml::shape(data, &tree, yaml::KnownShapes::Any, findings);
                }
                if shallow {
                    findings.at("kanban-without-column", part);
                    return;
                }
                shallow = indent < *first.get_or_insert(indent);
            }
            _ => {}
        }
    }
}

//! kanban.

use crate::mermaid::{diagram::Findings, labels::raw_shape_fault, syntax::Syntax, yaml};

/// The first node is a column; nothing is indented less than it.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut indent = 0;
    let mut first: Option<usize> = None;
    let mut shallow = false;
    for part in syntax.children() {
        match part.rule() {
            "indent" => indent = part.text().chars().count(),
            "node" => {
                if let Some(raw) = part.find("raw_shape") {
                    findings.push(raw_shape_fault(raw));
                }
                if let Some(data) = part.find("shape_yaml")
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

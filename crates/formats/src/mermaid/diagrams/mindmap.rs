//! mindmap.

use crate::mermaid::{diagram::Findings, labels::raw_shape_fault, syntax::Syntax};

/// Shapes that are not closed, or whose labels have brackets.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    for raw in syntax.named("raw_shape") {
        findings.push(raw_shape_fault(raw));
    }
}

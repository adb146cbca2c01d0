//! timeline.

use crate::kinds::mermaid::{diagram::Findings, syntax::Syntax};

/// An event belongs to the period before it.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut period = false;
    for part in syntax.children() {
        match part.rule() {
            "period" => period = true,
            "event" if !period => findings.at("timeline-event-first", part),
            _ => {}
        }
    }
}

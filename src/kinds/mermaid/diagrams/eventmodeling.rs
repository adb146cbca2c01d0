//! eventmodeling.

use std::collections::HashSet;

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Findings, trimmed},
        syntax::Syntax,
    },
};

/// Every frame has a number of its own.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for id in syntax.named("frame").filter_map(|frame| frame.find("frame_id")) {
        if !seen.insert(id.text()) {
            findings.push(Observation::new("frame-id-used", trimmed(id)).with("id", id.text()));
        }
    }
}

//! eventmodeling.

use std::collections::HashSet;

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Diagram, Field, Findings, List, no_more, trimmed},
        grammars,
        syntax::Syntax,
    },
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "eventmodeling",
    grammar: &grammars::EVENTMODELING,
    statements: &[
        ("tf", "tf 01 cmd Name"),
        ("timeframe", "timeframe 01 command Name"),
        ("rf", "rf 01 cmd Name"),
        ("entity", "entity Name"),
        ("data", "data Name {"),
        ("note", "note 01 {"),
        ("gwt", "gwt 01 given evt A then evt B"),
        ("title", "title text"),
    ],
    arrows: &["->>"],
    lists: &[List {
        key: "frames",
        rules: &["frame"],
        fields: &[
            Field::One("id", "frame_id"),
            Field::One("type", "entity_type"),
            Field::One("name", "name"),
        ],
    }],
    check,
    more: no_more,
};

/// Every frame has a number of its own.
fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for id in syntax.named("frame").filter_map(|frame| frame.find("frame_id")) {
        if !seen.insert(id.text()) {
            findings.push(Observation::new("frame-id-used", trimmed(id)).with("id", id.text()));
        }
    }
}

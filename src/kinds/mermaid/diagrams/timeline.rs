//! timeline.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, Findings, List, no_more},
    grammars,
    syntax::Syntax,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "timeline",
    grammar: &grammars::TIMELINE,
    statements: &[("title", "title text"), ("section", "section text")],
    arrows: &[],
    lists: &[
        List { key: "periods", rules: &["period"], fields: &[Field::One("text", "period_text")] },
        List { key: "events", rules: &["event"], fields: &[Field::One("text", "event_text")] },
        List { key: "sections", rules: &["section"], fields: &[Field::One("name", "section_name")] },
    ],
    check,
    more: no_more,
};

/// An event belongs to the period before it.
fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut period = false;
    for part in syntax.children() {
        match part.rule() {
            "period" => period = true,
            "event" if !period => findings.at("timeline-event-first", part),
            _ => {}
        }
    }
}

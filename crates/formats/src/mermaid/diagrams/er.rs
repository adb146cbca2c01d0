//! erDiagram.

use crate::{
    Observation,
    mermaid::{
        diagram::{Blocks, Findings, trimmed},
        grammars::rules::er as rule,
        syntax::{Part, Syntax},
    },
    text::Span,
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    Blocks::new("err_missing_end", "err_surplus_end").check(syntax, &["subgraph"], "end_statement", findings);
    for part in syntax.children() {
        match part.number() {
            // Nothing in it is at fault by itself: the reading by lines found no better reason.
            rule::ENTITY => {
                if let Some(block) = part.find(rule::FAULTY_BLOCK)
                    && !block.descendants().any(|inner| inner.rule().starts_with("err_"))
                {
                    findings.at("err_attribute", block);
                }
            }
            rule::RELATION => role(part, findings),
            _ => {}
        }
    }
}

/// A label of several words: the first is taken as the label, the rest fits nowhere.
fn role(part: Part<'_>, findings: &mut Findings) {
    let (Some(role), Some(rest)) = (part.find(rule::ROLE), part.find(rule::RAW_ROLE_REST)) else { return };
    let place = trimmed(role).cover(trimmed(rest));
    let start = (place.start - part.span().start) as usize;
    let label = part.text()[start..].trim().replace('"', "");
    findings.push(
        Observation::new("err_role_words", Span { start: trimmed(rest).start, ..place })
            .with("label", label.as_str())
            .with("quoted", format!("\"{label}\""))
            .at("label", place),
    );
}

//! block, block-beta.

use crate::Observation;
use crate::mermaid::{
    diagram::{Blocks, Findings, require_statement, trimmed},
    grammars::rules::block as rule,
    labels::raw_shape_fault,
    syntax::Syntax,
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_missing_end", "err_surplus_end");
    for part in syntax.children() {
        blocks.statement(part);
        match part.number() {
            rule::BLOCK => blocks.open(part),
            rule::END_STATEMENT => blocks.close_filled(part, findings),
            _ => {}
        }
    }
    for text in syntax.named("edge_text") {
        let label = text.text().trim();
        findings.push(
            Observation::new("err_unquoted", trimmed(text))
                .with("bare", label)
                .with("quoted", format!("\"{}\"", label.replace('"', "'"))),
        );
    }
    for raw in syntax.named("raw_label") {
        findings.push(raw_shape_fault(raw));
    }
    require_statement(syntax, blocks.statements(), findings);
    blocks.finish(syntax.text(), findings);
}

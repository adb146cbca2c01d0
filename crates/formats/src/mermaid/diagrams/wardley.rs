//! wardley-beta.

use crate::mermaid::{
    diagram::{Blocks, Findings},
    grammars::rules::wardley as rule,
    syntax::{Part, Syntax},
};

/// Components have one coordinate in a pipeline and two outside of it.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_unclosed_braces", "err_stray_brace");
    for part in syntax.children() {
        match part.number() {
            rule::COMPONENT if blocks.innermost().is_none() == single(part) => {
                findings.at("err_block_content", part);
            }
            rule::PIPELINE => blocks.open(part),
            rule::PIPELINE_END => blocks.close(part, findings),
            _ => {}
        }
    }
    blocks.finish(syntax.text(), findings);
}

/// Whether a component has one coordinate only, as those of a pipeline have.
fn single(part: Part<'_>) -> bool {
    part.find_all(rule::COORDINATE).count() == 1
}

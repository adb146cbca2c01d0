//! wardley-beta.

use crate::mermaid::{
    diagram::{Blocks, Findings},
    syntax::{Part, Syntax},
};

/// Components have one coordinate in a pipeline and two outside of it.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_unclosed_braces", "err_stray_brace");
    for part in syntax.children() {
        match part.rule() {
            "component" if blocks.innermost().is_none() == single(part) => {
                findings.at("err_block_content", part);
            }
            "pipeline" => blocks.open(part),
            "pipeline_end" => blocks.close(part, findings),
            _ => {}
        }
    }
    blocks.finish(syntax.text(), findings);
}

/// Whether a component has one coordinate only, as those of a pipeline have.
fn single(part: Part<'_>) -> bool {
    part.find_all("coordinate").count() == 1
}

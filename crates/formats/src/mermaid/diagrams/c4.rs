//! `C4Context`, `C4Container`, `C4Component`, `C4Dynamic`, `C4Deployment`.

use crate::mermaid::{
    diagram::{Blocks, Findings, require_statement},
    syntax::Syntax,
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_unclosed_braces", "err_stray_brace");
    for part in syntax.children() {
        blocks.statement(part);
        match part.rule() {
            "c4_title" if blocks.is_first() => findings.at("err_block_content", part),
            "boundary" if part.find("err_c4_brace").is_none() => blocks.open(part),
            "close" => blocks.close_filled(part, findings),
            _ => {}
        }
    }
    require_statement(syntax, blocks.statements(), findings);
    blocks.finish(syntax.text(), findings);
}

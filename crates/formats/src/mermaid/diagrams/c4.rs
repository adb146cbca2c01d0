//! `C4Context`, `C4Container`, `C4Component`, `C4Dynamic`, `C4Deployment`.

use crate::{
    Observation,
    mermaid::{
        diagram::{Blocks, Findings, require_statement},
        grammars::rules::c4 as rule,
        syntax::{Part, Syntax},
    },
    text::Span,
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_unclosed_braces", "err_stray_brace");
    for part in syntax.children() {
        blocks.statement(part);
        match part.number() {
            rule::C4_TITLE if blocks.is_first() => findings.at("err_block_content", part),
            rule::BOUNDARY if part.find(rule::ERR_C4_BRACE).is_none() => blocks.open(part),
            rule::BOUNDARY if reads_past_brace(syntax, part, findings) => {
                blocks.open(part);
                // What was read as its arguments.
                blocks.statement(part);
            }
            rule::CLOSE => blocks.close_filled(part, findings),
            _ => {}
        }
    }
    require_statement(syntax, blocks.statements(), findings);
    blocks.finish(syntax.text(), findings);
}

/// Whether the arguments of a boundary include the brace at the end of its line: an argument without quotes extends to the
/// next comma. The arguments are the cause then, not what follows them.
fn reads_past_brace(syntax: &Syntax<'_>, part: Part<'_>, findings: &mut Findings) -> bool {
    let whole = part.span();
    let line = part.text().lines().next().unwrap_or_default().trim_end();
    let Some(arguments) = line.find('(').filter(|_| line.ends_with('{') && part.text().contains('\n')) else {
        return false;
    };
    let span = Span::new(whole.start as usize + arguments, whole.start as usize + line.len());
    findings.observations.retain(|observation| {
        observation.name != "err_c4_brace" || !(whole.start..=whole.end).contains(&observation.span.start)
    });
    let text = &syntax.text()[span.start as usize..span.end as usize];
    findings.push(Observation::new("err_c4_arguments", span).with("arguments", text).at("arguments", span));
    true
}

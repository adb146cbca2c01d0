//! `C4Context`, `C4Container`, `C4Component`, `C4Dynamic`, `C4Deployment`.

use crate::kinds::mermaid::{
    diagram::{Blocks, Findings, require_statement},
    syntax::Syntax,
};

/// Macros that there are.
const MACROS: &[&str] = &[
    "Person",
    "Person_Ext",
    "System",
    "System_Ext",
    "SystemDb",
    "SystemDb_Ext",
    "SystemQueue",
    "SystemQueue_Ext",
    "Container",
    "Container_Ext",
    "ContainerDb",
    "ContainerDb_Ext",
    "ContainerQueue",
    "ContainerQueue_Ext",
    "Component",
    "Component_Ext",
    "ComponentDb",
    "ComponentDb_Ext",
    "ComponentQueue",
    "ComponentQueue_Ext",
    "Boundary",
    "Enterprise_Boundary",
    "System_Boundary",
    "Container_Boundary",
    "Deployment_Node",
    "Node",
    "Node_L",
    "Node_R",
    "Rel",
    "BiRel",
    "Rel_Up",
    "Rel_U",
    "Rel_Down",
    "Rel_D",
    "Rel_Left",
    "Rel_L",
    "Rel_Right",
    "Rel_R",
    "Rel_Back",
    "RelIndex",
    "UpdateElementStyle",
    "UpdateRelStyle",
    "UpdateLayoutConfig",
];

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    for observation in findings.observations.iter_mut().filter(|seen| seen.name == "err_c4_macro") {
        let word = observation.values.first().and_then(|(_, word)| word.as_str()).unwrap_or_default();
        if let Some(near) = crate::text::nearest(word, MACROS.iter().copied()) {
            observation.values.push(("nearest".into(), near.into()));
        }
    }
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

//! wardley-beta.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Blocks, Findings, trimmed},
        syntax::{Part, Syntax},
    },
};

/// Coordinates are shares of one or of a hundred; a pipeline belongs to a component.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_unclosed_braces", "err_stray_brace");
    let mut known: Vec<&str> = Vec::new();
    for part in syntax.children() {
        match part.rule() {
            "component" if blocks.innermost().is_none() == single(part) => {
                findings.at("err_block_content", part);
            }
            "component" | "anchor" if blocks.innermost().is_none() => {
                known.extend(part.find("name").map(|name| name.text().trim().trim_matches('"')));
            }
            "pipeline" => blocks.open(part),
            "pipeline_end" => {
                blocks.close(part, findings);
            }
            _ => {}
        }
    }
    for pipeline in syntax.named("pipeline") {
        if let Some(name) =
            pipeline.find("name").filter(|name| !known.contains(&name.text().trim().trim_matches('"')))
        {
            findings.push(
                Observation::new("wardley-pipeline-unknown", trimmed(name)).with("name", name.text().trim()),
            );
        }
    }
    for coordinate in syntax.named("coordinate") {
        if coordinate.text().parse::<f64>().is_ok_and(|value| value > 100.0) {
            findings.push(
                Observation::new("wardley-coordinate", coordinate.span()).with("value", coordinate.text()),
            );
        }
    }
    blocks.finish(syntax.text(), findings);
}

/// Whether a component has one coordinate only, as those of a pipeline have.
fn single(part: Part<'_>) -> bool {
    part.find_all("coordinate").count() == 1
}

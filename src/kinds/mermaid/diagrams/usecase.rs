//! usecase-beta.

use std::collections::HashSet;

use crate::kinds::Observation;
use crate::kinds::mermaid::{
    diagram::{Blocks, Findings, trimmed},
    syntax::{Part, Syntax},
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    Blocks::new("err_missing_end", "err_surplus_end").check(syntax, &["boundary"], "end_statement", findings);
    targets(syntax, findings);
}

/// Styles, classes and metadata are for something that the diagram has.
fn targets(syntax: &Syntax<'_>, findings: &mut Findings) {
    let declaring = ["actor_item", "entity_name", "boundary", "json", "relation"];
    let names = |part: Part<'_>| {
        part.children()
            .find(|child| matches!(child.rule(), "id" | "quoted" | "word"))
            .map(|id| id.text().trim_matches('"').to_owned())
    };
    let known: HashSet<String> =
        syntax.all().filter(|part| declaring.contains(&part.rule())).filter_map(names).collect();
    for part in
        syntax.all().filter(|part| matches!(part.rule(), "style" | "class_statement" | "metadata_statement"))
    {
        let Some(target) = part.children().find(|child| matches!(child.rule(), "id" | "quoted")) else {
            continue;
        };
        if !known.contains(target.text().trim_matches('"')) {
            findings.push(
                Observation::new("usecase-target-unknown", trimmed(target)).with("name", target.text()),
            );
        }
    }
}

//! venn-beta.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Findings, trimmed},
        syntax::Syntax,
    },
};

/// A union names two or more sets that were made before it.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut known: Vec<&str> = Vec::new();
    for part in syntax.children() {
        match part.rule() {
            "set" => known.extend(part.find("id").map(|id| id.text().trim_matches('"'))),
            "union" => {
                let ids: Vec<_> = part.find_all("id").collect();
                if ids.len() < 2 {
                    findings.at("venn-union-of-one", part);
                }
                for id in ids.iter().filter(|id| !known.contains(&id.text().trim_matches('"'))) {
                    findings.push(Observation::new("venn-set-unknown", trimmed(*id)).with("name", id.text()));
                }
            }
            _ => {}
        }
    }
}

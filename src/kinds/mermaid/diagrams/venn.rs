//! venn-beta.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Diagram, Field, Findings, List, no_more, trimmed},
        grammars,
        syntax::Syntax,
    },
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "venn",
    grammar: &grammars::VENN,
    statements: &[
        ("title", "title text"),
        ("set", "set A[\"Label\"]"),
        ("union", "union A,B[\"Label\"]"),
        ("text", "text A,B \"text\""),
        ("style", "style A fill: #f9f"),
    ],
    arrows: &[],
    lists: &[
        List {
            key: "sets",
            rules: &["set"],
            fields: &[Field::One("id", "id"), Field::One("label", "label")],
        },
        List {
            key: "unions",
            rules: &["union"],
            fields: &[Field::Many("ids", "id"), Field::One("label", "label")],
        },
    ],
    check,
    more: no_more,
};

/// A union names two or more sets that were made before it.
fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
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

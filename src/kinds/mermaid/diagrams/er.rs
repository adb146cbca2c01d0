//! erDiagram.

use crate::{
    kinds::{
        Observation,
        mermaid::{
            diagram::{Blocks, Diagram, Field, Findings, List, no_more, trimmed},
            grammars,
            syntax::{Part, Syntax},
        },
    },
    text::Span,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "er",
    grammar: &grammars::ER,
    statements: &[
        ("direction", "direction TB|BT|LR|RL"),
        ("classDef", "classDef name fill:#f9f"),
        ("class", "class ENTITY name"),
        ("style", "style ENTITY fill:#f9f"),
        ("subgraph", "subgraph name"),
        ("end", "end"),
    ],
    arrows: &[
        "||--||", "||--o{", "||--|{", "}o--||", "}|--||", "|o--o|", "}o--o{", "}|--|{", "||--o|", "|o--||",
        "||..o{", "||..||",
    ],
    lists: &[
        List {
            key: "entities",
            rules: &["entity"],
            fields: &[
                Field::One("name", "name"),
                Field::One("alias", "alias"),
                Field::Many("attributes", "attribute"),
            ],
        },
        List {
            key: "attributes",
            rules: &["attribute", "line_attribute"],
            fields: &[
                Field::One("type", "attribute_type"),
                Field::One("name", "attribute_name"),
                Field::One("keys", "keys"),
                Field::One("comment", "attribute_comment"),
            ],
        },
        List {
            key: "relations",
            rules: &["relation"],
            fields: &[
                Field::One("left", "left"),
                Field::One("leftCardinality", "cardinality_left"),
                Field::One("line", "line_type"),
                Field::One("rightCardinality", "cardinality_right"),
                Field::One("right", "right"),
                Field::One("label", "role"),
            ],
        },
    ],
    check,
    more: no_more,
};

fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    Blocks::new("err_missing_end", "err_surplus_end").check(syntax, &["subgraph"], "end_statement", findings);
    for part in syntax.children() {
        match part.rule() {
            // Nothing in it is at fault by itself: the reading by lines found no better reason.
            "entity" => {
                if let Some(block) = part.find("faulty_block")
                    && !block.descendants().any(|inner| inner.rule().starts_with("err_"))
                {
                    findings.at("err_attribute", block);
                }
            }
            "relation" => role(part, findings),
            _ => {}
        }
    }
}

/// A label of several words: the first is taken as the label, the rest fits nowhere.
fn role(part: Part<'_>, findings: &mut Findings) {
    let (Some(role), Some(rest)) = (part.find("role"), part.find("raw_role_rest")) else { return };
    let place = trimmed(role).cover(trimmed(rest));
    let start = (place.start - part.span().start) as usize;
    let label = part.text()[start..].trim().replace('"', "");
    findings.push(
        Observation::new("err_role_words", Span { start: trimmed(rest).start, ..place })
            .with("label", label.as_str())
            .with("quoted", format!("\"{label}\""))
            .at("label", place),
    );
}

//! stateDiagram, stateDiagram-v2.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Blocks, Diagram, Field, Findings, List, no_more, trimmed},
        grammars,
        syntax::{Part, Syntax},
    },
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "state",
    grammar: &grammars::STATE,
    statements: &[
        ("state", "state \"text\" as id"),
        ("note", "note right of id : text"),
        ("direction", "direction TB|BT|LR|RL"),
        ("classDef", "classDef name fill:#f9f"),
        ("class", "class id name"),
        ("style", "style id fill:#f9f"),
        ("click", "click id href \"https://…\""),
        ("scale", "scale 350 width"),
    ],
    arrows: &["-->"],
    lists: &[
        List {
            key: "transitions",
            rules: &["transition"],
            fields: &[Field::One("from", "from"), Field::One("to", "to"), Field::One("label", "description")],
        },
        List {
            key: "states",
            rules: &["state", "described", "state_id"],
            fields: &[
                Field::One("id", "id"),
                Field::One("name", "plain_state"),
                Field::One("alias", "as_id"),
                Field::One("label", "quoted_state"),
                Field::One("description", "description"),
                Field::One("special", "special_kind"),
            ],
        },
        List {
            key: "notes",
            rules: &["note"],
            fields: &[Field::One("state", "note_id"), Field::One("text", "note_text")],
        },
    ],
    check,
    more: no_more,
};

fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_unclosed_braces", "lint-stray-brace");
    for part in syntax.statements() {
        match part.rule() {
            "state" if part.find("open").is_some() => blocks.open(part),
            "close" => {
                blocks.close(part, findings);
            }
            "concurrent" if blocks.innermost().is_none() => findings.at("err_concurrency_outside", part),
            "transition" => arrow(part, blocks.innermost().is_some(), findings),
            "state_id" if part.text().trim().chars().all(|c| ARROW_CHARACTERS.contains(&c)) => {
                findings.push(
                    Observation::new("lint-state-arrow", trimmed(part))
                        .with("found", part.text().trim())
                        .with("nearest", "-->"),
                );
            }
            _ => {}
        }
    }
    blocks.finish(syntax.text(), findings);
}

/// Characters of arrows that a state's id may be made of, so that `A => B` is three states.
const ARROW_CHARACTERS: &[char] = &['=', '>', '.', '<', '→', '—', '–', '⇒', '~', '|'];

fn arrow(part: Part<'_>, inside: bool, findings: &mut Findings) {
    let Some(arrow) = part.find("raw_state_arrow") else { return };
    let read_as_regions = inside && arrow.text().starts_with("--");
    let name = if read_as_regions { "lint-state-arrow" } else { "err_arrow" };
    findings.push(
        Observation::new(name, arrow.span())
            .with("found", arrow.text())
            .with("line", part.text().trim())
            .with("nearest", "-->")
            .with("expected", vec!["-->".to_owned()]),
    );
}

//! block, block-beta.

use crate::kinds::Observation;
use crate::kinds::mermaid::{
    diagram::{Blocks, Diagram, Field, Findings, List, no_more, trimmed},
    grammars,
    labels::raw_shape_fault,
    syntax::Syntax,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "block",
    grammar: &grammars::BLOCK,
    statements: &[
        ("columns", "columns 3"),
        ("space", "space:2"),
        ("block", "block:id"),
        ("end", "end"),
        ("classDef", "classDef name fill:#f9f"),
        ("class", "class id name"),
        ("style", "style id fill:#f9f"),
    ],
    arrows: &["-->", "---", "==>", "-.->"],
    lists: &[
        List {
            key: "nodes",
            rules: &["node"],
            fields: &[Field::One("id", "id"), Field::One("label", "label")],
        },
        List {
            key: "links",
            rules: &["link_between"],
            fields: &[Field::One("arrow", "link"), Field::One("label", "label")],
        },
    ],
    check,
    more: no_more,
};

fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_missing_end", "err_surplus_end");
    let mut statements = 0;
    let mut inside: Vec<usize> = Vec::new();
    for part in syntax.statements() {
        statements += usize::from(!matches!(part.rule(), "EOI" | "header_word"));
        match part.rule() {
            "block" => {
                blocks.open(part);
                inside.push(statements);
            }
            "end_statement" => {
                let opened = blocks.close(part, findings);
                if let (Some(opened), Some(before)) = (opened, inside.pop())
                    && before + 1 == statements
                {
                    findings.at("err_block_empty", opened);
                }
            }
            _ => {}
        }
    }
    for text in syntax.named("edge_text") {
        let label = text.text().trim();
        findings.push(
            Observation::new("err_unquoted", trimmed(text))
                .with("bare", label)
                .with("quoted", format!("\"{}\"", label.replace('"', "'"))),
        );
    }
    for raw in syntax.named("raw_label") {
        findings.push(raw_shape_fault(raw));
    }
    let mut known: Vec<&str> = Vec::new();
    for part in syntax.all() {
        match part.rule() {
            "id" => known.push(part.text()),
            "style" => {
                for id in part.find("ids").into_iter().flat_map(|ids| ids.text().split(',').map(str::trim)) {
                    if !known.contains(&id) {
                        findings
                            .push(Observation::new("block-style-unknown", trimmed(part)).with("name", id));
                    }
                }
            }
            _ => {}
        }
    }
    if statements == 0
        && !findings.has_faults()
        && let Some(header) = syntax.named("header_word").next()
    {
        findings.at("err_empty_diagram", header);
    }
    blocks.finish(syntax.text(), findings);
}

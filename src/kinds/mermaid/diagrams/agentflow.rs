//! agentflow-beta.

use crate::kinds::mermaid::{
    diagram::{Blocks, Diagram, Field, Findings, List, no_more},
    grammars,
    syntax::Syntax,
    yaml,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "agentflow",
    grammar: &grammars::AGENTFLOW,
    statements: &[
        ("flow", "flow id[Label]"),
        ("connector", "connector id[Label]"),
        ("global", "global@{ … }"),
        ("end", "end"),
        ("style", "style id fill:#f9f"),
        ("classDef", "classDef name fill:#f9f"),
        ("class", "class id name"),
        ("click", "click id call name()"),
    ],
    arrows: &["-->", "--x", "-.-"],
    lists: &[
        List {
            key: "nodes",
            rules: &["node"],
            fields: &[Field::One("id", "id"), Field::One("label", "label")],
        },
        List { key: "edges", rules: &["link_between"], fields: &[Field::One("label", "edge_label")] },
    ],
    check,
    more: no_more,
};

fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_missing_end", "err_surplus_end");
    for data in syntax.named("shape_yaml") {
        yaml::metadata(data, findings);
    }
    for part in syntax.statements() {
        match part.rule() {
            "flow" | "global" => blocks.open(part),
            "end_statement" => {
                blocks.close(part, findings);
            }
            _ => {}
        }
    }
    blocks.finish(syntax.text(), findings);
}

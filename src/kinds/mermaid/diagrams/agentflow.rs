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

/// Names of its own for shapes.
const SHAPES: &[&str] = &["action", "decision", "input", "refdoc", "round", "task", "tool"];

fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let blocks = Blocks::new("err_missing_end", "err_surplus_end");
    blocks.check(syntax, &["flow", "global"], "end_statement", findings);
    for part in syntax.children() {
        for data in part.find_all("shape_yaml") {
            let tree = yaml::metadata_with_commas(data, findings);
            // What a flow or a connector says is kept, but has no shape.
            if let Some(tree) = tree.filter(|_| part.is("edges")) {
                yaml::shape(data, &tree, yaml::KnownShapes::And(SHAPES), findings);
            }
        }
    }
}

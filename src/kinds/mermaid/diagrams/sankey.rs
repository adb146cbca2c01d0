//! sankey, sankey-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "sankey",
    grammar: &grammars::SANKEY,
    statements: &[],
    arrows: &[],
    lists: &[List {
        key: "links",
        rules: &["record"],
        fields: &[
            Field::One("source", "source"),
            Field::One("target", "target"),
            Field::One("value", "value"),
        ],
    }],
    check: unchecked,
    more: no_more,
};

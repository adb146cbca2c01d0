//! treemap, treemap-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "treemap",
    grammar: &grammars::TREEMAP,
    statements: &[("classDef", "classDef name fill:#f9f"), ("title", "title text")],
    arrows: &[],
    lists: &[List {
        key: "items",
        rules: &["item"],
        fields: &[Field::One("name", "name"), Field::One("value", "value"), Field::One("class", "selector")],
    }],
    check: unchecked,
    more: no_more,
};

//! sankey, sankey-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, unchecked},
    syntax::grammar,
};

grammar!("../grammars/mermaid/sankey.pest");

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "sankey",
    read,
    probe,
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
};

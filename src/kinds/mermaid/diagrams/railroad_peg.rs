//! railroad-peg-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "railroadPeg",
    grammar: &grammars::RAILROAD_PEG,
    statements: &[("title", "title text")],
    arrows: &[],
    lists: &[List { key: "rules", rules: &["production"], fields: &[Field::One("name", "name")] }],
    check: unchecked,
    more: no_more,
};

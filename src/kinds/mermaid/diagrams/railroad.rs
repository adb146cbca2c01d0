//! railroad-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "railroad",
    grammar: &grammars::RAILROAD,
    statements: &[("title", "title text")],
    arrows: &[],
    lists: &[List { key: "rules", rules: &["production"], fields: &[Field::One("name", "name")] }],
    check: unchecked,
    more: no_more,
};

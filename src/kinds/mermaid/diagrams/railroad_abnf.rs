//! railroad-abnf-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "railroadAbnf",
    grammar: &grammars::RAILROAD_ABNF,
    statements: &[("title", "title text")],
    arrows: &[],
    lists: &[List { key: "rules", rules: &["production"], fields: &[Field::One("name", "name")] }],
    check: unchecked,
    more: no_more,
};

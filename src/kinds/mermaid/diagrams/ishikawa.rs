//! ishikawa, ishikawa-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, List, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "ishikawa",
    grammar: &grammars::ISHIKAWA,
    statements: &[],
    arrows: &[],
    lists: &[List { key: "causes", rules: &["cause"], fields: &[] }],
    check: unchecked,
    more: no_more,
};

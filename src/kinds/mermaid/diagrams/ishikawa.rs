//! ishikawa, ishikawa-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, List, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "ishikawa",
    grammar: &grammars::ISHIKAWA,
    statements: &[],
    arrows: &[],
    lists: &[List { key: "causes", rules: &["cause"], fields: &[] }],
    check: unchecked,
};

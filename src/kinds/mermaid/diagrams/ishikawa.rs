//! ishikawa, ishikawa-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, List, unchecked},
    syntax::grammar,
};

grammar!("../grammars/mermaid/ishikawa.pest");

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "ishikawa",
    read,
    probe,
    statements: &[],
    arrows: &[],
    lists: &[List { key: "causes", rules: &["cause"], fields: &[] }],
    check: unchecked,
};

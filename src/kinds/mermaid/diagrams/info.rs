//! info.

use crate::kinds::mermaid::{
    diagram::{Diagram, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "info",
    grammar: &grammars::INFO,
    statements: &[("showInfo", "info showInfo"), ("title", "title text")],
    arrows: &[],
    lists: &[],
    check: unchecked,
    more: no_more,
};

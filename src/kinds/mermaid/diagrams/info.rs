//! info.

use crate::kinds::mermaid::{
    diagram::{Diagram, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "info",
    grammar: &grammars::INFO,
    statements: &[("showInfo", "info showInfo"), ("title", "title text")],
    arrows: &[],
    lists: &[],
    check: unchecked,
};

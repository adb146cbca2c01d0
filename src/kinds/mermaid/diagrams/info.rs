//! info.

use crate::kinds::mermaid::{
    diagram::{Diagram, unchecked},
    syntax::grammar,
};

grammar!("../grammars/mermaid/info.pest");

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "info",
    read,
    probe,
    statements: &[("showInfo", "info showInfo"), ("title", "title text")],
    arrows: &[],
    lists: &[],
    check: unchecked,
};

//! railroad-peg-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, unchecked},
    syntax::grammar,
};

grammar!("../grammars/mermaid/railroad_peg.pest");

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "railroadPeg",
    read,
    probe,
    statements: &[("title", "title text")],
    arrows: &[],
    lists: &[List { key: "rules", rules: &["production"], fields: &[Field::One("name", "name")] }],
    check: unchecked,
};

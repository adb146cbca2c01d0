//! journey.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "journey",
    grammar: &grammars::JOURNEY,
    statements: &[("title", "title text"), ("section", "section text")],
    arrows: &[],
    lists: &[
        List {
            key: "tasks",
            rules: &["task"],
            fields: &[Field::One("name", "task_name"), Field::One("data", "task_data")],
        },
        List { key: "sections", rules: &["section"], fields: &[Field::One("name", "section_name")] },
    ],
    check: unchecked,
};

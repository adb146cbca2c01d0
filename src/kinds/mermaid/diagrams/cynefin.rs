//! cynefin-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "cynefin",
    grammar: &grammars::CYNEFIN,
    statements: &[
        ("complex", "complex"),
        ("complicated", "complicated"),
        ("clear", "clear"),
        ("chaotic", "chaotic"),
        ("confusion", "confusion"),
        ("title", "title text"),
    ],
    arrows: &["-->"],
    lists: &[
        List {
            key: "domains",
            rules: &["domain"],
            fields: &[Field::One("name", "domain_name"), Field::Many("items", "item")],
        },
        List { key: "transitions", rules: &["transition"], fields: &[Field::One("from", "domain_name")] },
    ],
    check: unchecked,
    more: no_more,
};

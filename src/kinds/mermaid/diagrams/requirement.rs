//! requirementDiagram.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, no_more, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "requirement",
    grammar: &grammars::REQUIREMENT,
    statements: &[
        ("requirement", "requirement name {"),
        ("functionalRequirement", "functionalRequirement name {"),
        ("interfaceRequirement", "interfaceRequirement name {"),
        ("performanceRequirement", "performanceRequirement name {"),
        ("physicalRequirement", "physicalRequirement name {"),
        ("designConstraint", "designConstraint name {"),
        ("element", "element name {"),
        ("style", "style name fill:#f9f"),
        ("classDef", "classDef name fill:#f9f"),
        ("class", "class name class"),
        ("direction", "direction TB|BT|LR|RL"),
    ],
    arrows: &["- contains ->", "- satisfies ->"],
    lists: &[
        List {
            key: "requirements",
            rules: &["requirement"],
            fields: &[Field::One("type", "requirement_type"), Field::One("name", "name")],
        },
        List { key: "elements", rules: &["element"], fields: &[Field::One("name", "name")] },
        List {
            key: "relations",
            rules: &["relation"],
            fields: &[
                Field::One("from", "source"),
                Field::One("type", "relation_type"),
                Field::One("to", "target"),
            ],
        },
    ],
    check: unchecked,
    more: no_more,
};

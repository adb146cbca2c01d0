//! gantt.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, unchecked},
    grammars,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "gantt",
    grammar: &grammars::GANTT,
    statements: &[
        ("dateFormat", "dateFormat YYYY-MM-DD"),
        ("axisFormat", "axisFormat %Y-%m-%d"),
        ("tickInterval", "tickInterval 1week"),
        ("excludes", "excludes weekends"),
        ("includes", "includes 2024-01-01"),
        ("todayMarker", "todayMarker off"),
        ("inclusiveEndDates", "inclusiveEndDates"),
        ("weekday", "weekday monday"),
        ("weekend", "weekend friday"),
        ("title", "title text"),
        ("section", "section text"),
        ("click", "click id href \"https://…\""),
    ],
    arrows: &[],
    lists: &[
        List {
            key: "tasks",
            rules: &["task"],
            fields: &[Field::One("name", "task_name"), Field::One("data", "task_data")],
        },
        List { key: "sections", rules: &["section"], fields: &[Field::One("name", "line_text")] },
        List {
            key: "settings",
            rules: &["date_format", "setting"],
            fields: &[Field::One("value", "setting_value")],
        },
    ],
    check: unchecked,
};

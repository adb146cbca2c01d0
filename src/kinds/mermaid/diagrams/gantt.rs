//! gantt.

use crate::{
    kinds::mermaid::{
        diagram::{Diagram, Field, List, pieces, unchecked},
        grammars,
        syntax::{Part, Syntax},
        tree::TreeWriter,
    },
    text::Span,
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
        List { key: "sections", rules: &["section"], fields: &[Field::One("name", "line_text")] },
        List {
            key: "settings",
            rules: &["date_format", "setting"],
            fields: &[Field::One("value", "setting_value")],
        },
    ],
    check: unchecked,
    more: planned,
};

/// Words that a task's data may begin with, in any order.
const TAGS: &[&str] = &["active", "done", "crit", "milestone", "vert"];

/// Adds the tasks: `name : tags, id, start, end`, of which all but the end may be left out.
fn planned<'t>(syntax: &'t Syntax<'t>, tree: &mut TreeWriter<'_>) {
    tree.list("tasks", |tree| {
        for task in syntax.named("task") {
            tree.object(task, |tree| {
                for (key, rule) in [("name", "task_name"), ("data", "task_data")] {
                    if let Some(part) = task.find(rule) {
                        tree.field(key, part);
                    }
                }
                if let Some(data) = task.find("task_data") {
                    dates(data, tree);
                }
            });
        }
    });
}

fn dates(data: Part<'_>, tree: &mut TreeWriter<'_>) {
    let text = data.text().strip_prefix(':').unwrap_or_default();
    let all = pieces(text, data.span().start as usize + 1, ',');
    let rest: Vec<(&str, Span)> = all.skip_while(|(piece, _)| TAGS.contains(piece)).collect();
    let keys: &[&'static str] = match rest.len() {
        1 => &["end"],
        2 => &["start", "end"],
        3 => &["id", "start", "end"],
        _ => &[],
    };
    for (key, (piece, span)) in keys.iter().zip(&rest) {
        tree.piece(key, piece, *span);
    }
    for (key, word) in [("after", "after"), ("until", "until")] {
        let named = rest.iter().filter_map(|(piece, span)| {
            let ids = piece.strip_prefix(word).filter(|ids| ids.starts_with(char::is_whitespace))?;
            Some((ids, span.end as usize - ids.len()))
        });
        let ids: Vec<(&str, Span)> =
            named.flat_map(|(ids, start)| pieces(ids, start, ' ')).filter(|(id, _)| !id.is_empty()).collect();
        if !ids.is_empty() {
            tree.list(key, |tree| ids.iter().for_each(|(id, span)| tree.item_text(id, *span)));
        }
    }
}

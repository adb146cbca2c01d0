//! journey.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, pieces, unchecked},
    grammars,
    syntax::Syntax,
    tree::TreeWriter,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "journey",
    grammar: &grammars::JOURNEY,
    statements: &[("title", "title text"), ("section", "section text")],
    arrows: &[],
    lists: &[List { key: "sections", rules: &["section"], fields: &[Field::One("name", "section_name")] }],
    check: unchecked,
    more: scored,
};

/// Adds the tasks: `name: score: who, who`.
fn scored<'t>(syntax: &'t Syntax<'t>, tree: &mut TreeWriter<'_>) {
    tree.list("tasks", |tree| {
        for task in syntax.named("task") {
            tree.object(task, |tree| {
                for (key, rule) in [("name", "task_name"), ("data", "task_data")] {
                    if let Some(part) = task.find(rule) {
                        tree.field(key, part);
                    }
                }
                if let Some(data) = task.find("task_data") {
                    let mut pieces = pieces(data.text(), data.span().start as usize, ':').skip(1);
                    if let Some((score, span)) = pieces.next() {
                        tree.piece("score", score, span);
                    }
                }
            });
        }
    });
}

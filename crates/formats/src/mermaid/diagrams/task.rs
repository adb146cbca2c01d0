//! What the tasks of gantt and journey have in common: a name, a colon and data.

use crate::mermaid::{
    syntax::{Part, Syntax},
    tree::TreeWriter,
};

/// Adds the list `tasks`, each with its name and data; `more` adds what the data say.
pub(super) fn write<'t>(
    syntax: &'t Syntax<'t>,
    tree: &mut TreeWriter<'_>,
    more: impl Fn(Part<'t>, &mut TreeWriter<'_>),
) {
    tree.list("tasks", |tree| {
        for task in syntax.named("task") {
            tree.object(task, |tree| {
                for (key, rule) in [("name", "task_name"), ("data", "task_data")] {
                    if let Some(part) = task.find(rule) {
                        tree.field(key, part);
                    }
                }
                if let Some(data) = task.find("task_data") {
                    more(data, tree);
                }
            });
        }
    });
}

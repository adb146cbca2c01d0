//! journey.

use crate::mermaid::{diagram::pieces, diagrams::task, syntax::Syntax, tree::TreeWriter};

/// Adds the tasks: `name: score: who, who`.
pub(super) fn scored<'t>(syntax: &'t Syntax<'t>, tree: &mut TreeWriter<'_>) {
    task::write(syntax, tree, |data, tree| {
        let mut pieces = pieces(data.text(), data.span().start as usize, ':').skip(1);
        if let Some((score, span)) = pieces.next() {
            tree.piece("score", score, span);
        }
    });
}

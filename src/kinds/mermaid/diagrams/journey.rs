//! journey.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, List, pieces, unchecked},
    diagrams::task,
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
    task::write(syntax, tree, |data, tree| {
        let mut pieces = pieces(data.text(), data.span().start as usize, ':').skip(1);
        if let Some((score, span)) = pieces.next() {
            tree.piece("score", score, span);
        }
    });
}

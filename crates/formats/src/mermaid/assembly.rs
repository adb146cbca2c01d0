//! The tree of a whole diagram: what its type's description says, what the type adds, and what is newer than
//! older versions of Mermaid.

use foldhash::HashMap;

use super::{diagram::Diagram, diagrams, grammars::DIAGRAMS, syntax::Syntax, tree::TreeWriter, versions};
use crate::{budget::Once, syntax::mapping, tree::Scalar};

/// Writes the tree.
pub(super) fn write(diagram: &Diagram, syntax: &Syntax<'_>, tree: &mut TreeWriter<'_>) {
    let whole = tree.whole;
    tree.builder.open_mapping(whole);
    tree.builder.field("type", Scalar::Static(diagram.name), whole);
    tree.builder.reserve(syntax.len() * 2);
    mapping::write(&diagram.tree, syntax, whole, tree);
    if let Some(write) = diagrams::tree(diagram) {
        write(syntax, tree);
    }
    versions::write(diagram, syntax, newer(diagram), tree);
    tree.builder.close(None);
}

/// For each diagram type, whether a part of a rule may be newer than the type, by the rule's number: asked
/// for every part, and the same for all diagrams.
fn newer(diagram: &Diagram) -> &'static [bool] {
    static NEWER: Once<HashMap<&'static str, Vec<bool>>> = Once::new();
    let all = || DIAGRAMS.iter().map(|diagram| (diagram.name, versions::asked(diagram))).collect();
    NEWER.get_or_init(all).get(diagram.name).map_or(&[], Vec::as_slice)
}

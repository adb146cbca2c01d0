//! Where the nodes of documents are.

use std::sync::Arc;

use proofmark::{Document, Node, ParseOptions, Ruleset, Settings, Source, Validator};

/// Checks a document and those inside it.
fn check(document: &Document, text: &str) {
    let root = document.tree.root();
    check_below(root, root, text);
    document.embedded.iter().for_each(|inner| check(inner, text));
}

fn check_below(node: Node<'_>, root: Node<'_>, text: &str) {
    let is_inside = node.source_id() != root.source_id() || root.span().contains(node.span());
    assert!(is_inside, "{} is outside of its document, {text:?}", node.pointer());
    node.children().for_each(|child| check_below(child, root, text));
}

/// The engine relies on it: it searches the text of the root for what rules search in nodes.
#[test]
fn nodes_are_inside_their_document() {
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    for example in crate::examples::all(&ruleset) {
        let source = Arc::new(Source::new(example.name.as_str(), example.text.as_str()));
        let options = ParseOptions::default();
        check(&validator.validate(&source, example.kind.as_ref(), &options).document, &example.text);
    }
}

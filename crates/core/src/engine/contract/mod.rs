//! Contracts: what a quill requires of the documents that are rendered with it.
//!
//! A document is read first, whatever it is for; then it is validated against the quill that it names.

mod fields;

use crate::{
    kinds::{
        Observation,
        quill::{Quill, QuillSet},
    },
    tree::Tree,
};

/// What a document is validated against besides the rules of its kind.
#[derive(Debug, Clone, Copy, Default)]
pub enum Contract<'a> {
    /// Nothing.
    #[default]
    None,
    /// The quill of these that the document names.
    Named(&'a QuillSet),
    /// This quill, whichever the document names.
    Quill(&'a Quill),
}

impl Contract<'_> {
    /// What in the tree of a Markdown document breaks the contract. A document that does not name a
    /// quill, or where no quills are known, breaks none.
    pub fn observe(self, tree: &Tree) -> Vec<Observation> {
        match self {
            Self::None => Vec::new(),
            Self::Named(quills) => named(tree, quills),
            Self::Quill(quill) => fields::check(quill, tree),
        }
    }
}

fn named(tree: &Tree, quills: &QuillSet) -> Vec<Observation> {
    let Some(name) = tree.at_pointer("/quill/name").filter(|_| !quills.is_empty()) else { return Vec::new() };
    let Some(text) = name.as_str() else { return Vec::new() };
    if let Some(quill) = quills.get(text) {
        return fields::check(quill, tree);
    }
    if quills.is_open() {
        return Vec::new();
    }
    let known: Vec<&str> = quills.names().collect();
    let observation = Observation::new("unknown-quill", name.span()).on(name.id());
    let observation = observation.with("quill", text).with("nearest", quills.nearest(text));
    vec![observation.with("known", known)]
}

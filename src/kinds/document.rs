use std::sync::Arc;

use serde_json::Value;

use crate::{
    text::{Source, SourceId, Span},
    tree::{NodeId, Tree},
};

/// A text read as a document of some kind.
#[derive(Debug, Clone)]
pub struct Document {
    /// Name of the kind, such as `markdown`.
    pub kind: &'static str,
    /// The values, with spans of the host file.
    pub tree: Tree,
    /// Faults and facts, in the order they were found.
    pub observations: Vec<Observation>,
    /// Comments that may hold suppressions.
    pub comments: Vec<Comment>,
    /// Documents inside this one, such as the diagrams of a Markdown file.
    pub embedded: Vec<Document>,
}

impl Document {
    /// A document with a tree and nothing observed.
    pub fn new(kind: &'static str, tree: Tree) -> Self {
        Self { kind, tree, observations: Vec::new(), comments: Vec::new(), embedded: Vec::new() }
    }

    /// The source the document stands in.
    pub fn source(&self) -> &Arc<Source> {
        self.tree.source(SourceId(0))
    }
}

/// A named fault of the syntax or fact of the semantics, at a place, with the values and further
/// places that messages and fixes speak of.
#[derive(Debug, Clone)]
pub struct Observation {
    /// Name that the kind declares in [`super::Kind::observables`].
    pub name: &'static str,
    /// The smallest wrong part.
    pub span: Span,
    /// Source of the spans.
    pub source: SourceId,
    /// The node it is about, where there is one.
    pub node: Option<NodeId>,
    /// Named values for message templates.
    pub values: Vec<(&'static str, Value)>,
    /// Named places for `related` and `fix`; a name that stands several times is a list of places.
    pub places: Vec<(&'static str, Span)>,
    /// Index of the observation that this one follows from.
    pub cause: Option<usize>,
}

impl Observation {
    /// An observation at a place of the document's own source.
    pub fn new(name: &'static str, span: Span) -> Self {
        Self {
            name,
            span,
            source: SourceId(0),
            node: None,
            values: Vec::new(),
            places: Vec::new(),
            cause: None,
        }
    }

    /// The same, about a node.
    #[must_use]
    pub fn on(mut self, node: NodeId) -> Self {
        self.node = Some(node);
        self
    }

    /// The same, in another source of the document.
    #[must_use]
    pub fn in_source(mut self, source: SourceId) -> Self {
        self.source = source;
        self
    }

    /// The same with a named value for messages.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    /// The same with a named place.
    #[must_use]
    pub fn at(mut self, name: &'static str, span: Span) -> Self {
        self.places.push((name, span));
        self
    }

    /// The same as a consequence of the observation with this index.
    #[must_use]
    pub fn caused_by(mut self, index: usize) -> Self {
        self.cause = Some(index);
        self
    }
}

/// A comment of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// The whole comment with its marks.
    pub span: Span,
    /// Its text without the marks.
    pub text: Span,
}

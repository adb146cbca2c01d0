use serde_json::Value;

use super::Name;
use crate::{
    budget,
    text::{SourceId, Span},
    tree::NodeId,
};

/// A named fault of the syntax or fact of the semantics, at a place, with the values and further
/// places that messages and fixes speak of.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Observation {
    /// Name that the kind declares in `Kind::observables`.
    pub name: Name,
    /// The smallest wrong part.
    pub span: Span,
    /// Source of the spans.
    pub source: SourceId,
    /// The node it is about, where there is one.
    pub node: Option<NodeId>,
    /// Named values for message templates.
    pub values: Vec<(Name, Value)>,
    /// Named places for `related` and `fix`; a name that appears several times is a list of places.
    pub places: Vec<(Name, Span)>,
    /// Index of the observation that this one follows from.
    pub cause: Option<usize>,
}

/// What an observation takes of the budget, in bytes: about its size with a value and a place.
const BYTES: usize = 512;

impl Observation {
    /// An observation at a place of the document's own source.
    pub fn new(name: impl Into<Name>, span: Span) -> Self {
        // A reader sees that the budget is used up when it charges its next step.
        budget::allocate(BYTES);
        Self {
            name: name.into(),
            span,
            source: SourceId(0),
            node: None,
            values: Vec::new(),
            places: Vec::new(),
            cause: None,
        }
    }

    /// An observation about a file as a whole.
    pub fn about_file(name: impl Into<Name>) -> Self {
        Self::new(name, Span::default())
    }

    /// Moves the observation to another place.
    #[must_use]
    pub fn moved_to(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// Sets the node that the observation is about.
    #[must_use]
    pub fn on(mut self, node: NodeId) -> Self {
        self.node = Some(node);
        self
    }

    /// Sets the source of the document that the observation is in.
    #[must_use]
    pub fn in_source(mut self, source: SourceId) -> Self {
        self.source = source;
        self
    }

    /// Adds a named value for messages.
    #[must_use]
    pub fn with(mut self, name: impl Into<Name>, value: impl Into<Value>) -> Self {
        // Most observations have one value, and a document may have very many of them.
        self.values.reserve_exact(1);
        self.values.push((name.into(), value.into()));
        self
    }

    /// The value with this name.
    #[doc(hidden)]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Adds a named place.
    #[must_use]
    pub fn at(mut self, name: impl Into<Name>, span: Span) -> Self {
        self.places.reserve_exact(1);
        self.places.push((name.into(), span));
        self
    }

    /// Marks it as a consequence of the observation with this index.
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

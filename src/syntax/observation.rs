use serde_json::Value;

use crate::{
    text::{SourceId, Span},
    tree::NodeId,
};

/// Whether an observation is a fault of the syntax or a fact of the semantics: the check kinds
/// `syntax` and `fact`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// An error production or expectation of a grammar.
    Syntax,
    /// What a semantic pass found.
    Fact,
}

/// A name that a kind may observe, and what it tells.
#[derive(Debug, Clone, Copy)]
pub struct Observable {
    /// The name, in snake case for error productions and kebab case for facts.
    pub name: &'static str,
    /// Which check kind it is for.
    pub layer: Layer,
    /// Names of the values that every observation of this name has.
    pub values: &'static [&'static str],
    /// Names of the places that every observation of this name has.
    pub places: &'static [&'static str],
}

impl Observable {
    /// A fault of the syntax.
    pub const fn syntax(
        name: &'static str,
        values: &'static [&'static str],
        places: &'static [&'static str],
    ) -> Self {
        Self { name, layer: Layer::Syntax, values, places }
    }

    /// A fact of the semantics.
    pub const fn fact(
        name: &'static str,
        values: &'static [&'static str],
        places: &'static [&'static str],
    ) -> Self {
        Self { name, layer: Layer::Fact, values, places }
    }
}

/// A named fault of the syntax or fact of the semantics, at a place, with the values and further
/// places that messages and fixes speak of.
#[derive(Debug, Clone)]
pub struct Observation {
    /// Name that the kind declares in `Kind::observables`.
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

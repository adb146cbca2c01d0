use std::sync::Arc;

use serde_json::Value;

use crate::{
    kinds::{Document, Name, Observation},
    rules::ENGINE_KIND,
    text::{Source, Span},
    tree::TreeBuilder,
};

/// Something that the run itself has to say of a file, besides what the document says: that it
/// cannot be read, is too large, is no text. The names are those of
/// [`crate::rules::ENGINE_OBSERVABLES`].
#[derive(Debug, Clone)]
pub struct RunFact {
    /// The fact.
    pub name: Name,
    /// Named values for messages.
    pub values: Vec<(Name, Value)>,
    /// The place in the text, where there is a text.
    pub span: Span,
}

impl RunFact {
    /// A fact about a whole file.
    pub fn new(name: impl Into<Name>) -> Self {
        Self { name: name.into(), values: Vec::new(), span: Span::default() }
    }

    /// The same with a named value.
    #[must_use]
    pub fn with(mut self, name: impl Into<Name>, value: impl Into<Value>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// A document that has nothing but facts.
    pub(super) fn document(source: &Arc<Source>, facts: Vec<Observation>) -> Document {
        let mut document = Document::new(ENGINE_KIND, TreeBuilder::new(Arc::clone(source)).finish());
        document.observations = facts;
        document
    }

    pub(super) fn observation(self) -> Observation {
        Observation { values: self.values, ..Observation::new(self.name, self.span) }
    }
}

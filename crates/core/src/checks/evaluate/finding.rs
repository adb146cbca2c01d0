use serde_json::Value;

use crate::{
    budget,
    diagnostic::Location,
    kinds::Observation,
    text::{SourceId, Span},
    tree::Node,
};

/// Most names that a finding lists as valid.
const EXPECTED: usize = 100;

/// Names that each finding lists where there are thousands of findings.
pub(super) const SHORT: usize = 3;

/// What a check found wrong: where, and what messages and fixes may speak of.
#[derive(Debug, Clone)]
pub struct Finding<'t> {
    /// The node it is about.
    pub node: Option<Node<'t>>,
    /// The smallest wrong part.
    pub span: Span,
    /// Source of the spans.
    pub source: SourceId,
    /// Named values.
    pub values: Vec<(&'t str, Value)>,
    /// Named places.
    pub places: Vec<(&'t str, Span)>,
    /// Named locations in other files of the project.
    pub elsewhere: Vec<(&'t str, Location)>,
    /// What is allowed there, the most likely first.
    pub expected: Vec<String>,
    /// The expected word that was likely meant.
    pub nearest: Option<String>,
    /// Index of the observation it comes from.
    pub observation: Option<usize>,
}

impl<'t> Finding<'t> {
    /// A finding at a node's value.
    pub fn at(node: Node<'t>) -> Self {
        Self {
            node: Some(node),
            span: node.span(),
            source: node.source_id(),
            values: Vec::new(),
            places: Vec::new(),
            elsewhere: Vec::new(),
            expected: Vec::new(),
            nearest: None,
            observation: None,
        }
    }

    /// A finding at the key of a node, or at the start of one that has none: for what is missing in it.
    pub fn at_key(node: Node<'t>) -> Self {
        let span = node.own_entry().map_or_else(|| node.start(), |entry| entry.key_span());
        Self { span, ..Self::at(node) }
    }

    /// Whether a schema expects a value of another type.
    pub fn is_about_type(&self) -> bool {
        self.values.iter().any(|(name, value)| *name == "keyword" && value == "type")
    }

    /// The finding of an observation.
    pub fn observed(observation: &'t Observation, index: usize, node: Option<Node<'t>>) -> Self {
        Self {
            node,
            span: observation.span,
            source: observation.source,
            values: observation.values.iter().map(|(name, value)| (name.as_ref(), value.clone())).collect(),
            places: observation.places.iter().map(|(name, span)| (name.as_ref(), *span)).collect(),
            elsewhere: Vec::new(),
            expected: Vec::new(),
            nearest: None,
            observation: Some(index),
        }
    }

    /// Adds a named value.
    #[must_use]
    pub fn with(mut self, name: &'t str, value: impl Into<Value>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    /// Adds a named place.
    #[must_use]
    pub fn place(mut self, name: &'t str, span: Span) -> Self {
        self.places.push((name, span));
        self
    }

    /// Adds a named location in another file.
    #[must_use]
    pub fn elsewhere(mut self, name: &'t str, location: Location) -> Self {
        self.elsewhere.push((name, location));
        self
    }

    /// Sets what is allowed there; the nearest to `word` comes first. Only the first of many names are kept: with many
    /// mistakes, all names for each would be quadratic.
    #[must_use]
    pub fn among(mut self, word: &str, expected: impl IntoIterator<Item = String>) -> Self {
        let mut expected: Vec<String> = expected.into_iter().collect();
        if let Some(near) = crate::text::nearest(word, expected.iter().map(String::as_str)) {
            let near = near.to_owned();
            expected.retain(|candidate| *candidate != near);
            expected.insert(0, near.clone());
            self.nearest = Some(near);
        }
        expected.truncate(EXPECTED);
        if !budget::list(expected.iter().map(|name| name.len() + size_of::<String>()).sum()) {
            expected.truncate(SHORT);
        }
        expected.shrink_to_fit();
        self.expected = expected;
        self
    }
}

use serde_json::Value;

use crate::{
    text::{Span, nearest},
    tree::Node,
};

/// The keyword of a key that looks misspelled and is allowed.
pub const MISSPELLED: &str = "misspelled";

/// Where a value does not conform to a schema, with what messages say of it.
#[derive(Debug, Clone)]
pub struct Violation<'t> {
    /// The name that rules know it by: the keyword, or the one that `x-fault` gives.
    pub name: String,
    /// The keyword that fails.
    pub keyword: &'static str,
    /// The value.
    pub node: Node<'t>,
    /// The smallest wrong part: the value or its key.
    pub span: Span,
    /// What is expected, the likeliest first.
    pub expected: Vec<String>,
    /// The expected word that was likely meant.
    pub nearest: Option<String>,
    /// What is wrong, as a clause: `must be a string, not an integer`.
    pub detail: String,
    /// Further values for messages.
    pub values: Vec<(&'static str, Value)>,
    /// Further places.
    pub places: Vec<(&'static str, Span)>,
}

impl<'t> Violation<'t> {
    /// Whether the value does not conform: that a key looks misspelled is only a hint where the schema allows
    /// other keys.
    pub fn is_error(&self) -> bool {
        self.keyword != MISSPELLED
    }

    /// A value for messages.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// A violation of a value, with its key as `property`.
    pub(super) fn of(node: Node<'t>, detail: impl Into<String>) -> Self {
        let property = node.key().map_or(Value::Null, Value::from);
        Self {
            name: String::new(),
            keyword: "",
            node,
            span: node.span(),
            expected: Vec::new(),
            nearest: None,
            detail: detail.into(),
            values: vec![("property", property)],
            places: Vec::new(),
        }
    }

    /// Moves the violation to the key of the value, or to where the value begins if it has no key.
    pub(super) fn at_key(mut self) -> Self {
        let start = self.node.start();
        self.span = self.node.own_entry().map_or(start, |entry| entry.key_span());
        self
    }

    /// Moves the violation to the first key: a whole mapping is too much to underline.
    pub(super) fn whole(mut self) -> Self {
        if let Some(first) = self.node.entries().next() {
            self.span = first.key_span();
        }
        self
    }

    /// Sets the key that the violation is about.
    pub(super) fn property(mut self, name: &str) -> Self {
        self.values[0].1 = name.into();
        self
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    /// Puts the key that is meant first among those that are expected, whether they are similar or not; nothing changes
    /// where it is empty.
    pub(super) fn meaning(mut self, key: &str) -> Self {
        if !key.is_empty() && self.nearest.as_deref() != Some(key) {
            self.expected.retain(|candidate| candidate != key);
            self.expected.insert(0, key.to_owned());
            self.nearest = Some(key.to_owned());
        }
        self
    }

    /// Sets what is expected; the most similar to `word` comes first.
    pub(super) fn among(mut self, word: &str, expected: Vec<String>) -> Self {
        self.expected = expected;
        if let Some(near) = nearest(word, self.expected.iter().map(String::as_str)).map(str::to_owned) {
            self.expected.retain(|candidate| *candidate != near);
            self.expected.insert(0, near.clone());
            self.nearest = Some(near);
        }
        self
    }
}

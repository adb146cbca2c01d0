use std::sync::Arc;

use serde_json::Value;

use crate::{
    kinds::Observation,
    text::{Source, SourceId, Span},
    tree::Tree,
};

/// A fault of a rule file: a name that the `rulefile` rules word, and where it is.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The name: one of those that [`crate::kinds::rulefile`] declares.
    pub name: &'static str,
    /// JSON Pointer to the value it is about.
    pub pointer: String,
    /// Whether it is the key of that value.
    pub key: bool,
    /// Bytes within the value's text, where only a part is wrong.
    pub part: Option<Span>,
    /// The place in another file of the pack, where that is what is wrong.
    pub file: Option<(Arc<Source>, Span)>,
    /// Values for messages.
    pub values: Vec<(&'static str, Value)>,
}

impl Fault {
    /// A fault of the value that a JSON Pointer leads to.
    pub fn new(name: &'static str, pointer: impl Into<String>) -> Self {
        Self { name, pointer: pointer.into(), key: false, part: None, file: None, values: Vec::new() }
    }

    /// Sets the place in another file of the pack.
    #[must_use]
    pub fn in_file(mut self, source: &Arc<Source>, span: Span) -> Self {
        self.file = Some((Arc::clone(source), span));
        self
    }

    /// Adds a named value for messages.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    /// Adds the known names, and the one that is nearest to `word`, for messages.
    #[must_use]
    pub fn among<'k>(self, word: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let near = crate::text::nearest(word, known.iter().copied()).map_or(Value::Null, Value::from);
        self.with("nearest", near).with("known", known)
    }

    /// The fault as an observation on the rule file's tree: on the nearest enclosing value that is there. Other files
    /// of the pack that it is in are added to `sources`, which go after those of the tree.
    pub fn observation(self, tree: &Tree, sources: &mut Vec<Arc<Source>>) -> Observation {
        let values = self.values;
        let with = |observation: Observation| {
            values.into_iter().fold(observation, |seen, (name, value)| seen.with(name, value))
        };
        if let Some((file, span)) = self.file {
            let known = sources.iter().position(|source| source.name() == file.name());
            let index = tree.sources().len() + known.unwrap_or(sources.len());
            if known.is_none() {
                sources.push(file);
            }
            let source = SourceId(u16::try_from(index).unwrap_or_default());
            return with(Observation::new(self.name, span).in_source(source));
        }
        let mut pointer = self.pointer.as_str();
        let node = loop {
            if let Some(node) = tree.at_pointer(pointer) {
                break node;
            }
            pointer = pointer.rfind('/').map_or("", |at| &pointer[..at]);
        };
        let span = match node.own_entry().filter(|_| self.key) {
            Some(entry) => entry.key_span(),
            None if node.is_mapping() || node.is_sequence() => {
                // A whole rule is too much to underline: its first key says where it is.
                node.entries().next().map_or(node.span(), |entry| entry.key_span())
            }
            None => self.part.map_or(node.span(), |part| node.part(part)),
        };
        let observation = Observation::new(self.name, span).on(node.id()).in_source(node.source_id());
        with(observation)
    }
}

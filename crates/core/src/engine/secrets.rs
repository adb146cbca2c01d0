//! Secrets that a document holds as text: nothing that a report shows contains them.

use std::{borrow::Cow, sync::Arc};

use crate::{
    diagnostic::Diagnostic,
    kinds::{Disclosure, Document, Kinds, ValueModel},
    text::{Source, SourceId, Span},
    tree::Node,
};

/// What is shown instead of a secret.
pub(super) const HIDDEN: &str = "…";

/// Bytes by which a secret is recognized in other text, which may quote only its beginning.
const RECOGNIZED: usize = 8;

/// The secrets of a document and of those inside it.
#[derive(Debug, Default)]
pub struct Secrets {
    /// Where they are.
    spans: Vec<(SourceId, Span)>,
    /// The secrets that are long enough to be recognized elsewhere.
    texts: Vec<String>,
}

impl Secrets {
    pub(super) fn of(document: &Document, kinds: &Kinds) -> Self {
        let mut found = Self::default();
        found.collect(document, kinds);
        found.texts.sort_unstable_by_key(|text| std::cmp::Reverse(text.len()));
        found.texts.dedup();
        found
    }

    fn collect(&mut self, document: &Document, kinds: &Kinds) {
        if let Some(model) = kinds.get(&document.kind).and_then(|kind| kind.values()) {
            self.below(model, document.tree.root());
        }
        for embedded in &document.embedded {
            self.collect(embedded, kinds);
        }
    }

    fn below(&mut self, model: &dyn ValueModel, node: Node<'_>) {
        if model.disclosure(node) == Disclosure::Nothing {
            self.spans.push((node.source_id(), node.span()));
            let written = [node.scalar_text().unwrap_or_default(), Cow::Borrowed(node.raw())];
            let long = written.into_iter().filter(|text| text.len() >= RECOGNIZED);
            self.texts.extend(long.map(Cow::into_owned));
        }
        for child in node.children() {
            self.below(model, child);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Takes the secrets out of what a diagnostic says. Its edits stay as they are: they have to fit the text.
    pub(super) fn hide(&self, diagnostic: &mut Diagnostic) {
        let Diagnostic { message, fix_hint, found, expected, related, fixes, context, .. } = diagnostic;
        let labels = related.iter_mut().map(|related| &mut related.label);
        let titles = fixes.iter_mut().map(|fix| &mut fix.title);
        let optional = [fix_hint, found, context].into_iter().flatten();
        for text in std::iter::once(message).chain(expected).chain(labels).chain(titles).chain(optional) {
            self.hide_in(text);
        }
    }

    /// Whether text has the beginning of a secret.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.texts.iter().any(|secret| text.contains(&secret[..secret.floor_char_boundary(RECOGNIZED)]))
    }

    pub fn hide_in(&self, text: &mut String) {
        for secret in &self.texts {
            let head = secret.floor_char_boundary(RECOGNIZED);
            let mut from = 0;
            while let Some(at) = text[from..].find(&secret[..head]).map(|at| from + at) {
                let same = text[at..].bytes().zip(secret.bytes()).take_while(|(a, b)| a == b).count();
                let end = text.floor_char_boundary(at + same);
                text.replace_range(at..end, HIDDEN);
                from = at + HIDDEN.len();
            }
        }
    }

    /// The source with an asterisk for every byte of its secrets, so that positions stay.
    pub fn masked(&self, id: SourceId, source: &Arc<Source>) -> Arc<Source> {
        let own = self.spans.iter().filter(|(owner, _)| *owner == id);
        let mut bytes = source.text().as_bytes().to_vec();
        let mut changed = false;
        for (_, span) in own {
            for byte in bytes.get_mut(span.range()).into_iter().flatten() {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b'*';
                    changed = true;
                }
            }
        }
        match String::from_utf8(bytes) {
            Ok(text) if changed => Arc::new(Source::new(source.name(), text).with_key(source.key())),
            _ => Arc::clone(source),
        }
    }
}

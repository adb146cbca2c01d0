//! A diagram's syntax as a spanned tree.

use std::borrow::Cow;

use super::{
    diagram::{Config, trimmed, trimmed_text},
    prepare::Prepared,
    syntax::Part,
};
use crate::{
    syntax::mapping::Target,
    text::{Fragment, Span},
    tree::{Scalar, TreeBuilder},
};

/// Writes parts of a prepared text into a tree with spans of the host.
pub(super) struct TreeWriter<'a> {
    pub(super) builder: &'a mut TreeBuilder,
    pub(super) prepared: &'a Prepared,
    pub(super) fragment: &'a Fragment<'a>,
    pub(super) config: &'a Config,
    /// Offset of the prepared text in its host, where it is a part of the host as it is.
    shift: Option<u32>,
    /// The place of the diagram in the host.
    pub(super) whole: Span,
}

impl<'a> TreeWriter<'a> {
    pub(super) fn new(
        builder: &'a mut TreeBuilder,
        prepared: &'a Prepared,
        fragment: &'a Fragment<'a>,
        config: &'a Config,
    ) -> Self {
        let is_part = prepared.is_original() && fragment.is_contiguous();
        let shift = is_part.then(|| fragment.host(Span::at(0)).start);
        let whole = fragment.host(Span::new(0, fragment.text().len()));
        Self { builder, prepared, fragment, config, shift, whole }
    }
}

impl TreeWriter<'_> {
    /// Adds a list, whose items `write` adds.
    pub(super) fn list(&mut self, key: &'static str, write: impl FnOnce(&mut Self)) {
        self.builder.key_static(key);
        self.builder.open_sequence(self.whole);
        write(self);
        self.builder.close(None);
    }

    /// Adds an item at a part, whose fields `write` adds.
    pub(super) fn object(&mut self, at: Part<'_>, write: impl FnOnce(&mut Self)) {
        self.object_placed(self.place_of(at), write);
    }

    /// Adds an item at a place of the prepared text, whose fields `write` adds.
    pub(super) fn object_at(&mut self, span: Span, write: impl FnOnce(&mut Self)) {
        self.object_placed(self.host(span), write);
    }

    /// Adds an item at a place of the host, whose fields `write` adds.
    pub(super) fn object_placed(&mut self, place: Span, write: impl FnOnce(&mut Self)) {
        self.builder.open_mapping(place);
        write(self);
        self.builder.close(None);
    }

    /// Adds a field that is a mapping, whose fields `write` adds.
    pub(super) fn mapping(&mut self, key: &'static str, span: Span, write: impl FnOnce(&mut Self)) {
        self.builder.key_static(key);
        self.object_at(span, write);
    }

    /// Adds a field that is a piece of the prepared text.
    pub(super) fn piece(&mut self, key: &'static str, text: &str, span: Span) {
        self.builder.key_static(key);
        self.item_text(text, span);
    }

    /// Adds an item that is a piece of the prepared text.
    pub(super) fn item_text(&mut self, text: &str, span: Span) {
        let span = self.host(span);
        let text = written(text);
        let source = self.builder.current_source();
        // Most strings are in the file as they are.
        let as_it_is = self.builder.source(source).slice(span) == text;
        self.builder.scalar(if as_it_is { Scalar::Slice } else { Scalar::Text(&text) }, span);
    }

    /// Adds a field of a fixed text.
    pub(super) fn word(&mut self, key: &'static str, word: &'static str, at: Part<'_>) {
        self.builder.field(key, Scalar::Static(word), self.place_of(at));
    }

    /// Adds a field of a fixed text at a place of the prepared text.
    pub(super) fn word_at(&mut self, key: &'static str, word: &'static str, span: Span) {
        self.builder.field(key, Scalar::Static(word), self.host(span));
    }

    /// Adds a number.
    pub(super) fn number(&mut self, key: &'static str, number: usize, at: Part<'_>) {
        self.number_at(key, number, self.place_of(at));
    }

    /// Adds a number at a place of the host.
    pub(super) fn number_at(&mut self, key: &'static str, number: usize, place: Span) {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.builder.field(key, Scalar::Integer(number), place);
    }

    /// The place of a part in the host, without whitespace around it.
    pub(super) fn place_of(&self, part: Part<'_>) -> Span {
        self.host(trimmed(part))
    }

    /// Writes the tree of a diagram that cannot be read.
    pub(super) fn nothing(&mut self, name: &'static str) {
        let whole = self.whole;
        self.builder.open_mapping(whole);
        self.builder.field("type", Scalar::Static(name), whole);
        self.builder.close(None);
    }

    /// Adds a field that is the text of a part.
    pub(super) fn field(&mut self, key: &'static str, part: Part<'_>) {
        self.builder.key_static(key);
        self.text(part);
    }

    /// Adds the text of a part, without the quotes around it, as an item.
    pub(super) fn text(&mut self, part: Part<'_>) {
        let (text, span) = trimmed_text(part);
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let (text, span) = match inner {
            Some(inner) => (inner, Span { start: span.start + 1, end: span.end - 1 }),
            None => (text, span),
        };
        if self.shift.is_some() {
            // The part is in the host as it is; only the line end that was added is not.
            let place = self.host(span);
            if place.len() == text.len() {
                self.builder.scalar(Scalar::Slice, place);
                return;
            }
        }
        self.item_text(text, span);
    }

    /// Adds an item that says which version of Mermaid something needs; `place` is one of the host.
    pub(super) fn needs(&mut self, place: Span, what: &'static str, since: &'static str, version: usize) {
        self.builder.open_mapping(place);
        self.builder.field("what", Scalar::Static(what), place);
        self.builder.field("since", Scalar::Static(since), place);
        self.builder.field("version", Scalar::Integer(i64::try_from(version).unwrap_or(i64::MAX)), place);
        self.builder.close(None);
    }

    /// The place in the host of one in the prepared text.
    pub(super) fn host(&self, span: Span) -> Span {
        let span = self.prepared.original(span);
        match self.shift {
            Some(shift) => Span { start: span.start + shift, end: span.end + shift },
            None => self.fragment.host(span),
        }
    }
}

impl Target<'static> for TreeWriter<'_> {
    fn builder(&mut self) -> &mut TreeBuilder {
        self.builder
    }

    fn host(&self, part: Part<'_>) -> Span {
        self.place_of(part)
    }

    fn place(&self, piece: Span) -> Span {
        TreeWriter::host(self, piece)
    }

    fn string(&mut self, part: Part<'_>) {
        self.text(part);
    }

    fn rule(&mut self, part: Part<'_>) {
        self.builder.scalar(Scalar::Static(part.rule()), self.place_of(part));
    }
}

/// A string as it is written, with `#name;` where preparing put other characters.
fn written(text: &str) -> Cow<'_, str> {
    // The first byte of the mark is rare, and faster to look for.
    if memchr::memchr("ﬂ°".as_bytes()[0], text.as_bytes()).is_some() && text.contains("ﬂ°") {
        return text.replace("ﬂ°°", "#").replace("ﬂ°", "#").replace("¶ß", ";").into();
    }
    text.into()
}

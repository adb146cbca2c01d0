//! A diagram's syntax as a spanned tree.

use super::{
    diagram::{Diagram, Field, trimmed},
    prepare::Prepared,
    syntax::{Part, Syntax},
};
use crate::{
    text::{Fragment, Span},
    tree::{Scalar, TreeBuilder},
};

/// Writes parts of a prepared text into a tree with spans of the host.
pub(super) struct TreeWriter<'a> {
    pub(super) builder: &'a mut TreeBuilder,
    pub(super) prepared: &'a Prepared,
    pub(super) fragment: &'a Fragment<'a>,
}

/// Fields of the root that come from parts of these rules, wherever they stand.
const ROOT_FIELDS: &[(&str, &str)] = &[
    ("direction", "direction"),
    ("title", "title"),
    ("accTitle", "acc_title"),
    ("accDescription", "acc_description"),
];

impl TreeWriter<'_> {
    /// Writes the whole diagram.
    pub(super) fn diagram(&mut self, diagram: &Diagram, syntax: &Syntax<'_>) {
        let whole = self.fragment.host(Span::new(0, self.fragment.text().len()));
        self.builder.open_mapping(whole);
        self.builder.field("type", Scalar::Static(diagram.name), whole);
        if let Some(header) = syntax.named("header_word").next() {
            self.field("header", header);
        }
        for (key, rule) in ROOT_FIELDS {
            if let Some(part) = syntax.named(rule).next() {
                self.field(key, part);
            }
        }
        for list in diagram.lists {
            self.builder.key_static(list.key);
            self.builder.open_sequence(whole);
            for part in syntax.all().filter(|part| list.rules.contains(&part.rule())) {
                self.item(part, list.fields);
            }
            self.builder.close(None);
        }
        self.builder.close(None);
    }

    /// Writes the tree of a text that is no diagram that can be read.
    pub(super) fn nothing(&mut self, name: &'static str) {
        let whole = self.fragment.host(Span::new(0, self.fragment.text().len()));
        self.builder.open_mapping(whole);
        self.builder.field("type", Scalar::Static(name), whole);
        self.builder.close(None);
    }

    fn item(&mut self, part: Part<'_>, fields: &[Field]) {
        if fields.is_empty() {
            self.text(part);
            return;
        }
        self.builder.open_mapping(self.host(trimmed(part)));
        self.builder.field("statement", Scalar::Static(part.rule()), self.host(trimmed(part)));
        for field in fields {
            match field {
                Field::One(key, rule) => {
                    if let Some(value) = part.find(rule) {
                        self.field(key, value);
                    }
                }
                Field::Many(key, rule) => {
                    self.builder.key_static(key);
                    self.builder.open_sequence(self.host(trimmed(part)));
                    part.find_all(rule).for_each(|value| self.text(value));
                    self.builder.close(None);
                }
            }
        }
        self.builder.close(None);
    }

    fn field(&mut self, key: &'static str, part: Part<'_>) {
        self.builder.key_static(key);
        self.text(part);
    }

    fn text(&mut self, part: Part<'_>) {
        let span = self.host(trimmed(part));
        self.builder.scalar(Scalar::Text(part.text().trim()), span);
    }

    fn host(&self, span: Span) -> Span {
        self.fragment.host(self.prepared.original(span))
    }
}

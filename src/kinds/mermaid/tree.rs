//! A diagram's syntax as a spanned tree.

use std::{borrow::Cow, sync::OnceLock};

use foldhash::HashMap;

use super::{
    diagram::{Diagram, Field, List, trimmed},
    diagrams::all_diagrams,
    prepare::Prepared,
    syntax::{Part, Syntax},
    versions,
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
    ("header", "header_word"),
    ("direction", "direction"),
    ("title", "title"),
    ("accTitle", "acc_title"),
    ("accDescription", "acc_description"),
];

/// What becomes of the parts of a diagram type, by the number of their rule: asked for every part, and the
/// same for all diagrams.
struct Plan {
    /// Position among the root's fields.
    roots: Vec<Option<usize>>,
    /// For each list, whether a part is an item of it.
    lists: Vec<Vec<bool>>,
    /// Whether it may be newer than its diagram type.
    newer: Vec<bool>,
}

fn plan(diagram: &Diagram) -> &'static Plan {
    static PLANS: OnceLock<HashMap<&'static str, Plan>> = OnceLock::new();
    static NONE: Plan = Plan { roots: Vec::new(), lists: Vec::new(), newer: Vec::new() };
    let all = || all_diagrams().map(|diagram| (diagram.name, Plan::new(diagram))).collect();
    PLANS.get_or_init(all).get(diagram.name).unwrap_or(&NONE)
}

impl Plan {
    fn new(diagram: &Diagram) -> Self {
        let names: Vec<&str> = diagram.grammar.names().collect();
        let root = |name: &&str| ROOT_FIELDS.iter().position(|(_, rule)| rule == name);
        let items = |list: &List| names.iter().map(|name| list.rules.contains(name)).collect();
        Self {
            roots: names.iter().map(root).collect(),
            lists: diagram.lists.iter().map(items).collect(),
            newer: versions::asked(diagram),
        }
    }
}

impl TreeWriter<'_> {
    /// Writes the whole diagram.
    pub(super) fn diagram(&mut self, diagram: &Diagram, syntax: &Syntax<'_>) {
        let whole = self.fragment.host(Span::new(0, self.fragment.text().len()));
        self.builder.open_mapping(whole);
        self.builder.field("type", Scalar::Static(diagram.name), whole);
        let plan = plan(diagram);
        self.builder.reserve(syntax.len() * 2);
        let mut roots = [None; ROOT_FIELDS.len()];
        for part in syntax.all() {
            if let Some(root) = plan.roots.get(usize::from(part.number())).copied().flatten() {
                roots[root] = roots[root].or(Some(part));
            }
        }
        for ((key, _), part) in ROOT_FIELDS.iter().zip(roots) {
            if let Some(part) = part {
                self.field(key, part);
            }
        }
        for (list, is_item) in diagram.lists.iter().zip(&plan.lists) {
            self.list(list.key, |this| {
                let items = syntax.all().filter(|part| is_item[usize::from(part.number())]);
                items.for_each(|part| this.item(part, list.fields));
            });
        }
        (diagram.more)(syntax, self);
        versions::write(diagram, syntax, &plan.newer, self);
        self.builder.close(None);
    }

    /// Adds a list, whose items `write` adds.
    pub(super) fn list(&mut self, key: &'static str, write: impl FnOnce(&mut Self)) {
        let whole = self.fragment.host(Span::new(0, self.fragment.text().len()));
        self.builder.key_static(key);
        self.builder.open_sequence(whole);
        write(self);
        self.builder.close(None);
    }

    /// Adds an item at a part, whose fields `write` adds.
    pub(super) fn object(&mut self, at: Part<'_>, write: impl FnOnce(&mut Self)) {
        self.builder.open_mapping(self.host(trimmed(at)));
        write(self);
        self.builder.close(None);
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
        // Most texts stand in the file as they are.
        let as_it_is = self.builder.source(source).slice(span) == text;
        self.builder.scalar(if as_it_is { Scalar::Slice } else { Scalar::Text(&text) }, span);
    }

    /// Adds a field of a fixed text.
    pub(super) fn word(&mut self, key: &'static str, word: &'static str, at: Part<'_>) {
        self.builder.field(key, Scalar::Static(word), self.host(trimmed(at)));
    }

    /// Adds a field of a fixed text at a place of the prepared text.
    pub(super) fn word_at(&mut self, key: &'static str, word: &'static str, span: Span) {
        self.builder.field(key, Scalar::Static(word), self.host(span));
    }

    /// Adds a number.
    pub(super) fn number(&mut self, key: &'static str, number: usize, at: Part<'_>) {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.builder.field(key, Scalar::Integer(number), self.host(trimmed(at)));
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

    /// Adds a field that is the text of a part.
    pub(super) fn field(&mut self, key: &'static str, part: Part<'_>) {
        self.builder.key_static(key);
        self.text(part);
    }

    /// Adds the text of a part, without the quotes around it, as an item.
    pub(super) fn text(&mut self, part: Part<'_>) {
        let span = trimmed(part);
        let text = part.text().trim();
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let (text, span) = match inner {
            Some(inner) => (inner, Span { start: span.start + 1, end: span.end - 1 }),
            None => (text, span),
        };
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
        self.fragment.host(self.prepared.original(span))
    }
}

/// A text as it is written, with `#name;` where preparing put other characters.
fn written(text: &str) -> Cow<'_, str> {
    if text.contains("ﬂ°") {
        return text.replace("ﬂ°°", "#").replace("ﬂ°", "#").replace("¶ß", ";").into();
    }
    text.into()
}

//! What a grammar saw, as one flat list of named parts, the same for every grammar.

use crate::{
    syntax::peg::{Grammar, Match, Stuck},
    text::Span,
};

/// The parts of a text in the order they start; a part's descendants follow it.
#[derive(Debug)]
pub(super) struct Syntax<'t> {
    text: &'t str,
    names: &'static [&'static str],
    parts: Vec<Match>,
}

/// One part: what a rule of the grammar matched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'s> {
    syntax: &'s Syntax<'s>,
    index: usize,
}

impl<'t> Syntax<'t> {
    /// A text of which nothing is known.
    pub(super) fn empty(text: &'t str) -> Self {
        Self { text, names: &[], parts: Vec::new() }
    }

    /// Reads a whole prepared text.
    pub(super) fn document(grammar: &Grammar, text: &'t str) -> Result<Self, Stuck> {
        grammar.document(text).map(|parts| Self { text, names: grammar.names, parts })
    }

    /// Reads one statement, to learn how far it can be read.
    pub(super) fn statement(grammar: &Grammar, text: &'t str) -> Result<Self, Stuck> {
        grammar.statement(text).map(|parts| Self { text, names: grammar.names, parts })
    }

    /// The text that was read.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// All parts, outer ones before inner ones.
    pub(super) fn all(&self) -> impl Iterator<Item = Part<'_>> {
        (0..self.parts.len()).map(|index| Part { syntax: self, index })
    }

    /// How many parts there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// All parts of one rule, at any depth.
    pub(super) fn named<'s>(&'s self, rule: &str) -> impl Iterator<Item = Part<'s>> {
        let number = self.names.iter().position(|name| *name == rule);
        let all = if number.is_some() { self.parts.len() } else { 0 };
        (0..all).map(|index| Part { syntax: self, index }).filter(move |part| Some(part.number()) == number)
    }

    /// The statements: the parts directly below the document.
    pub(super) fn statements(&self) -> impl Iterator<Item = Part<'_>> {
        let root = (!self.parts.is_empty()).then_some(Part { syntax: self, index: 0 });
        root.into_iter().flat_map(Part::children)
    }
}

impl<'s> Part<'s> {
    /// Name of the rule.
    pub(super) fn rule(self) -> &'static str {
        self.syntax.names[self.number()]
    }

    /// Number of the rule.
    pub(super) fn number(self) -> usize {
        usize::from(self.data().rule)
    }

    /// Place in the prepared text.
    pub(super) fn span(self) -> Span {
        self.data().span
    }

    /// The matched text.
    pub(super) fn text(self) -> &'s str {
        self.span().of(self.syntax.text)
    }

    /// Whether the rule has this name.
    pub(super) fn is(self, rule: &str) -> bool {
        self.rule() == rule
    }

    /// The parts directly below.
    pub(super) fn children(self) -> impl Iterator<Item = Part<'s>> {
        let last = self.data().end as usize;
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            let part = (next < last).then_some(Part { syntax: self.syntax, index: next })?;
            next = part.data().end as usize;
            Some(part)
        })
    }

    /// The parts at any depth below.
    pub(super) fn descendants(self) -> impl Iterator<Item = Part<'s>> {
        (self.index + 1..self.data().end as usize).map(move |index| Part { syntax: self.syntax, index })
    }

    /// The first part of this rule below.
    pub(super) fn find(self, rule: &str) -> Option<Part<'s>> {
        self.descendants().find(|part| part.is(rule))
    }

    /// The parts of this rule below.
    pub(super) fn find_all<'n: 's>(self, rule: &'n str) -> impl Iterator<Item = Part<'s>> {
        self.descendants().filter(move |part| part.is(rule))
    }

    fn data(self) -> &'s Match {
        &self.syntax.parts[self.index]
    }
}

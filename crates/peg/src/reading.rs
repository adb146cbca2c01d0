use super::{Grammar, Match, Stuck};
use crate::text::Span;

/// Text as a grammar read it: its matches in the order they start, each followed by those inside it.
#[derive(Debug)]
pub struct Reading<'g, 't> {
    grammar: &'g Grammar,
    text: &'t str,
    matches: Vec<Match>,
}

/// One match of a reading: a part of the text, with the rule that it fits.
#[derive(Debug, Clone, Copy)]
pub struct Part<'s, 'g> {
    reading: &'s Reading<'g, 's>,
    index: usize,
}

/// A rule, by its name, or by its number, which takes less to compare.
pub trait RuleId: Copy {
    /// Whether a part is a match of the rule.
    fn is_of(self, part: Part<'_, '_>) -> bool;
}

impl RuleId for &str {
    fn is_of(self, part: Part<'_, '_>) -> bool {
        part.rule() == self
    }
}

impl RuleId for u16 {
    fn is_of(self, part: Part<'_, '_>) -> bool {
        part.number() == self
    }
}

impl<'g, 't> Reading<'g, 't> {
    /// Reads `text` with a rule of the grammar.
    ///
    ///# Errors
    ///Where the text does not match.
    pub fn new(grammar: &'g Grammar, start: &str, text: &'t str) -> Result<Self, Stuck> {
        grammar.read(start, text).map(|matches| Self { grammar, text, matches })
    }

    /// Like [`Self::new`], where no one asks why text does not match.
    pub fn fitting(grammar: &'g Grammar, start: &str, text: &'t str) -> Option<Self> {
        grammar.read_if_fits(start, text).map(|matches| Self { grammar, text, matches })
    }

    /// Text of which nothing was read.
    pub fn empty(grammar: &'g Grammar, text: &'t str) -> Self {
        Self { grammar, text, matches: Vec::new() }
    }

    /// The text that was read.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// All parts, outer ones before inner ones.
    pub fn all(&self) -> impl Iterator<Item = Part<'_, 'g>> {
        (0..self.matches.len()).map(|index| Part { reading: self, index })
    }

    /// How many parts there are.
    #[expect(clippy::len_without_is_empty, reason = "no one asks")]
    pub fn len(&self) -> usize {
        self.matches.len()
    }

    /// The first part: where the rule makes a match, that of the whole text.
    pub fn first(&self) -> Option<Part<'_, 'g>> {
        (!self.matches.is_empty()).then_some(Part { reading: self, index: 0 })
    }

    /// The parts directly below the first one.
    pub fn children(&self) -> impl Iterator<Item = Part<'_, 'g>> {
        self.first().into_iter().flat_map(Part::children)
    }

    /// All parts of one rule, at any depth.
    pub fn named<'s>(&'s self, rule: &str) -> impl Iterator<Item = Part<'s, 'g>> {
        let number = self.grammar.rule(rule);
        let all = if number.is_some() { self.matches.len() } else { 0 };
        (0..all).map(|index| Part { reading: self, index }).filter(move |part| Some(part.number()) == number)
    }

    /// The parts from an index up to another one, without those inside them.
    fn between(&self, first: usize, last: usize) -> impl Iterator<Item = Part<'_, 'g>> {
        let mut next = first;
        std::iter::from_fn(move || {
            let part = (next < last).then_some(Part { reading: self, index: next })?;
            next = part.data().next as usize;
            Some(part)
        })
    }
}

impl<'s, 'g> Part<'s, 'g> {
    /// Name of the rule.
    pub fn rule(self) -> &'g str {
        self.reading.grammar.name(self.number())
    }

    /// Number of the rule.
    pub fn number(self) -> u16 {
        self.data().rule
    }

    /// Place in the text.
    pub fn span(self) -> Span {
        self.data().span
    }

    /// The matched text.
    pub fn text(self) -> &'s str {
        self.span().of(self.reading.text)
    }

    /// The whitespace before the match in its line, with its place in the text.
    pub fn space_before(self) -> (&'s str, Span) {
        let start = self.span().start as usize;
        let before = &self.reading.text[..start];
        let space = before.trim_end_matches(|c: char| c.is_whitespace() && c != '\n').len();
        (&before[space..], Span::new(space, start))
    }

    /// Whether it is a match of this rule.
    pub fn is(self, rule: impl RuleId) -> bool {
        rule.is_of(self)
    }

    /// The parts directly below.
    pub fn children(self) -> impl Iterator<Item = Part<'s, 'g>> {
        self.reading.between(self.index + 1, self.data().next as usize)
    }

    /// The parts at any depth below.
    pub fn descendants(self) -> impl Iterator<Item = Part<'s, 'g>> {
        (self.index + 1..self.data().next as usize).map(move |index| Part { reading: self.reading, index })
    }

    /// The first part of this rule below.
    pub fn find(self, rule: impl RuleId) -> Option<Part<'s, 'g>> {
        self.descendants().find(|part| part.is(rule))
    }

    /// The parts of this rule below.
    pub fn find_all(self, rule: impl RuleId) -> impl Iterator<Item = Part<'s, 'g>> {
        self.descendants().filter(move |part| part.is(rule))
    }

    fn data(self) -> &'s Match {
        &self.reading.matches[self.index]
    }
}

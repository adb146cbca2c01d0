//! What a grammar saw, as one flat list of named parts, the same for every grammar.

use pest::{RuleType, iterators::Pair};

use crate::text::Span;

/// The parts of a text in the order they start; a part's descendants follow it.
#[derive(Debug)]
pub(super) struct Syntax<'t> {
    text: &'t str,
    parts: Vec<PartData>,
}

#[derive(Debug)]
struct PartData {
    rule: &'static str,
    span: Span,
    /// Index after the last descendant.
    end: u32,
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
        Self { text, parts: Vec::new() }
    }

    /// Flattens what pest gives.
    pub(super) fn flatten<R: RuleType>(
        text: &'t str,
        pairs: pest::iterators::Pairs<'_, R>,
        name: impl Fn(R) -> &'static str + Copy,
    ) -> Self {
        let mut this = Self { text, parts: Vec::with_capacity(text.len() / 4) };
        for pair in pairs {
            this.add(pair, name);
        }
        this
    }

    fn add<R: RuleType>(&mut self, pair: Pair<'_, R>, name: impl Fn(R) -> &'static str + Copy) {
        let index = self.parts.len();
        let span = pair.as_span();
        let rule = name(pair.as_rule());
        self.parts.push(PartData { rule, span: Span::new(span.start(), span.end()), end: 0 });
        for inner in pair.into_inner() {
            self.add(inner, name);
        }
        self.parts[index].end = self.parts.len() as u32;
    }

    /// The text that was read.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// All parts, outer ones before inner ones.
    pub(super) fn all(&self) -> impl Iterator<Item = Part<'_>> {
        (0..self.parts.len()).map(|index| Part { syntax: self, index })
    }

    /// All parts of one rule, at any depth.
    pub(super) fn named<'s>(&'s self, rule: &'s str) -> impl Iterator<Item = Part<'s>> {
        self.all().filter(move |part| part.rule() == rule)
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
        self.data().rule
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

    fn data(self) -> &'s PartData {
        &self.syntax.parts[self.index]
    }
}

/// Where a grammar gave up, and what it would have taken there.
#[derive(Debug)]
pub(super) struct Dead {
    /// Offset in the text.
    pub(super) at: usize,
    /// Names of the rules that would have fitted.
    pub(super) expected: Vec<&'static str>,
}

impl Dead {
    /// Reads pest's error.
    pub(super) fn new<R: RuleType>(error: &pest::error::Error<R>, name: impl Fn(R) -> &'static str) -> Self {
        let at = match error.location {
            pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
        };
        let expected = match &error.variant {
            pest::error::ErrorVariant::ParsingError { positives, .. } => {
                positives.iter().map(|rule| name(*rule)).collect()
            }
            pest::error::ErrorVariant::CustomError { .. } => Vec::new(),
        };
        Self { at, expected }
    }
}

/// What a grammar makes of a text.
pub(super) type Reading<'t> = Result<Syntax<'t>, Dead>;

/// Derives a grammar of a file below `grammars/mermaid`, after the common part, and gives it `read`
/// (a whole text) and `probe` (one statement, to learn how far it can be read).
macro_rules! grammar {
    ($($path:literal),+) => {
        #[derive(pest_derive::Parser)]
        #[grammar = "../grammars/mermaid/common.pest"]
        $(#[grammar = $path])+
        struct Grammar;

        fn rule_name(this_rule: Rule) -> &'static str {
            static NAMES: std::sync::OnceLock<Vec<&'static str>> = std::sync::OnceLock::new();
            let names = NAMES.get_or_init(|| {
                $crate::kinds::mermaid::syntax::rule_names(Rule::all_rules(), |this_rule| this_rule as usize)
            });
            names.get(this_rule as usize).copied().unwrap_or_default()
        }

        pub(super) fn read(text: &str) -> $crate::kinds::mermaid::syntax::Reading<'_> {
            use pest::Parser as _;
            use $crate::kinds::mermaid::syntax::{Dead, Syntax};
            Grammar::parse(Rule::document, text)
                .map(|pairs| Syntax::flatten(text, pairs, rule_name))
                .map_err(|error| Dead::new(&error, rule_name))
        }

        pub(super) fn probe(text: &str) -> $crate::kinds::mermaid::syntax::Reading<'_> {
            use pest::Parser as _;
            use $crate::kinds::mermaid::syntax::{Dead, Syntax};
            Grammar::parse(Rule::statement, text)
                .map(|pairs| Syntax::flatten(text, pairs, rule_name))
                .map_err(|error| Dead::new(&error, rule_name))
        }
    };
}

pub(super) use grammar;

/// Names of a grammar's rules, in the order of their numbers.
pub(super) fn rule_names<R: RuleType>(rules: &[R], number: fn(R) -> usize) -> Vec<&'static str> {
    let mut names = vec!["EOI"; rules.iter().map(|rule| number(*rule) + 1).max().unwrap_or(0)];
    for rule in rules {
        // Made once for each grammar, and kept for the life of the program.
        let name: &'static str = Box::leak(format!("{rule:?}").into_boxed_str());
        names[number(*rule)] = name;
    }
    names
}

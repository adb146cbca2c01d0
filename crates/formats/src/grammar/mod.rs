//! Kinds that packs define: a grammar reads the text, its matches become the tree.
//!
//! Rules whose names start with `err_` are *error productions*: each match is a syntax error of that name,
//! with the matches inside it as values and places. Text that the grammar does not match is the syntax
//! error [`SYNTAX_ERROR`]; text that takes too much effort to read is [`TOO_COMPLEX`].

mod comment;
mod outline;

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;

pub use self::comment::CommentPattern;
use super::{Document, Kind, Names, Observable, Observation, ParseOptions, lexical::Language};
use crate::{
    peg::{Grammar, Part, Reading, Stuck},
    syntax::mapping::{self, Mapping, NameRule, Target},
    text::{Fragment, Source, Span, clip},
    tree::{Scalar, TreeBuilder},
};

/// Name of the syntax error of text that the grammar does not match.
pub const SYNTAX_ERROR: &str = "syntax_error";

/// Name of the syntax error of text that takes too much effort to read.
pub const TOO_COMPLEX: &str = "too_complex";

/// How the names of error productions start.
pub const ERROR_PREFIX: &str = "err_";

/// What a kind is made of.
#[derive(Debug)]
pub struct Definition {
    /// Name of the kind.
    pub name: String,
    /// One line on what it is.
    pub description: String,
    /// File names it is for.
    pub globs: Vec<String>,
    /// Fence languages it is for.
    pub fences: Vec<String>,
    /// How a comment is written.
    pub comment: CommentPattern,
    /// The compiled grammar.
    pub grammar: Grammar,
    /// The rule that reads a whole text.
    pub start: String,
    /// What the tree has (default: it follows the rules of the grammar).
    pub tree: Option<Mapping>,
    /// The names in documents.
    pub names: Vec<NameRule>,
    /// JSON Schema of the tree (default: generated).
    pub schema: Option<Value>,
}

/// A kind that a pack defines.
#[derive(Debug)]
pub struct GrammarKind {
    definition: Definition,
    observables: Vec<Observable>,
    schema: String,
}

impl GrammarKind {
    /// The kind of a definition.
    pub fn new(definition: Definition) -> Self {
        let observables = observables(&definition.grammar);
        let Definition { grammar, start, tree, schema, .. } = &definition;
        let schema = match (schema, tree) {
            (Some(schema), _) => schema.to_string(),
            (None, Some(tree)) => mapping::schema(tree, grammar).to_string(),
            (None, None) => outline::schema(grammar, start).to_string(),
        };
        Self { definition, observables, schema }
    }

    fn language(&self) -> Language<'_> {
        let Definition { grammar, start, names, .. } = &self.definition;
        Language { grammar, start, names, statements: &[], connectors: &[] }
    }

    /// The syntax errors of the error productions that matched.
    fn observe(reading: &Reading<'_, '_>, fragment: &Fragment<'_>) -> Vec<Observation> {
        let errors = reading.all().filter(|part| part.rule().starts_with(ERROR_PREFIX));
        let host = |part: Part<'_, '_>| fragment.host(part.span());
        let observe = |part: Part<'_, '_>| {
            let mut observation =
                Observation::new(part.rule().to_owned(), host(part)).with("text", part.text());
            for inner in part.descendants().filter(|inner| !inner.is("EOI")) {
                let name = inner.rule();
                if observation.values.iter().all(|(known, _)| known != name) {
                    observation = observation.with(name.to_owned(), inner.text());
                }
                observation = observation.at(name.to_owned(), host(inner));
            }
            observation
        };
        errors.map(observe).collect()
    }

    /// The syntax error of text that the grammar does not match.
    fn mismatch(&self, stuck: Stuck, fragment: &Fragment<'_>) -> Observation {
        let text = fragment.text();
        if stuck.exhausted {
            let line = text.lines().next().map_or(0, str::len);
            return Observation::new(TOO_COMPLEX, fragment.host(Span::new(0, line)));
        }
        let Definition { grammar, start, .. } = &self.definition;
        let (at, mut expected) = grammar.expected(start, text);
        expected.sort_unstable();
        let rest = text.get(at..).unwrap_or_default();
        let found = rest.lines().next().filter(|line| !line.is_empty());
        let found = match found {
            Some(line) => clip(line, 40).into_owned(),
            None if rest.is_empty() => "the end of the text".to_owned(),
            None => "the end of the line".to_owned(),
        };
        let width = rest.chars().next().filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
        Observation::new(SYNTAX_ERROR, fragment.host(Span::new(at, at + width)))
            .with("found", found)
            .with("expected", expected.join(" or "))
    }
}

/// What a grammar's error productions observe, and what every grammar does.
fn observables(grammar: &Grammar) -> Vec<Observable> {
    let inside = grammar.inside();
    let error = |(rule, name): (usize, &str)| {
        let below = below(&inside, rule);
        let mut names: Vec<String> = below
            .into_iter()
            .map(|rule| grammar.name(rule).to_owned())
            .filter(|name| name != "EOI")
            .collect();
        let places = Names::Read(names.clone());
        names.insert(0, "text".to_owned());
        Observable {
            name: name.to_owned().into(),
            places,
            values: Names::Read(names),
            ..Observable::syntax("", &[], &[])
        }
    };
    let errors = grammar.names().enumerate().filter(|(_, name)| name.starts_with(ERROR_PREFIX));
    let mut all: Vec<Observable> = errors.map(error).collect();
    all.push(Observable::syntax(SYNTAX_ERROR, &["found", "expected"], &[]));
    all.push(Observable::syntax(TOO_COMPLEX, &[], &[]));
    all
}

/// The rules whose matches can be inside that of a rule, at any depth.
fn below(inside: &[BTreeSet<u16>], rule: usize) -> BTreeSet<u16> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<u16> = inside[rule].iter().copied().collect();
    while let Some(rule) = waiting.pop() {
        if found.insert(rule) {
            waiting.extend(&inside[usize::from(rule)]);
        }
    }
    found
}

impl Kind for GrammarKind {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn description(&self) -> &str {
        &self.definition.description
    }

    fn globs(&self) -> Vec<&str> {
        self.definition.globs.iter().map(String::as_str).collect()
    }

    fn languages(&self) -> Vec<&str> {
        self.definition.fences.iter().map(String::as_str).collect()
    }

    fn observables(&self) -> &[Observable] {
        &self.observables
    }

    fn productions(&self) -> Vec<&str> {
        let names = self.observables.iter().map(|observable| &*observable.name);
        names.filter(|name| name.starts_with(ERROR_PREFIX)).collect()
    }

    fn tree_schema(&self) -> &str {
        &self.schema
    }

    fn comment(&self, text: &str) -> String {
        self.definition.comment.write(text)
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let Definition { name, grammar, start, comment, tree, .. } = &self.definition;
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let mut lexemes = Vec::new();
        let observations = match Reading::new(grammar, start, fragment.text()) {
            Ok(reading) => {
                match tree {
                    Some(tree) => described(tree, &reading, fragment, &mut builder),
                    None => outline::write(&reading, fragment, &mut builder),
                }
                if options.editor.lexemes || options.editor.names {
                    lexemes = self.language().lexemes(&reading, options.editor);
                    for lexeme in &mut lexemes {
                        lexeme.span = fragment.host(lexeme.span);
                    }
                }
                Self::observe(&reading, fragment)
            }
            Err(stuck) => vec![self.mismatch(stuck, fragment)],
        };
        let comments = comment.suppressions(fragment);
        let at = options.editor.cursor.and_then(|at| fragment.local(at)).map(|at| at as usize);
        let parts = at.and_then(|at| fragment.text().split_at_checked(at));
        let continuations = parts.map(|(before, after)| {
            // What is there of a word is replaced by it.
            let rest = after.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            self.language().continuations(before, |word| format!("{before}{word}{rest}"))
        });
        let continuations = continuations.unwrap_or_default();
        let document = Document::new(name.clone(), builder.finish());
        Document { observations, comments, lexemes, continuations, ..document }
    }
}

/// Writes the tree that a description says.
fn described(tree: &Mapping, reading: &Reading<'_, '_>, fragment: &Fragment<'_>, builder: &mut TreeBuilder) {
    let whole = fragment.host(Span::new(0, fragment.text().len()));
    builder.open_mapping(whole);
    let mut writer = Writer { fragment, builder };
    mapping::write(tree, reading, whole, &mut writer);
    builder.close(None);
}

struct Writer<'w> {
    fragment: &'w Fragment<'w>,
    builder: &'w mut TreeBuilder,
}

impl<'g> Target<'g> for Writer<'_> {
    fn builder(&mut self) -> &mut TreeBuilder {
        self.builder
    }

    fn host(&self, part: Part<'_, 'g>) -> Span {
        self.fragment.host(part.span())
    }

    fn place(&self, piece: Span) -> Span {
        self.fragment.host(piece)
    }

    fn string(&mut self, part: Part<'_, 'g>) {
        let span = self.host(part);
        self.builder.scalar(Scalar::Text(part.text()), span);
    }

    fn rule(&mut self, part: Part<'_, 'g>) {
        let span = self.host(part);
        self.builder.scalar(Scalar::Text(part.rule()), span);
    }
}

#[cfg(test)]
mod tests;

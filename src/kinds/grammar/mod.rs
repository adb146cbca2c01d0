//! Kinds that packs bring: a `.pest` grammar for a fence language of their own, interpreted.
//!
//! The tree has a mapping for every rule that matched something inside: the names of the inner rules
//! are its keys, each with the sequence of what they matched. A rule without inner rules is its text.
//! A grammar `pairs = { pair* }  pair = { key ~ "=" ~ value }` gives `$.pair[*].key[*]`.
//!
//! Rules whose names start with `err_` are *error productions*: each match is a fault of that name,
//! with the inner rules as places.

use std::{
    num::NonZeroUsize,
    sync::{Arc, OnceLock},
};

use pest::iterators::{Pair, Pairs};
use pest_meta::optimizer::OptimizedRule;
use pest_vm::Vm;

use super::{Document, Kind, Observable, Observation, ParseOptions};
use crate::{
    text::{Fragment, Source, Span, clip},
    tree::{Scalar, TreeBuilder},
};

/// Name of the fault of a text that a grammar does not match and no error production names.
pub const SYNTAX_ERROR: &str = "syntax_error";

/// Most rule calls for one text: a grammar that backtracks without end is stopped there. The limit is
/// the parsing library's and so one for the whole process.
const CALLS: usize = 20_000_000;

/// Deepest nesting of matched rules that becomes a tree.
const DEPTH: usize = 256;

/// A kind that a grammar of a pack defines.
pub struct GrammarKind {
    name: String,
    start: String,
    languages: Vec<String>,
    observables: Vec<Observable>,
    vm: Vm,
}

impl std::fmt::Debug for GrammarKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GrammarKind").field("name", &self.name).finish_non_exhaustive()
    }
}

impl GrammarKind {
    /// Compiles a grammar.
    ///
    /// # Errors
    /// What is wrong with the grammar, with line and column.
    pub fn compile(name: &str, source: &str, start: &str, languages: &[String]) -> Result<Self, String> {
        let (_, rules) = pest_meta::parse_and_optimize(source).map_err(|errors| {
            errors.first().map_or_else(
                || "it is empty".to_owned(),
                |error| {
                    let (pest::error::LineColLocation::Pos(at) | pest::error::LineColLocation::Span(at, _)) =
                        error.line_col;
                    format!("line {}, column {}: {}", at.0, at.1, error.variant.message())
                },
            )
        })?;
        if !rules.iter().any(|rule| rule.name == start) {
            let near = crate::text::nearest(start, rules.iter().map(|rule| rule.name.as_str()));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(format!("it has no rule `{start}`{near}"));
        }
        let errors = rules.iter().filter(|rule| rule.name.starts_with("err_"));
        let error = |rule: &OptimizedRule| Observable {
            name: rule.name.clone().into(),
            ..Observable::syntax("", &["text"], &[])
        };
        let mut observables: Vec<Observable> = errors.map(error).collect();
        observables.push(Observable::syntax(SYNTAX_ERROR, &["found", "expected"], &[]));
        Ok(Self {
            name: name.to_owned(),
            start: start.to_owned(),
            languages: languages.to_vec(),
            observables,
            vm: Vm::new(rules),
        })
    }

    fn add(&self, pair: &Pair<'_, &str>, reading: &mut Reading<'_>, depth: usize) {
        let span = reading.host(pair);
        let inner: Vec<Pair<'_, &str>> =
            pair.clone().into_inner().filter(|inner| inner.as_rule() != "EOI").collect();
        if pair.as_rule().starts_with("err_") {
            self.observe(pair, &inner, reading);
        }
        if inner.is_empty() || depth > DEPTH {
            reading.builder.scalar(Scalar::Text(pair.as_str()), span);
            return;
        }
        let mut names: Vec<&str> = inner.iter().map(|inner| inner.as_rule()).collect();
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(*name));
        reading.builder.open_mapping(span);
        for name in names {
            let group: Vec<&Pair<'_, &str>> = inner.iter().filter(|inner| inner.as_rule() == name).collect();
            let covered = group.iter().map(|pair| reading.host(pair)).reduce(Span::cover).unwrap_or(span);
            reading.builder.key(name, covered, crate::tree::KeyType::String);
            reading.builder.open_sequence(covered);
            for pair in group {
                self.add(pair, reading, depth + 1);
            }
            reading.builder.close(None);
        }
        reading.builder.close(None);
    }

    fn observe(&self, pair: &Pair<'_, &str>, inner: &[Pair<'_, &str>], reading: &mut Reading<'_>) {
        let Some(known) = self.observables.iter().find(|known| known.name == pair.as_rule()) else { return };
        let mut observation =
            Observation::new(known.name.clone(), reading.host(pair)).with("text", pair.as_str());
        for inner in inner {
            observation = observation.at(inner.as_rule().to_owned(), reading.host(inner));
        }
        reading.observations.push(observation);
    }
}

struct Reading<'r> {
    fragment: &'r Fragment<'r>,
    builder: TreeBuilder,
    observations: Vec<Observation>,
}

impl Reading<'_> {
    fn host(&self, pair: &Pair<'_, &str>) -> Span {
        self.fragment.host(Span::new(pair.as_span().start(), pair.as_span().end()))
    }
}

impl Kind for GrammarKind {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        "fences that a grammar of a pack reads"
    }

    fn languages(&self) -> Vec<&str> {
        self.languages.iter().map(String::as_str).collect()
    }

    fn observables(&self) -> &[Observable] {
        &self.observables
    }

    fn tree_schema(&self) -> &str {
        "{}"
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        limit_calls();
        let text = fragment.text();
        let mut reading =
            Reading { fragment, builder: TreeBuilder::new(Arc::clone(source)), observations: Vec::new() };
        if text.len() > options.limits.diagram_bytes {
            let expected = format!("at most {} bytes", options.limits.diagram_bytes);
            reading.observations.push(fault(fragment, 0, format!("{} bytes", text.len()), expected));
        } else {
            match self.vm.parse(&self.start, text) {
                Ok(pairs) => self.add_all(pairs, &mut reading),
                Err(error) => reading.observations.push(Self::mismatch(&error, fragment)),
            }
        }
        let mut document = Document::new(self.name.clone(), reading.builder.finish());
        document.observations = reading.observations;
        document
    }
}

impl GrammarKind {
    fn add_all(&self, mut pairs: Pairs<'_, &str>, reading: &mut Reading<'_>) {
        if let Some(pair) = pairs.next() {
            self.add(&pair, reading, 0);
        }
    }

    fn mismatch(error: &pest::error::Error<&str>, fragment: &Fragment<'_>) -> Observation {
        let at = match error.location {
            pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
        };
        let expected = match &error.variant {
            pest::error::ErrorVariant::ParsingError { positives, .. } => {
                let mut names: Vec<String> = positives.iter().map(|name| name.replace('_', " ")).collect();
                names.sort();
                names.dedup();
                names.join(" or ")
            }
            pest::error::ErrorVariant::CustomError { message } => message.clone(),
        };
        let rest = fragment.text().get(at..).unwrap_or_default();
        let found =
            rest.lines().next().map(|line| clip(line, 40).into_owned()).filter(|line| !line.is_empty());
        fault(fragment, at, found.unwrap_or_else(|| "the end of the line".to_owned()), expected)
    }
}

fn fault(fragment: &Fragment<'_>, at: usize, found: String, expected: String) -> Observation {
    let rest = fragment.text().get(at..).unwrap_or_default();
    let width = rest.chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    Observation::new(SYNTAX_ERROR, fragment.host(Span::new(at, at + width)))
        .with("found", found)
        .with("expected", expected)
}

/// Sets the process-wide limit on rule calls, once.
pub fn limit_calls() {
    static LIMITED: OnceLock<()> = OnceLock::new();
    LIMITED.get_or_init(|| pest::set_call_limit(NonZeroUsize::new(CALLS)));
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: &str = r#"
        document = { SOI ~ (line ~ "\n")* ~ EOI }
        line = _{ pair | err_no_value }
        pair = { key ~ "=" ~ value }
        err_no_value = { key ~ "="? }
        key = @{ ASCII_ALPHA+ }
        value = @{ ASCII_DIGIT+ }
    "#;

    fn parse(text: &str) -> Document {
        let kind = GrammarKind::compile("pairs", PAIRS, "document", &["pairs".to_owned()]).unwrap();
        let source = Arc::new(Source::new("t", text));
        kind.parse(&source, &Fragment::contiguous(source.text(), source.span()), &ParseOptions::default())
    }

    #[test]
    fn matched_rules_become_keys_and_error_productions_faults() {
        let document = parse("a=1\nb=\nc=3\n");
        assert_eq!(
            document.tree.root().to_json().to_string(),
            r#"{"pair":[{"key":["a"],"value":["1"]},{"key":["c"],"value":["3"]}],"err_no_value":[{"key":["b"]}]}"#
        );
        let fault = &document.observations[0];
        assert_eq!((&*fault.name, fault.span.of("a=1\nb=\nc=3\n")), ("err_no_value", "b="));
        assert_eq!(fault.places[0].0, "key");
    }

    #[test]
    fn a_text_that_does_not_match_is_one_fault_at_its_place() {
        let document = parse("a=1\n!\n");
        assert_eq!(document.observations.len(), 1);
        assert_eq!(document.observations[0].span, Span::new(4, 5));
    }

    #[test]
    fn a_grammar_that_does_not_compile_says_where() {
        let error = GrammarKind::compile("x", "a = { b }", "a", &[]).unwrap_err();
        assert!(error.starts_with("line 1"), "{error}");
        let error = GrammarKind::compile("x", "abc = { \"b\" }", "abd", &[]).unwrap_err();
        assert_eq!(error, "it has no rule `abd`; did you mean `abc`?");
    }

    #[test]
    fn exponential_backtracking_is_stopped() {
        let grammar = r#"s = { SOI ~ a ~ EOI } a = { "x" ~ a ~ "1" | "x" ~ a ~ "2" | "x" ~ a ~ "3" | "x" }"#;
        let kind = GrammarKind::compile("slow", grammar, "s", &[]).unwrap();
        let source = Arc::new(Source::new("t", "x".repeat(60)));
        let document = kind.parse(
            &source,
            &Fragment::contiguous(source.text(), source.span()),
            &ParseOptions::default(),
        );
        assert_eq!(document.observations.len(), 1);
    }
}

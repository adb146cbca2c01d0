//! The tree of a kind that describes none: it follows the rules of the grammar.
//!
//! A match with matches inside is a mapping: the names of the inner rules are its keys, each with the
//! sequence of what they matched. A match without is its text. A grammar
//! `pairs = { pair* }  pair = { key ~ "=" ~ value }` gives `$.pair[*].key[*]`.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use crate::{
    peg::{Grammar, Part, Reading},
    text::{Fragment, Span},
    tree::{KeyType, Scalar, TreeBuilder},
};

/// Deepest nesting of matches that becomes a tree.
const DEPTH: usize = 256;

/// Writes the tree of what was read.
pub(super) fn write(reading: &Reading<'_, '_>, fragment: &Fragment<'_>, builder: &mut TreeBuilder) {
    let mut writer = Writer { fragment, builder };
    if let Some(part) = reading.first() {
        writer.part(part, 0);
    }
}

struct Writer<'w> {
    fragment: &'w Fragment<'w>,
    builder: &'w mut TreeBuilder,
}

impl Writer<'_> {
    fn host(&self, part: Part<'_, '_>) -> Span {
        self.fragment.host(part.span())
    }

    fn part(&mut self, part: Part<'_, '_>, depth: usize) {
        let span = self.host(part);
        let inner: Vec<Part<'_, '_>> = part.children().filter(|inner| !inner.is("EOI")).collect();
        if inner.is_empty() || depth > DEPTH {
            self.builder.scalar(Scalar::Text(part.text()), span);
            return;
        }
        let mut seen = HashSet::new();
        self.builder.open_mapping(span);
        for first in inner.iter().filter(|part| seen.insert(part.number())) {
            let group: Vec<Part<'_, '_>> =
                inner.iter().copied().filter(|part| part.number() == first.number()).collect();
            let covered = group.iter().map(|part| self.host(*part)).reduce(Span::cover).unwrap_or(span);
            self.builder.key(first.rule(), covered, KeyType::String);
            self.builder.open_sequence(covered);
            for part in group {
                self.part(part, depth + 1);
            }
            self.builder.close(None);
        }
        self.builder.close(None);
    }
}

/// JSON Schema of such trees.
pub(super) fn schema(grammar: &Grammar, start: &str) -> Value {
    let inside = grammar.inside();
    let reference = |rule: u16| json!({"$ref": format!("#/$defs/{}", grammar.name(rule))});
    let definition = |(rule, name): (usize, &str)| {
        let rules: BTreeSet<u16> =
            inside[rule].iter().copied().filter(|rule| grammar.name(*rule) != "EOI").collect();
        if rules.is_empty() {
            return (name.to_owned(), json!({"type": "string"}));
        }
        let keys = rules.iter().map(|rule| {
            let list = json!({"type": "array", "items": reference(*rule)});
            (grammar.name(*rule).to_owned(), list)
        });
        let keys: Map<String, Value> = keys.collect();
        let object = json!({"type": "object", "additionalProperties": false, "properties": keys});
        // A match of alternatives may have nothing inside.
        (name.to_owned(), json!({"anyOf": [object, {"type": "string"}]}))
    };
    let definitions = grammar.names().enumerate().filter(|(_, name)| *name != "EOI").map(definition);
    let definitions: Map<String, Value> = definitions.collect();
    let roots = grammar.outermost(start).into_iter().filter(|rule| grammar.name(*rule) != "EOI");
    let roots: Vec<Value> = roots.map(reference).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "anyOf": roots,
        "$defs": definitions,
    })
}

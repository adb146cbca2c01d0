//! The parts of `docs/rule-language.md` that the code knows: placeholders, edit kinds, check kinds, formats.

use std::fmt::Write as _;

use proofmark::internals::reference::{CHECKS, EDITS, FORMATS, PLACEHOLDERS};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

use super::{
    Part,
    form::{Forms, cell, one_line},
};

pub(super) fn parts() -> Vec<Part> {
    vec![
        ("placeholders".into(), table("placeholder", PLACEHOLDERS)),
        ("edits".into(), edits_part()),
        ("checks".into(), checks_part()),
        ("formats".into(), table("format", FORMATS)),
    ]
}

fn table(head: &str, rows: &[(&str, &str)]) -> String {
    let mut text = format!("| {head} | what it is |\n|---|---|\n");
    for (name, about) in rows {
        let _ = writeln!(text, "| `{name}` | {} |", cell(about));
    }
    text
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().into_generator()
}

/// A section for each kind of edit.
fn edits_part() -> String {
    let mut text = String::new();
    for kind in EDITS {
        let mut generator = generator();
        let schema = (kind.schema)(&mut generator).to_value();
        let definitions = generator.definitions().clone();
        let forms = Forms::new(&definitions);
        let _ = write!(text, "### `{}`\n\n{}\n\n{}\n", kind.name, description(&schema), forms.table(&schema));
    }
    text
}

/// A list of the check kinds, and a section for each.
fn checks_part() -> String {
    let mut generator = generator();
    let schemas: Vec<Value> = CHECKS.iter().map(|kind| (kind.schema)(&mut generator).to_value()).collect();
    let definitions: Map<String, Value> = generator.definitions().clone();
    let forms = Forms::new(&definitions);
    let mut list = String::from("| check | what must hold |\n|---|---|\n");
    let mut sections = String::new();
    for (kind, schema) in CHECKS.iter().zip(&schemas) {
        let about = description(forms.resolve(schema));
        let first = one_line(about.split("```").next().unwrap_or_default());
        let first = first.split_once(". ").map_or(first.trim_end_matches('.'), |(first, _)| first);
        let _ = writeln!(list, "| [`{0}`](#{0}) | {1} |", kind.name, cell(first));
        let _ = write!(sections, "\n### `{}`\n\n{about}\n\n{}", kind.name, forms.forms(schema));
        sections += &adds("values", kind.values);
        sections += &adds("places", kind.places);
    }
    list + &sections
}

/// What the findings of a check add to messages and fixes.
fn adds(what: &str, names: &[(&str, &str)]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.iter().map(|(name, about)| format!("`{name}` ({about})")).collect();
    format!("\nAdds the {what} {}.\n", names.join(", "))
}

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

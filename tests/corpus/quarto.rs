//! How many errors are reported in real Quarto documents, and how many of the faults that were put into
//! some.

use std::{collections::BTreeMap, sync::Arc};

use proofmark::{Diagnostic, ParseOptions, Ruleset, Settings, Severity, Source, Validator};
use rayon::prelude::*;
use serde_json::Value;

use super::corpus;

/// Bounds, to be tightened and never relaxed.
const REAL_WITH_ERROR: f64 = 0.0055;
const FOUND: f64 = 0.993;
const FOUND_OF_EACH: f64 = 0.92;

fn rows(file: &str) -> Option<Vec<(Value, Vec<Diagnostic>)>> {
    let text = corpus::read(&format!("quarto/{file}"))?;
    let rows: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let kind = Arc::clone(validator.ruleset().kind("quarto").expect("the kind is built in"));
    let validate = |row: Value| {
        let text = row["text"].as_str().unwrap_or_default();
        let source = Arc::new(Source::new("<text>", text));
        let found = validator.validate(&source, kind.as_ref(), &ParseOptions::default()).diagnostics;
        (row, found)
    };
    Some(rows.into_par_iter().map(validate).collect())
}

#[test]
fn real_documents_have_few_errors() {
    let Some(mut rows) = rows("real.jsonl") else { return };
    rows.retain(|(row, _)| row["should_error"] != true);
    assert!(rows.len() > 1000, "{} documents", rows.len());
    let mut wrong = 0;
    for (row, found) in &rows {
        let errors: Vec<String> = found
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| format!("{} {}: {}", d.id, d.location.line, d.message))
            .collect();
        if !errors.is_empty() {
            wrong += 1;
            println!("{}: {}", row["id"], errors.join("; "));
        }
    }
    let share = f64::from(wrong) / rows.len() as f64;
    println!("{wrong} of {} real documents have an error ({share:.4})", rows.len());
    assert!(share <= REAL_WITH_ERROR);
}

#[test]
fn errors_are_reported_at_their_lines() {
    let Some(rows) = rows("faults.jsonl") else { return };
    assert!(rows.len() >= 600, "{} documents", rows.len());
    let mut groups: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (row, found) in &rows {
        let line = row["fault_line"].as_u64().expect("a fault has a line");
        let lines = found.iter().filter(|d| d.severity != Severity::Note).flat_map(|d| {
            let related = d.related.iter().map(|related| &related.location);
            std::iter::once(&d.location).chain(related).map(|location| u64::from(location.line))
        });
        let hit = lines.into_iter().any(|found| found.abs_diff(line) <= 1);
        let group = groups.entry(row["fault"].as_str().expect("a fault has a name")).or_default();
        group[0] += 1;
        group[1] += usize::from(hit);
        if !hit {
            println!("missed: {} line {line}", row["id"]);
        }
    }
    let share = |[all, found]: &[usize; 2]| *found as f64 / *all as f64;
    let total = groups.values().fold([0, 0], |sum, group| [sum[0] + group[0], sum[1] + group[1]]);
    println!("{} of {} faults are reported at their lines", total[1], total[0]);
    assert!(share(&total) >= FOUND);
    for (name, group) in &groups {
        assert!(share(group) >= FOUND_OF_EACH, "{name}: {} of {}", group[1], group[0]);
    }
}

//! Steps are a measure of time: what takes much longer than its steps say would not be seen by what limits work.

use std::time::Instant;

use super::{Case, steps};
use crate::diagrams;
use proofmark::{ParseOptions, Ruleset, Settings, Source, Validator};

/// Prints the cases that take the most time for each step and for each byte, compared with the usual case.
#[test]
#[ignore = "measures time, which needs an otherwise idle machine: run it with --nocapture"]
fn cost_of_steps() {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let cases = diagrams::cases();
    let mut rows: Vec<(f64, f64, u64, String)> = cases.iter().map(|case| row(&validator, case)).collect();
    for (title, key) in [("for each step", 0), ("for each byte", 1)] {
        let of = |row: &(f64, f64, u64, String)| if key == 0 { row.0 } else { row.1 };
        rows.sort_by(|a, b| of(b).total_cmp(&of(a)));
        let usual = of(&rows[rows.len() / 2]);
        println!("\nnanoseconds {title}; the usual case takes {usual:.1}");
        for row in &rows[..20] {
            println!("{:8.1} times  {:9} steps  {}", of(row) / usual, row.2, row.3);
        }
    }
}

/// Nanoseconds for a step and for a byte, the steps, and what they are for.
#[allow(clippy::cast_precision_loss, reason = "the numbers are far below those that `f64` rounds")]
fn row(validator: &Validator, case: &Case) -> (f64, f64, u64, String) {
    let kind = validator.ruleset().kind(&case.kind).unwrap();
    let text = (case.text)(2_000);
    let bytes = text.len() as f64;
    let source = std::sync::Arc::new(Source::new(case.name, text));
    let took = |_| {
        let start = Instant::now();
        validator.validate(&source, kind.as_ref(), &ParseOptions::default());
        start.elapsed().as_nanos() as f64
    };
    let least = (0..3).map(took).fold(f64::INFINITY, f64::min);
    let steps = steps(validator, case, 2_000);
    (least / steps.max(1) as f64, least / bytes, steps, case.what.clone())
}

//! Work grows with the size of the input, not with its square: the steps that a validation charges to its budget, at
//! three sizes, for every kind, every type of diagram, and every construct that can occur often.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod cost;
mod diagrams;
mod documents;
mod pieces;
mod table;

use std::sync::Arc;

use proofmark::{ParseOptions, Ruleset, Settings, Source, Validator, internals::budget::Budget};
use rayon::prelude::*;

/// By how much the steps may grow when the text doubles: more than twice for sorting and searching, and less
/// than the four times of quadratic work.
const DOUBLED: u64 = 3;

/// Steps that every validation takes, which hide how little ones grow.
const LEAST: u64 = 8_000;

/// An input of a given size.
type Grown = Box<dyn Fn(usize) -> String + Send + Sync>;

/// An input that grows, and what it is validated as.
struct Case {
    what: String,
    kind: String,
    name: &'static str,
    text: Grown,
}

impl Case {
    fn new(
        kind: &str,
        name: &'static str,
        what: &str,
        text: impl Fn(usize) -> String + Send + Sync + 'static,
    ) -> Self {
        Self { what: format!("{kind} {what}"), kind: kind.to_owned(), name, text: Box::new(text) }
    }
}

fn steps(validator: &Validator, case: &Case, size: usize) -> u64 {
    let kind = validator.ruleset().kind(&case.kind).unwrap();
    let source = Arc::new(Source::new(case.name, (case.text)(size)));
    let validate = || validator.validate(&source, kind.as_ref(), &ParseOptions::default());
    Budget::default().spend(validate).1.steps
}

/// Fails for cases whose work grows too fast.
fn grows_with_size(cases: &[Case]) {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let grown = cases.par_iter().filter_map(|case| {
        let [small, middle, large] = [150, 300, 600].map(|size| steps(&validator, case, size));
        let fast = |less: u64, more: u64| more > LEAST && more > DOUBLED * less.max(LEAST / 4);
        (fast(small, middle) && fast(middle, large))
            .then(|| format!("{}: {small}, {middle}, {large} steps", case.what))
    });
    let mut grown: Vec<String> = grown.collect();
    grown.sort();
    assert!(grown.is_empty(), "{} grow too fast:\n{}", grown.len(), grown.join("\n"));
}

/// One line for every number.
fn lines(line: impl Fn(usize) -> String + Send + Sync + 'static) -> impl Fn(usize) -> String + Send + Sync {
    move |size| (0..size).map(&line).collect()
}

/// A head, then one line for every number.
fn after(
    head: &'static str,
    line: impl Fn(usize) -> String + Send + Sync + 'static,
) -> impl Fn(usize) -> String + Send + Sync {
    move |size| format!("{head}{}", (0..size).map(&line).collect::<String>())
}

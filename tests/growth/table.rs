//! How work grows, as a table: for each kind and each type of diagram the case whose steps grow fastest.

use std::collections::BTreeMap;

use proofmark::{Ruleset, Settings, Validator};
use rayon::prelude::*;

use crate::{Case, LEAST, diagrams, documents, pieces, steps};

/// A case with its steps at three sizes.
struct Row {
    case: Case,
    steps: [u64; 3],
}

impl Row {
    /// By how much the steps grow when the text doubles the second time, where there are enough of them to say so.
    #[allow(clippy::cast_precision_loss, reason = "the numbers are far below those that `f64` rounds")]
    fn growth(&self) -> f64 {
        let [_, middle, large] = self.steps;
        large.max(LEAST) as f64 / middle.max(LEAST) as f64
    }

    /// The kind, and the type of diagram.
    fn group(&self) -> String {
        let mut words = self.case.what.split(' ');
        match words.next() {
            Some("mermaid") => match words.next().filter(|word| word.starts_with(char::is_alphabetic)) {
                Some(diagram) => format!("mermaid: {diagram}"),
                None => "mermaid".to_owned(),
            },
            kind => kind.unwrap_or_default().to_owned(),
        }
    }
}

#[test]
#[ignore = "prints a table: run it with --ignored --nocapture"]
fn growth_table() {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let cases: Vec<Case> =
        [documents::cases(), diagrams::cases(), pieces::cases()].into_iter().flatten().collect();
    let count = cases.len();
    let row = |case: Case| Row { steps: [150, 300, 600].map(|size| steps(&validator, &case, size)), case };
    let rows: Vec<Row> = cases.into_par_iter().map(row).collect();
    let mut groups: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.group()).or_default().push(row);
    }
    println!(
        "{count} cases at the sizes 150, 300 and 600; the one that grows fastest of each kind and type of diagram\n"
    );
    println!("| kind | cases | fastest | 150 | 300 | 600 | growth |\n|---|---|---|---|---|---|---|");
    for (group, mut rows) in groups {
        rows.sort_by(|a, b| b.growth().total_cmp(&a.growth()).then(b.steps[2].cmp(&a.steps[2])));
        let first = &rows[0];
        let what = first.case.what.replace('|', "\\|");
        let [small, middle, large] = first.steps;
        println!(
            "| {group} | {} | {what} | {small} | {middle} | {large} | {:.2} |",
            rows.len(),
            first.growth()
        );
    }
}

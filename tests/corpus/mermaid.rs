//! How far the validation of diagrams agrees with the verdicts of Mermaid 12.3 on labeled documents.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use proofmark::{
    ParseOptions, Ruleset, Settings, Severity, Source, Validator, internals::kinds::mermaid::Mermaid,
};
use rayon::prelude::*;
use serde_json::Value;

use super::corpus;

/// The rule for lines that no other rule explains.
const GENERIC: &str = "MM001";

fn validator() -> &'static Validator {
    static VALIDATOR: OnceLock<Validator> = OnceLock::new();
    VALIDATOR.get_or_init(|| Validator::new(Ruleset::builtin(), Settings::default()))
}

struct Row {
    id: String,
    group: String,
    text: String,
    ok: bool,
    error: String,
    fault: String,
    lines: Option<(u64, u64)>,
    found: Vec<(String, u64)>,
    micros: u128,
}

fn rows(file: &str) -> Option<Vec<Row>> {
    let text = corpus::read(&format!("mermaid/{file}"))?;
    let only = std::env::var("TYPE").ok();
    let field = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let rows = text.lines().map(|line| {
        let row: Value = serde_json::from_str(line).expect("a line is JSON");
        let group =
            row["base_type"].as_str().or(row["diagram_type"].as_str()).unwrap_or("UNKNOWN").to_owned();
        Row {
            id: field(&row, "id"),
            group,
            text: field(&row, "text"),
            ok: row["ok"] == true,
            error: field(&row, "error"),
            fault: field(&row, "fault"),
            lines: row["fault_line"].as_u64().zip(row["fault_end_line"].as_u64()),
            found: Vec::new(),
            micros: 0,
        }
    });
    Some(rows.filter(|row| only.as_ref().is_none_or(|only| row.group == *only)).collect())
}

fn validate(row: &mut Row) {
    let source = Arc::new(Source::new(row.id.clone(), row.text.clone()));
    let start = std::time::Instant::now();
    let outcome = validator().validate(&source, &Mermaid, &ParseOptions::default());
    row.micros = start.elapsed().as_micros();
    let errors = outcome.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    row.found = errors.map(|found| (found.id.clone(), u64::from(found.location.line))).collect();
}

/// Lower bounds, to be raised and never lowered.
struct Bounds {
    agreement: f64,
    /// The lower bound for every type with fifty diagrams or more.
    each_type: f64,
    line: f64,
    specific: f64,
}

const REAL: Bounds = Bounds { agreement: 0.9994, each_type: 0.99, line: 0.0, specific: 0.963 };
const MUTATED: Bounds = Bounds { agreement: 0.9991, each_type: 0.99, line: 0.922, specific: 0.982 };
const OTHER: Bounds = Bounds { agreement: 0.0, each_type: 0.0, line: 0.0, specific: 0.0 };

fn score(file: &str, bounds: &Bounds) {
    let Some(mut rows) = rows(file) else { return };
    assert!(rows.len() > 1000, "{file} has {} diagrams", rows.len());
    rows.par_iter_mut().for_each(validate);
    let mut groups: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for row in &rows {
        let got = row.found.is_empty();
        let group = groups.entry(&row.group).or_default();
        group[0] += 1;
        group[1] += usize::from(got == row.ok);
        group[2] += usize::from(row.ok && !got);
        group[3] += usize::from(!row.ok && got);
    }
    let mut sorted: Vec<_> = groups.into_iter().collect();
    sorted.sort_by_key(|(_, g)| std::cmp::Reverse(g[0]));
    for (name, [n, agree, alarms, missed]) in &sorted {
        println!(
            "{name:20} {n:5} {:7.2}% alarms {alarms:4} missed {missed:4}",
            *agree as f64 * 100.0 / *n as f64
        );
    }
    let agree = rows.iter().filter(|row| row.found.is_empty() == row.ok).count();
    println!("{file}: {agree}/{} {:.3}%", rows.len(), agree as f64 * 100.0 / rows.len() as f64);
    let located: Vec<bool> = rows
        .iter()
        .filter(|row| !row.ok && !row.found.is_empty())
        .filter_map(|row| {
            let (first, last) = row.lines?;
            Some(row.found.iter().any(|(_, line)| (first..=last).contains(line)))
        })
        .collect();
    let hits = located.iter().filter(|hit| **hit).count();
    println!(
        "fault line named {hits}/{} {:.1}%",
        located.len(),
        hits as f64 * 100.0 / located.len().max(1) as f64
    );
    let faulty: Vec<_> = rows.iter().filter(|row| !row.ok && !row.found.is_empty()).collect();
    let generic = faulty.iter().filter(|row| row.found.iter().all(|(name, _)| name == GENERIC)).count();
    println!("specific {:.1}%", 100.0 - generic as f64 * 100.0 / faulty.len().max(1) as f64);
    let mut times: Vec<u128> = rows.iter().map(|row| row.micros).collect();
    times.sort_unstable();
    println!(
        "median {} µs, p99 {} µs, max {} µs",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times[times.len() - 1]
    );
    show(&rows);
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    assert!(share(agree, rows.len()) >= bounds.agreement, "{file}: agreement");
    for (name, [n, agree, ..]) in sorted.iter().filter(|(_, [n, ..])| *n >= 50) {
        assert!(share(*agree, *n) >= bounds.each_type, "{file}: agreement on {name}");
    }
    assert!(located.is_empty() || share(hits, located.len()) >= bounds.line, "{file}: lines");
    assert!(
        faulty.is_empty() || 1.0 - share(generic, faulty.len()) >= bounds.specific,
        "{file}: particular rules"
    );
}

fn show(rows: &[Row]) {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(0usize);
    let fault = std::env::var("FAULT").unwrap_or_default();
    let wrong = rows.iter().filter(|row| row.found.is_empty() != row.ok && row.fault.contains(&fault));
    for row in wrong.skip(number("SKIP")).take(number("SHOW")) {
        println!(
            "--- {} [{}] {} Mermaid {}",
            row.id,
            row.group,
            row.fault,
            if row.ok { "ok" } else { &row.error }
        );
        println!("{}", row.text.chars().take(number("CHARS").max(600)).collect::<String>());
        println!("    ours: {:?}", row.found);
    }
    let vague = rows
        .iter()
        .filter(|row| !row.ok && !row.found.is_empty() && row.found.iter().all(|(name, _)| name == GENERIC));
    for row in vague.take(number("VAGUE")) {
        println!(
            "--- vague {} [{}] {} {:?}\n{}",
            row.id,
            row.group,
            row.fault,
            row.found,
            row.text.chars().take(500).collect::<String>()
        );
    }
    let astray = rows.iter().filter(|row| {
        !row.ok
            && !row.found.is_empty()
            && row.lines.is_some_and(|(a, b)| !row.found.iter().any(|(_, line)| (a..=b).contains(line)))
    });
    for row in astray.take(number("ASTRAY")) {
        println!(
            "--- astray {} [{}] {} lines {:?} found {:?}\n{}",
            row.id,
            row.group,
            row.fault,
            row.lines,
            row.found,
            row.text.chars().take(700).collect::<String>()
        );
    }
}

#[test]
fn real_diagrams() {
    score("real.jsonl", &REAL);
}

#[test]
#[ignore = "scores the file named by CORPUS"]
fn other_diagrams() {
    score(&std::env::var("CORPUS").unwrap_or_default(), &OTHER);
}

#[test]
fn mutated_diagrams() {
    score("mutated.jsonl", &MUTATED);
}

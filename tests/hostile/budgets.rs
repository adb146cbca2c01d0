//! A budget that ends a validation never changes a later result: whatever is made on first use and kept is the same,
//! whichever work asked for it first.
//!
//! `POINTS` is at how many steps the documents are interrupted at most (20,000), `CALLS` how many calls a deadline ends (10,000).
#![allow(clippy::print_stdout, reason = "what was skipped or counted is shown")]

use std::{
    collections::BTreeMap,
    env,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use proofmark::{Input, Project, Ruleset, internals::budget::Budget};

use crate::examples::Example;

/// How many documents are validated after the interruptions.
const DOCUMENTS: usize = 200;

/// Marks a line of the fresh process that has a result.
const RESULT: &str = "validated: ";

fn validate(project: &Project, example: &Example) -> String {
    let input = Input::text(example.text.as_str()).at(&example.name).of_kind(Some(Arc::clone(&example.kind)));
    let outcome = project.subject(input).unwrap().validate();
    let found = outcome.diagnostics.iter().map(|d| (&d.id, &d.message, &d.fix_hint, &d.fingerprint));
    format!("{} {:?}", example.rule, found.collect::<Vec<_>>()).replace('\n', " ")
}

/// Documents of every kind and of rules from all packs.
fn documents() -> Vec<Example> {
    let all = crate::examples::all(&Ruleset::builtin());
    let every = all.len() / DOCUMENTS;
    all.into_iter().step_by(every).take(DOCUMENTS).collect()
}

fn results(documents: &[Example]) -> Vec<String> {
    let project = Project::builtin();
    documents.iter().map(|document| validate(&project, document)).collect()
}

/// One document of each kind: the longest of an ordinary length, which reaches most of what is made on first use.
fn interrupted_documents() -> Vec<Example> {
    let mut longest: BTreeMap<String, Example> = BTreeMap::new();
    for example in crate::examples::all(&Ruleset::builtin()).into_iter().filter(|one| one.text.len() < 500) {
        let known = longest.get(example.kind.name());
        if known.is_none_or(|known| known.text.len() < example.text.len()) {
            longest.insert(example.kind.name().to_owned(), example);
        }
    }
    longest.into_values().collect()
}

/// What a process says whose first documents these are.
fn results_of_a_fresh_process() -> Vec<String> {
    let program = env::current_exe().unwrap();
    let output = Command::new(program)
        .args(["--exact", "budgets::a_fresh_process", "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    // The test runner writes the name of the test before the first result.
    let results = text.lines().filter_map(|line| line.split_once(RESULT));
    results.map(|(_, result)| result.to_owned()).collect()
}

#[test]
#[ignore = "started by the test below"]
fn a_fresh_process() {
    for result in results(&documents()) {
        println!("{RESULT}{result}");
    }
}

#[test]
fn interrupted_validations_leave_later_results_unchanged() {
    let points = env::var("POINTS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let project = Project::builtin();
    let kinds = interrupted_documents();
    assert!(kinds.len() >= 10, "{} kinds", kinds.len());
    let mut interruptions = 0;
    for document in &kinds {
        let mut end = |budget: &Budget| {
            let exceeded = budget.spend(|| validate(&project, document)).1.exceeded.is_some();
            interruptions += u64::from(exceeded);
            exceeded
        };
        // By a deadline or a client that hangs up, …
        for steps in 1..=points {
            if !end(&Budget { interrupted: Some(steps), ..Budget::default() }) {
                break;
            }
        }
        // … by the limit of steps, …
        for steps in (1..=points).step_by(23) {
            if !end(&Budget { steps: Some(steps), ..Budget::default() }) {
                break;
            }
        }
        // … and by that of bytes.
        for bytes in (1..=points).step_by(101) {
            end(&Budget { bytes: Some(bytes), ..Budget::default() });
        }
    }
    assert!(interruptions > points.min(10_000), "{interruptions} interruptions");
    let documents = documents();
    let (after, fresh) = (results(&documents), results_of_a_fresh_process());
    assert_eq!(after.len(), fresh.len());
    let changed: Vec<_> = after.iter().zip(&fresh).filter(|(after, fresh)| after != fresh).collect();
    assert!(
        changed.is_empty(),
        "{} of {} results have changed: {:#?}",
        changed.len(),
        after.len(),
        changed.first()
    );
}

#[test]
fn calls_that_a_deadline_ends_leave_later_results_unchanged() {
    let calls = env::var("CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let project = Project::builtin();
    let documents = documents();
    let mut ended = 0;
    for (number, document) in documents.iter().cycle().take(4 * calls).enumerate() {
        if ended == calls {
            break;
        }
        // Some are late when they begin, and others after a part of the work.
        let time = Duration::from_micros(if number % 2 == 0 { 0 } else { number as u64 % 500 });
        let budget = Budget { deadline: Some(Instant::now() + time), ..Budget::default() };
        ended += usize::from(budget.spend(|| validate(&project, document)).1.exceeded.is_some());
    }
    assert_eq!(ended, calls, "calls that a deadline ended");
    assert_eq!(results(&documents), results_of_a_fresh_process());
}

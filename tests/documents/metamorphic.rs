//! What must not matter: line ends, what follows a document, the fence around a diagram, the number of threads, and
//! when a run is killed.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use proofmark::{Kind, ParseOptions, Ruleset, Settings, Source, Validator};
use rayon::prelude::*;

use crate::{examples::Example, numbers::Numbers};

/// Rules about what a variant changes: line ends, whitespace at ends, and sizes in bytes.
const ABOUT_BYTES: &[&str] =
    &["line-ending", "carriage-return", "whitespace", "too-large", "too-long", "size"];

/// The findings: rule, line, and column.
fn findings(validator: &Validator, kind: &dyn Kind, name: &str, text: &str) -> Vec<(String, u32, u32)> {
    let source = Arc::new(Source::new(name, text));
    let outcome = validator.validate(&source, kind, &ParseOptions::default());
    let is_about_bytes = |name: &str| ABOUT_BYTES.iter().any(|part| name.contains(part));
    let found = outcome.diagnostics.into_iter().filter(|found| !is_about_bytes(&found.name));
    let mut found: Vec<_> =
        found.map(|found| (found.id, found.location.line, found.location.column)).collect();
    found.sort();
    found
}

/// Compares the findings of all examples with those of variants; `moved` undoes what a variant does to places.
fn assert_same(
    what: &str,
    applies: impl Fn(&Example) -> bool + Sync,
    variant: impl Fn(&Example) -> (Arc<dyn Kind>, String, String) + Sync,
    lines_before: u32,
) {
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    let examples: Vec<Example> =
        crate::examples::all(&ruleset).into_iter().filter(|example| applies(example)).collect();
    assert!(examples.len() > 100, "{} examples", examples.len());
    let differ: Vec<String> = examples
        .par_iter()
        .filter_map(|example| {
            let (kind, name, text) = variant(example);
            let one = findings(&validator, example.kind.as_ref(), &example.name, &example.text);
            let mut other = findings(&validator, kind.as_ref(), &name, &text);
            // A document around it has findings of its own.
            let around = kind.name() != example.kind.name();
            let prefix = one.first().map(|found| found.0[..2].to_owned()).unwrap_or_default();
            other.retain(|found| !around || found.0.starts_with(&prefix));
            // What is missing at the end of a document is reported at its end, wherever that is now.
            let end = example.text.lines().count() as u32 + 1;
            for found in &mut other {
                found.1 = (found.1 - lines_before).min(end);
            }
            (one != other).then(|| format!("{}: {one:?} became {other:?} in {text:?}", example.rule))
        })
        .collect();
    assert!(
        differ.is_empty(),
        "{what}: {} of {} differ:\n{}",
        differ.len(),
        examples.len(),
        differ.join("\n")
    );
}

#[test]
fn line_ends_do_not_change_findings() {
    let crlf = |example: &Example| {
        (Arc::clone(&example.kind), example.name.clone(), example.text.replace('\n', "\r\n"))
    };
    assert_same("CRLF", |example| !example.text.contains('\r'), crlf, 0);
}

#[test]
fn blank_lines_after_a_document_do_not_change_findings() {
    let more = |example: &Example| {
        (Arc::clone(&example.kind), example.name.clone(), format!("{}\n\n", example.text))
    };
    // Below what is never closed, blank lines are part of it.
    assert_same(
        "blank lines",
        |example| example.text.ends_with('\n') && example.kind.name() != "org",
        more,
        0,
    );
}

#[test]
fn a_fence_around_a_diagram_does_not_change_its_findings() {
    let ruleset = Ruleset::builtin();
    let markdown = Arc::clone(ruleset.kind("markdown").unwrap());
    let fenced = |example: &Example| {
        let end = if example.text.ends_with('\n') { "" } else { "\n" };
        (Arc::clone(&markdown), "page.md".to_owned(), format!("```mermaid\n{}{end}```\n", example.text))
    };
    let applies = |example: &Example| {
        example.kind.name() == "mermaid" && !example.text.contains("```") && !example.text.contains("~~~")
    };
    assert_same("a fence", applies, fenced, 1);
}

fn proofmark(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark")).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn the_number_of_threads_does_not_change_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let ruleset = Ruleset::builtin();
    for (number, example) in crate::examples::all(&ruleset).into_iter().step_by(7).enumerate() {
        let ending = match example.kind.name() {
            "markdown" => "md",
            "mermaid" => "mmd",
            "qtype" => "qtype.yaml",
            "org" => "org",
            "quarto" => "qmd",
            "json" => "json",
            _ => "yaml",
        };
        fs::write(folder.path().join(format!("{number}.{ending}")), example.text).unwrap();
    }
    for format in ["json", "sarif", "concise"] {
        let run = |jobs: &str| {
            proofmark(
                folder.path(),
                &["check", "--isolated", "--select", "all", "--format", format, "--jobs", jobs, "."],
            )
        };
        let (one, eight) = (run("1"), run("8"));
        assert!(one.stdout.len() > 10_000);
        assert_eq!(one.status.code(), eight.status.code());
        assert!(one.stdout == eight.stdout, "{format} differs");
    }
}

/// Kills `fix` at moments that look random: every file has its old content or its new one, and the next run
/// finishes the work and leaves no other file. `KILLS` is how often (20).
#[cfg(unix)]
#[test]
fn a_killed_run_leaves_every_file_old_or_new() {
    let kills: u32 = std::env::var("KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let folder = tempfile::tempdir().unwrap();
    let old =
        |number: usize| format!("{{\"id\": {number}, \"items\": [{},]}}\n", "\"item\", ".repeat(2_000) + "1");
    let new = |number: usize| old(number).replace(",]", "]");
    let path = |number: usize| folder.path().join(format!("{number}.json"));
    let names: Vec<String> = (0..40).map(|number| format!("{number}.json")).collect();
    let options = ["fix", "--isolated", "--jobs", "2"];
    let arguments: Vec<&str> = options.into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut numbers = Numbers(7);
    let mut torn = BTreeMap::new();
    let mut seen_new = 0;
    (0..40).for_each(|number| fs::write(path(number), old(number)).unwrap());
    let started = Instant::now();
    proofmark(folder.path(), &arguments);
    let whole = usize::try_from(started.elapsed().as_millis()).unwrap();
    for round in 0..kills {
        (0..40).for_each(|number| fs::write(path(number), old(number)).unwrap());
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(&arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis((whole / 4 + numbers.below(whole)) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        for number in 0..40 {
            let now = fs::read_to_string(path(number)).unwrap();
            seen_new += usize::from(now == new(number));
            if now != old(number) && now != new(number) {
                torn.insert((round, number), now.len());
            }
        }
    }
    assert!(torn.is_empty(), "torn files: {torn:?}");
    assert!(seen_new > 0, "no run got as far as writing");
    proofmark(folder.path(), &arguments);
    (0..40).for_each(|number| assert_eq!(fs::read_to_string(path(number)).unwrap(), new(number)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 40, "no other file is left");
}

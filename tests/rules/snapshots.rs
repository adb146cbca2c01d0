//! What users read: every invalid example of every built-in rule, as the terminal shows it.
//!
//! `snapshots/` has one file per rule file; where that would be too long to be read, one file per rule. A change of wording
//! or placement shows up there as a diff to be read. `INSTA_UPDATE=always cargo test --test rules snapshots::` rewrites them.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use proofmark::{
    Ruleset,
    internals::{engine::run_example, rules::Rule},
    report::{self, FileReport, Format, ReportOptions, Run},
};

/// Most bytes of a snapshot: a person has to read it.
const MOST_BYTES: usize = 60_000;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The rule files of the built-in packs, as `pack/file`, each with the ids of its rules in order.
fn rule_files() -> BTreeMap<String, Vec<String>> {
    let mut files = BTreeMap::new();
    for pack in fs::read_dir(root().join("rules")).unwrap().flatten() {
        for file in fs::read_dir(pack.path()).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let ids = text.lines().filter_map(|line| line.strip_prefix("  - id: "));
            let ids: Vec<String> = ids.map(|id| id.trim().to_owned()).collect();
            if !ids.is_empty() {
                files.insert(group(&path), ids);
            }
        }
    }
    files
}

fn group(path: &Path) -> String {
    let pack = path.parent().unwrap().file_name().unwrap().to_string_lossy();
    format!("{pack}/{}", path.file_stem().unwrap().to_string_lossy())
}

/// The findings of the rule on its invalid examples, and the names of other rules that fire there.
fn rendered(ruleset: &Arc<Ruleset>, rule: &Rule) -> String {
    let mut text = format!("━━━ {} {}\n", rule.id, rule.name);
    for example in ruleset.help(rule).examples.iter().filter(|example| example.invalid) {
        let outcome = run_example(ruleset, rule, &example.sample)
            .unwrap_or_else(|| panic!("example {} of {} cannot run", example.index + 1, rule.id));
        let (own, others): (Vec<_>, Vec<_>) = outcome.diagnostics.into_iter().partition(|d| d.id == rule.id);
        assert!(!own.is_empty(), "example {} of {} does not fire", example.index + 1, rule.id);
        let sources = outcome.document.tree.sources();
        let file = FileReport { name: sources[0].name(), sources, diagnostics: &own };
        let run = Run {
            options: ReportOptions { width: Some(120), show_caused: true, ..ReportOptions::default() },
            ..Run::default()
        };
        let mut out = Vec::new();
        report::write(Format::Pretty, &run, &[file], &report::Outcome::default(), &mut out).unwrap();
        let shown = String::from_utf8(out).unwrap();
        // The last paragraph counts findings.
        let (findings, _) = shown.trim_end().rsplit_once("\n\n").unwrap();
        text.push_str(findings);
        let mut ids: Vec<String> = others.into_iter().map(|d| d.id).collect();
        ids.dedup();
        if !ids.is_empty() {
            write!(text, "\n(also reported: {})", ids.join(", ")).unwrap();
        }
        text.push_str("\n\n");
    }
    text
}

#[test]
fn invalid_examples_are_reported_as_reviewed() {
    let ruleset = Ruleset::builtin();
    let files = rule_files();
    let listed: usize = files.values().map(Vec::len).sum();
    assert_eq!(listed, ruleset.rules().len(), "every rule belongs to exactly one snapshot");
    let mut expected = Vec::new();
    for (group, ids) in &files {
        let mut texts = Vec::new();
        for id in ids {
            let rule = ruleset.rules().iter().find(|rule| rule.id == *id).unwrap();
            texts.push((id, rendered(&ruleset, rule)));
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(root().join("snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_input_file(format!("rules/{group}.yaml"));
        let name = group.replace('/', "_");
        let all: String = texts.iter().map(|(_, text)| text.as_str()).collect();
        let snapshots = if all.len() <= MOST_BYTES {
            vec![(name, all)]
        } else {
            texts.into_iter().map(|(id, text)| (format!("{name}_{id}"), text)).collect()
        };
        for (name, text) in snapshots {
            assert!(text.len() <= MOST_BYTES, "{name} has {} bytes: clip its examples", text.len());
            expected.push(format!("{name}.snap"));
            settings.bind(|| insta::assert_snapshot!(name, text.trim_end()));
        }
    }
    let entries = fs::read_dir(root().join("snapshots")).unwrap().flatten();
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.is_empty(), "`snapshots/` is empty");
    let surplus: Vec<&String> = names.iter().filter(|name| !expected.contains(name)).collect();
    assert!(surplus.is_empty(), "no rule file for {surplus:?}");
}

/// The folders `snapshots` below a folder, without what is built there.
fn snapshot_folders(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        match entry.file_name().to_string_lossy().as_ref() {
            "snapshots" => found.push(entry.path()),
            "target" | "node_modules" => {}
            _ => snapshot_folders(&entry.path(), found),
        }
    }
}

/// The snapshots of all other tests can be read, too.
#[test]
fn snapshots_are_short_enough_to_be_read() {
    let mut folders = Vec::new();
    for tests in ["tests", "crates", "render-worker"] {
        snapshot_folders(&root().join(tests), &mut folders);
    }
    let files: Vec<_> = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap().flatten()).collect();
    assert!(files.len() > 30, "{} snapshots", files.len());
    for file in files {
        let bytes = file.metadata().unwrap().len();
        assert!(bytes <= MOST_BYTES as u64, "{} has {bytes} bytes", file.path().display());
    }
}

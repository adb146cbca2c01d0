//! Every built-in rule: well formed, complete, and true to its own examples.

use std::{collections::BTreeSet, fs, path::PathBuf, sync::Arc};

use rayon::prelude::*;

use proofmark::{
    ParseOptions, Ruleset, Settings, Source, Validator,
    internals::{
        engine::{coverage, try_examples},
        rules::{ENGINE_KIND, ENGINE_OBSERVABLES, Rule},
    },
};

fn rule_files() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut files = Vec::new();
    for pack in fs::read_dir(root).unwrap().flatten() {
        let folder = fs::read_dir(pack.path()).into_iter().flatten().flatten().map(|entry| entry.path());
        files.extend(folder.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")));
    }
    files.sort();
    files
}

#[test]
fn every_example_of_every_rule_shows_what_it_should() {
    let ruleset = Ruleset::builtin();
    let mut failures = Vec::new();
    for rule in ruleset.rules() {
        failures.extend(try_examples(&ruleset, rule, &ruleset.help(rule).examples));
    }
    let text: Vec<String> = failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", text.len(), text.join("\n"));
}

#[test]
fn examples_exercise_every_branch_of_every_rule() {
    let ruleset = Ruleset::builtin();
    let packs: BTreeSet<&str> = ruleset.rules().iter().map(|rule| rule.pack.as_str()).collect();
    let missing: Vec<String> = packs
        .into_par_iter()
        .filter_map(|pack| {
            let rules: Vec<_> =
                ruleset.rules().iter().map(AsRef::as_ref).filter(|rule: &&Rule| rule.pack == pack).collect();
            let all = coverage(&ruleset, pack, &rules);
            let left = all.iter().filter(|branch| !branch.covered);
            let left: Vec<String> = left
                .map(|branch| {
                    let part = branch.rule.as_deref().unwrap_or("pack.yaml");
                    format!("{part} {}: {}", branch.at, branch.result.words())
                })
                .collect();
            (!left.is_empty()).then(|| format!("{pack}: {} left\n  {}", left.len(), left.join("\n  ")))
        })
        .collect();
    assert!(missing.is_empty(), "no example shows that:\n{}", missing.join("\n"));
}

#[test]
fn every_rule_file_is_clean_by_the_rules_for_rule_files() {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let mut findings = Vec::new();
    for path in rule_files() {
        let source = Arc::new(Source::new(path.to_string_lossy(), fs::read_to_string(&path).unwrap()));
        let outcome = validator.validate(
            &source,
            validator.ruleset().kind("rulefile").unwrap().as_ref(),
            &ParseOptions::default(),
        );
        findings.extend(
            outcome
                .diagnostics
                .iter()
                .map(|d| format!("{}:{}: {} {}", d.location.file, d.location.line, d.id, d.message)),
        );
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn every_observable_has_a_rule() {
    let ruleset = Ruleset::builtin();
    let worded: BTreeSet<(String, String)> = ruleset
        .rules()
        .iter()
        .filter_map(|rule| rule.check.observed().map(|(_, name)| (rule, name.to_owned())))
        .flat_map(|(rule, name)| rule.kinds.iter().map(move |kind| (kind.clone(), name.clone())))
        .collect();
    let own = ruleset
        .kinds()
        .iter()
        .flat_map(|kind| kind.observables().iter().map(|o| (kind.name(), o.name.as_ref())));
    let engine = ENGINE_OBSERVABLES.iter().map(|o| (ENGINE_KIND, o.name.as_ref()));
    let silent: Vec<_> = own
        .chain(engine)
        .filter(|(kind, name)| !worded.contains(&((*kind).to_owned(), (*name).to_owned())))
        .collect();
    assert!(silent.is_empty(), "observed, but no rule reports it: {silent:?}");
}

#[test]
fn ids_are_unique_and_explained() {
    let ruleset = Ruleset::builtin();
    let ids: BTreeSet<&str> = ruleset.rules().iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids.len(), ruleset.rules().len());
    let names: BTreeSet<&str> = ruleset.rules().iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names.len(), ruleset.rules().len());
    for rule in ruleset.rules() {
        assert!(ruleset.help(rule).explain.len() > 40, "{} explains too little", rule.id);
    }
}

#[test]
fn no_rule_is_newer_than_the_program() {
    let version = |text: &str| -> Vec<u32> { text.split('.').map(|part| part.parse().unwrap()).collect() };
    let own = version(env!("CARGO_PKG_VERSION"));
    for rule in Ruleset::builtin().rules() {
        assert!(version(&rule.since) <= own, "{} is said to be there since {}", rule.id, rule.since);
    }
}

/// A pack that does not decode would silently vanish from the program.
#[test]
fn every_rule_of_every_file_is_in_the_program() {
    let ruleset = Ruleset::builtin();
    let written: usize = rule_files()
        .iter()
        .map(|path| {
            fs::read_to_string(path).unwrap().lines().filter(|line| line.starts_with("  - id: ")).count()
        })
        .sum();
    assert_eq!(ruleset.rules().len(), written);
}

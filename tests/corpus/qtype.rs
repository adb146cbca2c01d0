//! Agreement of the verdicts on flows with those of QType 0.1.18, on labeled documents.

use std::{fs, path::Path, sync::Arc};

use proofmark::{Diagnostic, ParseOptions, Ruleset, Settings, Severity, Source, Validator};
use rayon::prelude::*;
use serde_json::Value;

use super::corpus;

/// The environment variables that QType had when it validated the documents.
const ENVIRONMENT: &[&str] = &[
    "OPENAI_KEY",
    "OPENAI_API_KEY",
    "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_DEFAULT_REGION",
    "LANGFUSE_SECRET_KEY",
    "LANGFUSE_PUBLIC_KEY",
    "TAVILY-API_BEARER",
    "TAVILY_API_BEARER",
    "PROD_API_KEY",
    "ENV_VAR",
    "ARIZE_SPACE_ID",
    "ARIZE_API_KEY",
    "ANTHROPIC_KEY",
];

/// The errors found in a file; `None` if it is not UTF-8.
fn errors(validator: &Validator, path: &Path) -> Option<Vec<Diagnostic>> {
    let text = fs::read_to_string(path).ok()?;
    let folder = path.parent().expect("a file is in a folder");
    let read = |path: &str| fs::read(folder.join(path));
    let environment = |name: &str| ENVIRONMENT.contains(&name).then(|| "dummy".to_owned());
    let options = ParseOptions {
        read: Some(&read),
        environment: Some(&environment),
        strict_environment: true,
        ..ParseOptions::default()
    };
    let name = path.file_name().expect("a file has a name").to_string_lossy();
    let kind = validator.ruleset().kind("qtype").expect("the kind is built in");
    let outcome = validator.validate(&Arc::new(Source::new(name, text)), kind.as_ref(), &options);
    Some(outcome.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect())
}

/// A share of the corpus.
#[derive(Debug, Default)]
struct Share {
    of: usize,
    hits: usize,
}

impl Share {
    fn count(&mut self, hit: bool) {
        self.of += 1;
        self.hits += usize::from(hit);
    }

    fn holds(&self, name: &str, bound: f64) {
        let share = self.hits as f64 / self.of as f64;
        println!("{name}: {}/{} = {:.2} %", self.hits, self.of, share * 100.0);
        assert!(
            share >= bound,
            "{name}: {:.2} % is below the bound of {:.2} %",
            share * 100.0,
            bound * 100.0
        );
    }
}

/// Asserts lower bounds, which may be raised but never lowered.
#[test]
fn verdicts_locations_and_rules_agree_with_the_labels() {
    let Some(labels) = corpus::read("qtype/labels.jsonl") else { return };
    let root = corpus::folder().join("qtype");
    let labels: Vec<Value> =
        labels.lines().map(|line| serde_json::from_str(line).expect("a label is JSON")).collect();
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let file = |label: &Value| root.join(label["file"].as_str().expect("a label names its file"));
    let found: Vec<Option<Vec<Diagnostic>>> =
        labels.par_iter().map(|label| errors(&validator, &file(label))).collect();

    let [mut agrees, mut placed, mut named, mut alone] = <[Share; 4]>::default();
    for (label, found) in labels.iter().zip(&found) {
        // QType rejects some valid files only because of its own defects.
        let right = label["valid"] == true || label["kind"] == "false_positive";
        let ours = found.as_ref().is_some_and(Vec::is_empty);
        agrees.count(right == ours);
        if right != ours {
            println!("differs: {} (QType: {})", label["file"], label["oracle_message"]);
        }
        let (Some(found), false, "fault") = (found, right, label["kind"].as_str().unwrap_or_default()) else {
            continue;
        };
        alone.count(found.len() == 1);
        if found.is_empty() {
            continue;
        }
        if let Some(fault) = label["fault_path"].as_str().filter(|path| !path.is_empty()) {
            let at = |d: &Diagnostic| d.location.path.clone().unwrap_or_default();
            let near = |at: &str| at.starts_with(fault) || !at.is_empty() && fault.starts_with(at);
            placed.count(found.iter().any(|d| near(&at(d))));
        }
        if let Some(rules) = label["rules"].as_array().filter(|rules| !rules.is_empty()) {
            named.count(found.iter().any(|d| rules.iter().any(|rule| rule == d.id.as_str())));
        }
    }
    assert!(labels.len() > 500, "the corpus has {} documents", labels.len());
    agrees.holds("verdicts", 0.9965);
    placed.holds("locations of errors", 0.950);
    named.holds("rules of errors", 0.994);
    alone.holds("documents with a single error", 0.957);
}
